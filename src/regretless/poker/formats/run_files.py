"""Runs of gigabytes: compressed board by board, written atomically, and read back whole or one board at a time.

The file is a safetensors file like every other of ours. Each array of the run is a stream of bytes, a piece for each
board: its numbers with their bytes sorted by significance, then compressed by zstd (regrets of CFR+ are half zeros, and
high bytes repeat); files of version 1 are deflated. Beside the stream lie where each piece begins and a checksum of it,
so that one board is read, and checked, without the rest. Sizes in a header are checked before memory is taken: an array
is at most as large as its compressed bytes can be, and a board is unpacked to exactly the bytes that its numbers take.
"""

from __future__ import annotations

import json
import os
import threading
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError
from regretless.method import processors
from regretless.poker.formats.game_json import game_from_json, game_to_json
from regretless.poker.tree.public_tree import PublicTree
from regretless.storage import (
    LARGEST_RATIO,
    PUBLIC_FORMAT,
    PUBLIC_VERSION,
    array_bytes,
    check_format,
    compress,
    decompress_exactly,
    header_in,
    meta_in,
    opened,
    write_atomically,
)

__all__ = ["StoredArrays", "open_public_run", "write_public_run"]

Array = npt.NDArray[Any]

FORMAT, VERSION = PUBLIC_FORMAT, PUBLIC_VERSION

CHECKSUM = "header_crc32"
"""Of what lies before the pieces; each piece has one of its own."""


def board_bounds(tree: PublicTree) -> Array:
    """[boards + 1] where each board's numbers begin."""
    arrays = tree.book.arrays
    return np.append(arrays.first[0], tree.numbers).astype(np.int64)


def pieces_of(tree: PublicTree, name: str, array: Array) -> Array:
    """[pieces + 1] where the pieces of an array begin: the boards', or one piece for a small table."""
    return board_bounds(tree) if array.ndim == 1 and len(array) == tree.numbers else np.array([0, array.size])


def packed(numbers: Array) -> bytes:
    """Numbers as compressed bytes, the bytes of one significance together."""
    raw = np.ascontiguousarray(numbers).view(np.uint8).reshape(-1, numbers.dtype.itemsize)
    return compress(np.ascontiguousarray(raw.T))


def unpacked(data: bytes, dtype: np.dtype[Any], count: int) -> Array:
    """What `packed` was given."""
    raw = np.frombuffer(decompress_exactly(data, dtype.itemsize * count), np.uint8)
    return np.ascontiguousarray(raw.reshape(dtype.itemsize, count).T).view(dtype).ravel()


def write_public_run(
    path: str | os.PathLike[str], tree: PublicTree, arrays: Mapping[str, Array], meta: Mapping[str, Any]
) -> None:
    """Write a run's arrays and its description, compressed and atomically."""
    described = {**meta, "format": FORMAT, "version": VERSION, "description": game_to_json(tree.game)}
    described["arrays"] = {name: [a.dtype.name, list(a.shape)] for name, a in arrays.items()}
    text = {key: json.dumps(value) for key, value in described.items()} | {CHECKSUM: json.dumps("0" * 10)}
    write_atomically(path, lambda file: _fill(file, tree, arrays, text))


