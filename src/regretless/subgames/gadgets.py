"""What constrains a player who solves a subgame again, as the rows of a linear program.

The player's strategy x is free inside the subgame and fixed outside. Where play enters the subgame, the opponent's
knowledge splits the entering histories into groups G. V_G(x) is what the opponent wins in the subgame by a best
response, summed over the histories of G, weighted by the probability that chance and the player bring the game there.

A group is a set of entering histories that share an infoset of the opponent inside the subgame. Histories after which
the opponent never decides are grouped by the opponent's sequence: a best response sees only their sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.game import TERMINAL
from regretless.kernels.sequence_form.counterfactual_reach import others_reach
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.treeplex import player_best
from regretless.strategy import Strategy
from regretless.subgames.subgame import Subgame

__all__ = ["Gadget", "make_gadget"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Gadget:
    """The linear constraints of a subgame for one player, and what the blueprint is worth in it.

    Variables are x [n] of the player's sequences inside, v [m] of the opponent's infosets inside, and V [g] of groups.
    """

    own: Array  # [n] the player's sequences inside
    most: Any  # [rows, n + m + g] and
    most_right: Array  # [rows]: the opponent's values are at least those of each action
    equal: Any  # [rows, n + m + g] and
    equal_right: Array  # [rows]: what makes x a plan, and V the value of its group
    bound: Array  # [g] B_G
    weight: Array  # [g] w_G
    opponent: Array  # [g] y_G
    gifts: Array  # [g] per visit

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.bound)


def make_gadget(subgame: Subgame, blueprint: Strategy, player: int) -> Gadget:
    """The gadget of a player who solves a subgame again."""
    tree, other = subgame.tree, 1 - player
    plan, owner = tree.plan(blueprint.probabilities), tree.labels.infoset_of_sequence
    value = np.zeros(tree.sequences)
    player_gradient(tree.form, other, plan, value)
    player_best(tree.form, other, value)
    within = np.zeros(tree.sequences, bool)
    within[owner >= 0] = subgame.infosets[owner[owner >= 0]]
    mine, theirs = tree.labels.player_of_sequence == player, tree.labels.player_of_sequence == other
    own, their = np.flatnonzero(within & mine), np.flatnonzero(within & theirs)
    rivals = np.flatnonzero(subgame.infosets & (tree.labels.owner == other))
    group, sequence = _groups(subgame, other)
    parts = _Parts(subgame, plan, player, own, their, rivals, group, len(sequence))
    most, most_right = parts.rival_rows()
    equal, equal_right, constant = parts.plan_and_group_rows()
    best = np.full(tree.infosets, -np.inf)
    np.maximum.at(best, owner[theirs & (owner >= 0)], value[theirs & (owner >= 0)])
    top = rivals[~within[tree.form.parent[rivals]]]
    bound = constant + parts.paid_to_groups(plan)
    np.add.at(bound, parts.group_of_infoset(top), best[top])
    return Gadget(
        own, most, most_right, equal, equal_right, bound, parts.group_weight(), plan[sequence],
        _gifts(subgame, blueprint, other, value, best, sequence),
    )  # fmt: skip


def _groups(subgame: Subgame, other: int) -> tuple[Array, Array]:
    """[H] the group of each entering history (−1 elsewhere), and [g] the opponent's sequence there."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    tree, h = subgame.tree, subgame.tree.listing
    entering = np.flatnonzero(subgame.root == np.arange(tree.histories))
    deciding = np.flatnonzero(subgame.inside & (h.mover == other))
    size = tree.histories + tree.infosets + tree.sequences  # nodes: histories, infosets, sequences
    silent = entering[~np.isin(entering, subgame.root[deciding])]
    rows = np.concatenate([subgame.root[deciding], silent])
    hubs = np.concatenate(
        [
            tree.histories + h.index[deciding].astype(np.int64),
            tree.histories + tree.infosets + subgame.sequence[silent, other].astype(np.int64),
        ]
    )
    graph = coo_array((np.ones(len(rows), np.int8), (rows, hubs)), shape=(size, size))
    found = connected_components(graph, directed=False)[1][entering]
    _, first, number = np.unique(found, return_index=True, return_inverse=True)
    group = np.full(tree.histories, -1, np.int64)
    group[entering] = number.ravel()
    return group, subgame.sequence[entering[first], other].astype(np.int64)


