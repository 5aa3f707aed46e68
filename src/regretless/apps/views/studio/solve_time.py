"""A guess of how long a solve of hold'em takes, from its size and its goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from regretless.method import processors

__all__ = ["guess_iterations", "guess_seconds", "iteration_seconds", "limit_in_words", "time_in_words"]

SECONDS_PER_NUMBER = 1.2e-9
"""Seconds of one processor for one infoset-action in one iteration of DCFR with 32-bit numbers."""

STARTING = 1.5
"""Seconds before the first iteration: imports, and laying out the boards."""

FIRST_GOAL, FIRST_ITERATIONS, STEEPNESS = 0.01, 50.0, 0.5
"""DCFR reaches 1 % of the pot in about 50 iterations on spots, and the number grows about as goal^−½ below that."""

LONG_STRETCH = 3
"""Iterations between two measurements from which on their time says how fast this machine is."""


def guess_iterations(goal: float | None, iterations: int | None) -> float:
    """Iterations until the first limit; goal: exploitability as a share of the pot."""
    found = [] if iterations is None else [float(iterations)]
    if goal is not None:
        found.append(FIRST_ITERATIONS * (FIRST_GOAL / goal) ** STEEPNESS)
    return min(found) if found else FIRST_ITERATIONS


def guess_seconds(infoset_actions: int, iterations: float, per_number: float | None = None) -> float:
    """Seconds of a solve; per_number: seconds for one infoset-action in one iteration on this machine, if measured."""
    each = SECONDS_PER_NUMBER / processors() if per_number is None else per_number
    return STARTING + infoset_actions * iterations * each


def iteration_seconds(history: Sequence[Mapping[str, float]]) -> float | None:
    """Seconds of one iteration, from the longest stretch between two measurements; None if none is long enough.

    What a solve needs before its first iteration is not in it, and the one measurement in it weighs little.
    """
    stretches = [(b["iteration"] - a["iteration"], b["seconds"] - a["seconds"]) for a, b in pairwise(history)]
    iterations, seconds = max(stretches, default=(0.0, 0.0))
    return seconds / iterations if iterations >= LONG_STRETCH else None


def time_in_words(seconds: float) -> str:
    """A rough time.

    >>> time_in_words(1.7), time_in_words(95), time_in_words(7_300)
    ('some 2 seconds', 'some 2 minutes', 'some 2 hours')
    """
    for size, unit in ((3600.0, "hour"), (60.0, "minute"), (1.0, "second")):
        if seconds >= 1.5 * size:
            return f"some {seconds / size:,.0f} {unit}s"
    return "about a second"


def limit_in_words(seconds: float) -> str:
    """A limit of time, exactly.

    >>> limit_in_words(600), limit_in_words(3600), limit_in_words(90), limit_in_words(0.5)
    ('10 minutes', '1 hour', '90 seconds', '0.5 seconds')
    """
    size, unit = next((unit for unit in ((3600, "hour"), (60, "minute")) if seconds % unit[0] == 0), (1, "second"))
    count = seconds / size
    return f"{count:,.6g} {unit}{'' if count == 1 else 's'}"
