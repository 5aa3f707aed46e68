"""The weights with which hands come to a node of the betting."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL

if TYPE_CHECKING:
    from regretless.poker.betting.betting_tree import BettingTree
    from regretless.poker.cards.deck import Deck

__all__ = ["choices_to", "opposing_weights"]

Array = npt.NDArray[Any]


def choices_to(betting: BettingTree, node: int) -> list[tuple[int, int]]:
    """(node, action) of every decision on the way to a node."""
    out = []
    while (above := int(betting.parent[node])) >= 0:
        if betting.kind[above] != DEAL:
            out.append((above, node - int(betting.first_child[above])))
        node = above
    return out[::-1]


def opposing_weights(deck: Deck, size: int, weights: Array) -> Array:
    """[hands] the total weight of the hands that share no card with each hand, by inclusion and exclusion."""
    hands = deck.hands(size)
    total = np.full(len(hands), float(weights.sum()))
    for count in range(1, size + 1):
        for own in combinations(range(size), count):
            key = _code(hands[:, own], deck.size)
            held = np.zeros(deck.size**count)
            for theirs in combinations(range(size), count):
                np.add.at(held, _code(hands[:, theirs], deck.size), weights)
            total += (-1) ** count * held[key]
    return np.asarray(np.maximum(total, 0.0))


def _code(cards: Array, deck_size: int) -> Array:
    """[hands] some cards of each hand, encoded as one number."""
    return np.asarray(cards @ deck_size ** np.arange(cards.shape[1]))
