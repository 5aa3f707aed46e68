"""What every hand wins from one hand if both are checked down: exact, over all boards to come."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.cards.hand_showdowns import add_hand_showdowns
from regretless.poker.cards.deck import STANDARD
from regretless.poker.cards.evaluator import card_words, tables_for
from regretless.poker.games import PublicGame
from regretless.poker.measuring.runouts import EnumeratedRunouts, HandCards
from regretless.poker.preflop.all_in_table import BOARDS, all_in_table, class_of_hands

__all__ = ["HandEquities"]

Floats = npt.NDArray[np.float64]

MOST_RUNOUTS = 2_000
"""Boards to come that are walked through for a hand: those of a flop of hold'em are 1,081."""

REMEMBERED = 4_096
"""Hands on boards that are cached."""


class HandEquities:
    """Boards won less boards lost, as a share of all boards to come, of every hand of a game against one hand."""

    def __init__(self, game: PublicGame) -> None:
        self.game, self.cards = game, game.deck.hands(game.hand_size).astype(np.int64)
        self.size = len(game.first_board) + sum(game.board_cards)
        self.by_class = game.deck == STANDARD and game.hand_size == 2 and not game.first_board and self.size == 5
        self.net = lru_cache(REMEMBERED)(self._net)

    def known(self, board: tuple[int, ...], ranges: Floats | None = None) -> bool:
        """Whether the equities of a board are exact; from the table of all-ins only for ranges that are even by suits.

        ranges [hands]: the weights that the equities will be summed with.
        """
        if not self.by_class or board:
            left = self.game.deck.size - len(board) - self.game.hand_size
            return comb(left, self.size - len(board)) <= MOST_RUNOUTS
        if ranges is None:
            return True
        classes = class_of_hands()
        mean = np.bincount(classes, ranges) / np.bincount(classes)
        return bool(np.allclose(ranges, mean[classes], rtol=1e-6, atol=0))

    def _net(self, own: int, board: tuple[int, ...]) -> Floats:
        """[hands] from −1 to 1; 0 for hands that share a card with the one hand or the board."""
        if self.by_class and not board:
            table, classes = all_in_table(), class_of_hands()
            net = ((table.wins - table.wins.T) / (table.pairs * BOARDS))[classes, classes[own]]
            return np.where(self.apart(own, board), net, 0.0)
        deck, taken, to_come = self.game.deck, self.cards[own].tolist(), self.size - len(board)
        left = [card for card in range(deck.size) if card not in board and card not in taken]
        boards = np.array([(*board, *more) for more in combinations(left, to_come)], np.int64)
        words, tables = card_words(deck), tables_for(self.size + self.game.hand_size)
        net, strength = np.zeros(len(self.cards), np.int64), np.empty(len(self.cards), np.int32)
        add_hand_showdowns(
            boards.reshape(-1, self.size), self.cards, own, tuple(words), tuple(tables[:3]), np.zeros(4, np.uint64),
            strength, net,
        )  # fmt: skip
        runouts = comb(len(left) - self.game.hand_size, to_come)
        return np.where(self.apart(own, board), net / runouts, 0.0)

    def apart(self, own: int, board: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        """[hands] whether each hand shares no card with the one hand and the board."""
        return np.asarray(~np.isin(self.cards, [*self.cards[own].tolist(), *board]).any(axis=1))

    def mean(self, weights: Floats, others: Floats) -> float:
        """What a range [hands] wins from another one [hands] from the first board on, for a stake of one chip."""
        game, board = self.game, self.game.first_board
        hands = HandCards(game.deck, game.hand_size)
        pairs = float(weights @ hands.opposing(others[None])[0])
        if np.array_equal(weights, others):
            return 0.0
        if self.by_class:
            rows: Any = [self._net(own, board) for own in np.flatnonzero(others).tolist()]
            return float(np.stack(rows) @ weights @ others[others > 0]) / pairs
        left = [card for card in range(game.deck.size) if card not in board]
        to_come = self.size - len(board)
        boards = [(*board, *more) for more in combinations(left, to_come)]
        net = EnumeratedRunouts(hands, boards, exact=True).net(others[None])[0]
        return float(weights @ net) / comb(len(left) - 2 * game.hand_size, to_come) / pairs
