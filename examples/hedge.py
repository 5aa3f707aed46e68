"""CFR with Hedge (Freund & Schapire 1997) instead of regret matching: a method of one's own, in forty lines.

At every infoset it plays in proportion to exp(rate · sum of counterfactual values).
"""

from dataclasses import dataclass

import numpy as np

import regretless as rg


@dataclass(frozen=True)
class HedgeCFR:
    """Counterfactual regret minimisation with exponential weights; `rate` in 1 / chips."""

    rate: float = 4.0
    capabilities = rg.Capabilities(precisions=("float64",))

    @property
    def name(self):
        return f"Hedge CFR (rate {self.rate:g})"

    def open(self, game):
        return rg.open_problem(game)

    def learner(self, tree, settings):
        return HedgeLearner(tree, self, settings)


class HedgeLearner(rg.TreeLearner):
    """Sums of counterfactual values and of plans, by sequence."""

    def __init__(self, tree, method, settings):
        super().__init__(tree, settings)
        self.rate = method.rate
        self.gain, self.average = np.zeros(tree.sequences), np.zeros(tree.sequences)

    def current(self):
        infoset = self.tree.labels.infoset_of_sequence  # [S], −1 at the empty sequences
        best = np.full(self.tree.infosets + 1, -np.inf)
        np.maximum.at(best, infoset, self.gain)  # the largest exponent becomes 0, so that nothing overflows
        weight = np.where(infoset < 0, 0.0, np.exp(self.rate * (self.gain - best[infoset])))
        return np.where(infoset < 0, 1.0, weight / np.bincount(infoset + 1, weight)[infoset + 1].clip(1e-300))

    def advance(self, iterations):
        for _ in range(iterations):
            probabilities = self.current()
            self.average += self.tree.plan(probabilities)
            for player in self.learners:
                mine = self.tree.labels.player_of_sequence == player
                self.gain[mine] += self.tree.counterfactual_values(player, probabilities)[mine]
            self.iteration += 1

    def arrays(self):
        return {"gain": self.gain, "average": self.average}
