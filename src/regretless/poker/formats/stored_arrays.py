"""The arrays of a hold'em run in a file, read whole or one board at a time."""

from __future__ import annotations

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
from regretless.poker.formats.piece_codecs import ROUNDED, PieceCodec, codec_for
from regretless.poker.tree.public_tree import PublicTree
from regretless.storage import LARGEST_RATIO, array_bytes

__all__ = ["StoredArrays"]

Array = npt.NDArray[Any]


class StoredArrays(Mapping[str, Array]):
    """The arrays of a run's file: `arrays[name]` reads one whole, `need(name, boards)` only some boards of it.

    What has not been read is zeros that take no memory. The file stays open, so that what is read later is of the same
    run even if a solve that goes on has put a newer one in its place.
    """

    def __init__(self, file: IO[bytes], tree: PublicTree, meta: Mapping[str, Any], layout: Any, start: int) -> None:
        """meta: the description in the file; layout, start: where its entries lie, as `storage.header_in` says."""
        self.path, self.layout, self.start = Path(file.name), layout, start
        self.descriptor, self.reading = os.dup(file.fileno()), threading.Lock()
        weakref.finalize(self, os.close, self.descriptor)
        shapes = meta["arrays"]
        self.codecs = {name: self._codec(tree, name, meta) for name in shapes}
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
        with ThreadPoolExecutor(processors()) as pool:
            jobs = []
            for piece in wanted:
                data = self._piece(name, piece)
                jobs.append(pool.submit(self._unpack, name, flat, piece, data))
                if len(jobs) > 32:
                    jobs.pop(0).result()
            for job in jobs:
                job.result()
        missing[wanted] = False
        return array

    def read_into(self, name: str, target: Array) -> None:
        """Copy a whole array to another of its type; pieces that have not been read yet are not kept."""
        target[:] = self.kept[name]
        for piece in np.flatnonzero(self.missing[name]).tolist():
            self._unpack(name, target.reshape(-1), piece, self._piece(name, piece))

    def _codec(self, tree: PublicTree, name: str, meta: Mapping[str, Any]) -> PieceCodec:
        """How an array is unpacked; refuses one that its compressed bytes cannot hold, or that ends beyond the file."""
        dtype, shape = meta["arrays"][name]
        size = array_bytes(dtype, shape)
        parts = [self.layout.get(f"{name}.{part}") for part in ("data", "first", "crc")]
        if size is None or None in parts:
            raise FileError(f"{self.path}: the entry of {name[:80]!r} is damaged")
        codec = codec_for(tree, dtype, tuple(shape), meta.get(ROUNDED, {}).get(name), int(meta["version"]))
        begin, end = parts[0]["data_offsets"]
        if codec.stream_bytes > LARGEST_RATIO * (end - begin):
            raise FileError(f"{self.path}: {end - begin:,} bytes cannot hold the {size:,} bytes of {name[:80]!r}")
        if max(part["data_offsets"][1] for part in parts) > os.fstat(self.descriptor).st_size - self.start:
            raise FileError(f"{self.path} is cut short: {name[:80]!r} cannot be read to its end")
        return codec

    def _unpack(self, name: str, flat: Array, piece: int, data: bytes) -> None:
        try:
            self.codecs[name].unpack(data, flat, piece)
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
            pieces = self.codecs[name].pieces
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
