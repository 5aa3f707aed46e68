"""The solution of a hand among several: the same board up to suits, two players, and stacks of about the same depth."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from regretless.errors import FileError, OptionError
from regretless.poker.betting.limit import Limit
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.cards.deck import STANDARD, SUITS
from regretless.poker.formats.histories.history_reading import Follower, follow_hand
from regretless.poker.games import PublicGame
from regretless.poker.reviewing.hand_sources import HandSource

__all__ = ["FoundHand", "Solution", "find_solution"]

DEPTH = 1.25
"""A hand fits a no-limit game if the stacks in pots differ by at most this factor."""

CARDS = re.compile(r"(?:[2-9TJQKA][cdhs])+")


@dataclass(frozen=True)
class Solution:
    """A strategy with a name for messages."""

    name: str
    strategy: Any

    @property
    def game(self) -> PublicGame:
        """The game of the strategy."""
        game: PublicGame = self.strategy.tree.game
        return game


@dataclass(frozen=True)
class FoundHand:
    """A hand in a solution; its suits may be exchanged there."""

    solution: Solution
    follower: Follower
    suits: str  # for each suit of SUITS in the hand, its suit in the solution

    def in_solution(self, cards: str) -> str:
        """Cards of the hand with the suits of the solution."""
        return exchanged(cards, self.suits)

    def in_hand(self, cards: str) -> str:
        """Cards of the solution with the suits of the hand."""
        return exchanged(cards, "".join(SUITS[self.suits.index(suit)] for suit in SUITS))


def exchanged(text: str, suits: str) -> str:
    """A text in which the suits of all cards are exchanged: clubs become suits[0], diamonds suits[1], …"""
    table = str.maketrans(SUITS, suits)
    return CARDS.sub(lambda found: found[0].translate(table), text)


def find_solution(hand: HandSource, solutions: list[Solution], nearest: bool) -> FoundHand | str:
    """The solution with the most similar stacks among those that a hand fits; else a sentence that says why none."""
    board = _board(hand.history)
    found: list[tuple[float, FoundHand]] = []
    reasons: list[str] = []
    for solution in solutions:
        suits = _suits_for(solution.game, board)
        if suits is None:
            continue
        try:
            moved, tree = _relabelled(hand.history, suits), solution.strategy.tree.betting_tree
            follower = follow_hand(moved, solution.game, hand.name, nearest, tree)
        except (OptionError, FileError) as error:
            reasons.append(str(error).removeprefix(f"{hand.name}: "))
            continue
        if reason := _misfit(follower, solution):
            reasons.append(reason)
        else:
            found.append((_distance(follower), FoundHand(solution, follower, suits)))
    if found:
        return min(found, key=lambda one: one[0])[1]
    if reasons:
        return reasons[0]
    shown = STANDARD.names(board) or "no flop"
    return f"the hand has {shown}, and no solution begins with it"


def _misfit(follower: Follower, solution: Solution) -> str:
    """Why a hand that was followed is not a hand of the solution; empty if it is."""
    if not follower.decisions:
        return f"the hand ends before {solution.name} begins"
    limit = isinstance(solution.game.betting, Limit)
    if follower.translated if limit else follower.table.limit:
        return f"{solution.name} is a {'limit' if limit else 'no-limit'} game, and the hand is not"
    if _distance(follower) > np.log(DEPTH):
        rules, scale = solution.game.betting, solution.game.pot
        return (
            f"the stacks are {follower.depth / scale:.1f} pots, and {rules.chips / scale:.1f} pots in {solution.name}"
        )
    return ""


def _distance(follower: Follower) -> float:
    """How much the stacks differ: the logarithm of their ratio; 0 in limit games."""
    rules = follower.game.betting
    if not isinstance(rules, NoLimit) or not follower.decisions:
        return 0.0
    return abs(float(np.log(max(follower.depth, 1e-12) / rules.stack)))


def _board(history: Any) -> tuple[int, ...]:
    """All board cards of a hand, in the order dealt; unreadable cards end the list."""
    cards: list[int] = []
    for action in getattr(history, "actions", None) or []:
        words = action.split() if isinstance(action, str) else []
        if words[:2] == ["d", "db"] and len(words) > 2:
            try:
                cards += STANDARD.cards(words[2])
            except OptionError:
                break
    return tuple(cards)


def _suits_for(game: PublicGame, board: tuple[int, ...]) -> str | None:
    """How the suits of a hand must be exchanged to begin with the board of a game; None if the boards differ.

    The suits stay if they can. Others are exchanged only if the ranges of the game do not change by it.
    """
    first = game.first_board
    if len(board) < len(first):
        return None
    for suits in permutations(range(4)):
        moved = {4 * (card // 4) + suits[card % 4] for card in board[: len(first)]}
        if moved == set(first) and (suits == (0, 1, 2, 3) or _symmetric(game, suits)):
            return "".join(SUITS[suit] for suit in suits)
    return None


@lru_cache(maxsize=1_000)
def _moved_hands(suits: tuple[int, ...]) -> Any:
    """[hands] the number of each hand of two cards after its suits are exchanged."""
    hands = STANDARD.hands(2)
    moved = np.sort(4 * (hands // 4) + np.array(suits)[hands % 4], axis=1)
    number = np.full((52, 52), -1)
    number[hands[:, 0], hands[:, 1]] = np.arange(len(hands))
    return number[moved[:, 0], moved[:, 1]]


def _symmetric(game: PublicGame, suits: tuple[int, ...]) -> bool:
    """Whether the ranges of a game stay the same when suits are exchanged."""
    order = _moved_hands(suits)
    return all(one is None or np.array_equal(one.weights[order], one.weights) for one in game.ranges)


def _relabelled(history: Any, suits: str) -> Any:
    """A copy of a hand with exchanged suits."""
    if suits == SUITS:
        return history
    moved = copy.copy(history)
    moved.actions = [exchanged(action, suits) if isinstance(action, str) else action for action in history.actions]
    return moved
