"""What double oracle methods share: a set of allowed actions that best responses enlarge."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.treeplex import player_best
from regretless.method import Settings
from regretless.methods.double_oracle.restricted_game import RestrictedGame, opponent_reach, restrict
from regretless.methods.tree_learner import TreeLearner
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["OracleLearner"]

Array = npt.NDArray[Any]

TIE = 1e-12
"""Values that differ by less than this part of the largest payoff are equal; ties go to an action that is allowed."""


class OracleLearner(TreeLearner):
    """Allowed actions, and the solution of the restricted game they make, as a plan of the whole game.

    An iteration solves the restricted game, computes best responses to its solution in the whole game, and allows
    their actions. Where nothing new is allowed, the solution of the restricted game solves the whole game.
    """

    def __init__(self, tree: Tree, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.default = np.zeros(tree.sequences)  # [S] the first action of each infoset
        self.default[tree.labels.first] = 1.0
        self.default[tree.form.sequence_first[:-1]] = 1.0
        self.allowed = self.default > 0
        self.average = tree.plan(self.default)
        self.size = np.array([len(tree.form.sequence_first) - 1, 0], np.int64)  # sequences and infosets when solved
        self.tie = TIE * max(1.0, tree.listing.largest_payoff)

    @abstractmethod
    def solve_restricted(self, game: RestrictedGame) -> Array:
        """[S'] the plan of a solution of a restricted game."""

    def nothing_new(self) -> None:
        """Called where best responses added no action."""

    def advance(self, iterations: int) -> None:
        """Solve the restricted game, answer, enlarge; `iterations` times."""
        for _ in range(iterations):
            game = restrict(self.tree, self.allowed)
            self.size[:] = game.sequences, game.infosets
            self.average[:] = game.lift(self.solve_restricted(game), self.default)
            answers = self.best_responses() & ~self.allowed
            self.allowed |= answers
            if not answers.any():
                self.nothing_new()
            self.iteration += 1

    def best_responses(self) -> npt.NDArray[np.bool_]:
        """[S] the actions of best responses to the average, where they and the opponent let the game arrive."""
        tree, owner = self.tree, self.tree.labels.infoset_of_sequence
        value, real = np.zeros(tree.sequences), owner >= 0
        for player in range(tree.players):
            player_gradient(tree.form, player, self.average, value)
            player_best(tree.form, player, value)
        most = np.full(tree.infosets, -np.inf)
        np.maximum.at(most, owner[real], value[real])
        good = np.flatnonzero(real)[value[real] >= most[owner[real]] - self.tie]
        good = good[np.lexsort((good, ~self.allowed[good], owner[good]))]  # by infoset, allowed actions first
        chosen = good[np.unique(owner[good], return_index=True)[1]]
        answer = np.where(real, 0.0, 1.0)
        answer[chosen] = 1.0
        strategy = Strategy.from_plan(tree.labels, self.average).probabilities
        arrives = opponent_reach(tree, strategy) > 0
        real[real] = arrives[owner[real]]
        return real & (tree.plan(answer) > 0)

    def arrays(self) -> dict[str, Array]:
        """The allowed actions, the solution, and the size of the game that it solves."""
        return {"allowed": self.allowed, "average": self.average, "size": self.size}

    def current(self) -> Array:
        """[S] the strategy of the last solution."""
        return Strategy.from_plan(self.tree.labels, self.average).probabilities

    def measure(self) -> dict[str, float]:
        """Also the size of the restricted game that was solved last."""
        sequences, infosets = (int(count) for count in self.size)
        return {**super().measure(), "restricted_sequences": sequences, "restricted_infosets": infosets}
