"""Classes of two-card hands: pairs, suited and offsuit hands of two ranks; 169 of them in a standard deck."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.poker.cards.deck import STANDARD, Deck

__all__ = ["ClassTable", "class_name", "class_table"]


class ClassTable(NamedTuple):
    """The class of every two-card hand of a deck, in the order of `deck.hands(2)`."""

    high: npt.NDArray[np.int64]  # [hands] the higher rank, counted from the weakest of the deck
    low: npt.NDArray[np.int64]  # [hands] the lower rank
    suited: npt.NDArray[np.bool_]  # [hands]


@lru_cache(maxsize=16)
def class_table(deck: Deck) -> ClassTable:
    """The ranks of all two-card hands, and whether they are suited."""
    hands = deck.hands(2)
    ranks, suits = np.divmod(hands, len(deck.suits))
    return ClassTable(ranks[:, 1], ranks[:, 0], suits[:, 0] == suits[:, 1])


def class_name(hand: Iterable[int], deck: Deck = STANDARD) -> str:
    """The name of the class of a two-card hand.

    >>> class_name(STANDARD.cards("KhAh")), class_name(STANDARD.cards("AsKh")), class_name(STANDARD.cards("2c2d"))
    ('AKs', 'AKo', '22')
    """
    low, high = sorted(deck.cards(hand, count=2))
    name = deck.ranks[deck.rank(high)] + deck.ranks[deck.rank(low)]
    if deck.rank(high) == deck.rank(low):
        return name
    return name + ("s" if deck.suit(high) == deck.suit(low) else "o")
