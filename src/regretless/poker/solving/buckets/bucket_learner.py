"""Public chance sampling on a game with a card abstraction (Johanson, Bard, Lanctot, Gibson & Bowling 2012)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

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
from regretless.variants import Variant

__all__ = ["BucketLearner", "BucketTablesLearner"]

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

    def measure(self) -> dict[str, float]:
        """One row of a run's history; exploitability where the game fits into memory hand by hand, else nan."""
        if not self.tree.exact:
            return {"exploitability": np.nan, "nash_conv": np.nan, "value": np.nan}
        which = "average" if self.iteration > self.variant.delay else "regret"
        return self._responses.measured(self.tree.public_numbers(self.arrays()[which]))

    @cached_property
    def _responses(self) -> Responses:
        return Responses(self.tree.public_tree)


class BucketLearner(BucketTablesLearner):
    """`MCCFR(sampling="public-chance")` on a bucketed tree.

    An iteration draws `traversals` batches of `boards` boards; the boards of a batch share their flop, and some share a
    turn. On a board all hands of both players are walked at once, with the strategies that the iteration began with.
    Strategies are looked up and regrets added up by bucket, and the regret update of both players follows after all
    boards. So a variant with a floor, such as CFR+, floors once per iteration and not at each hand of a bucket.
    """

    def __init__(self, tree: BucketedTree, method: Any, settings: Settings) -> None:
        if method.sampling != "public-chance":
            raise OptionError(
                f"a game with an abstraction is solved with sampling='public-chance' or 'external', not with "
                f"{method.sampling!r}"
            )
        if method.prune is not None:
            raise OptionError("prune= on a game with an abstraction goes with sampling='external'")
        tree.check_memory(settings.dtype)
        self.method = method
        self.batches = BoardBatches(tree, method.boards, settings.dtype)
        self.walker = BatchWalker(tree, self.batches.counts, settings.dtype, settings.threads)
        super().__init__(tree, settings, method.variant, tree.infoset_actions)

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        if not iterations:
            self._walk(0.0, 0, 0, 0)
            self.tables.gain[:] = 0
            self.walker.update(self.tables, 1.0, np.ones(8), slice(0, 0))
        share = 1.0 / (self.method.traversals * self.method.boards)
        for step in self.method.variant.steps(self.iteration + 1, iterations):
            self.iteration += 1
            if step[DECAY] != 1:
                self.walker.decay(self.tables, float(step[DECAY]))
            for n in range(self.method.traversals):
                self._walk(float(step[WEIGHT]) * share, self.settings.seed, self.iteration, n)
            self.walker.update(self.tables, share, step[[POSITIVE, NEGATIVE, FLOOR]])

    def _walk(self, weight: float, *seeds: int) -> Array:
        """Walk one batch; gains and averages are added up. Returns the values of all hands [2, hands]."""
        boards = self.batches.prepared(self.batches.draw(*seeds))
        return self.walker.walk(boards, self.tables, weight)
