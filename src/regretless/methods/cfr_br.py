"""CFR-BR: every player minimises regret against opponents who always answer with a best response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.treeplex import player_best, player_update, pure_plan
from regretless.method import Learner, LearnerTable, Settings
from regretless.methods.cfr import RegretLearner
from regretless.methods.opening import open_for_learners
from regretless.problem import Capabilities, Problem
from regretless.tree import Tree
from regretless.variants import CFR, Variant, variant_by_name

__all__ = ["CFRBR", "CFRBRLearner"]


@dataclass(frozen=True)
class CFRBR:
    """CFR-BR (Johanson, Bard, Burch & Bowling 2012, §3), with any variant as the regret minimiser.

    Both sides learn: each player in turn updates against the others' best responses to the current strategies. On a
    game with a card abstraction those who learn are limited to buckets, and those who answer know all their cards.
    """

    variant: Variant = CFR
    """How the regrets of those who learn are added and averaged."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64", "float32"), starts=True)
    text_settings: ClassVar[Mapping[str, Any]] = {"variant": variant_by_name}

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return "CFR-BR" if self.variant == CFR else f"CFR-BR ({self.variant.name})"

    def open(self, game: Any) -> Problem:
        """The tree of a game."""
        return open_for_learners(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        return self.learners.start(self, problem, settings)


@CFRBR.learners.on("tree")
class CFRBRLearner(RegretLearner):
    """Regrets of all players, and scratch for the answers they train against."""

    def __init__(self, tree: Tree, method: CFRBR, settings: Settings) -> None:
        super().__init__(tree, method.variant, settings)
        self.answer = self.iterate.plan.copy()
        self.answer_strategy = np.ones(tree.sequences)

    def advance(self, iterations: int) -> None:
        """One update of every learning player per iteration, each against fresh best responses."""
        form, it, predictive = self.tree.form, self.iterate, bool(self.variant.predictive)
        for step in self.variant.steps(self.iteration + 1, iterations):
            for player in self.learners:
                self.answer[:] = it.plan
                for other in self.learners:
                    if other != player:
                        player_gradient(form, other, it.plan, it.gradient)
                        player_best(form, other, it.gradient)
                        pure_plan(form, other, it.gradient, self.answer_strategy, self.answer)
                player_gradient(form, player, self.answer, it.gradient)
                player_update(form, player, it, step, predictive, self.smallest)
        self.iteration += iterations
