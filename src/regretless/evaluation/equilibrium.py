"""The exact equilibrium of a two-player zero-sum game, by linear programming on the sequence form.

The program is that of Koller, Megiddo & von Stengel 1994; see `regretless.evaluation.programs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.programs import payoffs_of, plan_constraints, solve_zero_sum
from regretless.game import Game
from regretless.strategy import Strategy
from regretless.tree import Tree, as_tree

__all__ = ["Equilibrium", "constraints", "equilibrium", "payoff_matrix"]


@dataclass(frozen=True)
class Equilibrium:
    """An exact equilibrium: the value of the game to player 0, in chips, and one pair of optimal strategies."""

    value: float
    strategy: Strategy


def payoff_matrix(tree: Tree, player: int = 0) -> Any:
    """The payoffs of `player` as a SciPy matrix: own sequences by the opponent's, each counted from its empty one."""
    return payoffs_of(tree.form, player)


def constraints(tree: Tree, player: int) -> tuple[Any, npt.NDArray[np.float64]]:
    """What makes a vector a plan: E x = e, one row for the empty sequence and one for each infoset."""
    return plan_constraints(tree.form, player)


def equilibrium(tree: Tree | Game | str) -> Equilibrium:
    """The exact value and an equilibrium of a two-player zero-sum game.

    >>> import regretless as rg
    >>> round(rg.equilibrium(rg.build(rg.games.Kuhn())).value, 12)      # −1/18
    -0.055555555556
    """
    tree = as_tree(tree)
    if tree.players != 2 or not tree.zero_sum:
        kind = f"{tree.players} players" if tree.players != 2 else "payoffs that do not sum to zero"
        raise OptionError(f"the linear program needs a two-player zero-sum game; {type(tree.game).__name__} has {kind}")
    plan, value = solve_zero_sum(tree.form)
    return Equilibrium(value, Strategy.from_plan(tree.labels, plan))
