"""The memory that a game will take, and that is free."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regretless.linter.estimate import Estimate

__all__ = [
    "available_memory",
    "build_scratch_bytes",
    "fits_in_memory",
    "in_units",
    "resident_memory",
    "solver_bytes",
    "surely_exceeds",
    "tree_bytes",
]

# The memory model. Rough on purpose: it answers "does this fit", not "how many bytes exactly".
# It is meant to be too high rather than too low: a game listed by machine code needs less than one listed by Python.
BYTES_PER_HISTORY = 14
"""The listing: mover, index, first child and number of children, code of the probability."""
BYTES_PER_TERMINAL_AND_PLAYER = 14
"""One entry of the payoff table, and the code of the payoffs."""
BYTES_PER_INFOSET = 300
"""Python objects that name an infoset and its actions: key, label, tuple of action labels, dict entries."""
BYTES_PER_SEQUENCE = 24
"""The treeplex: parents, runs of children, labels."""
SCRATCH_PER_HISTORY = 20
"""While building: the listing once more, in the order of the visit."""
SCRATCH_PER_TERMINAL_AND_PLAYER = 12
"""While building: sequences, reach and order of the terminals that become rows of the payoff table."""
UNLIKELY = 1_000
"""How many times too high an estimate may be."""
ARRAYS_WHILE_SOLVING = 8
"""float64 arrays over all sequences: regrets, averages, plans, gradients, predictions."""


def tree_bytes(players: int, histories: float, terminals: float, infosets: float, sequences: float) -> float:
    """Bytes of a built tree with its labels."""
    return (
        histories * BYTES_PER_HISTORY
        + terminals * players * BYTES_PER_TERMINAL_AND_PLAYER
        + infosets * BYTES_PER_INFOSET
        + sequences * BYTES_PER_SEQUENCE
    )


def build_scratch_bytes(players: int, histories: float, terminals: float) -> float:
    """Bytes that only the build needs."""
    return histories * SCRATCH_PER_HISTORY + terminals * players * SCRATCH_PER_TERMINAL_AND_PLAYER


def solver_bytes(sequences: float) -> float:
    """Bytes that a solver adds to the tree."""
    return sequences * ARRAYS_WHILE_SOLVING * 8


def available_memory() -> int | None:
    """Bytes this process may still take, as machine and container leave them; None if unknown."""
    limits = [limit for limit in (_machine_free(), _container_free()) if limit is not None]
    return min(limits) if limits else None


def fits_in_memory(estimate: Estimate) -> str | None:
    """None when the game can be built and solved in the memory that is free, else a sentence that warns."""
    free = available_memory()
    needed = max(estimate.build_bytes, estimate.solve_bytes)
    if free is None or needed <= free:
        return None
    return (
        f"building and solving {estimate.about}{estimate.histories:,.0f} histories will take about"
        f" {in_units(needed)}, but {in_units(free)} are free: make the game smaller (fewer cards, dice,"
        " sides or bets), run on a larger machine, or sample it without listing it (rg.MCCFR(listed=False) of a"
        " compiled game, rg.solve_round of a round of Dudo or liar's dice),"
        " and rg.match for what its strategy wins"
    )


def surely_exceeds(estimate: Estimate, times: float) -> bool:
    """Whether a build needs more than `times` the free memory, even if the guess is two standard errors too high.

    Where few descents ended the standard error says little. Then Markov's inequality does: an unbiased count that is
    never negative is more than `UNLIKELY` times too high once in `UNLIKELY` cases at most.
    """
    surely = 1.0 if estimate.exact else 1 / UNLIKELY
    if math.isfinite(estimate.histories_error) and estimate.probes != 0:
        surely = max(surely, 1 - 2 * estimate.histories_error / estimate.histories)
    return estimate.build_bytes * surely > times * (available_memory() or float("inf"))


def in_units(count: float) -> str:
    """A number of bytes in units that are easy to read.

    >>> in_units(999), in_units(23_400), in_units(5.1e9)
    ('999 bytes', '23.4 kB', '5.1 GB')
    """
    if count < 1000:
        return f"{count:.0f} bytes"
    for unit in ("kB", "MB", "GB", "TB", "PB"):
        count /= 1000
        if count < 999.95:
            return f"{count:.1f} {unit}"
    return f"{count:.1e} PB"


def resident_memory() -> int | None:
    """Bytes of memory that this process takes now; None if unknown."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def _machine_free() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        # Without /proc (macOS, the BSDs) only the total is portable: an upper bound, better than nothing.
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _container_free(root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """What the control group leaves, version 2 or 1; page cache that can be dropped counts as free."""
    for limit, usage, stat, cache in (
        ("memory.max", "memory.current", "memory.stat", "inactive_file"),
        (
            "memory/memory.limit_in_bytes",
            "memory/memory.usage_in_bytes",
            "memory/memory.stat",
            "total_inactive_file",
        ),
    ):
        try:
            most = int((root / limit).read_text())  # "max", for no limit, is no number
            used = int((root / usage).read_text())
            droppable = dict(line.split() for line in (root / stat).read_text().splitlines()).get(cache, "0")
            return max(0, most - used + int(droppable))
        except (OSError, ValueError):
            continue
    return None
