"""The memory and the time of a build, estimated before it starts.

The model counts the work, per thread of a 2.8 GHz server processor:

| work | cost |
|---|---|
| one hand on one complete board | 22 ns; 50 ns by clusters of opposing hands |
| index and row of a hand | 80 ns |
| nearest of k centroids | 0.2 µs + k · 0.3 ns for 8 coordinates (L2), k · 0.15 ns for 49 (L1) |
| one seed of k-means++ on a million rows | 1.2 ms |

Hold'em 169-200-200-200 has a sweep of 134,459 boards for the strengths before the flop, 1.1 million boards for each of
two passes over the flop (sample, then buckets), 0.7 million for each pass over the turn, 134,459 with 145 million hands
for each pass over the river, and 137 million nearest centroids. Measured: 57 s, 40 s and 71 s of processor time for the
flop, the turn and the river, and 543 MB (`benchmarks/results/abstraction.md`).

With a GPU, searches and seeds cost what the docstrings of `kernels.cards.cuda_clustering` and `cuda_seeding` compute;
the rest stays on the CPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, factorial

from regretless.errors import OptionError
from regretless.kernels.cards.hand_features import OPPONENTS
from regretless.poker.abstraction.build.street_plans import StreetPlan
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.tree.memory_estimate import free_memory, readable

__all__ = ["BuildEstimate", "check_memory_of_build", "estimate_build"]

SECONDS = {"hand": 22e-9, "clustered hand": 50e-9, "row": 80e-9, "search": 0.2e-6, "seed": 1.2e-9}
SEARCH_PER_CENTROID = {True: 0.3e-9, False: 0.15e-9}
ON_A_GPU = {"search": 10e-9, "seed": 100e-6}
"""Seconds to bring a row there and its label back, and to draw a seed."""

PAIR_ON_A_GPU = {True: 2e-12, False: 3.6e-12}
"""Seconds to compare a row with a centroid, by whether distances are squared."""

ITERATIONS = 15
"""Lloyd's iterations that a street takes, about."""

THREAD_BYTES = 60_000_000
"""Scratch arrays of a thread."""

PROCESS_BYTES = 120_000_000
"""The interpreter, its modules and machine code."""

DRIVER_BYTES = 500_000_000
"""What the driver of a GPU takes of the host's memory, and batches of rows on their way there."""


@dataclass(frozen=True)
class BuildEstimate:
    """The estimated cost of a build."""

    memory: int
    """Bytes at the same time."""
    stages: dict[tuple[int, str], float]
    """Seconds of each stage of each street, on all threads."""

    @property
    def seconds(self) -> float:
        """Seconds of the whole build."""
        return sum(self.stages.values())

    def __str__(self) -> str:
        return f"{readable(self.memory)} of memory and about {duration(self.seconds)}"


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(0.2), duration(40), duration(100), duration(9_000)
    ('1 second', '40 seconds', '2 minutes', '2.5 hours')
    """
    if seconds < 90:
        count = max(1, round(seconds))
        return f"{count} second{'s' if count > 1 else ''}"
    return f"{round(seconds / 60)} minutes" if seconds < 5_400 else f"{seconds / 3600:.2g} hours"


def estimate_build(
    rounds: CardRounds, plans: tuple[StreetPlan, ...], sample: int, threads: int, device: str = "cpu"
) -> BuildEstimate:
    """The cost of a build by the model above."""
    stages: dict[tuple[int, str], float] = {}
    memory, kept = 0, 0
    for street, plan in enumerate(plans):
        rows = min(sample, plan.classes)
        sweep = _sweep_seconds(rounds, street, plan) / threads
        search, seed = _search_seconds(plan, threads, device), rows * SECONDS["seed"]
        if plan.sampled:
            stages[street, "sample"] = sweep
            stages[street, "seeds"] = plan.buckets * (seed if device == "cpu" else min(seed, ON_A_GPU["seed"]))
            stages[street, "clusters"] = ITERATIONS * rows * (search + plan.width * 30e-9 / threads)
        stages[street, "buckets"] = sweep + (plan.classes * search if plan.sampled else 0.0)
        entry = 2 if plan.buckets <= 1 << 16 else 4
        per_bucket = 5 * 8 * (threads + 1) + 2 * plan.width
        kept += plan.classes * entry
        sampled = rows * (2 * 2 * plan.width + 48) if plan.sampled else 0
        memory = max(memory, kept + plan.classes // 8 + sampled + plan.buckets * per_bucket)
    memory += threads * THREAD_BYTES + PROCESS_BYTES + (0 if device == "cpu" else DRIVER_BYTES)
    return BuildEstimate(memory, stages)


def _search_seconds(plan: StreetPlan, threads: int, device: str) -> float:
    """Seconds for the nearest centroid of one row, on all threads or on a GPU."""
    if device == "cpu":
        return (SECONDS["search"] + plan.buckets * SEARCH_PER_CENTROID[plan.squared]) / threads
    return ON_A_GPU["search"] + plan.buckets * PAIR_ON_A_GPU[plan.squared]


def _sweep_seconds(rounds: CardRounds, street: int, plan: StreetPlan) -> float:
    """Seconds of one thread for the features of all hands of a street, once."""
    cards, final = rounds.boards[street], rounds.boards[-1]
    symmetries = factorial(len(rounds.deck.suits))
    boards = comb(rounds.deck.size, cards) * comb(rounds.deck.size - cards, final - cards) / symmetries
    hand = SECONDS["clustered hand" if plan.kind == OPPONENTS else "hand"]
    return boards * comb(rounds.deck.size - final, rounds.hand_size) * hand + plan.classes * SECONDS["row"]


def check_memory_of_build(estimate: BuildEstimate, plans: tuple[StreetPlan, ...]) -> None:
    """Refuse a build that does not fit into the free memory."""
    free = free_memory()
    if free is not None and estimate.memory > free:
        buckets = "-".join(str(plan.buckets) for plan in plans)
        raise OptionError(
            f"an abstraction with {buckets} buckets needs {readable(estimate.memory)} of memory while it is built, and "
            f"{readable(free)} are free: take fewer buckets or a smaller sample="
        )
