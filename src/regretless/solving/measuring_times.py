"""At which iterations a run is measured.

The numbers are fixed: every iteration at first, then each time the count has grown by a factor. Where measuring costs
as much as an iteration and few iterations are needed, as on hold'em, a solve with `until=` measures where it expects to
reach its target instead. The expectation depends on the rows measured so far and not on the clock, so the same solve is
always measured at the same iterations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import ceil, exp, log

__all__ = ["expected_at", "next_measurement"]

GROWTH = 1.05
"""Measurements are taken at every iteration at first and then each time the count has grown by this factor."""

LONGEST = 2.0
"""An expected measurement is at most this factor ahead, since exploitability is a power of iterations only roughly."""

LEAST_POWER, MOST_POWER = -3.0, -0.5
"""Two rows that give a power outside of this say more about noise than about the trend."""


@lru_cache(maxsize=4096)
def next_measurement(iteration: int, growth: float = GROWTH) -> int:
    """The first iteration after `iteration` at which a run is measured; the same numbers in every run."""
    at = 1
    while at <= iteration:
        at = max(at + 1, int(at * growth))
    return at


def expected_at(rows: Sequence[Mapping[str, float]], name: str, target: float) -> int:
    """The iteration at which the column `name` is expected to reach `target`, from the last two rows.

    Exploitability is taken for a power of iterations, E(t) = E(s) · (t / s)^p, with p from the two rows.

    >>> expected_at([{"iteration": 20, "error": 0.4}, {"iteration": 40, "error": 0.1}], "error", 0.07)
    48
    >>> expected_at([{"iteration": 40, "error": 0.1}], "error", 0.01)  # at most twice as far
    80
    """
    last = rows[-1]
    at, error = int(last["iteration"]), last[name]
    power = -1.0
    if len(rows) > 1 and rows[-2]["iteration"] < at and error > 0:
        power = log(error / rows[-2][name]) / log(at / rows[-2]["iteration"])
        power = min(max(power, LEAST_POWER), MOST_POWER)
    logarithm = min(log(target / error) / power, log(LONGEST)) if error > target else 0.0
    return max(at + 1, ceil(at * exp(logarithm)))
