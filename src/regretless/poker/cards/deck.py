"""Decks: cards as numbers, and how people write them.

A card's number is `rank * suits + suit`, with ranks and suits counted in the order of the deck: in a standard deck 2c
is 0, 2d is 1, … and As is 51. Numbers rise with the rank, so the later of two numbers is never the weaker card.
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

__all__ = ["RANKS", "STANDARD", "SUITS", "CardText", "Deck"]

RANKS = "23456789TJQKA"
"""The thirteen ranks, weakest first."""
SUITS = "cdhs"
"""The four suits: clubs, diamonds, hearts, spades. No suit is stronger than another."""

CardText = str | Iterable[int]
"""Cards as a person types them ("QsJh2h") or as their numbers."""

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
                f"the ranks of a deck are some of {RANKS}, weakest first and each once, got {self.ranks!r}"
            )
        if not self.suits or len(set(self.suits)) < len(self.suits) or not set(self.suits) <= set(SUITS):
            raise OptionError(f"the suits of a deck are some of {SUITS}, each once, got {self.suits!r}")

    @property
    def size(self) -> int:
        """How many cards there are."""
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
        """The numbers of some different cards, in the order given; spaces, commas and upper or lower case are free.

        >>> STANDARD.cards("QsJh2h") == STANDARD.cards("qs, JH, 2♥") == STANDARD.cards([43, 38, 2])
        True
        """
        numbers = self.read(given) if isinstance(given, str) else [self.checked(card) for card in given]
        shown = given if isinstance(given, str) else self.names(numbers)
        for place, card in enumerate(numbers):
            if card in numbers[:place]:
                raise OptionError(f"{self.name(card)} is twice in {shown!r}; every card is dealt once")
        if count is not None and len(numbers) != count:
            wanted = "one card" if count == 1 else f"{count} cards"
            raise OptionError(
                f"{wanted} wanted, got {len(numbers)} in {shown!r}; cards are written like 'As' or 'QsJh2h'"
            )
        return tuple(numbers)

    def read(self, text: str) -> list[int]:
        """The card numbers that a text spells, one after the other."""
        numbers = []
        for found in CARD.finditer(text.translate(SYMBOLS)):
            if found["wrong"]:
                raise OptionError(
                    f"{found['wrong']!r} in {text!r} is no card; a card is a rank of {self.ranks} and a suit of"
                    f" {self.suits}, like {self.name(self.size - 1)!r}"
                )
            rank, suit = found["rank"].upper().replace("10", "T"), found["suit"].lower()
            if rank not in self.ranks or suit not in self.suits:
                raise OptionError(
                    f"{rank + suit!r} in {text!r} is not in this deck, which has the ranks {self.ranks} in the suits"
                    f" {self.suits}"
                )
            numbers.append(self.ranks.index(rank) * len(self.suits) + self.suits.index(suit))
        return numbers

    def checked(self, card: int) -> int:
        """A card number as it is, if the deck has it."""
        if isinstance(card, bool) or not isinstance(card, int | np.integer) or not 0 <= card < self.size:
            raise OptionError(f"the cards of this deck are numbered from 0 to {self.size - 1}, got {card!r}")
        return int(card)

    def name(self, card: int) -> str:
        """How a card is written.

        >>> STANDARD.name(51)
        'As'
        """
        card = self.checked(card)
        return self.ranks[self.rank(card)] + self.suits[self.suit(card)]

    def names(self, cards: Iterable[int]) -> str:
        """How some cards are written, in the order given.

        >>> STANDARD.names((43, 38, 2))
        'QsJh2h'
        """
        return "".join(self.name(card) for card in cards)

    def hand_name(self, hand: Iterable[int]) -> str:
        """How a hand is written, its highest card first.

        >>> STANDARD.hand_name((46, 51))
        'AsKh'
        """
        return self.names(sorted(hand, reverse=True))

    def hands(self, size: int) -> npt.NDArray[np.int64]:
        """[hands, size] all hands of so many cards: cards ascending within a hand, hands in lexicographic order.

        >>> STANDARD.hands(2).shape, STANDARD.hands(2)[:2].tolist()
        ((1326, 2), [[0, 1], [0, 2]])
        """
        if not 1 <= size <= self.size:
            raise OptionError(f"a hand from this deck has between 1 and {self.size} cards, got {size}")
        return listed_hands(self.size, size)

    def hand_number(self, hand: Iterable[int]) -> int:
        """The row of `hands` in which a hand stands, whatever the order of its cards.

        >>> STANDARD.hand_number(STANDARD.cards("AsAh"))
        1325
        """
        cards = sorted(self.cards(hand))
        number, least = 0, 0
        for place, card in enumerate(cards):
            after = len(cards) - place - 1
            number += sum(comb(self.size - 1 - skipped, after) for skipped in range(least, card))
            least = card + 1
        return number


@lru_cache(maxsize=16)
def listed_hands(deck_size: int, size: int) -> npt.NDArray[np.int64]:
    """[hands, size] the sets of `size` numbers below `deck_size`, in lexicographic order; not to be written to."""
    flat = np.fromiter((card for hand in combinations(range(deck_size), size) for card in hand), np.int64)
    hands = flat.reshape(comb(deck_size, size), size)
    hands.flags.writeable = False
    return hands


STANDARD = Deck()
"""The usual 52 cards."""
