"""Regret matching by play: the exercise with which the field begins (Hart & Mas-Colell 2000)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.evaluation.correlated import coarse_correlated_gap, correlated_gap, one_shot_payoffs
from regretless.kernels.sequence_form.repeated_play import play_rounds
from regretless.method import Learner, LearnerTable, Settings
from regretless.methods.opening import open_for_learners
from regretless.methods.tree_learner import TreeLearner, opening_of
from regretless.problem import Capabilities, Problem
from regretless.tree import Tree

__all__ = ["RegretMatching", "RegretMatchingLearner"]


@dataclass(frozen=True)
class RegretMatching:
    """Play a one-shot game over and over: draw actions, regret the better ones, play in proportion to regret.

    One iteration is one round of play. The frequencies of joint actions are kept: `run.joint`.
    """

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",))

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return "regret matching"

    def open(self, game: Any) -> Problem:
        """The tree of a game."""
        return open_for_learners(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        return self.learners.start(self, problem, settings)


@RegretMatching.learners.on("tree")
class RegretMatchingLearner(TreeLearner):
    """Regrets, sums of strategies and counts of joint actions."""

    def __init__(self, tree: Tree, method: RegretMatching, settings: Settings) -> None:
        super().__init__(tree, settings)
        tensor = one_shot_payoffs(tree)
        widths = np.array(tensor.shape[1:])
        self.payoffs = np.ascontiguousarray(tensor.reshape(tree.players, -1))
        self.stride = np.append(np.cumprod(widths[:0:-1])[::-1], 1).astype(np.int64)
        self.first = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        self.shape = tensor.shape[1:]
        self.learning = np.array([p not in settings.fixed for p in range(tree.players)])
        self.sequence = np.flatnonzero(tree.labels.infoset_of_sequence >= 0)  # [actions of all players]
        self.strategy = opening_of(tree, settings).probabilities.copy()
        self.average = np.zeros(tree.sequences)
        self.regret = np.zeros(len(self.sequence))
        self.joint = np.zeros(self.payoffs.shape[1], np.int64)
        self.state = np.array([settings.seed], np.uint64)

    def advance(self, iterations: int) -> None:
        """Play `iterations` more rounds."""
        strategy, average = self.strategy[self.sequence], self.average[self.sequence]
        play_rounds(
            self.payoffs, self.stride, self.first, self.learning, self.regret, strategy, average,
            self.joint, np.zeros(self.tree.players, np.int64), self.state, iterations,
        )  # fmt: skip
        self.strategy[self.sequence], self.average[self.sequence] = strategy, average
        self.iteration += iterations
        self.average[self.tree.form.sequence_first[:-1]] = self.iteration

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Regrets, strategies, counts and the random state."""
        return {
            "regret": self.regret, "strategy": self.strategy, "average": self.average,
            "joint": self.joint, "state": self.state,
        }  # fmt: skip

    def current(self) -> npt.NDArray[Any]:
        """[S] what regrets call for now."""
        return self.strategy

    def measure(self) -> dict[str, float]:
        """Also how far the joint play is from a coarse correlated and from a correlated equilibrium."""
        played = self.joint if self.joint.any() else np.ones_like(self.joint)  # before the first round: anything
        joint = (played / played.sum()).reshape(self.shape)
        gaps = {
            "coarse_correlated_gap": coarse_correlated_gap(self.tree, joint),
            "correlated_gap": correlated_gap(self.tree, joint),
        }
        return {**super().measure(), **gaps}
