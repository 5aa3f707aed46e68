"""Sampled CFR on a card abstraction, the boards or walks of every turn divided among the actors of a Ray cluster.

An actor gets the regrets, walks its pieces of the turn and returns sums: of gains, and of what is added to the average.
Sums of two actors are added pairwise, on their nodes and always in the same order, so the driver receives one sum
whatever their number. The driver has the tables and makes the regret update. Actors keep nothing between turns: one
that dies costs its turn alone.

A piece draws its random numbers by its own number, so the boards are those of a solve in one process, and the result is
the same up to the rounding of sums. It has the same bits on any number of machines for the same number of shards.
"""

from __future__ import annotations

import weakref
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.method import Settings
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.solving.buckets.batch_walker import TableUpdates
from regretless.poker.solving.buckets.bucket_external import external_plan
from regretless.poker.solving.buckets.bucket_learner import SampledBuckets, public_chance_plan
from regretless.sampling.mccfr import MCCFR
from regretless.scale.actor_team import ActorTeam
from regretless.scale.ray_cluster import Ray
from regretless.scale.ray_tasks import sendable
from regretless.scale.shards.shard_actors import check_cluster_memory

__all__ = ["BucketActor", "SpreadBuckets"]

Array = npt.NDArray[Any]
Sums = tuple[Array, Array]
"""Gains [learned] and additions to the average [averaged] of a turn."""


class BucketActor:
    """The process that walks a part of every turn."""

    def __init__(self, game: Any, method: MCCFR, settings: Settings) -> None:
        learner = method.learner(game.problem(), settings)
        assert isinstance(learner, SampledBuckets)
        self.learner = learner

    def walk(self, regret: Array, iteration: int, turn: int, pieces: range, weight: float) -> Sums:
        """The sums of some pieces of a turn."""
        learner, changed = self.learner, self.learner.plan.turns[turn]
        tables = learner.tables
        tables.regret[:] = regret
        tables.gain[changed.learned] = 0
        tables.average[changed.averaged] = 0
        learner.iteration = iteration
        learner.walk_pieces(turn, pieces, weight)
        return tables.gain[changed.learned], tables.average[changed.averaged]

    def add(self, mine: Sums, theirs: Sums) -> Sums:
        """The sums of two actors, added."""
        return mine[0] + theirs[0], mine[1] + theirs[1]

    def answer(self) -> None:
        """Nothing; an actor that has died cannot."""


class BucketActors(ActorTeam):
    """All actors of a solve."""

    actor_class = BucketActor

    def __init__(self, cluster: Ray, tree: BucketedTree, method: MCCFR, settings: Settings, shards: int) -> None:
        ray = cluster.connect()
        given = replace(settings, threads=cluster.threads)
        needed = [tree.bytes_needed(settings.dtype)] * shards
        check_cluster_memory(ray, needed, "take fewer buckets, or larger machines")
        self.made_of = cluster.shared(sendable(tree.game)), method, given  # the abstraction reaches each node once
        super().__init__(cluster, needed)

    def arguments(self, at: int) -> tuple[Any, ...]:
        """Game with its abstraction, method and settings."""
        return self.made_of

    def give_state(self, at: int, actor: Any) -> None:
        """Nothing: actors keep nothing between turns."""


class SpreadBuckets(SampledBuckets):
    """A sampled method on a card abstraction whose walks are divided among machines."""

    def __init__(self, cluster: Ray, tree: BucketedTree, method: MCCFR, settings: Settings) -> None:
        make = external_plan if method.sampling == "external" else public_chance_plan
        plan = make(tree, method)
        if settings.dtype == "int16":
            raise OptionError(
                "machines exchange gains, which are not kept in 16 bits: leave out workers= or take dtype='float32'"
            )
        tree.check_memory(settings.dtype)
        super().__init__(tree, settings, method.variant, plan, TableUpdates(tree, settings.dtype, settings.threads))
        shards = cluster.actors(cluster.connect(), plan.pieces)
        cuts = (plan.pieces * np.arange(shards + 1) // shards).tolist()
        self.shares = [range(begin, end) for begin, end in pairwise(cuts)]  # [shards] pieces of each
        self.actors = BucketActors(cluster, tree, method, settings, shards)
        self.sent = self.received = 0  # bytes; each node gets the regrets once, here they count for every actor
        weakref.finalize(self, BucketActors.close, self.actors)

    def walk_pieces(self, turn: int, pieces: range, weight: float) -> None:
        """Let all actors walk, and add up what they found; `pieces` are all of the turn."""
        if not pieces:
            return
        tables, changed = self.tables, self.plan.turns[turn]
        regret = self.actors.cluster.shared(tables.regret)

        def walk(actor: Any, at: int) -> Any:
            return actor.walk.remote(regret, self.iteration, turn, self.shares[at], weight)

        gain, average = self.actors.added(walk)
        tables.gain[changed.learned] = gain
        tables.average[changed.averaged] += average
        self.sent += tables.regret.nbytes * len(self.shares)
        self.received += gain.nbytes + average.nbytes
