"""Sampled CFR on a compiled game, the walks of every turn divided among the actors of a Ray cluster.

Every actor has a copy of the table. It walks its part of the traversals of a player's turn and sends what they changed;
the driver adds the changes up and sends the sum to all. So the tables are merged after every turn, and `traversals`
says how much is walked between two merges. Walk number n of an iteration draws the same random numbers on any machine:
the result is that of one process up to the rounding of sums, and has the same bits on any number of machines for the
same number of shards.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.linter.memory import in_units
from regretless.method import Settings
from regretless.sampling.iteration_windows import fades_by_sign
from regretless.sampling.mccfr import MCCFR
from regretless.sampling.unlisted_learner import UnlistedLearner
from regretless.sampling.unlisted_problem import Unlisted
from regretless.scale.actor_team import ActorTeam
from regretless.scale.ray_cluster import Ray
from regretless.scale.ray_tasks import sendable
from regretless.scale.table_merging import TableChange, change_of, merge_changes, with_change

__all__ = ["SpreadMCCFR", "WalkActor"]

Array = npt.NDArray[Any]


class WalkActor:
    """The process that walks a part of every turn."""

    def __init__(self, game: Any, method: MCCFR, settings: Settings, walks: range) -> None:
        self.learner, self.share = UnlistedLearner(Unlisted(game), method, settings), walks

    def load(self, arrays: Mapping[str, Array]) -> None:
        """Take over the merged table."""
        self.learner.restore(arrays, 0)

    def walk(self, iteration: int, player: int, merged: TableChange | None) -> TableChange:
        """Add the merged change of the turn before, then walk; the table stays as it was before the walks."""
        store, walks = self.learner.store, self.learner.walks
        if merged is not None:
            store.restore(with_change(store.arrays(), merged))
            if player == 0:
                walks.end_iteration(iteration - 1)
        before, visited = {name: array.copy() for name, array in store.arrays().items()}, walks.nodes
        walks.walk_turn(iteration, player, self.share)
        change = change_of(before, store.arrays(), walks.nodes - visited)
        store.restore(before)
        return change


class WalkActors(ActorTeam):
    """All actors of a solve."""

    actor_class = WalkActor

    def __init__(self, learner: SpreadMCCFR, cluster: Ray, shards: int) -> None:
        self.learner = weakref.proxy(learner)
        game, settings = sendable(learner.unlisted.game), learner.settings
        cuts = (learner.method.traversals * np.arange(shards + 1) // shards).tolist()
        given = game, learner.method, replace(settings, threads=cluster.threads)
        self.made_of = [(*given, range(begin, end)) for begin, end in pairwise(cuts)]
        super().__init__(cluster, [0] * shards)

    def arguments(self, at: int) -> tuple[Any, ...]:
        """Game, method, settings, and the walks of each turn that are the actor's."""
        return self.made_of[at]

    def give_state(self, at: int, actor: Any) -> None:
        """Load the driver's table."""
        actor.load.remote(self.learner.arrays())


class SpreadMCCFR(UnlistedLearner):
    """A sampled method on a compiled game whose walks are divided among machines."""

    def __init__(self, cluster: Ray, unlisted: Unlisted, method: MCCFR, settings: Settings) -> None:
        _check(method)
        super().__init__(unlisted, method, settings)
        shards = cluster.actors(cluster.connect(), method.traversals)
        self.actors = WalkActors(self, cluster, shards)
        self.pending: TableChange | None = None  # the merged change that actors do not have yet
        self.sent = self.received = 0  # bytes
        weakref.finalize(self, WalkActors.close, self.actors)

    def advance(self, iterations: int) -> None:
        """Run more iterations; the tables are merged after each player's turn."""
        for _ in range(iterations):
            for player in range(self.unlisted.players):
                self._turn(self.iteration + 1, player)
            self.iteration += 1
            self.walks.end_iteration(self.iteration)
            self._check_size()

    def _turn(self, iteration: int, player: int) -> None:
        """Let all actors walk, and add up what they found."""
        started = list(self.actors.actors)

        def call(actor: Any, at: int) -> Any:  # an actor that was replaced has the driver's table already
            return actor.walk.remote(iteration, player, self.pending if actor is started[at] else None)

        changes: list[TableChange] = self.actors.ask(call)
        merged = merge_changes(changes, self.store.table.parts)
        self.received += sum(change.nbytes for change in changes)
        self.sent += merged.nbytes * len(changes)
        self.store.restore(with_change(self.store.arrays(), merged))
        self.walks.nodes += merged.nodes
        self.pending = merged

    def _check_size(self) -> None:
        if self.store.nbytes > self.store.most_bytes:
            raise OptionError(
                f"the table has {self.store.infosets:,} infosets in {in_units(self.store.nbytes)}, more than the "
                f"{in_units(self.store.most_bytes)} it may take: give MCCFR more memory="
            )

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from the arrays of a run, here and in all actors."""
        super().restore(arrays, iteration)
        self.pending = None
        self.actors.ask(lambda actor, _: actor.load.remote(self.arrays()))


def _check(method: MCCFR) -> None:
    """Refuse settings whose numbers cannot be added up."""
    if fades_by_sign(method.variant):
        raise OptionError(
            f"regrets of {method.variant.name} depend on their order and cannot be added up over machines: use "
            "variant=rg.CFR or rg.LINEAR_CFR"
        )
    if method.baseline is not None or method.prune is not None:
        raise OptionError("baseline= and prune= are for one machine: leave them out with workers=")
    if method.traversals < 2:
        raise OptionError(
            "a cluster divides the walks of an iteration: give MCCFR traversals=, some thousand for each machine"
        )
