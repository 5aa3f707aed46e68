"""Arrays and a JSON header in one file.

The layout is that of safetensors (eight bytes of header length, a JSON header, raw little-endian arrays), so any
safetensors reader opens our files; our own fields are in the header's `__metadata__`, each as JSON text. Before
anything is allocated, every size in a header is checked against the size of the file: arrays may not overlap, so
reading a file takes no more memory than the file has bytes.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError
from regretless.storage.atomic_files import write_atomically

__all__ = [
    "MappedArrays",
    "array_bytes",
    "check_format",
    "header_in",
    "map_arrays",
    "meta_in",
    "needed",
    "opened",
    "read_arrays",
    "read_header",
    "verify_mapped",
    "write_arrays",
]

_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32", "int16": "I16",
    "int8": "I8", "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
_DTYPES = {code: np.dtype(name) for name, code in _NAMES.items()}

LARGEST_HEADER = 100_000_000
"""Bytes; the limit of safetensors itself."""

MOST_DIMENSIONS = 8
MOST_BYTES = 1 << 48
"""Bytes of one array; the product of a shape is bounded by it also where one of its factors is zero."""

META = "__metadata__"


MAPPED_FROM = 64 << 20
"""Bytes of a file from which on `map_arrays` makes views of it."""


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, npt.NDArray[Any]], meta: Mapping[str, Any]) -> None:
    """Write arrays and a JSON-able header to one file, atomically."""
    header: dict[str, Any] = {META: {key: json.dumps(value) for key, value in meta.items()}}
    begin = 0
    for name, array in arrays.items():
        header[name] = {
            "dtype": _NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [begin, begin + array.nbytes],
        }
        begin += array.nbytes
    raw = [np.ascontiguousarray(array).data for array in arrays.values()]
    header[META]["crc32"] = json.dumps(_checksum(header, raw))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > LARGEST_HEADER:
        raise FileError(
            f"cannot write {os.fspath(path)}: its header takes {len(text):,} bytes, and {LARGEST_HEADER:,} are the "
            "most that can be read again"
        )

    def fill(file: IO[bytes]) -> None:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for data in raw:
            file.write(data)

    write_atomically(path, fill)


def _checksum(header: Mapping[str, Any], raw: Iterable[Any]) -> int:
    """A CRC-32 of the header (without the checksum itself) and of all arrays in its order."""
    meta = {key: value for key, value in header.get(META, {}).items() if key != "crc32"}
    crc = zlib.crc32(json.dumps({**header, META: meta}).encode())
    for data in raw:
        crc = zlib.crc32(data, crc)
    return crc


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What `write_arrays` was given as `meta`, without reading any array."""
    with opened(path) as file:
        return meta_in(header_in(file, path)[0], path)


