"""Exact CFR on a public tree whose boards are divided among the actors of a Ray cluster.

The driver owns the trunk: the first street. In each walk it sends both players' reach on the trunk to the shards. The
values of their boards are added up on the way from shard to shard, in the order of boards as one process does, so every
number has the same bits as in a solve on one machine, for any number of shards.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public.layout import StreetBuffers
from regretless.method import Learner, Settings
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.solving.averaged_steps import steps_in_storage
from regretless.poker.solving.cpu_walker import NO_STEP, Walker, kernel_state
from regretless.poker.solving.responses import response_row
from regretless.poker.solving.vector_cfr import VectorLearner, blocks_of
from regretless.poker.tree.public_tree import PublicTree
from regretless.scale.ray_cluster import Ray
from regretless.scale.shards.board_shards import (
    ShardLayout,
    StateFormat,
    WalkRequest,
    empty_state,
    named_arrays,
    split_boards,
)
from regretless.scale.shards.shard_actors import ShardActors
from regretless.variants import Variant

__all__ = ["ShardedLearner", "ShardedTree", "sharded_nash_conv"]

Array = npt.NDArray[Any]


class ShardedTree:
    """A public tree with its trunk here and its boards in actors."""

    def __init__(self, cluster: Ray, tree: PublicTree, kind: StateFormat) -> None:
        self.tree = tree
        self.layout = ShardLayout(tree, range(1))
        own, self.trunk = empty_state(tree, self.layout, kind)
        self.walker = Walker(own, kind.compute, 1)
        _, blocks = blocks_of(tree)
        shapes = {
            name: ((3, blocks) if name == "scale" else (tree.numbers,), array.dtype)
            for name, array in named_arrays(self.trunk).items()
        }
        layouts = split_boards(tree, cluster.actors(cluster.connect(), len(self.walker.items)))
        self.actors = ShardActors(cluster, tree, layouts, kind, shapes)
        weakref.finalize(self, ShardActors.close, self.actors)

    def walk(self, player: int, iteration: int, source: str, learning: bool, step: Array) -> StreetBuffers:
        """One walk for one player; returns the buffers of the first street."""
        walker, state = self.walker, kernel_state(self.trunk)
        numbers, scratch = getattr(state, source), walker.first_scratch
        walker.set_phase(iteration)
        walker.walk_down(player, state, numbers, learning, step)
        request = WalkRequest(player, iteration, learning, source, step, scratch.mine.copy(), scratch.theirs.copy())
        sums = self.actors.walk(request, np.zeros_like(scratch.risen[: 1 if learning else 2]))
        return walker.walk_up(player, state, numbers, learning, step, sums)

    def values(self, iteration: int, source: str) -> list[tuple[float, float]]:
        """For each player the value of a best response and the value of the strategies, in chips."""
        out = []
        for player in range(2):
            root = self.walk(player, iteration, source, False, NO_STEP)
            out.append((self.walker.worth(player, root.value[0]), self.walker.worth(player, root.played[0])))
        return out

    def arrays(self) -> dict[str, Array]:
        """Arrays of the whole tree, collected from the actors."""
        whole = self.actors.take_snapshot()
        self.layout.paste(named_arrays(self.trunk), whole)
        return dict(whole)

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Continue from arrays of the whole tree."""
        self.actors.restore(arrays)
        for name, part in self.layout.cut(self.actors.snapshot).items():
            named_arrays(self.trunk)[name][...] = part


class ShardedLearner(Learner):
    """A variant of CFR on a public tree that is divided among machines."""

    measured_every = VectorLearner.measured_every
    measured_at_target = VectorLearner.measured_at_target
    copies = False
    """A run takes the arrays that shards were collected into without a copy."""

    def __init__(self, cluster: Ray, tree: PublicTree, variant: Variant, settings: Settings) -> None:
        super().__init__(tree, settings)
        if not variant.alternating:
            raise OptionError(f"{variant.name} on a public tree updates players in turn; alternating=no is for trees")
        self.variant, self.public = variant, tree
        self.sharded = ShardedTree(
            cluster, tree, StateFormat(settings.dtype, bool(variant.predictive), settings.device)
        )

    @property
    def source(self) -> str:
        """The array that the current strategy is proportional to."""
        return "guess" if self.variant.predictive else "regret"

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        for step in steps_in_storage(self.variant, self.iteration + 1, iterations, self.settings.dtype):
            self.iteration += 1
            for player in range(2):
                self.sharded.walk(player, self.iteration, self.source, True, step)
            if self.sharded.actors.snapshot_due:
                self.sharded.actors.take_snapshot()

    def measure(self) -> dict[str, float]:
        """One row of a run's history: exploitability in chips, thousandths of a big blind and shares of the pot."""
        source = "average" if self.iteration > self.variant.delay else self.source
        return response_row(self.public, self.sharded.values(self.iteration, source))

    def arrays(self) -> dict[str, Array]:
        """Arrays of the whole tree, collected from the actors."""
        return self.sharded.arrays()

    def stand_ins(self) -> dict[str, Array]:
        """The arrays without collecting what is in them."""
        return dict(self.sharded.actors.snapshot)

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from the arrays of an earlier solve, of one machine or of a cluster."""
        self.sharded.restore(arrays)
        self.iteration = iteration


def sharded_nash_conv(cluster: Ray, game: Any, strategy: Any) -> float:
    """What both players together could gain against a strategy, chips; boards are divided among actors."""
    if not isinstance(strategy, PublicStrategy):
        raise OptionError("a best response is spread over machines for hold'em only: leave workers= out")
    if strategy.tree.streets == 1:
        return strategy.nash_conv(game)
    tree = strategy.tree
    tree.check_same_game(game)
    strategy.need(range(tree.boards))
    numbers, (_, blocks) = np.asarray(strategy.source), blocks_of(tree)
    sharded = ShardedTree(cluster, tree, StateFormat(numbers.dtype.name, predictive=False))
    sharded.restore({"regret": numbers, "average": numbers, "scale": np.zeros((3, blocks), np.float32)})
    values = sharded.values(0, "average")
    sharded.actors.close()
    return max(sum(best - own for best, own in values), 0.0)
