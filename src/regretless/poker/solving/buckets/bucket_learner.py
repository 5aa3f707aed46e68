"""Public chance sampling on a game with a card abstraction (Johanson, Bard, Lanctot, Gibson & Bowling 2012)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.buckets.bucket_layout import BucketTables
from regretless.kernels.constants import DECAY, FLOOR, NEGATIVE, POSITIVE, WEIGHT
from regretless.method import Learner, Settings
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.solving.buckets.batch_walker import BatchWalker
from regretless.poker.solving.buckets.board_batches import BoardBatches
from regretless.poker.solving.responses import Responses
from regretless.storage import verify_mapped
from regretless.variants import Variant

__all__ = ["BucketLearner", "BucketTablesLearner", "SampledBuckets", "SamplingPlan", "Turn", "public_chance_plan"]

Array = npt.NDArray[Any]


class BucketTablesLearner(Learner):
    """Regrets and averages by bucket, and how good they are."""

    measured_every = 1.2
    known_instead = "nothing is known during a solve (rg.exploitability measures a finished run flop by flop)"

    def __init__(self, tree: BucketedTree, settings: Settings, variant: Variant, numbers: int) -> None:
        """numbers: entries of the tables; those of the tree come first."""
        super().__init__(tree, settings)
        self.tree, self.variant = tree, variant
        self.tables = BucketTables(*(np.zeros(numbers, settings.dtype) for _ in BucketTables._fields))

    def arrays(self) -> dict[str, Array]:
        """Regrets and averages."""
        numbers = self.tree.infoset_actions
        return {"regret": self.tables.regret[:numbers], "average": self.tables.average[:numbers]}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from the arrays of a run; those of a large file are compared with its checksum first."""
        verify_mapped(arrays)
        super().restore(arrays, iteration)

    def measure(self) -> dict[str, float]:
        """One row of a run's history; exploitability where the game fits into memory hand by hand, else nan."""
        if not self.tree.exact:
            return {"exploitability": np.nan, "nash_conv": np.nan, "value": np.nan}
        which = "average" if self.iteration > self.variant.delay else "regret"
        return self._responses.measured(self.tree.public_numbers(self.tree.numbers(self.arrays(), which)))

    @cached_property
    def _responses(self) -> Responses:
        return Responses(self.tree.public_tree)


class Turn(NamedTuple):
    """A part of an iteration that ends with a regret update: the numbers that its walks change."""

    learned: slice  # of `gain`; they are updated
    averaged: slice  # of `average`


class SamplingPlan(NamedTuple):
    """How an iteration of a sampled method is divided."""

    turns: tuple[Turn, ...]
    pieces: int  # of the walks of a turn; a piece draws random numbers of its own, so any machine can walk it
    share: float  # factor of the gains of a turn: one over the number of walks


class TablePasses(Protocol):
    """Passes over whole tables, or over a part of them."""

    def update(self, tables: Any, share: float, step: Array, part: slice | None = None) -> None:
        """The regret update with gains times `share`; step: positive and negative discount, floor."""

    def decay(self, tables: Any, factor: float, part: slice | None = None) -> None:
        """Multiply the average by a factor."""


class SampledBuckets(BucketTablesLearner):
    """A sampled method: in each turn gains and averages of all pieces are added up, then follows the regret update."""

    def __init__(
        self, tree: BucketedTree, settings: Settings, variant: Variant, plan: SamplingPlan, updates: TablePasses
    ) -> None:
        super().__init__(tree, settings, variant, tree.infoset_actions)
        self.plan, self.updates = plan, updates

    @abstractmethod
    def walk_pieces(self, turn: int, pieces: range, weight: float) -> None:
        """Add up gains and averages of some pieces of a turn; weight: of a walk in the average."""

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        if not iterations:
            self.compile()
        plan = self.plan
        for step in self.variant.steps(self.iteration + 1, iterations):
            self.iteration += 1
            if step[DECAY] != 1:
                self.updates.decay(self.tables, float(step[DECAY]))
            for number, turn in enumerate(plan.turns):
                self.walk_pieces(number, range(plan.pieces), float(step[WEIGHT]) * plan.share)
                self.updates.update(self.tables, plan.share, step[[POSITIVE, NEGATIVE, FLOOR]], turn.learned)

    def compile(self) -> None:
        """Compile what an iteration calls."""
        self.updates.update(self.tables, 1.0, np.ones(3), slice(0, 0))
        self.updates.decay(self.tables, 1.0, slice(0, 0))


def public_chance_plan(tree: BucketedTree, method: Any) -> SamplingPlan:
    """One turn for both players; a batch of boards is a piece."""
    if method.sampling != "public-chance":
        raise OptionError(
            f"a game with an abstraction is solved with sampling='public-chance' or 'external', not with "
            f"{method.sampling!r}"
        )
    if method.prune is not None:
        raise OptionError("prune= on a game with an abstraction goes with sampling='external'")
    every = slice(0, tree.infoset_actions)
    return SamplingPlan((Turn(every, every),), method.traversals, 1.0 / (method.traversals * method.boards))


class BucketLearner(SampledBuckets):
    """`MCCFR(sampling="public-chance")` on a bucketed tree.

    An iteration draws `traversals` batches of `boards` boards; the boards of a batch share their flop, and some share a
    turn. On a board all hands of both players are walked at once, with the strategies that the iteration began with.
    Strategies are looked up and regrets added up by bucket, and the regret update of both players follows after all
    boards. So a variant with a floor, such as CFR+, floors once per iteration and not at each hand of a bucket.
    """

    def __init__(self, tree: BucketedTree, method: Any, settings: Settings) -> None:
        plan = public_chance_plan(tree, method)
        tree.check_memory(settings.dtype)
        self.method = method
        self.batches = BoardBatches(tree, method.boards, settings.dtype)
        self.walker = BatchWalker(tree, self.batches.counts, settings.dtype, settings.threads)
        super().__init__(tree, settings, method.variant, plan, self.walker)

    def compile(self) -> None:
        """Compile what an iteration calls, by walking a batch that does not count."""
        self._walk(0.0, 0, 0, 0)
        self.tables.gain[:] = 0
        super().compile()

    def walk_pieces(self, turn: int, pieces: range, weight: float) -> None:
        """Walk some batches of an iteration."""
        for batch in pieces:
            self._walk(weight, self.settings.seed, self.iteration, batch)

    def _walk(self, weight: float, *seeds: int) -> Array:
        """Walk one batch; gains and averages are added up. Returns the values of all hands [2, hands]."""
        boards = self.batches.prepared(self.batches.draw(*seeds))
        return self.walker.walk(boards, self.tables, weight)
