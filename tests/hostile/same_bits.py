"""Methods and games: the same bits with one thread and two, with measurements and without, and after a resume."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from saved_runs import LEDUC, RIVER
from trials import Trial

import regretless as rg
from random_games import RandomGame

__all__ = ["trials"]

METHODS = (
    "cfr", "cfr+", "linear-cfr", "dcfr", "pcfr+", "pdcfr+", "hs-dcfr", "cfr-br", "mccfr", "mccfr:sampling=outcome",
    "mccfr:traversals=20", "mccfr:baseline=infoset", "mccfr:listed=no", "fsicfr", "omd", "fictitious-play",
)  # fmt: skip
TABULAR = METHODS[:7]
GAMES = (
    "kuhn",
    "leduc",
    "rps",
    "kuhn:players=3",
    "goofspiel:cards=3",
    "liars_dice:sides=3",
    "random",
    "spot",
    "public",
)


def trials(seed: int) -> Iterator[Trial]:
    """Pairs of a method and a game, without end."""
    draw = random.Random(f"determinism {seed}")
    while True:
        game = draw.choice(GAMES)
        method = draw.choice(TABULAR if game in ("spot", "public") else METHODS)
        first, more, number = draw.randrange(1, 12), draw.randrange(1, 12), draw.randrange(1_000)
        name = f"{method} on {game}, {first} + {more} iterations, seed {number}"
        arguments = (method, game, first, more, number)
        yield Trial(method, name, lambda arguments=arguments: attempt(*arguments), name.encode())


def _game(name: str, seed: int) -> Any:
    if name == "random":
        return RandomGame(seed=seed, players=2, depth=4)
    return {"spot": RIVER, "public": LEDUC}.get(name, name)


def attempt(method: str, name: str, first: int, more: int, seed: int) -> None:
    """Solve at once, on two threads, and in two parts; a pair that does not exist ends in a sentence."""
    try:
        _attempt(method, name, first, more, seed)
    except rg.RegretlessError as error:
        assert str(error).strip() and "\n" not in str(error), f"no sentence but {str(error)[:500]!r}"
    except AssertionError:
        raise
    except BaseException as error:
        raise AssertionError(f"{type(error).__name__}: {error}") from error


def _attempt(method: str, name: str, first: int, more: int, seed: int) -> None:
    game = _game(name, seed)
    options: dict[str, Any] = {"seed": seed, "measure": "never"}
    planned = {"iterations": first + more}
    whole = rg.solve(game, method, threads=1, **planned, **options)
    _same("two threads", whole, rg.solve(game, method, threads=2, **planned, **options))
    _same("measurements", whole, rg.solve(game, method, threads=1, seed=seed, **planned))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.run"

        def stop(snapshot: rg.Snapshot) -> bool:
            return snapshot.iteration >= first

        part = rg.solve(game, method, threads=2, seed=seed, **planned, callback=stop, measure=1)
        part.save(path)
        resumed = rg.resume(path, iterations=first + more - part.iterations, game=_to_resume(game), threads=1)
    _same("a resume", whole, resumed)
    assert not whole.settings.get("fixed")


def _to_resume(game: Any) -> Any:
    return game if isinstance(game, str | RandomGame) else None


def _same(what: str, one: rg.Run, other: rg.Run) -> None:
    mine, theirs = dict(one.arrays), dict(other.arrays)
    assert mine.keys() == theirs.keys(), f"{what}: other arrays"
    for name, array in mine.items():
        assert np.array_equal(array, theirs[name], equal_nan=array.dtype.kind == "f"), f"{what}: {name!r} differs"
