"""Small linear programs around a nearly optimal pair of plans.

A player's optimal plan uses only actions that are best responses to every optimal plan of the opponent. Near an
equilibrium the others can be left out: of player p, keep the sequences S whose probability is above κ times what they
lose against the opponent's present plan. Then, with all sequences of the opponent,

    max over x on S of min over all y of xᵀAy

is a linear program with far fewer columns, and if S holds the support of one optimal plan, its solution is optimal in
the whole game. Each player has a program of its own. Best responses in the whole game say whether that worked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.evaluation.programs import payoffs_of, plan_constraints
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.treeplex import player_best
from regretless.methods.polished.colour_refinement import refine_colours
from regretless.tree import Tree

__all__ = ["Polisher"]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class _Side:
    """One player, with sequences and infosets of equal colours merged: C colours of sequences."""

    colour: Array  # [own sequences] numbered from 0
    members: Array  # [C] sequences of each colour
    payoffs: Any  # [C, opponent's colours] of a representative, summed over the opponent's sequences of a colour
    constraints: Any  # [1 + infoset colours, C] of representative infosets, summed over the sequences of a colour
    right: Array  # [1 + infoset colours]
    prices: Any  # [C, 1 + infoset colours] of representative sequences, summed over the infosets of a colour


class Polisher:
    """The linear programs of a tree; its matrices are made once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        colours = refine_colours(tree)
        owner, first = tree.labels.owner, tree.form.sequence_first
        numbers = [
            np.unique(colours.sequence[first[p] : first[p + 1]], return_index=True, return_inverse=True) for p in (0, 1)
        ]
        self.sides = [self._side(p, numbers, colours.infoset[owner == p]) for p in (0, 1)]

    def _side(self, player: int, numbers: list[Any], infoset: Array) -> _Side:
        _, example, colour = numbers[player]
        their_colour = numbers[1 - player][2].ravel()
        payoffs = payoffs_of(self.tree.form, player)[example] @ _indicator(their_colour)
        rows, right = plan_constraints(self.tree.form, player)
        _, chosen, row = np.unique(np.concatenate([[-1], infoset]), return_index=True, return_inverse=True)
        return _Side(
            colour=colour.ravel(),
            members=np.bincount(colour.ravel()),
            payoffs=payoffs.tocsr(),
            constraints=(rows[chosen] @ _indicator(colour.ravel())).tocsr(),
            right=right[chosen],  # row 0 is that of the empty sequence
            prices=(rows.T.tocsr()[example] @ _indicator(row.ravel())).tocsr(),
        )

    def polish(self, plan: Array, threshold: float) -> Array | None:
        """[S] plans that are optimal if enough sequences were kept; None where HiGHS fails. plan [S] is normalised."""
        first, out = self.tree.form.sequence_first, np.empty(self.tree.sequences)
        kept = self.kept_sequences(plan, threshold)
        for player in (0, 1):
            mine = slice(first[player], first[player + 1])
            side, other = self.sides[player], self.sides[1 - player]
            keep = np.zeros(len(side.members), bool)
            keep[side.colour[kept[mine]]] = True
            mass = _solve(side, other, np.flatnonzero(keep))
            if mass is None:
                return None
            out[mine] = (mass / side.members)[side.colour]
        return out

    def kept_sequences(self, plan: Array, threshold: float) -> npt.NDArray[np.bool_]:
        """[S] the sequences whose actions are all best responses, or likelier than threshold · what they lose."""
        tree, owner = self.tree, self.tree.labels.infoset_of_sequence
        value, real = np.zeros(tree.sequences), owner >= 0
        for player in (0, 1):
            player_gradient(tree.form, player, plan, value)
            player_best(tree.form, player, value)
        most = np.full(tree.infosets, -np.inf)
        np.maximum.at(most, owner[real], value[real])
        good = np.ones(tree.sequences, bool)
        loss = most[owner[real]] - value[real]
        good[real] = (loss <= 0) | (plan[real] > threshold * loss)
        return tree.plan(good.astype(np.float64)) > 0


def _indicator(colour: Array) -> Any:
    """[members, colours] which member has which colour."""
    from scipy.sparse import csr_array

    count = int(colour.max(initial=-1)) + 1
    return csr_array((np.ones(len(colour)), (np.arange(len(colour)), colour)), shape=(len(colour), count))


def _solve(side: _Side, other: _Side, kept: Array) -> Array | None:
    """[C] how much probability an optimal plan on the kept colours gives to each colour.

    It is the dual of the opponent's program: min eᵀu subject to Eᵀu ≥ A y on the kept rows, F y = f, y ≥ 0.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    own = side.prices[kept]
    used = np.flatnonzero(np.bincount(own.indices, minlength=own.shape[1]))  # infosets that the kept sequences reach
    own = own[:, used]
    plans, prices = other.constraints.shape[1], len(used)
    answer: Any = linprog(
        np.concatenate([np.zeros(plans), side.right[used]]),
        A_ub=hstack([side.payoffs[kept], -own], format="csr"),
        b_ub=np.zeros(len(kept)),
        A_eq=hstack([other.constraints, csr_array((other.constraints.shape[0], prices))], format="csr"),
        b_eq=other.right,
        bounds=[(0, None)] * plans + [(None, None)] * prices,
        method="highs-ds",
    )
    if not answer.success:
        return None
    mass = np.zeros(len(side.members))
    mass[kept] = np.maximum(-answer.ineqlin.marginals, 0.0)
    return mass
