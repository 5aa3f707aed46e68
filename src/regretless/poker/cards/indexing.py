"""Indices of hands up to a renaming of suits (Waugh, "A Fast and Optimal Hand Isomorphism Algorithm", 2013).

Cards come in rounds: (2, 3) are two cards in the hand and a flop. The order within a round does not matter; the round
of a card does. Hands that differ only in the names of their suits have the same index. The indices of a round run from
0 without gaps, so an array with one row per index covers all hands: 169 before the flop, 1,286,792 with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, groupby, product
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.cards import suit_indexing
from regretless.poker.cards.deck import STANDARD, Deck

__all__ = ["HandIndexer"]

Ints = npt.NDArray[np.int64]


class Configurations(NamedTuple):
    """The ways to spread cards over suits and rounds; the arrays that `kernels.cards.suit_indexing` reads."""

    number_of: npt.NDArray[np.int32]  # [keys] −1 where a key belongs to no hand
    order_of: npt.NDArray[np.int8]  # [keys, suits] the suits, most cards first
    first: Ints  # [configurations] the lowest index of each
    groups: Ints  # [configurations] groups of suits that could be exchanged
    members: Ints  # [configurations, suits] suits in a group
    group_size: Ints  # [configurations, suits] indices of a group
    set_count: Ints  # [configurations, suits, rounds] sets of ranks that a suit can hold
    set_sizes: Ints  # [configurations, suits, rounds] cards of a suit


class RoundTables(NamedTuple):
    """The tables for the hands of one round."""

    size: int
    round_of: Ints  # [cards] the round of each card
    begins: Ints  # [rounds + 1] cards before each round
    key_of: Ints  # [rounds, suits] the summand of a card in the key of its configuration
    configurations: Configurations


class HandIndexer:
    """Maps hands to indices up to a renaming of suits, and indices to hands.

    >>> indexer = HandIndexer((2, 3))
    >>> indexer.size(0), indexer.size(1)
    (169, 1286792)
    >>> indexer.index(STANDARD.cards("AsKs QsJh2h")) == indexer.index(STANDARD.cards("KdAd 2cQdJc"))
    True
    >>> STANDARD.names(indexer.unindex(indexer.index(STANDARD.cards("AsKs QsJh2h"))))
    'KcAc2dJdQc'
    """

    def __init__(self, cards_per_round: Sequence[int], deck: Deck = STANDARD) -> None:
        self.cards_per_round = tuple(cards_per_round)
        self.deck = deck
        if not self.cards_per_round or min(self.cards_per_round) < 1 or sum(self.cards_per_round) > deck.size:
            raise OptionError(
                f"cards_per_round has the number of cards of each round, like (2, 3, 1, 1), each at least 1 and"
                f" together at most {deck.size}; got {self.cards_per_round}"
            )

    def size(self, round: int = -1) -> int:
        """The number of indices of a round; −1 is the last round."""
        return self.tables(round).size

    def index(self, cards: npt.ArrayLike) -> Any:
        """The index of a hand [cards], or of many [n, cards]. The number of cards determines the round."""
        given = np.asarray(cards)
        rows = np.atleast_2d(given)
        tables = self.tables(self.round_of(rows.shape[1]))
        found = np.empty(rows.shape[0], np.int64)
        deck = (np.arange(self.deck.size) // len(self.deck.suits), np.arange(self.deck.size) % len(self.deck.suits))
        sets = rank_sets(len(self.deck.ranks))[:2]
        wrong = suit_indexing.indices(
            rows, deck, (tables.round_of, tables.key_of), tuple(tables.configurations), sets, found
        )
        if wrong >= 0:
            raise OptionError(
                f"row {wrong} must hold different cards from 0 to {self.deck.size - 1}, got {rows[wrong].tolist()}"
            )
        return found if given.ndim == 2 else int(found[0])

    def unindex(self, index: npt.ArrayLike, round: int = -1) -> Ints:
        """Cards [cards] that have this index in a round, or [n, cards] for many indices."""
        tables = self.tables(round)
        numbers = np.atleast_1d(np.asarray(index, np.int64))
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < tables.size:
            raise OptionError(
                f"the hands of this round have the indices 0 to {tables.size - 1},"
                f" got {numbers.min()} … {numbers.max()}"
            )
        cards = np.empty((numbers.size, tables.round_of.size), np.int64)
        by_number = rank_sets(len(self.deck.ranks))[2]
        suit_indexing.representatives(
            numbers, len(self.deck.suits), tables.begins, tuple(tables.configurations), by_number, cards
        )
        return cards if np.ndim(index) else cards[0]

    def tables(self, round: int) -> RoundTables:
        """The tables of a round, counted from 0 or, with −1, from the last."""
        count = len(self.cards_per_round)
        if not -count <= round < count:
            raise OptionError(f"there are {count} rounds, numbered from 0, got round={round}")
        return round_tables(self.cards_per_round[: round % count + 1], len(self.deck.ranks), len(self.deck.suits))

    def round_of(self, cards: int) -> int:
        """The round after which this number of cards has been dealt."""
        dealt = list(accumulate(self.cards_per_round))
        if cards not in dealt:
            raise OptionError(
                f"after a round there are {' or '.join(map(str, dealt))} cards in hand and on the board, got {cards}"
            )
        return dealt.index(cards)


@lru_cache(maxsize=8)
def rank_sets(ranks: int) -> tuple[Ints, npt.NDArray[np.uint8], Ints]:
    """The index and the size of each set of ranks [2^ranks], and the set [ranks + 1, most] of each size and index."""
    numbers = np.empty(1 << ranks, np.int64)
    sizes = np.empty(1 << ranks, np.uint8)
    suit_indexing.set_numbers(ranks, numbers, sizes)
    by_number = np.zeros((ranks + 1, int(numbers.max()) + 1), np.int64)
    by_number[sizes, numbers] = np.arange(1 << ranks)
    return numbers, sizes, by_number


@lru_cache(maxsize=32)
def round_tables(cards_per_round: tuple[int, ...], ranks: int, suits: int) -> RoundTables:
    """The tables of the last of these rounds."""
    round_of = np.repeat(np.arange(len(cards_per_round)), cards_per_round)
    begins = np.concatenate([[0], np.cumsum(cards_per_round)])
    key_of = np.zeros((len(cards_per_round), suits), np.int64)
    keys = 1
    for number, cards in enumerate(cards_per_round):
        for suit in range(suits - 1):  # the count of the last suit follows from the others
            key_of[number, suit] = keys
            keys *= cards + 1
    spreads = all_spreads(cards_per_round, ranks, suits)
    distinct = sorted({tuple(sorted(spread, reverse=True)) for spread in spreads}, reverse=True)
    number_by_spread = {spread: number for number, spread in enumerate(distinct)}
    number_of = np.full(keys, -1, np.int32)
    order_of = np.zeros((keys, suits), np.int8)
    for spread in spreads:
        key = int((np.array(spread).T * key_of).sum())
        number_of[key] = number_by_spread[tuple(sorted(spread, reverse=True))]
        order_of[key] = sorted(range(suits), key=lambda suit: spread[suit], reverse=True)
    size, arrays = configuration_arrays(distinct, ranks)
    return RoundTables(size, round_of, begins, key_of, Configurations(number_of, order_of, *arrays))


Spread = tuple[tuple[int, ...], ...]
"""[suits][rounds] the number of cards of each suit in each round."""


def all_spreads(cards_per_round: tuple[int, ...], ranks: int, suits: int) -> list[Spread]:
    """All ways to spread the cards of the rounds over `suits` suits of `ranks` ranks."""
    each = [
        [counts for counts in product(range(min(cards, ranks) + 1), repeat=suits) if sum(counts) == cards]
        for cards in cards_per_round
    ]
    spreads = (tuple(zip(*rounds, strict=True)) for rounds in product(*each))
    return [spread for spread in spreads if all(sum(counts) <= ranks for counts in spread)]


def configuration_arrays(distinct: list[Spread], ranks: int) -> tuple[int, tuple[Ints, ...]]:
    """The number of hands of all configurations, and the arrays of `Configurations` from `first` on."""
    count, suits, rounds = len(distinct), len(distinct[0]), len(distinct[0][0])
    first = np.zeros(count, np.int64)
    groups = np.zeros(count, np.int64)
    members = np.zeros((count, suits), np.int64)
    group_size = np.zeros((count, suits), np.int64)
    set_count = np.zeros((count, suits, rounds), np.int64)
    total = 0
    for number, spread in enumerate(distinct):
        for suit, counts in enumerate(spread):
            left = ranks
            for r, cards in enumerate(counts):
                set_count[number, suit, r] = comb(left, cards)
                left -= cards
        first[number] = total
        hands, suit = 1, 0
        for group, (_, equal) in enumerate(groupby(spread)):
            alike = len(list(equal))
            numbers = int(np.prod(set_count[number, suit]))
            members[number, group] = alike
            group_size[number, group] = comb(numbers + alike - 1, alike)
            hands *= int(group_size[number, group])
            groups[number] += 1
            suit += alike
        total += hands
    return total, (first, groups, members, group_size, set_count, np.array(distinct, np.int64))