def _fill(file: IO[bytes], tree: PublicTree, arrays: Mapping[str, Array], text: dict[str, str]) -> None:
    """The file: a header with room for numbers that are known at the end only, then the streams, then their tables."""
    entries: dict[str, Any] = {}
    for name, array in arrays.items():
        count = len(pieces_of(tree, name, array))
        for part, dtype, size in (("data", "U8", 0), ("first", "I64", count), ("crc", "U32", count - 1)):
            entries[f"{name}.{part}"] = {"dtype": dtype, "shape": [size], "data_offsets": [0, 0]}
    room = len(json.dumps({"__metadata__": text, **entries}).encode()) + 64 * len(entries)
    room += -room % 8
    file.write(bytes(8 + room))
    place = 0
    with ThreadPoolExecutor(processors()) as pool:
        for name, array in arrays.items():
            bounds = pieces_of(tree, name, array)
            flat = np.ascontiguousarray(array).reshape(-1)
            first, crc = [0], []
            for data in _compressed(pool, flat, bounds):
                file.write(data)
                first.append(first[-1] + len(data))
                crc.append(zlib.crc32(data))
            tables = (np.array(first, np.int64).tobytes(), np.array(crc, np.uint32).tobytes())
            for part, length, count in (
                ("data", first[-1], first[-1]),
                ("first", len(tables[0]), len(first)),
                ("crc", len(tables[1]), len(crc)),
            ):
                entries[f"{name}.{part}"] |= {"shape": [count], "data_offsets": [place, place + length]}
                place += length
            file.write(tables[0] + tables[1])
    whole = {"__metadata__": text, **entries}
    text[CHECKSUM] = header_checksum(whole)
    header = json.dumps(whole).encode()
    assert len(header) <= room
    file.seek(0)
    file.write(room.to_bytes(8, "little") + header + b" " * (room - len(header)))


def header_checksum(header: Mapping[str, Any]) -> str:
    """A CRC-32 of a header without its checksum: ten digits, as JSON like everything beside them."""
    meta = {key: value for key, value in header.get("__metadata__", {}).items() if key != CHECKSUM}
    return json.dumps(f"{zlib.crc32(json.dumps({**header, '__metadata__': meta}).encode()):010}")


def _compressed(pool: ThreadPoolExecutor, flat: Array, bounds: Array) -> Iterator[bytes]:
    """The pieces, compressed by several threads, at most a few of them waiting."""
    waiting: list[Any] = []
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        waiting.append(pool.submit(packed, flat[begin:end]))
        if len(waiting) > 16:
            yield waiting.pop(0).result()
    for one in waiting:
        yield one.result()


