"""Ranges: how often each two-card hand is held.

A range is a weight between 0 and 1 for each hand of `deck.hands(2)`, 1,326 hands in a standard deck. `ranges.parsing`
reads the usual notation, `ranges.formatting` writes it.

Other programs list the same hands in other orders:

| order | hands | used by |
|---|---|---|
| regretless, postflop-solver | 2c2d, 2c2h, 2c2s, 2c3c, …: by the lower card, then the higher | postflop-solver |
| pio, high-first | 2d2c, 2h2c, 2h2d, 2s2c, …: by the higher card, then the lower | PioSOLVER (`show_hand_order`) |
| openspiel | 2s2h, 2s2d, 2s2c, 2s3s, …: like the first, with suits counted s, h, d, c | OpenSpiel's `handReaches` |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, suggest
from regretless.poker.cards.deck import STANDARD, CardText, Deck
from regretless.poker.cards.hand_classes import class_name, class_table
from regretless.poker.ranges.formatting import spell_range
from regretless.poker.ranges.parsing import read_range

__all__ = ["ORDERS", "Range", "class_name", "hand_order"]

ORDERS = ("regretless", "postflop-solver", "pio", "high-first", "openspiel")
"""The names of the orders in which weights can be given and taken."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Range:
    """How often each two-card hand is held.

    >>> opening = Range.parse("QQ+, AKs, A5s-A2s, JJ-99:0.5, AhKh:0.25")
    >>> opening.combos
    46.25
    >>> print(opening)
    QQ+,AKs,A5s-A2s,JJ-99:0.5,AhKh:0.25
    """

    weights: Floats = field(repr=False)  # [hands] 0 … 1, in the order of deck.hands(2)
    deck: Deck = STANDARD

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64)
        count = len(self.deck.hands(2))
        if weights.shape != (count,):
            raise OptionError(f"a range of this deck has {count} weights, got an array of shape {weights.shape}")
        wrong = np.flatnonzero(~((weights >= 0) & (weights <= 1)))
        if wrong.size:
            name = self.deck.hand_name(self.deck.hands(2)[wrong[0]])
            raise OptionError(f"weights are between 0 and 1, got {weights[wrong[0]]} for {name}")
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    @classmethod
    def parse(cls, text: str, deck: Deck = STANDARD) -> Range:
        """The range in a text; `ranges.parsing` describes the notation."""
        return cls(read_range(text, deck), deck)

    @classmethod
    def full(cls, deck: Deck = STANDARD) -> Range:
        """All hands with the weight 1."""
        return cls(np.ones(len(deck.hands(2))), deck)

    @classmethod
    def from_weights(cls, weights: npt.ArrayLike, order: str = "regretless", deck: Deck = STANDARD) -> Range:
        """A range from weights that are listed in one of the `ORDERS`."""
        given = np.asarray(weights, np.float64)
        rows = hand_order(deck, order)
        if given.shape != rows.shape:
            raise OptionError(f"a range of this deck has {rows.size} weights, got an array of shape {given.shape}")
        ours = np.empty_like(given)
        ours[rows] = given
        return cls(ours, deck)

    def in_order(self, order: str = "regretless") -> Floats:
        """[hands] the weights, listed in one of the `ORDERS`.

        >>> int(Range.parse("2s2h").in_order("pio").argmax()), int(Range.parse("2s2h").in_order("openspiel").argmax())
        (5, 0)
        """
        return self.weights[hand_order(self.deck, order)]

    @property
    def combos(self) -> float:
        """The number of hands, each counted with its weight."""
        return float(self.weights.sum())

    def without(self, cards: CardText) -> Range:
        """The range without the hands that hold one of these cards, for example those of the board.

        >>> Range.parse("AA").without("As Kd").combos
        3.0
        """
        touched = np.isin(self.deck.hands(2), self.deck.cards(cards)).any(axis=1)
        return Range(np.where(touched, 0.0, self.weights), self.deck)

    def grid(self) -> Floats:
        """[ranks, ranks] the mean weight of each class, aces first: pairs on the diagonal, suited above, offsuit below.

        A class of which the deck has no hand is nan.
        """
        table, count = class_table(self.deck), len(self.deck.ranks)
        row, column = count - 1 - table.high, count - 1 - table.low
        offsuit = ~table.suited
        cell = np.where(offsuit, column * count + row, row * count + column)
        held = np.bincount(cell, self.weights, count * count)
        hands = np.bincount(cell, minlength=count * count)
        with np.errstate(invalid="ignore"):
            return (held / hands).reshape(count, count)

    def compact(self) -> str:
        """The range as a short text that `parse` reads as the same weights; empty if the range is empty.

        >>> Range.parse("JJ,QQ,AA,KK,AQo,AKo,AKs,AQs,T9s,98s,87s").compact()
        'JJ+,AQ+,T9s-87s'
        """
        return spell_range(self.weights, self.deck)

    __str__ = compact

    def __repr__(self) -> str:
        deck = "" if self.deck == STANDARD else f", {self.deck!r}"
        return f"Range.parse({self.compact()!r}{deck})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Range):
            return NotImplemented
        return self.deck == other.deck and bool((self.weights == other.weights).all())

    def __hash__(self) -> int:
        return hash((self.deck, self.weights.tobytes()))


@lru_cache(maxsize=32)
def hand_order(deck: Deck, order: str) -> npt.NDArray[np.int64]:
    """[hands] the row in `deck.hands(2)` of each hand of an order.

    >>> [STANDARD.hand_name(STANDARD.hands(2)[hand]) for hand in hand_order(STANDARD, "pio")[:4]]
    ['2d2c', '2h2c', '2h2d', '2s2c']
    """
    low, high = deck.hands(2).T
    if order in ("regretless", "postflop-solver"):
        return np.arange(low.size)
    if order in ("pio", "high-first"):
        return np.lexsort((low, high))
    if order == "openspiel":
        ranks, suits = np.divmod(deck.hands(2), len(deck.suits))
        renumbered = np.sort(ranks * len(deck.suits) + len(deck.suits) - 1 - suits, axis=1)
        return np.lexsort((renumbered[:, 1], renumbered[:, 0]))
    raise OptionError(f"there is no order of hands called {order!r}; {suggest(order, ORDERS)}")
