"""Features of all hands of a street, board by board."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.cards.equities import LOW
from regretless.kernels.cards.hand_features import HISTOGRAM, OPPONENTS, STRENGTH, describe_boards
from regretless.kernels.cards.river_strengths import CLUSTERS
from regretless.poker.abstraction.build.street_plans import BINS
from regretless.poker.abstraction.card_rounds import CardRounds, index_scratch, index_tables
from regretless.poker.cards.evaluator import card_words, tables_for
from regretless.poker.cards.isomorphism import Symmetry

__all__ = ["BoardSweep", "Rows"]

Array = npt.NDArray[Any]

ROWS_OF_A_PIECE = 1 << 15
"""Hands that are described at once, to bound the memory of a thread."""


class Rows(NamedTuple):
    """Hands with their features. The arrays belong to the thread and are overwritten by its next piece."""

    indices: npt.NDArray[np.int64]  # [n] the index of the hand and board, up to suits
    features: npt.NDArray[np.uint16]  # [n, width]
    strength: npt.NDArray[np.uint16]  # [n] the mean strength
    deals: npt.NDArray[np.int64]  # [n] deals of such a hand and board


class HandTables(NamedTuple):
    """The hands of a deck as `kernels.cards.hand_features` reads them."""

    hands: npt.NDArray[np.uint8]  # [hands, cards]
    words: npt.NDArray[np.uint64]  # [hands]
    masks: npt.NDArray[np.uint64]  # [hands] sets of cards
    number: npt.NDArray[np.int32]  # [deck, deck] the hand of two cards; of one card on the diagonal
    images: npt.NDArray[np.uint8]  # [permutations, deck]


@lru_cache(maxsize=8)
def hand_tables(rounds: CardRounds) -> HandTables:
    """The hands of a deck."""
    hands = rounds.deck.hands(rounds.hand_size)
    number = np.zeros((rounds.deck.size, rounds.deck.size), np.int32)
    low, high = hands[:, 0], hands[:, -1]
    number[low, high] = number[high, low] = np.arange(len(hands))
    return HandTables(
        hands.astype(np.uint8),
        card_words(rounds.deck).words[hands].sum(axis=1, dtype=np.uint64),
        np.bitwise_or.reduce(np.uint64(1) << hands.astype(np.uint64), axis=1),
        number,
        Symmetry(rounds.deck, rounds.hand_size).cards.astype(np.uint8),
    )


@dataclass(frozen=True, eq=False)
class BoardSweep:
    """All hands on all boards of a street, up to suits, in pieces that threads describe independently."""

    rounds: CardRounds
    street: int
    kind: int
    cluster_of: npt.NDArray[np.int8]  # [hands] clusters of opposing hands; used by OPPONENTS only

    @cached_property
    def boards(self) -> npt.NDArray[np.int64]:
        """[boards, cards] one of each kind."""
        return self.rounds.canonical_boards(self.street)

    @cached_property
    def width(self) -> int:
        """The length of a row of features."""
        return {HISTOGRAM: BINS - 1, OPPONENTS: CLUSTERS, STRENGTH: 1}[self.kind]

    @cached_property
    def pieces(self) -> list[tuple[int, int]]:
        """The first board of each piece, and the first after it."""
        size = max(1, ROWS_OF_A_PIECE // len(hand_tables(self.rounds).hands))
        return [(begin, min(begin + size, len(self.boards))) for begin in range(0, len(self.boards), size)]

    @cached_property
    def _tables(self) -> tuple[Any, ...]:
        tables = tables_for(self.rounds.hand_size + self.rounds.boards[-1])
        most = 2 * self.rounds.opponents
        bin_of = np.minimum(np.arange(most + 1) * BINS // most, BINS - 1).astype(np.uint8)
        strengths = (tables.displacement, tables.classes, tables.flushes)
        return tuple(card_words(self.rounds.deck)), strengths, bin_of, self.cluster_of

    @cached_property
    def _of_thread(self) -> threading.local:
        return threading.local()

    def rows(self, piece: tuple[int, int]) -> Rows:
        """Describe the hands on the boards of a piece."""
        buffers = self._of_thread.__dict__
        if "scratch" not in buffers:
            buffers["scratch"], buffers["rows"] = self._scratch(), self._empty_rows()
        dealt = self.rounds.boards[-1] - self.rounds.boards[self.street]
        rows: Rows = buffers["rows"]
        written = describe_boards(
            self.boards[slice(*piece)], dealt, tuple(hand_tables(self.rounds)),
            tuple(index_tables(self.rounds, self.street)), self.kind, self._tables, buffers["scratch"], tuple(rows),
        )  # fmt: skip
        return Rows(rows.indices[:written], rows.features[:written], rows.strength[:written], rows.deals[:written])

    def copied_rows(self, piece: tuple[int, int]) -> Rows:
        """The same in arrays that stay as they are."""
        indices, features, strength, deals = self.rows(piece)
        return Rows(indices.copy(), features.copy(), strength.copy(), deals.copy())

    def _empty_rows(self) -> Rows:
        begin, end = self.pieces[0]
        count = (end - begin) * len(hand_tables(self.rounds).hands)
        return Rows(
            np.empty(count, np.int64),
            np.empty((count, self.width), np.uint16),
            np.empty(count, np.uint16),
            np.empty(count, np.int64),
        )

    def _scratch(self) -> tuple[Any, ...]:
        """The scratch arrays of a thread, in the order in which `describe_board` takes them apart."""
        tables, deck = hand_tables(self.rounds), self.rounds.deck.size
        hands = len(tables.hands)
        sorting = (
            np.empty(hands, np.uint32), np.empty(hands, np.int32), np.empty(hands, np.uint32),
            np.empty(hands, np.int32), np.zeros(4, np.uint64), np.zeros(LOW + 1, np.int64),
        )  # fmt: skip
        sweeping = (
            sorting,
            np.zeros(deck, np.int32),
            np.zeros(hands, np.int32),
            np.zeros((deck + 1, CLUSTERS), np.int32),
            np.zeros((hands, CLUSTERS), np.int32),
            np.zeros((hands, CLUSTERS), np.int32),
        )
        sums = (
            np.zeros(hands, np.int64),
            np.zeros(hands, np.int64),
            np.zeros((hands, BINS if self.kind == HISTOGRAM else 1), np.int64),
            np.zeros((hands, CLUSTERS), np.int64),
            np.zeros((hands, CLUSTERS), np.int64),
        )
        completions = self.rounds.completions(self.street)
        dealt = self.rounds.boards[-1] - self.rounds.boards[self.street]
        return (
            np.zeros_like(tables.images),
            np.zeros(hands, np.int32),
            np.zeros(hands, np.int32),
            np.zeros(hands, np.int64),
            index_scratch(self.rounds.deck),
            np.zeros((completions, dealt), np.uint8),
            np.zeros(completions, np.int64),
            np.zeros(deck, np.int64),
            sweeping,
            sums,
        )
