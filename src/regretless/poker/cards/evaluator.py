"""The strength of hands.

A strength is a whole number: the higher one wins, equal ones tie. With five to seven cards the best five make the usual
poker hand, and strengths run over its 7,462 classes from 0 (75432 in mixed suits) to 7,461 (a royal flush). Fewer than
five cards, as in Kuhn's and Leduc poker, are compared by multiplicities and then by ranks: a pair beats a high card,
and there are no straights or flushes. Strengths of different numbers of cards must not be compared.

Decks with fewer ranks keep the usual names of the ranks: five ranks in a row make a straight if the deck has all five,
the ace is low only where the deck has 2, 3, 4 and 5, and the order of categories stays the same.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.cards import hand_strength
from regretless.poker.cards.deck import RANKS, STANDARD, CardText, Deck

__all__ = ["CATEGORIES", "category", "evaluate", "strengths"]

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
"""From the weakest to the strongest."""

STORED = "seven_cards.npz"
"""The tables of seven cards, which every process needs and which take a tenth of a second to make."""

Cards = npt.NDArray[np.integer]


class Tables(NamedTuple):
    """The lookup tables for the strengths of hands of one number of cards."""

    displacement: npt.NDArray[np.uint16]  # [rows]
    classes: npt.NDArray[np.int16]  # [slots] strengths without a flush
    flushes: npt.NDArray[np.int16]  # [8192] strengths by the set of ranks in the suit; −1 for fewer than five
    first: npt.NDArray[np.int64]  # [categories + 1] the weakest strength of each category


class CardWords(NamedTuple):
    """The cards of a deck as the compiled evaluator reads them."""

    words: npt.NDArray[np.uint64]  # [deck]
    ranks: npt.NDArray[np.int64]  # [deck] 0 … 12, of the thirteen
    suits: npt.NDArray[np.int64]  # [deck]


def strengths(deck: Deck, board: CardText, hands: Cards) -> npt.NDArray[np.int32]:
    """[hands] the strength of each hand with the board; −1 for hands that hold a card of the board, or one twice.

    hands: card numbers [hands, cards], or [hands] of one card each.

    >>> leduc = Deck("JQK", "sh")
    >>> jack, king, queen = strengths(leduc, "Qs", leduc.hands(1))[[0, 4, 3]]
    >>> bool(jack < king < queen)
    True
    """
    hands = np.asarray(hands)
    hands = hands.reshape(-1, 1) if hands.ndim == 1 else hands
    if hands.ndim != 2 or not np.issubdtype(hands.dtype, np.integer):
        raise OptionError(f"hands are rows of card numbers, got an array of {hands.dtype} with shape {hands.shape}")
    shared = np.array(deck.cards(board), np.int64)
    total = hands.shape[1] + shared.size
    if not 1 <= total <= hand_strength.MOST_CARDS:
        raise OptionError(f"hands of 1 to 7 cards can be compared, got {hands.shape[1]} and {shared.size} on the board")
    if hands.size and (hands.min() < 0 or hands.max() >= deck.size):
        raise OptionError(
            f"the cards of this deck are numbered from 0 to {deck.size - 1}, got {hands.min()} … {hands.max()}"
        )
    cards, tables = card_words(deck), tables_for(total)
    result = np.empty(hands.shape[0], np.int32)
    kept = tables.displacement, tables.classes, tables.flushes
    hand_strength.strengths_on_board(shared, hands, (cards.words, cards.ranks, cards.suits), kept, result)
    return result


def evaluate(cards: Cards) -> npt.NDArray[np.int32]:
    """[n] the strength of the best five of each row of standard cards [n, 5 … 7].

    >>> evaluate(np.array([STANDARD.cards("AsKsQsJsTs"), STANDARD.cards("7s5h4d3c2c")])).tolist()
    [7461, 0]
    """
    cards = np.asarray(cards)
    if cards.ndim != 2 or not 5 <= cards.shape[1] <= 7 or not np.issubdtype(cards.dtype, np.integer):
        raise OptionError(
            f"cards are whole numbers in rows of 5, 6 or 7, got an array of {cards.dtype} with shape {cards.shape}"
        )
    tables = tables_for(cards.shape[1])
    words = np.zeros(64, np.uint64)
    words[: STANDARD.size] = card_words(STANDARD).words
    result = np.empty(cards.shape[0], np.int32)
    wrong = hand_strength.strengths_of_rows(cards, words, tables.displacement, tables.classes, tables.flushes, result)
    if wrong >= 0:
        raise OptionError(f"row {wrong} must hold different cards from 0 to 51, got {cards[wrong].tolist()}")
    return result


def category(strength: int, cards: int = 5) -> str:
    """The name of the category of a strength; `cards` are those of a hand and the board together.

    >>> category(7461), category(0), category(5, cards=2)
    ('straight flush', 'high card', 'high card')
    """
    first = tables_for(cards).first
    if not 0 <= strength < first[-1]:
        raise OptionError(f"strengths of {cards} cards run from 0 to {first[-1] - 1}, got {strength}")
    return CATEGORIES[int(np.searchsorted(first, strength, side="right")) - 1]


@lru_cache(maxsize=16)
def card_words(deck: Deck) -> CardWords:
    """The words, ranks and suits of a deck's cards."""
    count = len(deck.suits)
    ranks = np.repeat([RANKS.index(rank) for rank in deck.ranks], count)
    suits = np.tile(np.arange(count), len(deck.ranks))
    counter = np.uint64(1) << (hand_strength.SUIT_SHIFT + hand_strength.COUNTER_BITS * suits.astype(np.uint64))
    return CardWords(hand_strength.RANK_KEYS[ranks] + counter, ranks, suits)


@lru_cache(maxsize=8)
def tables_for(cards: int) -> Tables:
    """The tables for hands of this number of cards; those of seven cards are stored with the package."""
    if not 1 <= cards <= hand_strength.MOST_CARDS:
        raise OptionError(f"hands of 1 to {hand_strength.MOST_CARDS} cards can be compared, got {cards}")
    stored = files("regretless.poker.cards") / STORED
    if cards != hand_strength.MOST_CARDS or not stored.is_file():
        from regretless.poker.cards.evaluator_tables import make_tables

        return make_tables(cards)
    with stored.open("rb") as opened, np.load(opened, allow_pickle=False) as found:
        return Tables(*(found[name] for name in Tables._fields))
