"""Files of public runs that promise too much, with checksums that fit: refused before memory is taken."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.errors import FileError
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.formats import run_files as files
from regretless.storage import compress

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))

Change = Callable[[dict[str, Any], bytearray], object]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("runs") / "leduc.run"
    rg.solve(LEDUC, rg.CFR_PLUS, iterations=2, dtype="float32").save(path)
    return path.read_bytes()


def changed(whole: bytes, path: Path, change: Change) -> Path:
    """A file whose header and body are changed, with a header checksum that fits."""
    length = int.from_bytes(whole[:8], "little")
    header, body = json.loads(whole[8 : 8 + length]), bytearray(whole[8 + length :])
    change(header, body)
    header["__metadata__"][files.CHECKSUM] = files.header_checksum(header)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


def with_arrays(edit: Callable[[dict[str, Any]], object]) -> Change:
    """A change of the types and shapes that the header promises."""

    def change(header: dict[str, Any], _: bytearray) -> None:
        arrays = json.loads(header["__metadata__"]["arrays"])
        edit(arrays)
        header["__metadata__"]["arrays"] = json.dumps(arrays)

    return change


def with_bomb(header: dict[str, Any], body: bytearray) -> None:
    """The first board of the regrets unpacks to 100 MB; the rest of the file is moved behind it."""
    bomb = compress(bytes(100_000_000))
    entry, table, crc = (header[f"regret.{part}"] for part in ("data", "first", "crc"))
    begin, end = entry["data_offsets"]
    first = np.frombuffer(bytes(body[slice(*table["data_offsets"])]), np.int64).copy()
    old = int(first[1])
    checks = np.frombuffer(bytes(body[slice(*crc["data_offsets"])]), np.uint32).copy()
    first[1:] += len(bomb) - old
    checks[0] = zlib.crc32(bomb)
    body[slice(*table["data_offsets"])] = first.tobytes()
    body[slice(*crc["data_offsets"])] = checks.tobytes()
    body[begin : begin + old] = bomb
    grown = len(bomb) - old
    for name, other in header.items():
        if name != "__metadata__" and other["data_offsets"][0] >= end:
            other["data_offsets"] = [offset + grown for offset in other["data_offsets"]]
    entry["data_offsets"] = [begin, end + grown]
    entry["shape"] = [end + grown - begin]


def beyond_the_end(header: dict[str, Any], body: bytearray) -> None:
    far = 1 << 46
    header["regret.first"]["data_offsets"] = [len(body), len(body) + far]
    header["regret.first"]["shape"] = [far // 8]


def overlapping(header: dict[str, Any], _: bytearray) -> None:
    header["average.data"] = dict(header["regret.data"])


def without_the_checksum_of_a_board(header: dict[str, Any], _: bytearray) -> None:
    del header["regret.crc"]


CHANGES: dict[str, tuple[Change, str]] = {
    "nothing": (lambda *_: None, ""),
    "a shape of 2**32 x 2**32": (
        with_arrays(lambda a: a["regret"].__setitem__(1, [2**32, 2**32])),
        "entry of 'regret'",
    ),
    "zero times 2**62": (
        with_arrays(lambda a: a["regret"].__setitem__(1, [0, 2**62])),
        "entry of 'regret' is damaged",
    ),
    "more than deflate can hold": (
        with_arrays(lambda a: a["regret"].__setitem__(1, [10**12])),
        "cannot hold the 4,000,000,000,000 bytes of 'regret'",
    ),
    "objects": (with_arrays(lambda a: a["regret"].__setitem__(0, "object")), "entry of 'regret' is damaged"),
    "a type that is no text": (with_arrays(lambda a: a["regret"].__setitem__(0, ["f4"])), "entry of 'regret'"),
    "a shape of fractions": (with_arrays(lambda a: a["regret"].__setitem__(1, [1.5])), "entry of 'regret' is damaged"),
    "another size": (with_arrays(lambda a: a["regret"].__setitem__(1, [7])), "damaged"),
    "an array that is not there": (with_arrays(lambda a: a.__setitem__("x", ["float32", [1]])), "entry of 'x'"),
    "arrays that are a list": (with_arrays(lambda a: a.__setitem__("x", 7)), "the header is damaged"),
    "a bomb": (with_bomb, "board 0 cannot be unpacked"),
    "an entry beyond the end": (beyond_the_end, "is cut short"),
    "entries that overlap": (overlapping, "overlap"),
    "no checksum of a board": (without_the_checksum_of_a_board, "entry of 'regret' is damaged"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_that_promises_too_much(whole: bytes, tmp_path: Path, name: str) -> None:
    change, said = CHANGES[name]
    path = changed(whole, tmp_path / "x.run", change)
    tracemalloc.start()
    try:
        loaded = rg.load(path)
        assert isinstance(loaded, rg.Run)
        dict(loaded.arrays)
    except FileError as error:
        sentence = str(error)
        assert said and said in sentence and str(path) in sentence and "\n" not in sentence
    else:
        assert not said
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 30_000_000


def test_a_missing_header_checksum_is_an_error(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes(whole.replace(files.CHECKSUM.encode(), b"header_crc33"))
    with pytest.raises(FileError, match="the checksum of its header does not agree"):
        rg.load(path)
