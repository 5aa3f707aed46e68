"""Headers that promise too much: refused by one sentence before anything is allocated."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.errors import FileError
from regretless.storage import compress, decompress_exactly, read_arrays, read_header, write_arrays

ONE = {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]}


def written(path: Path, header: dict[str, Any], data: bytes = b"12345678") -> Path:
    """A file with any header, and a checksum that fits it."""
    meta = header.setdefault("__metadata__", {})
    raw = json.dumps(header).encode()
    if isinstance(meta, dict):
        crc = zlib.crc32(raw)
        for entry in header.values():
            if isinstance(entry, dict) and "data_offsets" in entry:
                crc = zlib.crc32(data[slice(*entry["data_offsets"])], crc)
        meta["crc32"] = str(crc)
        raw = json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + data)
    return path


def test_what_the_helper_writes_is_read(tmp_path: Path) -> None:
    arrays, _ = read_arrays(written(tmp_path / "a", {"x": dict(ONE)}))
    assert arrays["x"].tobytes() == b"12345678"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"dtype": "U8", "shape": [2**32, 2**32], "data_offsets": [0, 0]}, "the entry of 'x' is damaged"),
        ({"dtype": "U8", "shape": [0, 2**62], "data_offsets": [0, 0]}, "the entry of 'x' is damaged"),
        ({"dtype": "U8", "shape": [2**70], "data_offsets": [0, 2**70]}, "the entry of 'x' is damaged"),
        ({"dtype": "U8", "shape": [2**40], "data_offsets": [0, 2**40]}, "is cut short: 'x'"),
        ({"dtype": "U8", "shape": [-8], "data_offsets": [0, 8]}, "the entry of 'x' is damaged"),
        ({"dtype": "U8", "shape": [8.0], "data_offsets": [0, 8]}, "the entry of 'x' is damaged"),
        ({"dtype": "U8", "shape": [True] * 9, "data_offsets": [0, 1]}, "the entry of 'x' is damaged"),
        ({"dtype": "U8", "shape": [1] * 9, "data_offsets": [0, 1]}, "the entry of 'x' is damaged"),
        ({"dtype": "U8", "shape": [8], "data_offsets": [8, 0]}, "the entry of 'x' is damaged"),
        ({"dtype": "U8", "shape": [8], "data_offsets": [0, 4, 8]}, "the entry of 'x' is damaged"),
        ({"dtype": "X8", "shape": [8], "data_offsets": [0, 8]}, "the entry of 'x' is damaged"),
        ({"dtype": ["U8"], "shape": [8], "data_offsets": [0, 8]}, "the entry of 'x' is damaged"),
        ({"dtype": "BOOL", "shape": [8], "data_offsets": [0, 8]}, "neither true nor false"),
        ({"shape": [8], "data_offsets": [0, 8]}, "the entry of 'x' is damaged"),
        ({**ONE, "more": 1}, "the entry of 'x' is damaged"),
        (7, "the entry of 'x' is damaged"),
    ],
)
def test_a_strange_entry(tmp_path: Path, entry: Any, said: str) -> None:
    with pytest.raises(FileError, match=said):
        read_arrays(written(tmp_path / "a", {"x": entry}))


def test_overlapping_entries(tmp_path: Path) -> None:
    """Each of many entries may name the same bytes, and a file of megabytes would be read as terabytes."""
    overlapping = {f"x{number}": dict(ONE) for number in range(3)}
    with pytest.raises(FileError, match="'x0' and 'x1' overlap"):
        read_arrays(written(tmp_path / "a", overlapping))
    inside = {"x": dict(ONE), "y": {"dtype": "U8", "shape": [2], "data_offsets": [4, 6]}}
    with pytest.raises(FileError, match="'x' and 'y' overlap"):
        read_header(written(tmp_path / "b", inside))


@pytest.mark.parametrize("meta", [[], 1, {"format": 1}, {"format": {"deep": []}}])
def test_fields_that_are_not_text(tmp_path: Path, meta: Any) -> None:
    raw = json.dumps({"__metadata__": meta, "x": ONE}).encode()
    (tmp_path / "a").write_bytes(len(raw).to_bytes(8, "little") + raw + b"12345678")
    with pytest.raises(FileError, match="fields of its header are not text"):
        read_arrays(tmp_path / "a")


@pytest.mark.parametrize("value", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, "9" * 10_000, "{", ""])
def test_a_field_that_cannot_be_parsed(tmp_path: Path, value: str) -> None:
    path = written(tmp_path / "a", {"__metadata__": {"game": value}, "x": dict(ONE)})
    with pytest.raises(FileError, match="not one that regretless wrote"):
        read_arrays(path)


def test_a_missing_checksum_is_an_error(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a", {"x": np.zeros(3)}, {"format": "x"})
    data = (tmp_path / "a").read_bytes()
    (tmp_path / "b").write_bytes(data.replace(b'"crc32"', b'"crc33"'))
    with pytest.raises(FileError, match="has no checksum"):
        read_arrays(tmp_path / "b")


def test_a_header_that_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"its header takes 100,000,0.. bytes"):
        write_arrays(tmp_path / "a", {}, {"text": "x" * 100_000_000})
    assert not any(tmp_path.iterdir())


def test_arrays_are_read_once(tmp_path: Path) -> None:
    """Reading takes the memory of the arrays, not twice as much."""
    write_arrays(tmp_path / "a", {"x": np.zeros(1_000_000)}, {})
    tracemalloc.start()
    arrays, _ = read_arrays(tmp_path / "a")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert arrays["x"].flags.writeable
    assert peak < 10_000_000


@pytest.mark.parametrize("pack", [zlib.compress, compress])
def test_decompression_is_bounded(pack: Callable[[bytes], bytes]) -> None:
    bomb = pack(bytes(50_000_000))
    tracemalloc.start()
    with pytest.raises(zlib.error, match="holds more than the 1,000 bytes"):
        decompress_exactly(bomb, 1_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    assert decompress_exactly(pack(b""), 0) == b""
    for damaged in (bomb[:100], bomb[:5], b"nonsense", b"", pack(b"ab"), pack(b"abc") + b"more", pack(b"abc")[:-1]):
        with pytest.raises(zlib.error):
            decompress_exactly(damaged, 3)
