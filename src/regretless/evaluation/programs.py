"""The linear program of a two-player zero-sum game in sequence form, as matrices.

Koller, Megiddo & von Stengel 1994: with plans x ∈ {E x = e}, y ∈ {F y = f}, x, y ≥ 0, player 0's best guarantee is

    max  fᵀ v     subject to  Fᵀ v ≤ Aᵀ x,   E x = e,   x ≥ 0,

and the dual of the inequalities is player 1's plan. HiGHS solves it, through SciPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import RegretlessError
from regretless.kernels.sequence_form.layout import SequenceForm
from regretless.layout.payoffs import payoff_table

__all__ = ["infosets_of_sequences", "payoffs_of", "plan_constraints", "solve_zero_sum"]

Array = npt.NDArray[Any]


def infosets_of_sequences(form: SequenceForm) -> Array:
    """[S] the infoset at which each sequence ends; −1 for the empty ones."""
    owner = np.full(int(form.sequence_first[-1]), -1, np.int64)
    for first, infoset, infosets, stride, actions in form.strips.tolist():
        for action in range(actions):
            begin = first + action * stride
            owner[begin : begin + infosets] = np.arange(infoset, infoset + infosets)
    return owner


def payoffs_of(form: SequenceForm, player: int = 0) -> Any:
    """The payoffs of `player` as a SciPy matrix: own sequences by the opponent's, each counted from its empty one."""
    own, others, chips = payoff_table(form, player)
    first = form.sequence_first.astype(np.int64)
    from scipy.sparse import csr_array

    other = 1 - player
    shape = (int(first[player + 1] - first[player]), int(first[other + 1] - first[other]))
    return csr_array((chips, (own - first[player], others[0] - first[other])), shape=shape)


def plan_constraints(form: SequenceForm, player: int) -> tuple[Any, npt.NDArray[np.float64]]:
    """What makes a vector a plan: E x = e, one row for the empty sequence and one for each infoset."""
    from scipy.sparse import csr_array

    first = form.sequence_first.astype(np.int64)
    sequences = np.arange(first[player] + 1, first[player + 1])
    owner = infosets_of_sequences(form)[sequences]
    infosets = np.unique(owner)
    row_of = np.zeros(len(form.parent), np.int64)
    row_of[infosets] = 1 + np.arange(len(infosets))
    rows = np.concatenate([[0], row_of[owner], row_of[infosets]])
    columns = np.concatenate([[0], sequences - first[player], form.parent[infosets] - first[player]])
    signs = np.concatenate([np.ones(1 + len(sequences)), -np.ones(len(infosets))])
    right = np.zeros(1 + len(infosets))
    right[0] = 1.0
    return csr_array((signs, (rows, columns)), shape=(len(right), int(first[player + 1] - first[player]))), right


def solve_zero_sum(form: SequenceForm) -> tuple[Array, float]:
    """[S] the plans of an exact equilibrium, and its value to player 0, chips."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    matrix = payoffs_of(form)
    own, own_right = plan_constraints(form, 0)
    their, their_right = plan_constraints(form, 1)
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
    return np.concatenate([answer.x[:plans], -answer.ineqlin.marginals]), -float(answer.fun)
