"""The double oracle method on the sequence form: restricted games are solved exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy.typing as npt

from regretless.evaluation.programs import solve_zero_sum
from regretless.method import Learner, LearnerTable, Settings
from regretless.methods.double_oracle.oracle_learner import OracleLearner
from regretless.methods.double_oracle.restricted_game import RestrictedGame
from regretless.methods.opening import open_zero_sum, refuse_fixed
from regretless.problem import Capabilities, Problem
from regretless.tree import Tree

__all__ = ["DoubleOracle", "DoubleOracleLearner"]


@dataclass(frozen=True)
class DoubleOracle:
    """Double oracle on the sequence form (Bošanský, Kiekintveld, Lisý & Pěchouček 2014).

    Players begin with the first action of each infoset. An iteration solves the restricted game exactly, by the linear
    program of `rg.equilibrium`, computes best responses in the whole game, and adds their actions. It ends with an
    equilibrium of the whole game after finitely many iterations; later ones change nothing. Where only few actions are
    ever good, the linear programs stay small. The history has their size in the columns `restricted_sequences` and
    `restricted_infosets`.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.OneCardPoker(deck=6), rg.DoubleOracle(), until=1e-9)
    >>> round(run.value, 6), run.problem.sequences, int(run.history.restricted_sequences[-1])     # −11/180
    (-0.061111, 50, 47)
    """

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",), fixed=False, threads=1)

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return "double oracle"

    def open(self, game: Any) -> Problem:
        """The tree of a two-player zero-sum game."""
        return open_zero_sum(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        refuse_fixed(self, settings)
        return self.learners.start(self, problem, settings)


@DoubleOracle.learners.on("tree")
class DoubleOracleLearner(OracleLearner):
    """Restricted games by linear programming."""

    def __init__(self, tree: Tree, method: DoubleOracle, settings: Settings) -> None:
        super().__init__(tree, settings)

    def solve_restricted(self, game: RestrictedGame) -> npt.NDArray[Any]:
        """[S'] the plan of an exact equilibrium."""
        return solve_zero_sum(game.form)[0]
