"""The boards below a flop, as the kernels of `cuda_flop_walks` read them."""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.cards.hand_strength import MOST_CARDS
from regretless.kernels.flops.board_steps import bucket_rows, lay_out_boards
from regretless.kernels.flops.cuda_flop_layout import FlopBoards
from regretless.poker.abstraction.abstraction import Abstraction
from regretless.poker.abstraction.card_rounds import index_scratch, index_tables
from regretless.poker.cards.evaluator import card_words, tables_for
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.games import PublicGame
from regretless.poker.measuring.bucket_walker import HandColumns
from regretless.threads import run_together

__all__ = ["BoardLayout", "StreetBoards"]

Array = npt.NDArray[Any]

BOARDS_OF_A_RUN = 16
"""On the last street, boards whose values are added up by one block."""


class Cards(NamedTuple):
    """The boards of a street, up to suits."""

    cards: Array  # [boards, cards]
    parent: Array  # [boards] the board above
    deals: Array  # [boards] deals that a board represents
    kept: list[Array]  # [boards] permutations of suits that keep it


class StreetBoards(NamedTuple):
    """The boards of a street, laid out."""

    arrays: FlopBoards
    boards: int
    above: int
    hands: int
    hands_above: int
    bucket_apart: int


class BoardLayout:
    """Lays out the boards below one flop after the other."""

    def __init__(
        self, game: PublicGame, symmetry: Symmetry, columns: tuple[HandColumns, HandColumns], tile: int, threads: int
    ) -> None:
        """columns: which bucket each hand has on a board, for both players; tile: hands of a step."""
        self.game, self.symmetry, self.tile, self.threads = game, symmetry, tile, threads
        self.columns = columns[:1] if columns[0] is columns[1] else columns
        self.hands = game.deck.hands(game.hand_size).astype(np.uint8)
        cards = card_words(game.deck)
        self.deck = cards.words, cards.ranks, cards.suits
        total = min(MOST_CARDS, game.hand_size + len(game.first_board) + sum(game.board_cards))
        found = tables_for(total)
        self.tables = found.displacement, found.classes, found.flushes
        self.strengths = int(found.first[-1])

    def lay_out(self, flop: tuple[int, ...]) -> list[StreetBoards]:
        """All streets from a flop on."""
        count, size = len(self.hands), self.game.hand_size
        streets = self._cards(flop)
        place = np.arange(count, dtype=np.int16)[None]  # [boards above, hands of the deck]
        kept_above, hands_above = [np.zeros(1, np.int64)], np.arange(count)[None]
        before, out = 0, []
        for street, boards in enumerate(streets):
            last = street == len(streets) - 1
            live = comb(self.game.deck.size - boards.cards.shape[1], size)
            hand, above, step, steps, here, number = self._arrays(boards, place, live, last)
            buckets = [self._buckets(columns, street + 1, boards.cards, number) for columns in self.columns]
            weight = np.ones(1)
            if street > 0:
                left = self.game.deck.size - before - 2 * size
                weight = boards.deals / comb(left, boards.cards.shape[1] - before)
            mate, mate_end = self._mates(kept_above, hands_above)
            run = self._runs(boards.parent, last and street > 0)
            parents = len(kept_above)
            arrays = FlopBoards(
                hand, above, np.stack(buckets), weight, step, steps, run, boards.parent[run[:-1]].astype(np.int32),
                np.searchsorted(boards.parent[run[:-1]], np.arange(parents + 1)).astype(np.int32), mate, mate_end,
            )  # fmt: skip
            apart = number.size if len(self.columns) > 1 else 0
            out.append(StreetBoards(arrays, len(number), parents, live, hands_above.shape[1], apart))
            place, kept_above, hands_above, before = here, boards.kept, number, boards.cards.shape[1]
        return out

    def _cards(self, flop: tuple[int, ...]) -> list[Cards]:
        """The boards of all streets."""
        game = self.game
        kept = np.zeros(1, np.int64)
        if game.isomorphism:
            free = ~np.isin(self.hands, flop).any(axis=1)
            first, second = (weight * free for weight in game.hand_weights())
            kept = self.symmetry.keeping(flop, (first, second))
        out = [Cards(np.array([flop], np.int64), np.zeros(1, np.int64), np.ones(1, np.int64), [kept])]
        for size in game.board_cards[1:]:
            above = out[-1]
            found = [
                (*cards.tolist(), *dealt, parent, deals, keeps)
                for parent, (cards, kept) in enumerate(zip(above.cards, above.kept, strict=True))
                for dealt, deals, keeps in self.symmetry.deals(tuple(cards.tolist()), kept, size)
            ]
            numbers = np.array([row[:-1] for row in found], np.int64)
            out.append(Cards(numbers[:, :-2], numbers[:, -2], numbers[:, -1], [row[-1] for row in found]))
        return out

    def _arrays(self, boards: Cards, place_above: Array, live: int, last: bool) -> tuple[Array, ...]:
        """hand, above, step and steps of `FlopBoards`; the place of each hand of the deck; the hand in each place."""
        count, most = len(boards.cards), 9 * (live // self.tile + 1) + 1
        hand, above = np.zeros((count, live), np.int32), np.zeros((count, live), np.int16)
        step, steps = np.zeros((count, most), np.int32), np.zeros(count, np.int32)
        place, number = np.zeros((count, len(self.hands)), np.int16), np.zeros((count, live), np.int16)

        def work(own: slice) -> None:
            scratch = (
                np.zeros(4, np.uint64),
                np.zeros(len(self.hands), np.int32),
                np.zeros(self.strengths + 2, np.int64),
            )
            lay_out_boards(
                boards.cards[own], boards.parent[own], place_above, self.hands, last, self.deck, self.tables, self.tile,
                scratch, place[own], number[own], (hand[own], above[own], step[own], steps[own]),
            )  # fmt: skip

        self._in_parts(work, count)
        return hand, above, np.ascontiguousarray(step[:, : max(1, int(steps.max()))]), steps, place, number

    def _in_parts(self, work: Any, count: int) -> None:
        """Call `work` with a slice of `count` boards on each thread."""
        threads = max(1, min(self.threads, count // 8))
        ends = [count * part // threads for part in range(threads + 1)]
        run_together(lambda part: work(slice(ends[part], ends[part + 1])), threads)

    def _buckets(self, columns: HandColumns, street: int, boards: Array, number: Array) -> Array:
        """[boards, live] the bucket of each hand on a street of the game."""
        out = np.zeros(number.shape, np.int32)
        if not isinstance(columns, Abstraction) or columns.recall == "perfect":
            for board, cards in enumerate(boards):
                out[board] = columns.sequences_on(tuple(cards.tolist()))[number[board]]
            return out
        tables, bucket_of = tuple(index_tables(columns.rounds, street)), columns.street(street).bucket_of

        def work(own: slice) -> None:
            scratch, column = index_scratch(columns.rounds.deck), np.zeros(len(self.hands), np.int32)
            bucket_rows(boards[own], number[own], self.hands, tables, scratch, bucket_of, column, out[own])

        self._in_parts(work, len(boards))
        return out

    def _mates(self, kept: list[Array], hands: Array) -> tuple[Array, Array]:
        """`mate` and `mate_end` of the boards above, whose hands are numbered hands [boards above, live]."""
        places = np.arange(hands.shape[1], dtype=np.int16)
        mate, end = np.tile(places, (len(kept), 1)), np.tile(places + 1, (len(kept), 1)).astype(np.int16)
        maps = self.symmetry.sets(self.game.hand_size)
        for board, keeps in enumerate(kept):
            if len(keeps) > 1:
                lowest = maps[keeps][:, hands[board]].min(axis=0)
                mate[board] = order = np.argsort(lowest, kind="stable")
                first = np.flatnonzero(np.diff(lowest[order], prepend=-1))
                end[board] = 0
                end[board, first] = np.append(first[1:], len(places))
        return mate, end

    @staticmethod
    def _runs(parent: Array, last: bool) -> Array:
        """[runs + 1] where runs of boards begin: a board each, or on the last street some boards with one parent."""
        count = len(parent)
        if not last:
            return np.arange(count + 1, dtype=np.int32)
        first = np.searchsorted(parent, parent)  # the first board with the same parent
        begins = (np.arange(count) - first) % BOARDS_OF_A_RUN == 0
        return np.append(np.flatnonzero(begins), count).astype(np.int32)
