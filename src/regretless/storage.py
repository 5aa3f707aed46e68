"""Files that survive: arrays and a JSON header in one file, written beside the old one and then put in its place.

The layout is that of safetensors (eight bytes of header length, a JSON header, raw little-endian arrays), so any
safetensors reader opens our files; what is ours lies in the header's `__metadata__`. A write goes to a temporary file
in the same folder, is flushed to the disk and then renamed over the target: a crash leaves the old file or the new
one, never half of either.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError

__all__ = [
    "check_format",
    "header_in",
    "meta_in",
    "needed",
    "opened",
    "read_arrays",
    "read_header",
    "write_arrays",
    "write_atomically",
]

_NAMES = {
    "float64": "F64", "float32": "F32", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
    "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
_DTYPES = {code: np.dtype(name) for name, code in _NAMES.items()}
_LARGEST_HEADER = 1 << 30


def write_atomically(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a file that takes the place of `path` only once it is whole and on the disk."""
    target = Path(path)
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise FileError(f"cannot write {target}: it is a folder; name a file")
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
        temporary = None
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, npt.NDArray[Any]], meta: Mapping[str, Any]) -> None:
    """Write arrays and a JSON-able header to one file, atomically."""
    header: dict[str, Any] = {"__metadata__": {key: json.dumps(value) for key, value in meta.items()}}
    begin = 0
    for name, array in arrays.items():
        header[name] = {
            "dtype": _NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [begin, begin + array.nbytes],
        }
        begin += array.nbytes
    raw = [np.ascontiguousarray(array).data for array in arrays.values()]
    header["__metadata__"]["crc32"] = json.dumps(_checksum(header, raw))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)

    def fill(file: IO[bytes]) -> None:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for data in raw:
            file.write(data)

    write_atomically(path, fill)


def _checksum(header: Mapping[str, Any], raw: Iterable[Any]) -> int:
    """A CRC-32 of the header (without the checksum itself) and of all arrays in its order."""
    meta = {key: value for key, value in header.get("__metadata__", {}).items() if key != "crc32"}
    crc = zlib.crc32(json.dumps({**header, "__metadata__": meta}).encode())
    for data in raw:
        crc = zlib.crc32(data, crc)
    return crc


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What `write_arrays` was given as `meta`, without reading any array."""
    with opened(path) as file:
        return meta_in(header_in(file, path)[0], path)


def read_arrays(path: str | os.PathLike[str]) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """All arrays and the header of a file that `write_arrays` wrote."""
    with opened(path) as file:
        header, start = header_in(file, path)
        size = os.fstat(file.fileno()).st_size - start
        arrays = {}
        for name, entry in header.items():
            if name != "__metadata__":
                arrays[name] = _array(file, path, name, entry, start, size)
    meta = meta_in(header, path)
    if "crc32" in meta and meta["crc32"] != _checksum(header, (array.data for array in arrays.values())):
        raise FileError(f"{os.fspath(path)} is damaged: its checksum does not agree with what it holds")
    return arrays, meta


def opened(path: str | os.PathLike[str]) -> IO[bytes]:
    """A file to read from, or a sentence about why not."""
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from error


def header_in(file: IO[bytes], path: str | os.PathLike[str]) -> tuple[dict[str, Any], int]:
    """Where each array lies in a file (dtype, shape, data_offsets by name), and the byte that offsets count from."""
    length = int.from_bytes(file.read(8), "little")
    size = os.fstat(file.fileno()).st_size
    try:
        if not 2 <= length <= min(size - 8, _LARGEST_HEADER):
            raise ValueError
        header = json.loads(file.read(length))
        if not isinstance(header, dict):
            raise ValueError
    except (ValueError, RecursionError):
        raise FileError(f"{os.fspath(path)} is not a regretless file, or its beginning is damaged") from None
    return header, 8 + length


def meta_in(header: dict[str, Any], path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a header says besides where the arrays lie."""
    try:
        return {key: json.loads(value) for key, value in header.get("__metadata__", {}).items()}
    except (AttributeError, TypeError, ValueError):
        raise FileError(f"{os.fspath(path)} is a safetensors file, but not one that regretless wrote") from None


def _array(
    file: IO[bytes], path: str | os.PathLike[str], name: str, entry: Any, start: int, size: int
) -> npt.NDArray[Any]:
    try:
        dtype, shape = _DTYPES[entry["dtype"]], tuple(int(n) for n in entry["shape"])
        begin, end = (int(n) for n in entry["data_offsets"])
        count = int(np.prod(shape, dtype=np.int64))
        if min(shape, default=0) < 0 or not 0 <= begin <= end or end - begin != count * dtype.itemsize:
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise FileError(f"{os.fspath(path)}: the entry of {name!r} is damaged") from None
    if end > size:
        raise FileError(
            f"{os.fspath(path)} is cut short: {name!r} should end at byte {start + end:,} of {start + size:,}"
        )
    file.seek(start + begin)
    return np.frombuffer(file.read(end - begin), dtype).reshape(shape).copy()


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
        said = f"a {found} file" if isinstance(found, str) else "not written by regretless"
        raise FileError(f"{Path(path)} is {said}; a {expected} file is needed here")
    if not isinstance(meta.get("version"), int) or meta["version"] > version:
        raise FileError(
            f"{Path(path)} has version {meta.get('version')} of its format; this regretless reads up to {version}"
        )
