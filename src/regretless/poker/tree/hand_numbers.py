"""The hands of a deck by name and by number."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.poker.cards.deck import Deck
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["hand_names", "hand_numbers"]

Array = npt.NDArray[Any]


@lru_cache(maxsize=8)
def hand_names(deck: Deck, size: int) -> Array:
    """[hands] the names of all hands of a deck, in the order of `deck.hands`."""
    return np.array([deck.hand_name(hand) for hand in deck.hands(size).tolist()])


def hand_numbers(tree: PublicTree, hands: Array) -> Array:
    """[hands] the rows of given hands in `deck.hands`."""
    codes = tree.book.symmetry.codes
    return np.searchsorted(codes(tree.game.deck.hands(tree.game.hand_size).astype(np.int64)), codes(hands))
