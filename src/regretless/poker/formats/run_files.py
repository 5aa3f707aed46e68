"""Runs of gigabytes: compressed board by board, written atomically, and read back whole or one board at a time.

The file is a safetensors file like every other of ours. Each array of the run is a stream of bytes, a piece for each
board; `piece_codecs` says what a piece holds. Beside the stream lie where each piece begins and a checksum of it, so
that one board is read, and checked, without the rest. Sizes in a header are checked before memory is taken: an array is
at most as large as its compressed bytes can be, and a board is unpacked to exactly the bytes that its numbers take.

| version | pieces |
|---|---|
| 1 | bytes sorted by significance, deflated |
| 2 | the same, compressed by zstd |
| 3 | differences of neighbouring hands, bytes sorted by significance, zstd; or rounded strategies |
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError
from regretless.method import processors
from regretless.poker.formats.game_json import game_from_json, game_to_json
from regretless.poker.formats.piece_codecs import LEVELS, ROUNDED, PieceCodec, codec_for
from regretless.poker.formats.stored_arrays import StoredArrays
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.public_tree import PublicTree
from regretless.storage import (
    PUBLIC_FORMAT,
    PUBLIC_VERSION,
    check_format,
    header_in,
    meta_in,
    opened,
    write_atomically,
)

__all__ = ["StoredArrays", "open_public_run", "write_compact_run", "write_public_run"]

Array = npt.NDArray[Any]

FORMAT, VERSION = PUBLIC_FORMAT, PUBLIC_VERSION

CHECKSUM = "header_crc32"
"""Of what lies before the pieces; each piece has one of its own."""

WAITING = 16
"""Compressed pieces that wait to be written, at most."""


def write_public_run(
    path: str | os.PathLike[str], tree: PublicTree, arrays: Mapping[str, Array], meta: Mapping[str, Any]
) -> None:
    """Write a run's arrays and its description, compressed and atomically; every bit is kept."""
    flat = {name: np.ascontiguousarray(array).reshape(-1) for name, array in arrays.items()}
    codecs = {name: codec_for(tree, array.dtype.name, array.shape) for name, array in arrays.items()}
    shapes = {name: [array.dtype.name, list(array.shape)] for name, array in arrays.items()}
    _write(path, tree, flat, codecs, {**meta, "arrays": shapes})


def write_compact_run(
    path: str | os.PathLike[str], strategy: PublicStrategy, meta: Mapping[str, Any], levels: int = LEVELS
) -> None:
    """Write only a strategy and the description of its run: probabilities in steps of 1 / levels."""
    tree, name = strategy.tree, "average"
    strategy.need(range(tree.boards))
    codec = codec_for(tree, "float32", (tree.numbers,), levels)
    settings = {**meta.get("settings", {}), "rounded": levels}
    told = {**meta, "settings": settings, "arrays": {name: ["float32", [tree.numbers]]}, ROUNDED: {name: levels}}
    _write(path, tree, {name: strategy.source}, {name: codec}, told)


def _write(
    path: str | os.PathLike[str],
    tree: PublicTree,
    flat: Mapping[str, Array],
    codecs: Mapping[str, PieceCodec],
    meta: Mapping[str, Any],
) -> None:
    described = {**meta, "format": FORMAT, "version": VERSION, "description": game_to_json(tree.game)}
    text = {key: json.dumps(value) for key, value in described.items()} | {CHECKSUM: json.dumps("0" * 10)}
    write_atomically(path, lambda file: _fill(file, flat, codecs, text))


def _fill(file: IO[bytes], flat: Mapping[str, Array], codecs: Mapping[str, PieceCodec], text: dict[str, str]) -> None:
    """The file: space for the header, which is complete only at the end, then each stream and its tables."""
    entries: dict[str, Any] = {}
    for name, codec in codecs.items():
        pieces = codec.pieces
        for part, dtype, size in (("data", "U8", 0), ("first", "I64", pieces + 1), ("crc", "U32", pieces)):
            entries[f"{name}.{part}"] = {"dtype": dtype, "shape": [size], "data_offsets": [0, 0]}
    space = len(json.dumps({"__metadata__": text, **entries}).encode()) + 64 * len(entries)
    space += -space % 8
    file.write(bytes(8 + space))
    end = 0
    with ThreadPoolExecutor(processors()) as pool:
        for name, codec in codecs.items():
            first, crc = [0], []
            for data in _compressed(pool, flat[name], codec):
                file.write(data)
                first.append(first[-1] + len(data))
                crc.append(zlib.crc32(data))
            tables = (np.array(first, np.int64).tobytes(), np.array(crc, np.uint32).tobytes())
            for part, length, count in (
                ("data", first[-1], first[-1]),
                ("first", len(tables[0]), len(first)),
                ("crc", len(tables[1]), len(crc)),
            ):
                entries[f"{name}.{part}"] |= {"shape": [count], "data_offsets": [end, end + length]}
                end += length
            file.write(tables[0] + tables[1])
    whole = {"__metadata__": text, **entries}
    text[CHECKSUM] = header_checksum(whole)
    header = json.dumps(whole).encode()
    assert len(header) <= space
    file.seek(0)
    file.write(space.to_bytes(8, "little") + header + b" " * (space - len(header)))


def header_checksum(header: Mapping[str, Any]) -> str:
    """A CRC-32 of a header without its checksum: ten digits, as JSON like everything beside them."""
    meta = {key: value for key, value in header.get("__metadata__", {}).items() if key != CHECKSUM}
    return json.dumps(f"{zlib.crc32(json.dumps({**header, '__metadata__': meta}).encode()):010}")


def _compressed(pool: ThreadPoolExecutor, flat: Array, codec: PieceCodec) -> Iterator[bytes]:
    """The pieces in their order, compressed by several threads."""
    waiting: list[Any] = []
    for piece in range(codec.pieces):
        waiting.append(pool.submit(codec.pack, flat, piece))
        if len(waiting) > WAITING:
            yield waiting.pop(0).result()
    for one in waiting:
        yield one.result()


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
        return tree, StoredArrays(file, tree, meta, layout, start), meta
    except FileError as error:
        known = os.fspath(path) in str(error)
        raise FileError(str(error) if known else f"{os.fspath(path)}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FileError(f"{os.fspath(path)}: the header is damaged") from None
