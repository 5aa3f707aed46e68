"""Fictitious play: all players best-respond to the average of the others and average their responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.evaluation.responses import plan_of
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.treeplex import player_best, pure_plan
from regretless.method import Learner, LearnerTable, Settings
from regretless.methods.opening import open_for_learners
from regretless.methods.tree_learner import TreeLearner, opening_of
from regretless.problem import Capabilities, Problem
from regretless.tree import Tree

__all__ = ["XFP", "FictitiousPlay", "FictitiousPlayLearner"]


@dataclass(frozen=True)
class FictitiousPlay:
    """Fictitious play in the space of plans (Brown 1951).

    On a one-shot game this is the classical process. On a tree, averaging plans is what XFP does with behaviour
    strategies weighted by reach (Heinrich, Lanctot & Silver 2015, §3): the two are realisation-equivalent, so `XFP`
    is another name for this method. The average starts from uniform play.
    """

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",))

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return "fictitious play"

    def open(self, game: Any) -> Problem:
        """The tree of a game."""
        return open_for_learners(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        return self.learners.start(self, problem, settings)


XFP = FictitiousPlay()


@FictitiousPlay.learners.on("tree")
class FictitiousPlayLearner(TreeLearner):
    """Average plans and the newest answers to them."""

    def __init__(self, tree: Tree, method: FictitiousPlay, settings: Settings) -> None:
        super().__init__(tree, settings)
        start = opening_of(tree, settings)
        self.newest = start.probabilities.copy()
        self.average = plan_of(tree, start)
        self.gradient = np.zeros(tree.sequences)
        self.answer = self.average.copy()

    def advance(self, iterations: int) -> None:
        """average ← average + (best response to it − average) / (t + 1), all players at once."""
        form, first = self.tree.form, self.tree.form.sequence_first
        for _ in range(iterations):
            self.iteration += 1
            for player in self.learners:
                player_gradient(form, player, self.average, self.gradient)
                player_best(form, player, self.gradient)
                pure_plan(form, player, self.gradient, self.newest, self.answer)
            for player in self.learners:
                mine = slice(first[player], first[player + 1])
                self.average[mine] += (self.answer[mine] - self.average[mine]) / (self.iteration + 1)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The average plan and the last answers."""
        return {"average": self.average, "newest": self.newest}

    def current(self) -> npt.NDArray[Any]:
        """[S] the last answers."""
        return self.newest
