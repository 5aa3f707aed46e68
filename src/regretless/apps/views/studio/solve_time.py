"""A guess of how long a solve of hold'em takes, from its size and its goal."""

from __future__ import annotations

from regretless.method import processors

__all__ = ["guess_iterations", "guess_seconds", "time_in_words"]

SECONDS_PER_NUMBER = 1.2e-9
"""Seconds of one processor for one infoset-action in one iteration of DCFR with 32-bit numbers."""

STARTING = 1.5
"""Seconds before the first iteration: imports, and laying out the boards."""

FIRST_GOAL, FIRST_ITERATIONS, STEEPNESS = 0.01, 50.0, 0.5
"""DCFR reaches 1 % of the pot in about 50 iterations on spots, and the number grows about as goal^−½ below that."""


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


def time_in_words(seconds: float) -> str:
    """A rough time.

    >>> time_in_words(1.7), time_in_words(95), time_in_words(7_300)
    ('some 2 seconds', 'some 2 minutes', 'some 2 hours')
    """
    for size, unit in ((3600.0, "hour"), (60.0, "minute"), (1.0, "second")):
        if seconds >= 1.5 * size:
            return f"some {seconds / size:,.0f} {unit}s"
    return "about a second"
