"""Every kind of file that the library writes: a missing checksum is an error, and leftovers of a kill are removed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.poker import Deck, Limit, PublicGame, Spot, read_spot, write_spot
from regretless.recall.dudo_match import DudoMatch

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
SPOT = Spot("Qs Jh 2h 7c 3d", ("AA,KK", "QQ,AK"), pot=10, stack=20, sizes="bet 50%, raise all-in")


def deep() -> rg.Run:
    pytest.importorskip("torch")
    return rg.solve("kuhn", rg.DeepCFR(traversals=4, steps=2, batch=4, capacity=64, strategy_steps=2), iterations=1)


KINDS: dict[str, Callable[[], Any]] = {
    "a run of a tree": lambda: rg.solve("kuhn", iterations=2),
    "a sampled run of a tree": lambda: rg.solve("kuhn", rg.MCCFR(), iterations=2),
    "a run of a graph": lambda: rg.solve("liar_die:sides=2", rg.FSICFR(), iterations=2),
    "a run of a table": lambda: rg.solve("kuhn", rg.MCCFR(listed=False), iterations=2),
    "a run of a public tree": lambda: rg.solve(LEDUC, iterations=2),
    "a run of a spot": lambda: rg.solve(SPOT, iterations=2),
    "a run of networks": deep,
    "a strategy": lambda: rg.solve("kuhn", iterations=2).strategy,
    "a match of dudo": lambda: DudoMatch.fresh(2, 2, 1),
}
SLOW = ("a sampled run of a tree", "a run of a graph", "a run of a table", "a run of networks")


def load(kind: str, path: Path) -> object:
    if kind == "a match of dudo":
        return DudoMatch.load(path)
    found = rg.load(path)
    return dict(found.arrays) if isinstance(found, rg.Run) else found


@pytest.mark.parametrize("kind", [pytest.param(k, marks=pytest.mark.full) if k in SLOW else k for k in KINDS])
def test_every_kind(kind: str, tmp_path: Path) -> None:
    result = KINDS[kind]()
    left = tmp_path / ".x.file.abcd1234.part"
    left.write_bytes(b"left by a process that was killed")
    path = tmp_path / "x.file"
    result.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["x.file"]
    load(kind, path)
    whole = path.read_bytes()
    without = re.sub(rb"crc32(\\?\"|\")", rb"crc33\1", whole)
    assert without != whole
    path.write_bytes(without)
    with pytest.raises(rg.FileError, match="checksum"):
        load(kind, path)
    flipped = bytearray(whole)
    flipped[-1] ^= 1
    path.write_bytes(flipped)
    with pytest.raises(rg.FileError, match=r"checksum|damaged"):
        load(kind, path)


@pytest.mark.parametrize("name", ["spot.toml", "game.efg", "strategy.csv", "picture.svg"])
def test_leftovers_beside_other_files(name: str, tmp_path: Path) -> None:
    (tmp_path / f".{name}.abcd1234.part").write_bytes(b"left by a process that was killed")
    path = tmp_path / name
    if name == "spot.toml":
        write_spot(SPOT, path)
        assert read_spot(path).board == SPOT.board
    elif name == "game.efg":
        rg.write_efg(rg.games.Kuhn(), path)
    elif name == "strategy.csv":
        rg.solve("kuhn", iterations=2).strategy.to_csv(path)
    else:
        rg.solve("kuhn", iterations=2).plot(path)
    assert [file.name for file in tmp_path.iterdir()] == [name]
