"""Run files of every kind, damaged: bytes, headers and arrays that are changed, with checksums that fit or do not."""

from __future__ import annotations

import json
import random
import tempfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import poker_files
from game_files import HOSTILE_VALUES
from trials import Trial

import regretless as rg
from regretless.poker import Deck, Limit, PublicGame, Spot
from regretless.poker.formats import run_files

__all__ = ["trials"]

SECONDS, MEMORY = 30.0, 2 << 30

LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
RIVER = Spot("Qs Jh 2h 7c 3d", ("AA,KK", "QQ,AK"), pot=10, stack=20, sizes="bet 50%, raise all-in")


@cache
def whole_files() -> dict[str, bytes]:
    """A sound file of each kind."""
    results: dict[str, Any] = {
        "tree run": rg.solve("kuhn", rg.PCFR_PLUS, iterations=3),
        "graph run": rg.solve("liar_die:sides=2", rg.FSICFR(), iterations=2),
        "table run": rg.solve("kuhn", rg.MCCFR(listed=False), iterations=20),
        "public run": rg.solve(LEDUC, rg.PCFR_PLUS, iterations=2, dtype="int16"),
        "spot run": rg.solve(RIVER, iterations=2),
        "strategy": rg.solve("leduc", iterations=2).strategy,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, result in results.items():
            result.save(Path(folder) / name)
        return {name: (Path(folder) / name).read_bytes() for name in results}


def trials(seed: int) -> Iterator[Trial]:
    """Damaged files without end, all kinds in turn."""
    draw = random.Random(f"saved runs {seed}")
    number = 0
    while True:
        for kind, whole in whole_files().items():
            change = draw.choice((_other_bytes, _other_header, _other_header))
            data = change(whole, draw)
            yield Trial(kind, f"{change.__name__.strip('_')} {number}", lambda data=data: attempt(data), data)
            number += 1


def attempt(data: bytes) -> None:
    """Load, look at and go on with a file; AssertionError unless it works or ends in a sentence, within bounds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.run"
        path.write_bytes(data)
        try:
            with poker_files.bounded(SECONDS, MEMORY):
                _use(path)
        except rg.RegretlessError as error:
            said = str(error)
            assert said.strip() and "\n" not in said and len(said) < 5_000, f"no sentence but {said[:500]!r}"
        except AssertionError:
            raise
        except BaseException as error:
            raise AssertionError(f"{type(error).__name__}: {error}") from error


def _use(path: Path) -> None:
    loaded = rg.load(path)
    if isinstance(loaded, rg.Run):
        dict(loaded.arrays)
        repr(loaded)
        if loaded.problem.game is not None or loaded.listed:
            rg.resume(path, iterations=1, seconds=2.0)
    else:
        for key in list(loaded)[:20]:
            loaded[key]
    loaded.save(path.with_name("again.run"))


def _other_bytes(whole: bytes, draw: random.Random) -> bytes:
    data = bytearray(whole)
    for _ in range(draw.choice((1, 1, 5))):
        if not data:
            break
        at = draw.randrange(len(data))
        change = draw.randrange(4)
        if change == 0:
            data[at] ^= 1 << draw.randrange(8)
        elif change == 1:
            del data[at : at + draw.randrange(1, 100)]
        elif change == 2:
            data[at:at] = draw.randbytes(draw.randrange(1, 20))
        else:
            data = data[: at + 1]
    return bytes(data)


def _other_header(whole: bytes, draw: random.Random) -> bytes:
    """A header with strange values at any depth, and a checksum that fits it."""
    length = int.from_bytes(whole[:8], "little")
    header, body = json.loads(whole[8 : 8 + length]), whole[8 + length :]
    meta = header["__metadata__"]
    for _ in range(draw.choice((1, 1, 2))):
        if draw.random() < 0.6:
            key = draw.choice(list(meta))
            meta[key] = json.dumps(_with_another_part(json.loads(meta[key]), draw))
        else:
            name = draw.choice([name for name in header if name != "__metadata__"])
            header[name][draw.choice(("dtype", "shape", "data_offsets"))] = draw.choice(HOSTILE_VALUES)
    if run_files.CHECKSUM in meta:
        meta[run_files.CHECKSUM] = run_files.header_checksum(header)
    else:
        meta["crc32"] = str(_checksum(header, body))
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def _checksum(header: dict[str, Any], body: bytes) -> int:
    meta = {key: value for key, value in header["__metadata__"].items() if key != "crc32"}
    crc = zlib.crc32(json.dumps({**header, "__metadata__": meta}).encode())
    for name, entry in header.items():
        offsets = entry.get("data_offsets") if name != "__metadata__" else None
        if isinstance(offsets, list) and len(offsets) == 2 and all(type(n) is int and n >= 0 for n in offsets):
            crc = zlib.crc32(body[offsets[0] : offsets[1]], crc)
    return crc


def _with_another_part(value: Any, draw: random.Random) -> Any:
    """A JSON value in which one part, at any depth, is something else or missing."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(list(value))
        if draw.random() < 0.1:
            return {name: part for name, part in value.items() if name != key}
        return {**value, key: _with_another_part(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.9:
        at = draw.randrange(len(value))
        return [*value[:at], _with_another_part(value[at], draw), *value[at + 1 :]]
    return draw.choice(HOSTILE_VALUES)
