"""What the benchmarks share: times in turns, and rows that say what was measured beside what."""

from __future__ import annotations

from typing import Any

import numpy as np

Row = dict[str, Any]


def row(what: str, beside: str, ours: float, theirs: float, target: str, met: bool) -> Row:
    """Two times beside each other."""
    return {
        "what": what,
        "beside": beside,
        "ours": spelled(ours),
        "theirs": spelled(theirs),
        "ours ÷ theirs": f"{ours / theirs:.3g}",
        "theirs ÷ ours": f"{theirs / ours:,.3g}",
        "target": target,
        "met": "yes" if met else "no",
    }


def spelled(seconds: float) -> str:
    """A time with a unit that fits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def in_turns(*works: Any, rounds: int = 3) -> list[float]:
    """The least time of each work over several rounds, so that a slow moment of the machine meets them all."""
    return np.min([[work() for work in works] for _ in range(rounds)], axis=0).tolist()


def interval(found: Any, big_blind: float) -> dict[str, float]:
    """The ends of a confidence interval in mbb/g."""
    return {end: round(1_000 * getattr(found, end) / big_blind, 2) for end in ("low", "high")}
