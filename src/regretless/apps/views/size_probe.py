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
from typing import Any

from regretless.apps.child_processes import child_environment, limit_memory

__all__ = ["ProbedSize", "probe_size"]

MOST_MEMORY = 1_000_000_000
MOST_SECONDS, MOST_HOLDEM_SECONDS = 6.0, 30.0
"""Laying out the boards of hold'em takes some seconds."""
PROBES = 20
HOLDEM = ("fhp", "hulh", "hunl")
"""Whole games of hold'em, which are sized by boards and hands."""


@dataclass(frozen=True)
class ProbedSize:
    """How large a game is, or why that cannot be found out."""

    histories: float = 0.0
    fits: bool = False
    """Whether the built game fits into the free memory."""
    problem: str = ""
    sentence: str = ""
    """The size in words, for games that are not listed by histories."""


@lru_cache(maxsize=256)
def probe_size(spec: str, abstraction: str = "") -> ProbedSize:
    """Estimate the size of a game without risk for this process; abstraction: the file of its card abstraction."""
    words = [sys.executable, "-m", __name__, spec, abstraction]
    seconds = MOST_HOLDEM_SECONDS if spec.partition(":")[0] in HOLDEM else MOST_SECONDS
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, env=child_environment()
        )
        return ProbedSize(**json.loads(done.stdout))
    except (subprocess.TimeoutExpired, ValueError, TypeError):
        return ProbedSize(problem=f"{spec[:80]} is too large to look at")


def measure_size(spec: str, abstraction: str = "") -> ProbedSize:
    """Estimate the size of a game in this process."""
    from regretless.errors import RegretlessError
    from regretless.linter import estimate_size, fits_in_memory
    from regretless.lookup.games import find_game

    if spec.partition(":")[0] in HOLDEM:
        return _measure_holdem(spec, abstraction)
    try:
        size = estimate_size(find_game(spec), probes=PROBES)
    except RegretlessError as error:
        return ProbedSize(problem=str(error))
    return ProbedSize(size.histories, fits_in_memory(size) is None)


def _measure_holdem(spec: str, abstraction: str) -> ProbedSize:
    """The size of a whole game of hold'em, with the memory that its solve needs."""
    from regretless.errors import RegretlessError
    from regretless.lookup.games import find_game
    from regretless.poker.abstraction.abstraction_files import load_abstraction
    from regretless.poker.abstraction.bucketed_tree import open_bucketed, with_abstraction
    from regretless.poker.tree.memory_estimate import readable, size_sentence, whole_memory
    from regretless.poker.whole_games import WholeHoldem

    try:
        game: Any = find_game(spec)
        if not abstraction and isinstance(game, WholeHoldem):
            decisions = f"{sum(game.decisions):,} decisions of the betting"
            infosets = f"some {float(f'{game.infosets:.3g}'):,.0f} infosets"
            return ProbedSize(sentence=f"{spec} has {decisions} and {infosets} hand by hand")
        if not abstraction:
            return ProbedSize(sentence=f"{spec} has {size_sentence(game.public_tree(), 'float32')}")
        cards = load_abstraction(abstraction)
        cards.check_game(game)
        tree = open_bucketed(with_abstraction(game, cards))
    except RegretlessError as error:
        return ProbedSize(problem=str(error))
    sizes = f"{tree.infosets:,} infosets by buckets, {tree.infoset_actions:,} infoset-actions"
    memory = readable(whole_memory(tree.bytes_needed("float32")))
    return ProbedSize(sentence=f"{spec} has {sizes}; {memory} of memory as float32")


if __name__ == "__main__":
    limit_memory(MOST_MEMORY)
    print(json.dumps(asdict(measure_size(*sys.argv[1:3]))))