class _Parts:
    """Rows of the linear program, from the terminals of a subgame."""

    def __init__(
        self,
        subgame: Subgame,
        plan: Array,
        player: int,
        own: Array,
        their: Array,
        rivals: Array,
        group: Array,
        groups: int,
    ) -> None:
        tree, h, other = subgame.tree, subgame.tree.listing, 1 - player
        self.subgame, self.plan, self.player, self.group, self.groups = subgame, plan, player, group, groups
        self.own, self.their, self.rivals = own, their, rivals
        self.column, self.row = np.full(tree.sequences, -1, np.int64), np.full(tree.sequences, -1, np.int64)
        self.column[own], self.row[their] = np.arange(len(own)), np.arange(len(their))
        self.value_column = np.full(tree.infosets, -1, np.int64)
        self.value_column[rivals] = np.arange(len(rivals))
        ends = np.flatnonzero(subgame.inside & (h.mover == TERMINAL))
        self.end_own, self.end_their = subgame.sequence[ends, player], subgame.sequence[ends, other]
        self.end_group = group[subgame.root[ends]]
        self.paid = subgame.reach[ends] * h.payoffs[h.index[ends], other]

    @property
    def width(self) -> int:
        """Variables: x, v, V."""
        return len(self.own) + len(self.rivals) + self.groups

    def rival_rows(self) -> tuple[Any, Array]:
        """Payoff of each of the opponent's sequences + values of what follows − value of its infoset ≤ 0."""
        tree, owner = self.subgame.tree, self.subgame.tree.labels.infoset_of_sequence
        inside, free = self.row[self.end_their] >= 0, self.column[self.end_own] >= 0
        follow = self.rivals[self.row[tree.form.parent[self.rivals]] >= 0]
        n = len(self.own)
        both = inside & free
        entries = [
            (self.row[self.end_their[both]], self.column[self.end_own[both]], self.paid[both]),
            (self.row[tree.form.parent[follow]], n + self.value_column[follow], np.ones(len(follow))),
            (np.arange(len(self.their)), n + self.value_column[owner[self.their]], -np.ones(len(self.their))),
        ]
        right = np.zeros(len(self.their))
        fixed = inside & ~free
        np.subtract.at(right, self.row[self.end_their[fixed]], self.paid[fixed] * self.plan[self.end_own[fixed]])
        return self.matrix(entries, len(self.their)), right

    def plan_and_group_rows(self) -> tuple[Any, Array, Array]:
        """x is a plan; V_G − what is paid before the opponent decides − values of the first infosets = constant [g]."""
        tree, owner = self.subgame.tree, self.subgame.tree.labels.infoset_of_sequence
        infosets = np.unique(owner[self.own])
        line = np.full(tree.infosets, -1, np.int64)
        line[infosets] = np.arange(len(infosets))
        above = tree.form.parent[infosets].astype(np.int64)
        free = self.column[above] >= 0
        right = np.zeros(len(infosets) + self.groups)
        right[: len(infosets)][~free] = self.plan[above[~free]]
        first = self.rivals[self.row[tree.form.parent[self.rivals]] < 0]
        outside = self.row[self.end_their] < 0
        moving = outside & (self.column[self.end_own] >= 0)
        constant = np.zeros(self.groups)
        still = outside & ~moving
        np.add.at(constant, self.end_group[still], self.paid[still] * self.plan[self.end_own[still]])
        right[len(infosets) :] = constant
        n, m, base = len(self.own), len(self.rivals), len(infosets)
        entries = [
            (line[owner[self.own]], np.arange(n), np.ones(n)),
            (line[infosets[free]], self.column[above[free]], -np.ones(int(free.sum()))),
            (base + np.arange(self.groups), n + m + np.arange(self.groups), np.ones(self.groups)),
            (base + self.group_of_infoset(first), n + self.value_column[first], -np.ones(len(first))),
            (base + self.end_group[moving], self.column[self.end_own[moving]], -self.paid[moving]),
        ]
        return self.matrix(entries, base + self.groups), right, constant

    def paid_to_groups(self, plan: Array) -> Array:
        """[g] what a plan pays at ends that the opponent reaches without deciding inside, where x is free."""
        outside = (self.row[self.end_their] < 0) & (self.column[self.end_own] >= 0)
        out = np.zeros(self.groups)
        np.add.at(out, self.end_group[outside], self.paid[outside] * plan[self.end_own[outside]])
        return out

    def group_weight(self) -> Array:
        """[g] how likely chance and the player bring the game to each group."""
        entering = np.flatnonzero(self.group >= 0)
        out = np.zeros(self.groups)
        reach = self.subgame.reach[entering] * self.plan[self.subgame.sequence[entering, self.player]]
        np.add.at(out, self.group[entering], reach)
        return out

    def group_of_infoset(self, infosets: Array) -> Array:
        """The group from which each of some infosets of the opponent is reached."""
        h, other = self.subgame.tree.listing, 1 - self.player
        found = np.full(self.subgame.tree.infosets, -1, np.int64)
        deciding = np.flatnonzero(self.subgame.inside & (h.mover == other))
        found[h.index[deciding]] = self.group[self.subgame.root[deciding]]
        return found[infosets]

    def matrix(self, entries: list[tuple[Array, Array, Array]], rows: int) -> Any:
        """A sparse matrix of (row, column, number) triples; equal positions add up."""
        from scipy.sparse import csr_array

        row, column, number = (np.concatenate(part) for part in zip(*entries, strict=True))
        return csr_array((number, (row, column)), shape=(rows, self.width))


def _gifts(subgame: Subgame, blueprint: Strategy, other: int, value: Array, best: Array, sequence: Array) -> Array:
    """[g] what the opponent has lost per visit on the way to each group, against best play from there on."""
    tree, h, labels = subgame.tree, subgame.tree.listing, subgame.tree.labels
    reach = others_reach(
        h.mover, h.index, h.first_child, h.children, h.probability, labels.first, labels.stride,
        blueprint.probabilities, other,
    )  # fmt: skip
    gifts = np.zeros(len(sequence))
    for group, end in enumerate(sequence.tolist()):
        infoset = int(labels.infoset_of_sequence[end])
        while infoset >= 0:
            if reach[infoset] > 0:
                gifts[group] += (best[infoset] - value[end]) / reach[infoset]
            end = int(tree.form.parent[infoset])
            infoset = int(labels.infoset_of_sequence[end])
    return gifts
