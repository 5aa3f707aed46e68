"""The game that is left when each player may take only some actions at each infoset, in sequence form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.coded_numbers import coded
from regretless.kernels.sequence_form.counterfactual_reach import others_reach
from regretless.kernels.sequence_form.layout import SequenceForm
from regretless.layout.payoffs import payoff_table
from regretless.layout.sequence_form import lay_out_infosets, sequence_form
from regretless.tree import Tree

__all__ = ["RestrictedGame", "opponent_reach", "restrict"]

Array = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RestrictedGame:
    """A restricted two-player zero-sum game; S' sequences, of the S of the whole game."""

    tree: Tree
    form: SequenceForm
    sequence: Array  # [S'] the sequence of the whole game
    infosets: int

    @property
    def sequences(self) -> int:
        """Sequences of both players, the empty ones included."""
        return len(self.sequence)

    def lift(self, plan: Array, default: Array) -> Array:
        """[S] the plan of the whole game that follows a restricted plan [S'], and elsewhere the strategy `default` [S].

        Where the restricted plan never arrives, too, `default` is followed.
        """
        owner = self.tree.labels.infoset_of_sequence
        whole = np.zeros(self.tree.sequences)
        whole[self.sequence] = np.maximum(plan, 0.0)
        real = owner >= 0
        total = np.bincount(owner[real], weights=whole[real], minlength=self.tree.infosets)
        strategy = default.copy()
        arrives = np.zeros(len(whole), bool)
        arrives[real] = total[owner[real]] > np.finfo(np.float64).tiny
        strategy[arrives] = whole[arrives] / total[owner[arrives]]
        return self.tree.plan(strategy)


def opponent_reach(tree: Tree, strategy: Array) -> Array:
    """[I] the probability that chance and the other player bring the game to each infoset, under a strategy [S]."""
    h, labels, out = tree.listing, tree.labels, np.empty(tree.infosets)
    for player in range(tree.players):
        reach = others_reach(
            h.mover, h.index, h.first_child, h.children, h.probability, labels.first, labels.stride, strategy, player
        )
        mine = labels.owner == player
        out[mine] = reach[mine]
    return out


def restrict(tree: Tree, allowed: Flags) -> RestrictedGame:
    """The game in which only the actions `allowed` [S] may be taken; infosets that they cannot reach are left out.

    At least one action is allowed at each infoset.
    """
    labels, owner = tree.labels, tree.labels.infoset_of_sequence
    taken = np.where(allowed, 1.0, 0.0)
    reached = (tree.plan(taken)[tree.form.parent] > 0) & (opponent_reach(tree, taken) > 0)
    kept = np.flatnonzero(allowed & (owner >= 0))
    kept = kept[reached[owner[kept]]]
    kept = kept[np.lexsort((kept, owner[kept]))]  # infosets in order, parents before children; actions in order
    infosets, first = np.unique(owner[kept], return_index=True)
    provisional = np.full(tree.sequences, -1, np.int64)
    empty = tree.form.sequence_first[:-1].astype(np.int64)
    provisional[empty] = np.arange(tree.players)
    provisional[kept] = tree.players + np.arange(len(kept))
    layout = lay_out_infosets(
        tree.players,
        labels.owner[infosets].astype(np.int64),
        np.diff(first, append=len(kept)),
        tree.players + first,
        provisional[tree.form.parent[infosets]],
    )
    own, others, chips = payoff_table(tree.form, 0)
    ends = np.stack([provisional[own], provisional[others[0]]], axis=1)
    possible = (ends >= 0).all(axis=1)
    ends, chips = layout.sequence[ends[possible]], chips[possible]
    payoffs = coded(np.stack([chips, -chips], axis=1))
    form = sequence_form(layout, ends.astype(np.int32), coded(np.ones(len(chips))), payoffs)
    sequence = np.empty(tree.players + len(kept), np.int64)
    sequence[layout.sequence] = np.concatenate([empty, kept])
    return RestrictedGame(tree, form, sequence, len(infosets))
