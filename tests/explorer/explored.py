"""What the tests of the explorer share: runs to look at, made once."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import regretless as rg
from conftest import built
from regretless.apps.views.infoset_measures import Measures


@cache
def solved(spec: str, iterations: int = 200) -> rg.Run:
    """A run on a tree that is built once."""
    return rg.solve(built(spec), iterations=iterations)


@cache
def exact(spec: str) -> Measures:
    """The measures of an exact equilibrium."""
    return Measures(built(spec), rg.equilibrium(built(spec)).strategy)


def saved(folder: Path, name: str, run: rg.Run | None = None) -> str:
    """A run in a file."""
    path = folder / name
    (run or solved("kuhn")).save(path)
    return str(path)


@cache
def turn_spot() -> rg.Run:
    """No-limit hold'em from a turn on, with ranges wide enough for a grid worth looking at."""
    ranges = ("22+,A2s+,KTs+,QTs+,JTs,T9s,98s,ATo+,KJo+", "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,A9o+,KTo+,QJo")
    game = rg.poker.Spot("Qs Jh 2h 7c", ranges, pot=100, stack=150, sizes="bet 33% 75%, raise 3x")
    return rg.solve(game, rg.DCFR, iterations=40)  # type: ignore[arg-type]


def surroundings() -> dict[str, str]:
    """The environment of a process that must find this very package from any folder."""
    return {**os.environ, "PYTHONPATH": str(Path(rg.__file__).parents[1])}