def read_arrays(
    path: str | os.PathLike[str], expected: str | None = None, version: int = 0
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """All arrays and the header of a file that `write_arrays` wrote, of the `expected` format where one is named."""
    with opened(path) as file:
        header, start = header_in(file, path)
        meta = meta_in(header, path)
        if expected is not None:
            check_format(path, meta, expected, version)
        if "crc32" not in meta:
            raise FileError(f"{os.fspath(path)} is not written by regretless, or damaged: it has no checksum")
        size = os.fstat(file.fileno()).st_size - start
        arrays = {name: _array(file, path, name, entry, start, size) for name, entry in header.items() if name != META}
    if meta["crc32"] != _checksum(header, (array.data for array in arrays.values())):
        raise FileError(f"{os.fspath(path)} is damaged: its checksum does not agree with what it holds")
    return arrays, meta


class MappedArrays(dict[str, npt.NDArray[Any]]):
    """The arrays of a large file as views of it: nothing is read before it is used."""

    def __init__(self, path: str | os.PathLike[str], header: Mapping[str, Any], start: int, meta: Mapping[str, Any]):
        size = Path(path).stat().st_size - start
        for name, entry in header.items():
            if name == META:
                continue
            begin, end = entry["data_offsets"]
            if end > size:
                raise FileError(f"{os.fspath(path)} is cut short: {name!r} goes beyond its end")
            dtype, shape = _DTYPES[entry["dtype"]], tuple(entry["shape"])
            self[name] = np.memmap(path, dtype, "r", start + begin, shape) if end > begin else np.zeros(shape, dtype)
        self.path, self.header, self.expected, self.verified = path, header, meta["crc32"], False

    def verify(self) -> None:
        """Read all of it and compare the checksum, once; FileError if it differs."""
        if self.verified:
            return
        if self.expected != _checksum(self.header, (array.data for array in self.values())):
            raise FileError(f"{os.fspath(self.path)} is damaged: its checksum does not agree with what it holds")
        self.verified = True


def verify_mapped(arrays: Mapping[str, Any]) -> None:
    """Compare the arrays of `map_arrays` with their checksum before they are used; nothing for other arrays."""
    if isinstance(arrays, MappedArrays):
        arrays.verify()


def map_arrays(path: str | os.PathLike[str]) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """As `read_arrays`, but the arrays of a large file are views of it, and `verify_mapped` compares their checksum."""
    if Path(path).is_file() and Path(path).stat().st_size < MAPPED_FROM:
        return read_arrays(path)
    with opened(path) as file:
        header, start = header_in(file, path)
    meta = meta_in(header, path)
    if "crc32" not in meta:
        raise FileError(f"{os.fspath(path)} is not written by regretless, or damaged: it has no checksum")
    return MappedArrays(path, header, start, meta), meta


def opened(path: str | os.PathLike[str]) -> IO[bytes]:
    """A file open for reading; FileError if it cannot be opened."""
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = error.strerror if isinstance(error, OSError) else None
        raise FileError(f"cannot read {os.fspath(path)}: {reason or error}") from error


def header_in(file: IO[bytes], path: str | os.PathLike[str]) -> tuple[dict[str, Any], int]:
    """Where each array lies in a file (dtype, shape, data_offsets by name), and the byte that offsets count from.

    Every entry is checked: its bytes are those of its shape, and no two entries overlap. Whether the file is long
    enough is checked where an array is read.
    """
    length = int.from_bytes(file.read(8), "little")
    size = os.fstat(file.fileno()).st_size
    try:
        if not 2 <= length <= min(size - 8, LARGEST_HEADER):
            raise ValueError
        header = json.loads(file.read(length))
        if not isinstance(header, dict):
            raise ValueError
    except (ValueError, RecursionError):
        raise FileError(f"{os.fspath(path)} is not a regretless file, or its beginning is damaged") from None
    meta = header.get(META, {})
    if not isinstance(meta, dict) or not all(isinstance(value, str) for value in meta.values()):
        raise FileError(f"{os.fspath(path)} is not a regretless file: the fields of its header are not text")
    _check_entries(header, path)
    return header, 8 + length


def _check_entries(header: dict[str, Any], path: str | os.PathLike[str]) -> None:
    spans = []
    for name, entry in header.items():
        if name == META:
            continue
        if not _is_entry(entry):
            raise FileError(f"{os.fspath(path)}: the entry of {name[:80]!r} is damaged")
        begin, end = entry["data_offsets"]
        if end > begin:
            spans.append((begin, end, name))
    spans.sort()
    for (_, end, one), (begin, _, other) in pairwise(spans):
        if begin < end:
            raise FileError(f"{os.fspath(path)} is damaged: {one[:80]!r} and {other[:80]!r} overlap")


def _is_entry(entry: Any) -> bool:
    """Whether dtype, shape and offsets of an array belong together."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        return False
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in _DTYPES or not _whole_numbers(offsets) or len(offsets) != 2:
        return False
    return bool(array_bytes(_DTYPES[dtype].name, shape) == offsets[1] - offsets[0])


def array_bytes(dtype: Any, shape: Any) -> int | None:
    """Bytes of an array from the name of its type and its shape; None where no file of ours can hold such an array.

    >>> array_bytes("float32", [2, 3]), array_bytes("float32", [2**32, 2**32]), array_bytes("object", [1])
    (24, None, None)
    """
    if not isinstance(dtype, str) or dtype not in _NAMES or not _whole_numbers(shape) or len(shape) > MOST_DIMENSIONS:
        return None
    size: int = np.dtype(dtype).itemsize
    if math.prod(max(n, 1) for n in shape) * size > MOST_BYTES:
        return None
    return int(math.prod(shape)) * size


def _whole_numbers(given: Any) -> bool:
    return isinstance(given, list) and all(type(number) is int and number >= 0 for number in given)


def meta_in(header: dict[str, Any], path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a header says besides where the arrays lie."""
    try:
        return {key: json.loads(value) for key, value in header.get(META, {}).items()}
    except (AttributeError, TypeError, ValueError, RecursionError):
        raise FileError(f"{os.fspath(path)} is a safetensors file, but not one that regretless wrote") from None


def _array(
    file: IO[bytes], path: str | os.PathLike[str], name: str, entry: Mapping[str, Any], start: int, size: int
) -> npt.NDArray[Any]:
    begin, end = entry["data_offsets"]
    if end > size:
        raise FileError(
            f"{os.fspath(path)} is cut short: {name!r} should end at byte {start + end:,} of {start + size:,}"
        )
    raw = np.empty(end - begin, np.uint8)
    file.seek(start + begin)
    if file.readinto(raw.data) != len(raw):  # type: ignore[attr-defined]
        raise FileError(f"{os.fspath(path)} is cut short: {name!r} cannot be read to its end")
    if entry["dtype"] == "BOOL" and np.any(raw > 1):
        raise FileError(f"{os.fspath(path)}: {name!r} holds bytes that are neither true nor false")
    return raw.view(_DTYPES[entry["dtype"]]).reshape(entry["shape"])


def needed(path: str | os.PathLike[str], arrays: Mapping[str, Any], name: str) -> npt.NDArray[Any]:
    """An array that a file must hold."""
    if name not in arrays:
        raise FileError(f"{os.fspath(path)} holds no {name!r}: it is damaged or from another program")
    array: npt.NDArray[Any] = arrays[name]
    return array


def check_format(path: str | os.PathLike[str], meta: Mapping[str, Any], expected: str, version: int) -> None:
    """Refuse files of another kind and of a future version, saying which."""
    found = meta.get("format")
    if found != expected:
        what = f"a {found[:40]} file" if isinstance(found, str) else "not written by regretless"
        raise FileError(f"{Path(path)} is {what}; a {expected} file is needed here")
    given = meta.get("version")
    if not isinstance(given, int) or given > version:
        raise FileError(
            f"{Path(path)} has version {str(given)[:40]} of its format; this regretless reads up to {version}"
        )
