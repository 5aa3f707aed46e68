"""Decks: cards as numbers and as text.

A card's number is `rank * suits + suit`, with ranks and suits counted in the order of the deck: in a standard deck 2c
is 0, 2d is 1, … and As is 51. Numbers rise with the rank: the card with the larger number is never the weaker one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.quoting import quoted

__all__ = ["RANKS", "STANDARD", "SUITS", "CardText", "Deck"]

RANKS = "23456789TJQKA"
"""The thirteen ranks, weakest first."""
SUITS = "cdhs"
"""The four suits: clubs, diamonds, hearts, spades. No suit is stronger than another."""

CardText = str | Iterable[int]
"""Cards as text ("QsJh2h") or as their numbers."""

MOST_TEXT = 1_000
"""Characters of a text with cards."""

SYMBOLS = str.maketrans("♣♦♥♠", SUITS)
CARD = re.compile(r"[\s,]*(?:(?P<rank>10|[2-9tjqka])(?P<suit>[cdhs])|(?P<wrong>[^\s,]+))", re.IGNORECASE)


@dataclass(frozen=True)
class Deck:
    """A deck of cards: some of the thirteen ranks in ascending order, each in the same one to four suits.

    >>> STANDARD.cards("As Kh")
    (51, 46)
    >>> Deck("JQK", "sh").names(range(6))
    'JsJhQsQhKsKh'
    """

    ranks: str = RANKS
    suits: str = SUITS

    def __post_init__(self) -> None:
        known = "".join(rank for rank in RANKS if rank in self.ranks)
        if not self.ranks or self.ranks != known:
            raise OptionError(
                f"the ranks of a deck are some of {RANKS}, weakest first and each once, got {quoted(self.ranks)}"
            )
        if not self.suits or len(set(self.suits)) < len(self.suits) or not set(self.suits) <= set(SUITS):
            raise OptionError(f"the suits of a deck are some of {SUITS}, each once, got {quoted(self.suits)}")

    @property
    def size(self) -> int:
        """The number of cards."""
        return len(self.ranks) * len(self.suits)

    def rank(self, card: int) -> int:
        """The rank of a card, counted from the weakest of the deck."""
        return card // len(self.suits)

    def suit(self, card: int) -> int:
        """The suit of a card, counted in the order of the deck."""
        return card % len(self.suits)

    def card(self, text: str) -> int:
        """The number of one card.

        >>> STANDARD.card("2c"), STANDARD.card("10s"), STANDARD.card("A♠")
        (0, 35, 51)
        """
        return self.cards(text, count=1)[0]

    def cards(self, given: CardText, count: int | None = None) -> tuple[int, ...]:
        """The numbers of distinct cards, in the order given. Spaces, commas and case do not matter.

        >>> STANDARD.cards("QsJh2h") == STANDARD.cards("qs, JH, 2♥") == STANDARD.cards([43, 38, 2])
        True
        """
        if not isinstance(given, Iterable):
            raise OptionError(f"cards are a text like 'QsJh2h' or a list of numbers, got {quoted(given)}")
        numbers = self.read(given) if isinstance(given, str) else [self.checked(card) for card in given]
        shown = quoted(given if isinstance(given, str) else self.names(numbers))
        for index, card in enumerate(numbers):
            if card in numbers[:index]:
                raise OptionError(f"{self.name(card)} is twice in {shown}; every card is dealt once")
        if count is not None and len(numbers) != count:
            wanted = "one card" if count == 1 else f"{count} cards"
            raise OptionError(
                f"{wanted} wanted, got {len(numbers)} in {shown}; cards are written like 'As' or 'QsJh2h'"
            )
        return tuple(numbers)

    def read(self, text: str) -> list[int]:
        """The card numbers in a text, one after the other."""
        if len(text) > MOST_TEXT:
            raise OptionError(f"a text with cards has at most {MOST_TEXT:,} characters, got {len(text):,}")
        numbers = []
        for found in CARD.finditer(text.translate(SYMBOLS)):
            if found["wrong"]:
                raise OptionError(
                    f"{quoted(found['wrong'])} in {quoted(text)} is no card; a card is a rank of {self.ranks} and a"
                    f" suit of {self.suits}, like {self.name(self.size - 1)!r}"
                )
            rank, suit = found["rank"].upper().replace("10", "T"), found["suit"].lower()
            if rank not in self.ranks or suit not in self.suits:
                raise OptionError(
                    f"{rank + suit!r} in {quoted(text)} is not in this deck, which has the ranks {self.ranks} in the"
                    f" suits {self.suits}"
                )
            numbers.append(self.ranks.index(rank) * len(self.suits) + self.suits.index(suit))
        return numbers

    def checked(self, card: int) -> int:
        """A card number, if the deck has it; else OptionError."""
        if isinstance(card, bool) or not isinstance(card, int | np.integer) or not 0 <= card < self.size:
            raise OptionError(f"the cards of this deck are numbered from 0 to {self.size - 1}, got {quoted(card)}")
        return int(card)

    def name(self, card: int) -> str:
        """The name of a card.

        >>> STANDARD.name(51)
        'As'
        """
        card = self.checked(card)
        return self.ranks[self.rank(card)] + self.suits[self.suit(card)]

    def names(self, cards: Iterable[int]) -> str:
        """The names of cards in one text, in the order given.

        >>> STANDARD.names((43, 38, 2))
        'QsJh2h'
        """
        return "".join(self.name(card) for card in cards)

    def hand_name(self, hand: Iterable[int]) -> str:
        """The name of a hand, with its highest card first.

        >>> STANDARD.hand_name((46, 51))
        'AsKh'
        """
        return self.names(sorted(hand, reverse=True))

    def hands(self, size: int) -> npt.NDArray[np.int64]:
        """[hands, size] all hands of `size` cards: cards ascending within a hand, hands in lexicographic order.

        >>> STANDARD.hands(2).shape, STANDARD.hands(2)[:2].tolist()
        ((1326, 2), [[0, 1], [0, 2]])
        """
        if not 1 <= size <= self.size:
            raise OptionError(f"a hand from this deck has between 1 and {self.size} cards, got {size}")
        return listed_hands(self.size, size)

    def hand_number(self, hand: Iterable[int]) -> int:
        """The row of a hand in `hands`; the order of its cards does not matter.

        >>> STANDARD.hand_number(STANDARD.cards("AsAh"))
        1325
        """
        cards = sorted(self.cards(hand))
        number, least = 0, 0
        for index, card in enumerate(cards):
            after = len(cards) - index - 1
            number += sum(comb(self.size - 1 - skipped, after) for skipped in range(least, card))
            least = card + 1
        return number


@lru_cache(maxsize=16)
def listed_hands(deck_size: int, size: int) -> npt.NDArray[np.int64]:
    """[hands, size] the sets of `size` numbers below `deck_size`, in lexicographic order; read-only."""
    flat = np.fromiter((card for hand in combinations(range(deck_size), size) for card in hand), np.int64)
    hands = flat.reshape(comb(deck_size, size), size)
    hands.flags.writeable = False
    return hands


STANDARD = Deck()
"""The usual 52 cards."""
