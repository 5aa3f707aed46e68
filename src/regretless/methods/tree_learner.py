"""What learners on a `Tree` share: exact measuring of the average plan, and where players begin."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.evaluation.responses import Gaps, plan_gaps, plan_of
from regretless.kernels.numpy_matching import matched_groups
from regretless.method import Learner, Settings
from regretless.strategy import Strategy, uniform_probabilities
from regretless.tree import Tree

__all__ = ["TreeLearner", "matched_strategy", "opening_of"]

Array = npt.NDArray[Any]


def opening_of(tree: Tree, settings: Settings) -> Strategy:
    """What all players begin with: what is fixed, else the strategy to start with, else uniform play."""
    strategy = tree.uniform() if settings.start is None else settings.start
    for player, fixed in settings.fixed.items():
        strategy = strategy.with_player(player, fixed)
    return strategy


def matched_strategy(tree: Tree, settings: Settings, learners: Sequence[int], regret: Array) -> Array:
    """[S] regrets [S] of the learning players matched; the other players keep what they began with."""
    labels, strategy = tree.labels, opening_of(tree, settings).probabilities.copy()
    mine = np.isin(labels.player_of_sequence, learners) & (labels.infoset_of_sequence >= 0)
    owner = labels.infoset_of_sequence[mine]
    strategy[mine] = matched_groups(regret[mine], owner, uniform_probabilities(labels)[mine])
    return strategy


class TreeLearner(Learner):
    """A method at work on a tree; one of its `arrays` is `average` [S], a weighted sum of plans."""

    def __init__(self, tree: Tree, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.tree = tree

    @abstractmethod
    def current(self) -> Array:
        """[S] the action probabilities of the last iterate."""

    def result_arrays(self) -> dict[str, Array]:
        """The state, and the last iterate."""
        return {**self.arrays(), "current": self.current()}

    def profile(self) -> Array:
        """[S] the plan (or sum of plans) to be measured: the average, or the current one before there is any."""
        average = self.arrays()["average"]
        if np.all(average[self.tree.form.sequence_first[:-1]] > 0):
            return average
        return plan_of(self.tree, Strategy(self.tree.labels, self.current()))

    def gaps_of(self, players: Sequence[int]) -> Gaps:
        """Values and best-response values of some players."""
        return plan_gaps(self.tree, self.profile(), players)

    def gaps(self) -> Gaps:
        """Values and best-response values of the learning players."""
        return self.gaps_of(self.learners)

    def measure(self) -> dict[str, float]:
        """One row of a run's history; except in two-player zero-sum games also each player's own gain, `gap_0` …"""
        gaps = self.gaps()
        conv = gaps.nash_conv
        first = self.learners[0] if self.learners else 0
        worth = gaps.values[0] if first == 0 else self.gaps_of([0]).values[0]
        row = {"exploitability": conv / max(len(self.learners), 1), "nash_conv": conv, "value": float(worth)}
        if self.tree.players == 2 and self.tree.zero_sum:
            return row
        gains = gaps.best - gaps.values
        return {**row, **{f"gap_{player}": max(float(gains[player]), 0.0) for player in self.learners}}
