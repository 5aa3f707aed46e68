"""Builds an abstraction, street by street.

A street takes up to four stages. Each is a list of pieces that threads do independently:

| stage | what it does |
|---|---|
| sample | draws deals, and describes their hands: one sweep over all boards. Where a street has fewer hands than the sample, all of them are taken, weighted by their number of deals |
| seeds | k-means++ |
| clusters | Lloyd's iterations |
| buckets | describes all hands again and assigns each to its nearest centroid: another sweep |

A second sweep costs less than storing what the first one found: the features of the river of hold'em would take 2 GB,
those of the turn 1.4 GB. All sums are integers, so the result depends on the seed, not on threads or interruptions.

Opponent-cluster hand strength (Johanson, Burch, Valenzano & Bowling 2013) compares the strength against each of eight
clusters of opposing hands. The clusters are those of the hands before the flop, by the histogram of their strengths.
"""  # noqa: E501 - a table

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.method import processors
from regretless.poker.abstraction.abstraction import Abstraction
from regretless.poker.abstraction.build.build_state import BuildState, load_state, save_state
from regretless.poker.abstraction.build.cuda_clusters import CudaClusters, check_build_device
from regretless.poker.abstraction.build.estimates import BuildEstimate, check_memory_of_build, estimate_build
from regretless.poker.abstraction.build.progress import BuildProgress, ProgressLike, reported
from regretless.poker.abstraction.build.street_building import StreetBuilder, opponent_clusters
from regretless.poker.abstraction.build.street_plans import RECALL, StreetPlan, street_plans
from regretless.poker.abstraction.build.workers import Workers
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import StreetBuckets
from regretless.poker.quoting import quoted
from regretless.problem import found

if TYPE_CHECKING:
    from regretless.poker.games import PublicGame

__all__ = ["abstract", "build_cost"]

SECONDS_BETWEEN_SAVES = 60.0
ROWS_PER_BUCKET, LEAST_SAMPLE, MOST_SAMPLE = 50, 200_000, 10_000_000
"""Hands of a sample, where `sample` is not given: 50 for each bucket."""


def abstract(
    game: PublicGame,
    buckets: int | Sequence[int] = 200,
    features: str | Sequence[str | None] | None = None,
    recall: str = "imperfect",
    *,
    seed: int = 0,
    sample: int | None = None,
    threads: int | None = None,
    progress: ProgressLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
    device: str = "cpu",
) -> Abstraction:
    """Merge the hands of each street of a game into buckets of similar hands.

    `buckets`: a number for all streets, or one for each; a street with at most this number of hands is lossless, so 200
    gives 169-200-200-200 in hold'em. `features`: "ehs", "percentile", "histogram", "ochs" or "lossless", for all
    streets or for each; by default "ochs" on the last street and "histogram" before it. `recall`: with "imperfect" a
    player knows the bucket of the current street, with "perfect" also those of all earlier streets.

    `sample`: hands from which clusters are found. `progress`: True for a progress bar, or a function that is called
    with a `BuildProgress`. `checkpoint`: a file that keeps the state of the build each minute and when it is
    interrupted; the same call goes on from there, and removes the file at the end. The same seed gives the same
    result, on any number of threads.

    `device="cuda"` finds clusters and the nearest cluster of each hand on a GPU, which helps from thousands of buckets
    on; the CPU describes the hands. The result has the same bits, and a checkpoint can go on on the other device.

    >>> from regretless.poker import Deck, Limit, PublicGame
    >>> game = PublicGame(Deck("9TJQK", "sh"), 2, (3,), Limit(streets=2))
    >>> a = abstract(game, buckets=(5, 8), recall="perfect")
    >>> a
    <Abstraction 5-8, perfect recall: 10 cards (9TJQK in sh), hands of 2, boards of 0, 3>
    >>> a.sequence_counts, a.infoset_actions(game)
    ((5, 40), 7385)
    """
    from regretless.poker.games import PublicGame

    game = found(game)
    if not isinstance(game, PublicGame):
        raise OptionError(f"abstract takes games of hold'em such as hulh, hunl or fhp, got {quoted(game)}")
    rounds, plans = CardRounds.of(game), street_plans(CardRounds.of(game), buckets, features)
    if recall not in RECALL:
        raise OptionError(f"recall is {' or '.join(map(repr, RECALL))}, got {quoted(recall)}")
    check_build_device(device)
    threads = processors() if threads is None else _whole("threads", threads, 1, 1_024)
    seed = _whole("seed", seed, 0, 2**63 - 1)
    sample = sample_size(plans) if sample is None else _sample(sample, plans)
    estimate = estimate_build(rounds, plans, sample, threads, device)
    check_memory_of_build(estimate, plans)
    gpu = CudaClusters(plans, sample) if device == "cuda" else None
    with reported(progress) as report:
        build = Build(rounds, plans, seed, sample, threads, estimate, report, checkpoint, gpu)
        streets = build.run()
    settings = {"seed": seed, "sample": sample, "asked": [plan.buckets for plan in plans]}
    return Abstraction(rounds, tuple(streets), recall, settings)


