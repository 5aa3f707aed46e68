"""A run in two pieces, through a file, against the same run in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import regretless as rg
from test_solver import assert_equal_state


class Runs(NamedTuple):
    """In one piece; the first of two pieces, which lies in `half.run`; and both together."""

    whole: rg.Run
    half: rg.Run
    resumed: rg.Run


def goes_on_bit_for_bit(game: Any, method: Any, pieces: tuple[int, int], folder: Path, *, seed: int) -> Runs:
    """Run, save and resume: the arrays must be those of one run, and so must figures that are exact. A lower bound is
    not exact: the learner of the best response starts again.

    One thread each: where other tests run beside this one, threads of PyTorch wait for each other most of the time.
    """
    whole = rg.solve(game, method, iterations=sum(pieces), seed=seed, threads=1)
    half = rg.solve(game, method, iterations=pieces[0], seed=seed, threads=1)
    half.save(folder / "half.run")
    resumed = rg.resume(folder / "half.run", iterations=pieces[1], threads=1)
    assert_equal_state(resumed, whole)
    assert resumed.method == method
    if "exploitability_low" not in whole.history:
        one, other = ({**run.history.rows()[-1], "seconds": 0.0} for run in (whole, resumed))
        assert one == other
    return Runs(whole, half, resumed)
