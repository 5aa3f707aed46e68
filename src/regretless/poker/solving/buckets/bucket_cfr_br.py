"""CFR-BR on a game with a card abstraction (Johanson, Bard, Burch & Bowling 2012).

A player who learns is limited to buckets. The other one knows all its cards and answers with a best response. So the
learner's strategy converges to the least exploitable one inside the abstraction.

As in the paper (§4), the game is cut after the first street. An iteration draws one deal of the second street for each
learner and walks all boards below it. So the answer there is an exact best response, which does not know cards that are
still to come. On the first street a best response would need all deals; there the other player minimises regret by
hand. An iteration costs as much as all boards below one flop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DECAY, FLOOR, NEGATIVE, POSITIVE, WEIGHT
from regretless.method import Settings
from regretless.methods.cfr_br import CFRBR
from regretless.poker.abstraction.bucketed_tree import BUCKETED_TREE, BucketedTree
from regretless.poker.solving.buckets.answered_walker import AnsweredWalker
from regretless.poker.solving.buckets.board_batches import BoardBatches
from regretless.poker.solving.buckets.bucket_learner import BucketTablesLearner

__all__ = ["BucketCFRBR"]

Array = npt.NDArray[Any]


@CFRBR.learners.on(BUCKETED_TREE)
class BucketCFRBR(BucketTablesLearner):
    """Regrets and averages of both players by bucket, and regrets of both answers by hand on the first street."""

    def __init__(self, tree: BucketedTree, method: CFRBR, settings: Settings) -> None:
        if method.variant.predictive:
            raise OptionError(f"{method.variant.name} predicts, which CFR-BR with buckets does not: use rg.DCFR")
        self.by_hand, numbers = tables_by_hand(tree)
        self.batches = BoardBatches(tree, None, settings.dtype)
        self.walkers = [
            AnsweredWalker(tree, self.batches.counts, settings, 1 - learner, self.by_hand) for learner in range(2)
        ]
        super().__init__(tree, settings, method.variant, numbers)

    def advance(self, iterations: int) -> None:
        """Run more iterations: each player in turn learns against an answer to its strategy."""
        if not iterations:
            self._walk(0, 0.0, 0, 0)
            self.tables.gain[:] = 0
            self.walkers[0].update(self.tables, 1.0, np.ones(3), slice(0, 0))
        share = 1.0 / self.batches.counts[-1]
        for step in self.variant.steps(self.iteration + 1, iterations):
            self.iteration += 1
            for learner, walker in enumerate(self.walkers):
                low, high = self.tree.bounds[learner : learner + 2]
                if step[DECAY] != 1:
                    walker.decay(self.tables, float(step[DECAY]), slice(low, high))
                self._walk(learner, float(step[WEIGHT]) * share, self.settings.seed, self.iteration)
                for part in (slice(low, high), self._answer_part(1 - learner)):
                    walker.update(self.tables, share, step[[POSITIVE, NEGATIVE, FLOOR]], part)

    def _walk(self, learner: int, weight: float, *seeds: int) -> Array:
        """One walk of a learner; returns the values of all hands [2, hands]."""
        boards = self.batches.prepared(self.batches.draw(*seeds, learner))
        return self.walkers[learner].walk(boards, self.tables, weight)

    def _answer_part(self, player: int) -> slice:
        """The numbers of a player who answers, by hand on the first street."""
        tree, begin = self.tree, self.tree.infoset_actions
        middle = begin + _numbers_by_hand(tree, 0)
        return slice(begin, middle) if player == 0 else slice(middle, middle + _numbers_by_hand(tree, 1))

    def arrays(self) -> dict[str, Array]:
        """Regrets and averages by bucket, and the regrets of answers."""
        return {**super().arrays(), "answer_regret": self.tables.regret[self.tree.infoset_actions :]}


def tables_by_hand(tree: BucketedTree) -> tuple[Array, int]:
    """[nodes] the first entry of each table by hand, on the first street; and all entries, with those by bucket."""
    betting, hands = tree.betting_tree, len(tree.game.hand_weights()[0])
    first, end = np.full(len(betting), -1, np.int64), tree.infoset_actions
    for player in range(2):
        for node in np.flatnonzero((betting.kind == player) & (betting.street == 0)).tolist():
            first[node] = end
            end += int(betting.children[node]) * hands
    return first, end


def _numbers_by_hand(tree: BucketedTree, player: int) -> int:
    """The number of entries by hand of a player."""
    betting, hands = tree.betting_tree, len(tree.game.hand_weights()[0])
    return int(betting.children[(betting.kind == player) & (betting.street == 0)].sum()) * hands
