"""CFR-BR: every player minimises regret against opponents who always answer with a best response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.products import player_gradient
from regretless.kernels.treeplex import player_best, player_update, pure_plan
from regretless.methods.cfr import start
from regretless.methods.learner import Learner, Settings
from regretless.tree import Tree
from regretless.variants import CFR, Variant

__all__ = ["CFRBR", "CFRBRLearner"]


@dataclass(frozen=True)
class CFRBR:
    """CFR-BR (Johanson, Bard, Burch & Bowling 2012, §3), with any variant as the regret minimiser.

    Both sides learn: each player in turn updates against the others' best responses to the current strategies.
    """

    variant: Variant = CFR

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return "CFR-BR" if self.variant == CFR else f"CFR-BR ({self.variant.name})"

    def learner(self, tree: Tree, settings: Settings) -> Learner:
        """The method at work on a tree."""
        return CFRBRLearner(tree, self.variant, settings)


class CFRBRLearner(Learner):
    """Regrets of all players, and scratch for the answers they train against."""

    def __init__(self, tree: Tree, variant: Variant, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.variant = variant
        self.iterate = start(tree, settings)
        self.answer = self.iterate.plan.copy()
        self.answer_strategy = self.iterate.strategy.copy()
        self.smallest = float(np.finfo(np.float64).tiny)

    def advance(self, iterations: int) -> None:
        """One update of every learning player per iteration, each against fresh best responses."""
        form, it = self.tree.form, self.iterate
        steps = self.variant.steps(self.iteration + 1, iterations)
        for step in steps:
            for player in self.learners:
                self.answer[:] = it.plan
                for other in self.learners:
                    if other != player:
                        player_gradient(form, other, it.plan, it.gradient)
                        player_best(form, other, it.gradient)
                        pure_plan(form, other, it.gradient, self.answer_strategy, self.answer)
                player_gradient(form, player, self.answer, it.gradient)
                player_update(form, player, it, step, self.smallest)
        self.iteration += iterations

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Regret, the current strategy and its plan, and the average."""
        it = self.iterate
        return {"regret": it.regret, "current": it.strategy, "plan": it.plan, "average": it.average}
