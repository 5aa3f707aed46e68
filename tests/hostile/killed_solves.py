"""Solves that are killed by kill -9 at any moment: the file is whole, and resumed it is the uninterrupted run."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from saved_runs import RIVER
from trials import Trial

import regretless as rg
from regretless.poker import write_spot

__all__ = ["trials"]

SOLVES = (
    ("kuhn", "cfr+"), ("leduc", "pcfr+"), ("leduc", "mccfr"), ("liar_die:sides=2", "fsicfr"), ("spot.toml", "dcfr"),
    ("kuhn", "mccfr:listed=no"),
)  # fmt: skip

MOST_COMPARED = 3_000
"""Iterations up to which the uninterrupted run is solved as well."""


def trials(seed: int) -> Iterator[Trial]:
    """Solves to kill, without end."""
    draw = random.Random(f"kills {seed}")
    while True:
        game, method = draw.choice(SOLVES)
        delays = tuple(draw.uniform(0.0, draw.choice((0.05, 0.5, 2.0))) for _ in range(draw.choice((1, 2))))
        name = f"{game} by {method}, killed after {delays}"
        yield Trial(
            f"{game} {method}", name, lambda game=game, method=method, delays=delays: attempt(game, method, delays),
            name.encode(),
        )  # fmt: skip


def attempt(game: str, method: str, delays: tuple[float, ...]) -> None:
    """Kill a solve once or twice, load what it left, and go on to the end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_spot(RIVER, folder / "spot.toml")
        where = str(folder / game) if game.endswith(".toml") else game
        path = folder / "x.run"
        for delay in delays:
            _killed(where, method, path, delay)
        try:
            _compare(where, method, path)
        except AssertionError:
            raise
        except BaseException as error:
            raise AssertionError(f"{type(error).__name__}: {error}") from error
        left = [file.name for file in folder.iterdir() if file.name.endswith((".part", ".lock"))]
        assert not left, f"left behind: {left}"


def _killed(game: str, method: str, path: Path, delay: float) -> None:
    """A solve that saves all the time, killed some time after its first checkpoint."""
    words = ["solve", game, "-a", method, "-n", str(10**9), "--out", str(path), "--resume"]
    process = subprocess.Popen(
        [sys.executable, "-m", "regretless", *words, "--checkpoint-every", "0", "-q"],
        env={**os.environ, "PYTHONPATH": str(Path(rg.__file__).parents[1])}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    before = path.stat().st_mtime_ns if path.exists() else None
    end = time.monotonic() + 300
    while not path.exists() or path.stat().st_mtime_ns == before:
        assert process.poll() is None, process.communicate()[1]
        if time.monotonic() > end:
            process.kill()
            process.communicate()
            raise AssertionError("no checkpoint after 300 s")
        time.sleep(0.01)
    time.sleep(delay)
    process.kill()
    process.communicate()


def _compare(game: str, method: str, path: Path) -> None:
    run = rg.load(path)
    assert isinstance(run, rg.Run)
    resumed = rg.resume(path, iterations=3, checkpoint=path)
    again = rg.load(path)
    assert isinstance(again, rg.Run) and again.iterations == run.iterations + 3
    if resumed.iterations > MOST_COMPARED:
        return
    whole = rg.solve(game, method, iterations=resumed.iterations)
    for name, array in dict(whole.arrays).items():
        assert np.array_equal(array, resumed.arrays[name], equal_nan=True), f"{name!r} differs after a kill"
