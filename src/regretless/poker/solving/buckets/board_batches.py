"""Batches of sampled boards, and what walks read of them."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.buckets.bucket_layout import StreetBoards
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.cards.evaluator import strengths

__all__ = ["BoardBatches"]

Array = npt.NDArray[Any]
Cards = tuple[int, ...]


class BoardBatches:
    """Batches of complete boards drawn at random. The boards of a batch share their flop, and some share a turn.

    Each board by itself is drawn uniformly, so shared cards leave the estimates unbiased; sharing saves walks of the
    streets before the last.
    """

    def __init__(self, tree: BucketedTree, boards: int | None, dtype: str) -> None:
        """boards: of a batch; None walks all boards below one deal of the second street."""
        self.tree, self.dtype = tree, dtype
        game = tree.game
        self.hands = game.deck.hands(game.hand_size)
        self.deal_sizes = game.board_cards  # cards dealt before each street but the first
        self.left = np.array([card for card in range(game.deck.size) if card not in game.first_board])
        self.every = boards is None
        self.counts = self._all_boards() if boards is None else _boards_by_street(boards, len(self.deal_sizes))
        """Boards of each street in a batch."""

    def _all_boards(self) -> list[int]:
        """Boards of each street below one deal of the second street."""
        counts, left = [1], len(self.left)
        for street, dealt in enumerate(self.deal_sizes):
            counts.append(counts[-1] * (comb(left, dealt) if street else 1))
            left -= dealt
        return counts

    def draw(self, *seeds: int) -> list[list[tuple[Cards, int]]]:
        """The boards of a batch by street, each with the number of the board above; they depend on the seeds alone."""
        draw = np.random.default_rng(list(seeds))
        streets = [[(tuple(self.tree.game.first_board), 0)]]
        for dealt, count in zip(self.deal_sizes, self.counts[1:], strict=True):
            above, street = streets[-1], []
            parents = [n * len(above) // count for n in range(count)]
            for number, (board, _) in enumerate(above):
                deals = self._deals(draw, board, dealt, parents.count(number))
                street += [((*board, *cards), number) for cards in deals]
            streets.append(street)
        return streets

    def _deals(self, draw: np.random.Generator, board: Cards, cards: int, count: int) -> list[Cards]:
        """Deals after a board: single cards are all different as long as there are enough."""
        left = self.left[~np.isin(self.left, board)]
        if self.every and len(board) > len(self.tree.game.first_board):
            return list(combinations(left.tolist(), cards))
        if cards > 1:
            return [tuple(draw.choice(left, cards, replace=False).tolist()) for _ in range(count)]
        shuffled = [card for _ in range(-(-count // len(left))) for card in draw.permutation(left).tolist()]
        return [(card,) for card in shuffled[:count]]

    def prepared(self, batch: list[list[tuple[Cards, int]]]) -> list[StreetBoards]:
        """The boards of a batch as walks read them, by street."""
        below: list[Array] = [np.ones(len(street)) for street in batch]
        for street in range(len(batch) - 1, 0, -1):
            below[street - 1] = np.bincount([parent for _, parent in batch[street]], below[street])
        position = [np.arange(len(self.hands))]  # of each hand of the deck on the boards of the street above
        out = []
        for street, boards in enumerate(batch):
            parts = [self._board(cards, street == len(batch) - 1) for cards, _ in boards]
            found = [
                self._placed(live, position[parent]) for (live, *_), (_, parent) in zip(parts, boards, strict=True)
            ]
            position = [at for at, _ in found]
            out.append(
                StreetBoards(
                    first=_offsets([len(live) for live, *_ in parts]),
                    low=np.concatenate([self.hands[live, 0] for live, *_ in parts]).astype(np.int64),
                    high=np.concatenate([self.hands[live, -1] for live, *_ in parts]).astype(np.int64),
                    group_end=np.concatenate([part[1] for part in parts]),
                    above=np.concatenate([above for _, above in found]),
                    local=np.concatenate([part[2] for part in parts]),
                    bucket_first=_offsets([len(part[3]) for part in parts]),
                    bucket=np.concatenate([part[3] for part in parts]),
                    parent=np.array([parent for _, parent in boards], np.int64),
                    complete=below[street].astype(self.dtype),
                )
            )
        return out

    def _board(self, board: Cards, last: bool) -> tuple[Array, Array, Array, Array]:
        """The live hands of a board; the ends of their groups; which of its buckets each is in; those buckets."""
        buckets = self.tree.abstraction.sequences_on(board)
        if last:
            rank = strengths(self.tree.game.deck, board, self.hands)
            live = np.argsort(rank, kind="stable")[np.count_nonzero(rank < 0) :]
            ordered = rank[live]
            group_end = np.searchsorted(ordered, ordered, side="right").astype(np.int64)
        else:
            live = np.flatnonzero(buckets >= 0)
            group_end = np.zeros(len(live), np.int64)
        present, local = np.unique(buckets[live], return_inverse=True)
        return live, group_end, local.astype(np.int64).reshape(-1), present.astype(np.int64)

    def _placed(self, live: Array, above: Array) -> tuple[Array, Array]:
        """The position of each hand of the deck on a board, and of each live hand on the board above."""
        position = np.full(len(self.hands), -1, np.int64)
        position[live] = np.arange(len(live))
        return position, above[live]


def _offsets(counts: list[int]) -> Array:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _boards_by_street(boards: int, deals: int) -> list[int]:
    """Boards of each street in a batch: one flop, and the same growth from street to street after it."""
    if deals <= 1:
        return [1] + [boards] * deals
    return [1] + [max(1, round(boards ** (n / (deals - 1)))) for n in range(deals - 1)] + [boards]
