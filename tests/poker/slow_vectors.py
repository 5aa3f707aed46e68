"""Values and best responses of a game on a public tree with a number for each hand and a matrix for who beats whom.

Every board is dealt in every suit, and every pair of hands is looked at: no classes, no sweeps, no sums over subsets.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt
from slow_poker import score

from regretless.kernels.constants import DEAL, FOLD
from regretless.poker import PublicGame
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.board_lookup import find_board

Cards = tuple[int, ...]
Floats = npt.NDArray[np.float64]
Plays = Callable[[int, Cards], Floats]
"""(node of the betting tree, board) → [actions, hands] probabilities."""


class SlowVectors:
    """A game whose strategies are measured by brute force."""

    def __init__(self, game: PublicGame, plays: Plays) -> None:
        self.game, self.plays, self.tree = game, plays, game.betting_tree()
        self.hands = game.deck.hands(game.hand_size)
        shared = (self.hands[:, None, :, None] == self.hands[None, :, None, :]).any(axis=(2, 3))
        self.meet = (~shared).astype(np.float64)  # [hands, hands]
        self.ranks: dict[Cards, npt.NDArray[np.int64]] = {}
        self.matrices: dict[Cards, tuple[Floats, Floats]] = {}  # of the latest board

    def values(self) -> list[tuple[float, float]]:
        """For each player what a best response wins and what the strategies themselves win, chips per game."""
        weights = self.game.hand_weights()
        out = []
        for player in range(2):
            mine, theirs = weights[player], weights[1 - player]
            best = mine @ self.value(player, 0, self.game.first_board, theirs) / (mine @ self.meet @ theirs)
            out.append((float(best[0]), float(best[1])))
        return out

    def value(self, player: int, node: int, board: Cards, reach: Floats) -> Floats:
        """[hands, 2] counterfactual values: of the best response, and of the player's own strategy."""
        tree, kind = self.tree, int(self.tree.kind[node])
        if kind >= DEAL:
            return self.deal(player, node, board, reach) if kind == DEAL else self.end(player, node, board, reach)
        first, plays = int(tree.first_child[node]), self.plays(node, board)
        if kind != player:
            return sum(self.value(player, first + a, board, reach * share) for a, share in enumerate(plays))  # type: ignore[return-value]
        below = np.array([self.value(player, first + a, board, reach) for a in range(len(plays))])
        return np.stack([below[:, :, 0].max(axis=0), (plays * below[:, :, 1]).sum(axis=0)], axis=1)

    def end(self, player: int, node: int, board: Cards, reach: Floats) -> Floats:
        if self.tree.kind[node] == FOLD:
            worth = self.tree.win[node, player] * (self.meet @ reach)
        else:
            better, equal = self.compared(board)
            win, tie, lose = (float(of[node, player]) for of in (self.tree.win, self.tree.tie, self.tree.lose))
            worth = win * (better @ reach) + tie * (equal @ reach) + lose * (better.T @ reach)
        return np.stack([worth, worth], axis=1)

    def deal(self, player: int, node: int, board: Cards, reach: Floats) -> Floats:
        """The mean over all boards that touch neither player's hand."""
        count = self.game.board_cards[int(self.tree.street[node])]
        left = [card for card in range(self.game.deck.size) if card not in board]
        total = np.zeros((len(self.hands), 2))
        for dealt in combinations(left, count):
            free = np.asarray(~np.isin(self.hands, dealt).any(axis=1))
            worth = self.value(player, int(self.tree.first_child[node]), board + dealt, reach * free)
            total += worth * free[:, None]
        return total / comb(len(left) - 2 * self.game.hand_size, count)

    def compared(self, board: Cards) -> tuple[Floats, Floats]:
        """[hands, hands] whether one hand beats another on a board, and whether they are equally strong."""
        if board not in self.ranks:
            free = [not {*hand} & {*board} for hand in self.hands.tolist()]
            scores = [
                score(self.game.deck, (*h, *board)) if ok else ()
                for h, ok in zip(self.hands.tolist(), free, strict=True)
            ]
            order = {found: rank for rank, found in enumerate(sorted({*scores, ()}))}
            self.ranks[board] = np.array([order[found] for found in scores])  # 0: touches the board
        rank = self.ranks[board]
        if board not in self.matrices:
            possible = self.meet * np.outer(rank > 0, rank > 0)
            self.matrices = {board: (possible * (rank[:, None] > rank), possible * (rank[:, None] == rank))}
        return self.matrices[board]


def played(strategy: PublicStrategy) -> Plays:
    """What a strategy of a public tree plays; hands that cannot be held play nothing."""
    tree = strategy.tree
    found: dict[tuple[Cards, int], tuple[int, Any, Any]] = {}
    known = {tuple(hand): number for number, hand in enumerate(tree.game.deck.hands(tree.game.hand_size).tolist())}

    def plays(node: int, board: Cards) -> Floats:
        player = int(tree.betting_tree.kind[node])
        if (board, player) not in found:
            place = find_board(tree, int(tree.betting_tree.street[node]), board)
            hands, classes = place.hands(player)
            found[board, player] = (place.number, [known[tuple(hand)] for hand in hands.tolist()], classes)
        number, hands, classes = found[board, player]
        out = np.zeros((len(tree.betting_tree.actions[node]), len(known)))
        out[:, hands] = strategy.block(node, number)[:, classes]
        return out

    return plays
