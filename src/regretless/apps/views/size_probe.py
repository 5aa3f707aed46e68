"""The size of a game that a run file names, estimated in a process with limits on memory and time.

Asking such a game for its first actions can already take all memory (`blotto:soldiers=500,fields=50`). In a process of
its own that ends in a sentence.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import lru_cache

from regretless.apps.child_processes import child_environment, limit_memory

__all__ = ["ProbedSize", "probe_size"]

MOST_MEMORY = 1_000_000_000
MOST_SECONDS = 6.0
PROBES = 20


@dataclass(frozen=True)
class ProbedSize:
    """How large a game is, or why that cannot be found out."""

    histories: float = 0.0
    fits: bool = False
    """Whether the built game fits into the free memory."""
    problem: str = ""


@lru_cache(maxsize=256)
def probe_size(spec: str) -> ProbedSize:
    """Estimate the size of a game without risk for this process."""
    words = [sys.executable, "-m", __name__, spec]
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=MOST_SECONDS, env=child_environment()
        )
        return ProbedSize(**json.loads(done.stdout))
    except (subprocess.TimeoutExpired, ValueError, TypeError):
        return ProbedSize(problem=f"{spec[:80]} is too large to look at")


def measure_size(spec: str) -> ProbedSize:
    """Estimate the size of a game in this process."""
    from regretless.errors import RegretlessError
    from regretless.linter import estimate_size, fits_in_memory
    from regretless.lookup.games import find_game

    try:
        size = estimate_size(find_game(spec), probes=PROBES)
    except RegretlessError as error:
        return ProbedSize(problem=str(error))
    return ProbedSize(size.histories, fits_in_memory(size) is None)


if __name__ == "__main__":
    limit_memory(MOST_MEMORY)
    print(json.dumps(asdict(measure_size(sys.argv[1]))))
