"""Bets of any size in a betting tree that has some sizes, in both directions.

A bet is compared with those of the tree by its share of the pot: x, after a call of what is faced. A bet between two
sizes A < x < B of the tree is read as A with probability

    (B − x)(1 + A) / ((B − A)(1 + x))

and as B otherwise: the pseudo-harmonic mapping (Ganzfried & Sandholm, "Action translation in extensive-form games with
large action spaces", 2013). Bets below the smallest size are read as the smallest one, bets above the largest as the
largest. Deviation from the paper: a small bet is never read as a check.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.constants import DEAL
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.hand_play import CALL, FOLD, RAISE, HandPlay, Move
from regretless.poker.betting.limit import Limit

__all__ = ["TreeFollower", "nearest_size"]

ALL_IN = "all-in"
PASSIVE = ("fold", "check", "call")


def nearest_size(share: float, sizes: list[float], draw: float) -> int:
    """The index of the size that a bet is read as; `sizes` ascend, `draw` is uniform in [0, 1).

    >>> nearest_size(0.75, [0.5, 1.0], 0.42), nearest_size(0.75, [0.5, 1.0], 0.43), nearest_size(9.0, [0.5, 1.0], 0.0)
    (0, 1, 1)
    """
    above = int(np.searchsorted(sizes, share))
    if above == 0 or above == len(sizes):
        return min(above, len(sizes) - 1)
    low, high = sizes[above - 1], sizes[above]
    lower = (high - share) * (1 + low) / ((high - low) * (1 + share))
    return above - 1 if draw < lower else above


class TreeFollower:
    """Follows hands of any bet sizes through the betting tree of a game."""

    def __init__(self, tree: BettingTree, limit: bool) -> None:
        self.tree, self.limit = tree, limit

    def shares(self, node: int) -> dict[int, float]:
        """The bets and raises of a node: the index of each action, and its share of the pot."""
        tree = self.tree
        highest = float(tree.paid[node].max())
        first, mover = int(tree.first_child[node]), int(tree.kind[node])
        return {
            at: (float(tree.paid[first + at, mover]) - highest) / (2 * highest)
            for at, name in enumerate(tree.actions[node])
            if name not in PASSIVE
        }

    def action_of(self, node: int, hand: HandPlay, move: Move, draw: float) -> int | None:
        """The index of the tree's action for a move of a hand; None if the tree has no raise there."""
        names = self.tree.actions[node]
        if move.kind == FOLD:
            return names.index("fold") if "fold" in names else None
        if move.kind == CALL:
            return next(at for at, name in enumerate(names) if name in ("check", "call"))
        offered = self.shares(node)
        if not offered:
            return None
        last = max(offered)
        if self.limit or len(offered) == 1:
            return last
        assert move.total is not None
        if move.total >= hand.rules.chips and names[last] == ALL_IN:
            return last
        highest = max(hand.situation.paid)
        share = (move.total - highest) / (2 * highest)
        return list(offered)[nearest_size(share, list(offered.values()), draw)]

    def move_of(self, node: int, action: int, hand: HandPlay) -> Move:
        """The legal move of a hand for an action of the tree: a raise keeps its share of the pot."""
        name = self.tree.actions[node][action]
        if name in PASSIVE:
            return hand.legal(Move(FOLD if name == "fold" else CALL))
        if isinstance(hand.rules, Limit):
            return hand.legal(Move(RAISE))
        highest = max(hand.situation.paid)
        total = hand.rules.stack if name == ALL_IN else highest + 2 * highest * self.shares(node)[action]
        return hand.legal(Move(RAISE, float(np.floor(total + 0.5))))

    def after(self, node: int, action: int) -> int:
        """The next node at which a player decides, or the end."""
        tree = self.tree
        node = int(tree.first_child[node]) + action
        while tree.kind[node] == DEAL:
            node = int(tree.first_child[node])
        return node