def build_cost(
    game: PublicGame,
    buckets: int | Sequence[int] = 200,
    features: str | Sequence[str | None] | None = None,
    threads: int | None = None,
    sample: int | None = None,
    device: str = "cpu",
) -> BuildEstimate:
    """The memory and the time that `abstract` will need, about."""
    rounds = CardRounds.of(game)
    plans = street_plans(rounds, buckets, features)
    sample = sample_size(plans) if sample is None else _sample(sample, plans)
    return estimate_build(rounds, plans, sample, threads or processors(), device)


def _sample(sample: object, plans: tuple[StreetPlan, ...]) -> int:
    """A given number of hands: each bucket of a street begins with one of them."""
    most = max((plan.buckets for plan in plans if plan.sampled), default=1)
    checked = _whole("sample", sample, 1, MOST_SAMPLE)
    if checked < most:
        raise OptionError(f"sample={checked:,} hands cannot be the beginnings of {most:,} buckets: take at least that")
    return checked


def sample_size(plans: tuple[StreetPlan, ...]) -> int:
    """Hands of a sample, by the number of buckets."""
    return min(max(LEAST_SAMPLE, *(ROWS_PER_BUCKET * plan.buckets for plan in plans if plan.sampled), 0), MOST_SAMPLE)


def _whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        raise OptionError(f"{name} is a whole number from {least} to {most:,}, got {quoted(value)}")
    return int(value)


class Build:
    """A build under way."""

    def __init__(
        self,
        rounds: CardRounds,
        plans: tuple[StreetPlan, ...],
        seed: int,
        sample: int,
        threads: int,
        estimate: BuildEstimate,
        report: Callable[[BuildProgress], object],
        checkpoint: str | os.PathLike[str] | None,
        device: CudaClusters | None = None,
    ) -> None:
        self.device = device
        self.rounds, self.plans, self.seed, self.sample = rounds, plans, seed, sample
        self.threads, self.estimate, self.report, self.checkpoint = threads, estimate, report, checkpoint
        self.request = {
            **rounds.to_json(),
            "buckets": [plan.buckets for plan in plans],
            "features": [plan.feature for plan in plans],
            "seed": seed,
            "sample": sample,
        }
        self.state = BuildState() if checkpoint is None else load_state(checkpoint, self.request)
        self.clusters: npt.NDArray[np.int8] | None = None
        self.began = self.saved = time.monotonic()

    def run(self) -> list[StreetBuckets]:
        """Do what is left; returns the buckets of all streets."""
        with Workers(self.threads) as workers, self._saved_when_interrupted():
            for street in range(len(self.state.finished), len(self.plans)):
                plan = self.plans[street]
                clusters = self._opponents(workers) if plan.needs_opponents else None
                builder = StreetBuilder(
                    self.rounds, street, plan, self.seed, self.sample, workers, clusters, self.device
                )
                for stage, share in builder.steps(self.state):
                    self._tell(street, stage, share)
        if self.checkpoint is not None:
            Path(self.checkpoint).unlink(missing_ok=True)
        return self.state.finished

    def _opponents(self, workers: Workers) -> npt.NDArray[np.int8]:
        """The clusters of opposing hands, computed once for all streets."""
        if self.clusters is None:
            self.clusters = opponent_clusters(self.rounds, self.seed, workers)
        return self.clusters

    def _tell(self, street: int, stage: str, share: float) -> None:
        """Report progress, and save where the last save is old."""
        stages = self.estimate.stages
        before = sum(seconds for key, seconds in stages.items() if key < (street, ""))
        order = ("sample", "seeds", "clusters", "buckets")
        before += sum(stages.get((street, name), 0.0) for name in order[: order.index(stage)])
        done = before + share * stages.get((street, stage), 0.0)
        now = time.monotonic()
        name = self.rounds.street_name(street)
        self.report(BuildProgress(name, stage, min(done / self.estimate.seconds, 1.0), now - self.began))
        if self.checkpoint is not None and now - self.saved >= SECONDS_BETWEEN_SAVES:
            self._save()

    def _save(self) -> None:
        assert self.checkpoint is not None
        save_state(self.checkpoint, self.state, self.request)
        self.saved = time.monotonic()

    @contextmanager
    def _saved_when_interrupted(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            if self.checkpoint is not None:
                self._save()
            raise
