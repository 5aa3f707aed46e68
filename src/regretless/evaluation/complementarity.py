"""An equilibrium of a two-player game that need not be zero-sum, by Lemke's algorithm on the sequence form.

Koller, Megiddo & von Stengel 1996: plans x, y are an equilibrium exactly if, for some p, q,

    E x = e,   F y = f,   x, y ≥ 0,    w = Eᵀ p − A y ≥ 0,   v = Fᵀ q − Bᵀ x ≥ 0,    xᵀ w = yᵀ v = 0.

The path is that of von Stengel, van den Elzen & Talman 2002. It begins where both players follow a prior (r, s) that
mixes all actions, and leaves it step by step: with t from 0 to 1 they play x + (1 − t) r and y + (1 − t) s,

    E x = e t,   F y = f t,   w = Eᵀ p − A (y + (1 − t) s),   v = Fᵀ q − Bᵀ (x + (1 − t) r),

so plans stay bounded, and the equilibrium at the end is normal-form perfect. p and q are free variables, eliminated
with a best response to the prior. What is left is a dense table of (sequences + 1)² numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import RegretlessError
from regretless.evaluation.equilibrium import constraints, payoff_matrix
from regretless.kernels.sequence_form.complementary_pivots import SOLVED, complementary_path
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["MOST_SEQUENCES", "lemke"]

MOST_SEQUENCES = 3_000
"""Sequences of both players together up to which the dense table is tried: 3,000 take about 70 MB, and minutes."""

SMALLEST = 1e-11
"""Entries of the table up to this size count as zero when a pivot is chosen."""

SHIFTS = (1e-7, 1e-8, 1e-6, 1e-9)
"""Sizes of the random shifts that keep rows from tying; the next is tried where rounding spoils a path."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Side:
    """One player in the table; sequences are its own, counted from the empty one."""

    free: Integers  # [N] sequences that are not in the best response to the prior
    response: Integers  # [K] those of the best response: one for each infoset, and the empty one
    plan: Floats  # [K] E_K⁻¹ e, the best response itself
    split: Floats  # [K, N] E_K⁻¹ E_N
    regret: Floats  # [N, S of the other] split' A_K − A_N: what a free sequence lacks to the best response
    prior: Floats  # [S]


def _side(tree: Tree, player: int, prior: Strategy) -> _Side:
    matrix, right = constraints(tree, player)
    dense, worth = matrix.toarray(), payoff_matrix(tree, player).toarray()
    first = tree.form.sequence_first.astype(np.int64)
    plans = tree.plan(prior.probabilities)
    own, other = (plans[first[p] : first[p + 1]] for p in (player, 1 - player))
    response = _best_response(tree, player, worth @ other)
    free = np.setdiff1d(np.arange(len(own)), response)
    inverse = np.linalg.inv(dense[:, response])
    split = inverse @ dense[:, free]
    return _Side(free, response, inverse @ right, split, split.T @ worth[response] - worth[free], own)


def _best_response(tree: Tree, player: int, gradient: Floats) -> Integers:
    """The empty sequence, and the best action at each infoset, reached or not."""
    labels, offset = tree.labels, int(tree.form.sequence_first[player])
    values = gradient.copy()
    chosen = [0]
    for infoset in np.flatnonzero(labels.owner == player)[::-1].tolist():  # children come after their parents
        where = labels.sequences_of(infoset)
        mine = np.arange(where.start, where.stop, where.step) - offset
        best = int(mine[np.argmax(values[mine])])
        chosen.append(best)
        values[tree.form.parent[infoset] - offset] += values[best]
    return np.array(sorted(chosen), np.int64)


def _table(one: _Side, other: _Side) -> tuple[Floats, Integers, Integers]:
    """The table of both players and z = 1 − t: basic variables as constants plus multiples of nonbasic ones.

    Variables are numbered: plans 0 … S − 1, slacks S … 2 S − 1, t = 2 S, z = 2 S + 1. The column of t is followed by
    the constants, twice. Returns the table, and the variables of its rows and of its columns.
    """
    shifts, size = (0, len(one.prior)), len(one.prior) + len(other.prior)
    basic, nonbasic = [], []
    for side, shift in zip((one, other), shifts, strict=True):
        basic += [side.response + shift, side.free + shift + size]
        nonbasic += [side.free + shift, side.response + shift + size]
    rows, columns = np.concatenate([*basic, [2 * size + 1]]), np.concatenate([*nonbasic, [2 * size]])
    place = np.empty(2 * size + 2, np.int64)
    place[rows], place[columns] = np.arange(len(rows)), np.arange(len(columns))
    table = np.zeros((len(rows), len(columns) + 2))
    for me, side, against in ((0, one, other), (1, other, one)):
        response, slack = place[basic[2 * me]], place[basic[2 * me + 1]]
        free, used = place[nonbasic[2 * me]], place[nonbasic[2 * me + 1]]
        free_there = place[nonbasic[2 * (1 - me)]]
        answered = side.regret[:, against.response]
        start = side.regret @ against.prior
        table[np.ix_(response, free)] = -side.split
        table[response, -3] = side.plan
        table[np.ix_(slack, used)] = side.split.T
        table[np.ix_(slack, free_there)] = side.regret[:, against.free] - answered @ against.split
        table[slack, -3] = answered @ against.plan - start
        table[slack, -2] = start
    table[-1, -3], table[-1, -2] = -1.0, 1.0
    table[:, -1] = table[:, -2]
    return table, rows, columns


def lemke(tree: Tree, prior: Strategy, seed: int = 0) -> Strategy:
    """An equilibrium that the path from a prior, a strategy that takes every action, leads to."""
    one, other = (_side(tree, player, prior) for player in (0, 1))
    size = tree.sequences
    start = _table(one, other)
    scale = float(max(np.abs(side.regret).max(initial=1e-300) for side in (one, other)))
    for attempt, shift in enumerate(SHIFTS):
        table, basic, nonbasic = (part.copy() for part in start)
        shifts = np.random.default_rng((seed, attempt)).uniform(0.5, 1.0, len(table))
        table[:, -1] += shift * shifts * np.where(basic < size, 1.0, scale)
        most = 8 * size + 1_000
        ended, _ = complementary_path(table, basic, nonbasic, size, 2 * size, 2 * size + 1, most, SMALLEST)
        plan: Any = np.zeros(2 * size + 2)
        plan[basic] = table[:, -2]
        if ended == SOLVED and plan.min() > -1e-9 * max(scale, 1.0):
            return Strategy.from_plan(tree.labels, np.maximum(plan[:size], 0.0))
    raise RegretlessError(
        "rounding stopped Lemke's algorithm before it found an equilibrium: try another seed=, or solver='gambit'"
    )
