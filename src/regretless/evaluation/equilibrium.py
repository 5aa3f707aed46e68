"""The exact equilibrium of a two-player zero-sum game, by linear programming on the sequence form.

Koller, Megiddo & von Stengel 1994: with plans x ∈ {E x = e}, y ∈ {F y = f}, x, y ≥ 0, player 0's best guarantee is

    max  fᵀ v     subject to  Fᵀ v ≤ Aᵀ x,   E x = e,   x ≥ 0,

and the dual of the inequalities is player 1's plan. HiGHS solves it, through SciPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, RegretlessError
from regretless.game import Game
from regretless.layout.payoffs import payoff_table
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
    own, others, chips = payoff_table(tree.form, player)
    first = tree.form.sequence_first.astype(np.int64)
    from scipy.sparse import csr_array

    other = 1 - player
    shape = (int(first[player + 1] - first[player]), int(first[other + 1] - first[other]))
    return csr_array((chips, (own - first[player], others[0] - first[other])), shape=shape)


def constraints(tree: Tree, player: int) -> tuple[Any, npt.NDArray[np.float64]]:
    """What makes a vector a plan: E x = e, one row for the empty sequence and one for each infoset."""
    from scipy.sparse import csr_array

    labels, first = tree.labels, tree.form.sequence_first.astype(np.int64)
    infosets = np.flatnonzero(labels.owner == player)
    row_of = np.zeros(len(labels.names), np.int64)
    row_of[infosets] = 1 + np.arange(len(infosets))
    sequences = np.arange(first[player] + 1, first[player + 1])
    rows = np.concatenate([[0], row_of[labels.infoset_of_sequence[sequences]], row_of[infosets]])
    columns = np.concatenate([[0], sequences - first[player], tree.form.parent[infosets] - first[player]])
    signs = np.concatenate([np.ones(1 + len(sequences)), -np.ones(len(infosets))])
    right = np.zeros(1 + len(infosets))
    right[0] = 1.0
    return csr_array((signs, (rows, columns)), shape=(len(right), int(first[player + 1] - first[player]))), right


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
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    matrix = payoff_matrix(tree)
    own, own_right = constraints(tree, 0)
    their, their_right = constraints(tree, 1)
    plans, prices = own.shape[1], their.shape[0]
    answer: Any = linprog(
        np.concatenate([np.zeros(plans), -their_right]),
        A_ub=hstack([-matrix.T, their.T], format="csr"),
        b_ub=np.zeros(matrix.shape[1]),
        A_eq=hstack([own, csr_array((own.shape[0], prices))], format="csr"),
        b_eq=own_right,
        bounds=[(0, None)] * plans + [(None, None)] * prices,
        method="highs",
    )
    if not answer.success:
        raise RegretlessError(f"HiGHS could not solve the linear program: {answer.message}")
    plan = np.concatenate([answer.x[:plans], -answer.ineqlin.marginals])
    return Equilibrium(-float(answer.fun), Strategy.from_plan(tree.labels, plan))