class StoredArrays(Mapping[str, Array]):
    """The arrays of a run's file: `arrays[name]` reads one whole, `need(name, boards)` only some boards of it.

    What has not been read is zeros that take no memory. The file stays open, so that what is read later is of the same
    run even if a solve that goes on has put a newer one in its place.
    """

    def __init__(self, file: IO[bytes], tree: PublicTree, shapes: Mapping[str, Any], layout: Any, start: int) -> None:
        self.path, self.tree = Path(file.name), tree
        self.layout, self.start = layout, start
        self.descriptor, self.reading = os.dup(file.fileno()), threading.Lock()
        weakref.finalize(self, os.close, self.descriptor)
        for name, described in shapes.items():
            self._check_size(name, *described)
        self.kept = {name: np.zeros(tuple(shape), np.dtype(dtype)) for name, (dtype, shape) in shapes.items()}
        self.tables = {name: self._tables(name) for name in self.kept}
        self.missing = {name: np.ones(len(first) - 1, np.bool_) for name, (first, _) in self.tables.items()}

    def __getitem__(self, name: str) -> Array:
        self.need(name, np.flatnonzero(self.missing[name]))
        return self.kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    def __contains__(self, name: object) -> bool:
        return name in self.kept  # without reading it, as a mapping otherwise would

    def need(self, name: str, boards: Iterable[int]) -> Array:
        """An array of which (at least) some boards have been read."""
        missing, array = self.missing[name], self.kept[name]
        pieces = {min(int(board), len(missing) - 1) for board in boards}  # a small table is one piece
        wanted = sorted(piece for piece in pieces if missing[piece])
        if not wanted:
            return array
        flat = array.reshape(-1)
        bounds = pieces_of(self.tree, name, array)
        with ThreadPoolExecutor(processors()) as pool:
            jobs = []
            for piece in wanted:
                data = self._piece(name, piece)
                jobs.append(pool.submit(self._place, flat, bounds, piece, data))
                if len(jobs) > 32:
                    jobs.pop(0).result()
            for job in jobs:
                job.result()
        missing[wanted] = False
        return array

    def _check_size(self, name: str, dtype: Any, shape: Any) -> None:
        """Refuse an array that its compressed bytes cannot hold, and entries beyond the end of the file."""
        size = array_bytes(dtype, shape)
        parts = [self.layout.get(f"{name}.{part}") for part in ("data", "first", "crc")]
        if size is None or None in parts:
            raise FileError(f"{self.path}: the entry of {name[:80]!r} is damaged")
        begin, end = parts[0]["data_offsets"]
        if size > LARGEST_RATIO * (end - begin):
            raise FileError(f"{self.path}: {end - begin:,} bytes cannot hold the {size:,} bytes of {name[:80]!r}")
        if max(part["data_offsets"][1] for part in parts) > os.fstat(self.descriptor).st_size - self.start:
            raise FileError(f"{self.path} is cut short: {name[:80]!r} cannot be read to its end")

    def _place(self, flat: Array, bounds: Array, piece: int, data: bytes) -> None:
        begin, end = int(bounds[piece]), int(bounds[piece + 1])
        try:
            flat[begin:end] = unpacked(data, flat.dtype, end - begin)
        except (zlib.error, ValueError):
            raise FileError(f"{self.path} is damaged: board {piece} cannot be unpacked") from None

    def _piece(self, name: str, piece: int) -> bytes:
        first, crc = self.tables[name]
        begin = self.layout[f"{name}.data"]["data_offsets"][0] + int(first[piece])
        data = self._bytes(begin, begin + int(first[piece + 1] - first[piece]))
        if zlib.crc32(data) != int(crc[piece]):
            raise FileError(f"{self.path} is damaged: the checksum of board {piece} does not agree with what it holds")
        return data

    def _tables(self, name: str) -> tuple[Array, Array]:
        try:
            places = [self.layout[f"{name}.{part}"]["data_offsets"] for part in ("first", "crc")]
            first, crc = (
                np.frombuffer(self._bytes(*place), dtype)
                for place, dtype in zip(places, (np.int64, np.uint32), strict=True)
            )
            pieces = len(pieces_of(self.tree, name, self.kept[name])) - 1
            begin, end = self.layout[f"{name}.data"]["data_offsets"]
            if len(first) != pieces + 1 or len(crc) != pieces or np.any(np.diff(first) < 0):
                raise ValueError
            if first[0] != 0 or first[-1] != end - begin:
                raise ValueError
            return first, crc
        except (KeyError, TypeError, ValueError):
            raise FileError(f"{self.path}: the table of {name!r} is damaged or cut short") from None

    def _bytes(self, begin: int, end: int) -> bytes:
        """What lies between two offsets, as far as the file goes."""
        try:
            with self.reading:
                os.lseek(self.descriptor, self.start + begin, os.SEEK_SET)
                parts, left = [], end - begin
                while left > 0 and (part := os.read(self.descriptor, left)):
                    parts.append(part)
                    left -= len(part)
            return b"".join(parts)
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {error.strerror or error}") from error


def open_public_run(path: str | os.PathLike[str], game: Any = None) -> tuple[PublicTree, StoredArrays, dict[str, Any]]:
    """The tree, the arrays (not yet read) and the description of a run's file, which holds the game itself."""
    with opened(path) as file:
        return _open_public_run(path, file)


def _open_public_run(path: str | os.PathLike[str], file: IO[bytes]) -> tuple[PublicTree, StoredArrays, dict[str, Any]]:
    layout, start = header_in(file, path)
    meta = meta_in(layout, path)
    check_format(path, meta, FORMAT, VERSION)
    if layout["__metadata__"].get(CHECKSUM) != header_checksum(layout):
        raise FileError(f"{os.fspath(path)} is damaged: the checksum of its header does not agree with what it holds")
    try:
        tree = game_from_json(meta["description"]).public_tree()
        if tree.fingerprint != meta["fingerprint"]:
            raise FileError("the game in it is laid out differently by this version")
        return tree, StoredArrays(file, tree, meta["arrays"], layout, start), meta
    except FileError as error:
        known = os.fspath(path) in str(error)
        raise FileError(str(error) if known else f"{os.fspath(path)}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FileError(f"{os.fspath(path)}: the header is damaged") from None
