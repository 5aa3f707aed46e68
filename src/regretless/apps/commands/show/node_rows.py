"""A node of hold'em as rows of a table: by classes of hands, or hand by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from regretless.poker.results.public_strategy import NodeStrategy

__all__ = ["SELDOM", "Row", "class_rows", "hand_rows"]

SELDOM = 0.005
"""Hands whose share of the reach of a node is below this are not printed."""


@dataclass(frozen=True)
class Row:
    """A class of hands, or one hand."""

    name: str
    hands: int
    combos: float  # hands, weighted by range and reach
    share: float  # of the reach of all hands
    probabilities: list[float]  # [actions]
    ev: float  # chips
    action_ev: list[float]  # [actions] chips


def class_rows(node: NodeStrategy) -> list[Row]:
    """The classes of hands that reach the node, the highest cards first."""
    names = [class_of(node, hand) for hand in node.hands.tolist()]
    ranks = node.game.deck.ranks

    def by_ranks(name: str) -> tuple[list[int], bool]:
        return [-ranks.find(rank) for rank in name if rank in ranks], name.endswith("o")

    order = {name: number for number, name in enumerate(sorted(set(names), key=by_ranks))}
    number = np.array([order[name] for name in names])
    mass = node.mass
    total, all_mass = np.bincount(number, mass, len(order)), float(mass.sum())
    hands, combos = np.bincount(number), np.bincount(number, node.weight, len(order))

    def mean(of_hand: Any) -> Any:
        """[classes] means over hands, weighted by reach."""
        known = np.where(mass > 0, of_hand, 0.0)
        return np.bincount(number, mass * known, len(order)) / np.where(total > 0, total, 1.0)

    shares = np.stack([mean(column) for column in node.probabilities.T], axis=1)
    worth, each = mean(node.ev), np.stack([mean(column) for column in node.action_ev.T], axis=1)
    return [
        Row(
            name, int(hands[i]), float(combos[i]), float(total[i] / all_mass), shares[i].tolist(), float(worth[i]),
            each[i].tolist(),
        )
        for name, i in order.items()
        if total[i] > 0
    ]  # fmt: skip


def hand_rows(node: NodeStrategy) -> list[Row]:
    """Every hand that reaches the node, the highest cards first."""
    mass = node.mass
    total = float(mass.sum())
    return [
        Row(
            node.names[i], 1, float(node.weight[i]), float(mass[i]) / total, node.probabilities[i].tolist(),
            float(node.ev[i]), node.action_ev[i].tolist(),
        )
        for i in range(len(node) - 1, -1, -1)
        if mass[i] > 0
    ]  # fmt: skip


def class_of(node: NodeStrategy, hand: Sequence[int]) -> str:
    """AKs, AKo or 77; of a hand that is not of two cards, its ranks."""
    deck = node.game.deck
    if len(hand) != 2:
        return "".join(deck.ranks[deck.rank(card)] for card in sorted(hand, reverse=True))
    from regretless.poker.cards.hand_classes import class_name

    return class_name(hand, deck)
