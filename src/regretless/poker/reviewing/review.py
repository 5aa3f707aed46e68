"""The cost of each decision of played hands, by solutions of their situations."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from regretless.errors import OptionError, suggest
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.cards.deck import STANDARD
from regretless.poker.games import STREETS
from regretless.poker.quoting import quoted
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.hand_lookups import lookup_of
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.reviewing.hand_sources import HandSource, hands_in_file
from regretless.poker.reviewing.solutions import FoundHand, Solution, find_solution

__all__ = ["Review", "ReviewedDecision", "review", "review_hands"]

NODES = 256
"""Nodes with their expected values that are cached."""


@dataclass(frozen=True)
class ReviewedDecision:
    """One decision of a hand beside the solution."""

    hand: str  # the file and the number of the hand
    player: str
    street: str
    cards: str
    board: str
    line: str  # in the words of the solution
    action: str
    probability: float  # with which the solution takes the action
    best: str  # the action worth most or, if values are not known, the most likely one
    loss: float | None  # chips of the hand; None if values are not known
    share: float | None  # the loss divided by the pot
    pot: float  # chips of the hand
    exact: bool  # whether all bets are bets of the solution; else the nearest were taken
    solution: str
    solution_board: str  # the board with the suits of the solution, to find the node there
    scale: float = 1.0  # chips of the solution for a chip of the hand; `line`, `action` and `best` are in the former

    def in_hand(self, words: str) -> str:
        """A line or an action with the chips of the hand."""
        return re.sub(r"\d+(?:\.\d+)?", lambda found: spell_chips(float(found[0]) / self.scale), words)


@dataclass(frozen=True)
class Review:
    """Decisions with their cost, worst first, and the hands that fit no solution with the reasons."""

    decisions: tuple[ReviewedDecision, ...]
    hands: int  # read
    misfits: tuple[tuple[str, str], ...]  # hand and reason
    note: str = ""  # that no hand has the player, where some hands cannot be read

    @property
    def valued(self) -> int:
        """Decisions whose loss is known; runs with buckets or networks store no values of actions."""
        return sum(one.loss is not None for one in self.decisions)

    @property
    def loss(self) -> float:
        """Chips that all decisions lost together."""
        return sum(one.loss or 0.0 for one in self.decisions)

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Why hands do not fit, most frequent first, and the number of hands of each reason."""
        return Counter(reason for _, reason in self.misfits).most_common()

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary for each decision, for tables."""
        return [asdict(one) for one in self.decisions]

    def __repr__(self) -> str:
        counted = f"{_counted(self.hands, 'hand')}, {_counted(len(self.decisions), 'decision')}"
        return f"<Review: {counted}, {self.loss:g} chips lost, {len(self.misfits):,} without a solution>"


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def review(
    hands: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    solutions: Any,
    *,
    player: str | None = None,
    nearest: bool = True,
) -> Review:
    """Compare played hands with solutions: what each decision cost, worst first.

    hands: files of PokerStars or GGPoker, PHH files, or logs of the poker competition (needs PokerKit, an extra).
    solutions: a run or a strategy of hold'em, several of them, or {name: run}. Each hand is looked up in the one that
    begins with its board, up to suits, and has about the same stacks.
    player: only this player's decisions. Decisions of players whose cards are unknown are left out.
    nearest: whether a bet that a solution does not have is read as the nearest one; else such hands do not fit.
    """
    files = [hands] if isinstance(hands, str | os.PathLike) else list(hands)
    found = [hand for file in files for hand in hands_in_file(file)]
    return review_hands(found, solutions, player=player, nearest=nearest)


def review_hands(
    hands: Iterable[HandSource], solutions: Any, *, player: str | None = None, nearest: bool = True
) -> Review:
    """The same for hands that have been read, or that are read meanwhile."""
    known, count, unread = _solutions(solutions), 0, 0
    valued = lru_cache(NODES)(lambda solution, line, board: solution.strategy.at(line, board or None))
    decisions: list[ReviewedDecision] = []
    misfits: list[tuple[str, str]] = []
    players: dict[str, None] = {}  # those whose hands were read, in their order
    for hand in hands:
        count += 1
        unread += hand.history is None
        players |= dict.fromkeys(() if hand.history is None else _names(hand))
        found = find_solution(hand, known, nearest) if hand.history is not None else hand.problem
        if isinstance(found, str):
            misfits.append((hand.name, found))
            continue
        try:
            decisions += _reviewed(hand, found, player, valued)
        except OptionError as error:
            misfits.append((hand.name, str(error)))
    note = _missing_player(player, list(players), unread)
    decisions.sort(key=lambda one: -math.inf if one.loss is None else one.loss, reverse=True)
    return Review(tuple(decisions), count, tuple(misfits), note)


def _missing_player(player: str | None, players: list[str], unread: int) -> str:
    """That no hand has the player, else an empty text; OptionError if all hands were read."""
    if player is None or not players or player in players:
        return ""
    if not unread:
        raise OptionError(f"no hand has a player {quoted(player)}: {suggest(player, players)}")
    left = f"{_counted(unread, 'hand')} could not be read"
    return f"no hand that was read has a player {quoted(player)}, and {left}: {suggest(player, players)}"


def _solutions(given: Any) -> list[Solution]:
    """The strategies that are given, with names; see `review`."""
    listed = list(given) if isinstance(given, list | tuple) else [given]
    named = list(given.items()) if isinstance(given, Mapping) else [("", one) for one in listed]
    found = []
    for name, one in named:
        strategy = getattr(one, "strategy", one)
        if not isinstance(strategy, PublicStrategy | BoardStrategy):
            raise OptionError(f"hands are reviewed with runs or strategies of hold'em, got {quoted(one)}")
        found.append(Solution(name or strategy.tree.game.name, strategy))
    return found


def _reviewed(hand: HandSource, found: FoundHand, player: str | None, valued: Any) -> list[ReviewedDecision]:
    """The decisions of one hand whose cards are known."""
    follower = found.follower
    shown = _shown(hand.history)
    names = _names(hand)
    reviewed = []
    for decision, seat, exact in zip(follower.decisions, follower.seats, follower.exact, strict=True):
        name = names[seat]
        cards = found.in_hand(decision.hand) if decision.hand else shown.get(seat, "")
        if not cards or (player is not None and name != player):
            continue
        worth = _worth(found.solution, decision.line, decision.board, found.in_solution(cards), valued)
        at = worth.actions.index(decision.action)
        loss = None if worth.values is None else max(worth.values) - worth.values[at]
        best = worth.probabilities if worth.values is None else worth.values
        reviewed.append(
            ReviewedDecision(
                hand=hand.name,
                player=name,
                street=STREETS.get(len(decision.board.split()), ""),
                cards=cards,
                board=found.in_hand(decision.board),
                line=decision.line,
                action=decision.action,
                probability=worth.probabilities[at],
                best=worth.actions[int(np.argmax(best))],
                loss=None if loss is None else loss / follower.scale,
                share=None if loss is None else loss / worth.pot,
                pot=worth.pot / follower.scale,
                exact=exact,
                solution=found.solution.name,
                solution_board=decision.board,
                scale=follower.scale,
            )
        )
    return reviewed


def _names(hand: HandSource) -> list[str]:
    """The players of a hand of two; those without a name are p1 and p2."""
    return [*hand.players, *(f"p{seat + 1}" for seat in range(len(hand.players), 2))]


@dataclass(frozen=True)
class _Worth:
    """What a hand can do at a node; chips of the game."""

    actions: tuple[str, ...]
    probabilities: list[float]
    values: list[float] | None  # expected chips of each action; None if they are not known
    pot: float


def _worth(solution: Solution, line: str, board: str, cards: str, valued: Any) -> _Worth:
    held = STANDARD.cards(cards)
    if isinstance(solution.strategy, BoardStrategy):
        lookup = lookup_of(solution.strategy)
        tree = lookup.betting_tree
        node = tree.find(line)
        pot = float(tree.paid[node].sum()) + float(lookup.game.betting.pot)
        return _Worth(tree.actions[node], list(lookup.probabilities(node, held, STANDARD.cards(board))), None, pot)
    found = valued(solution, line, board)
    rows = np.flatnonzero((found.hands == sorted(held)).all(axis=1))
    if not len(rows):
        raise OptionError(f"{STANDARD.hand_name(held)} is not in the range of player {found.player} in {solution.name}")
    at = int(rows[0])
    values = found.action_ev[at].tolist()
    known = None if any(math.isnan(value) for value in values) else values
    return _Worth(found.actions, found.probabilities[at].tolist(), known, found.pot)


def _shown(history: Any) -> dict[int, str]:
    """Cards that players showed at the end, by player of the hand."""
    shown: dict[int, str] = {}
    for action in history.actions:
        words = action.split() if isinstance(action, str) else []
        if len(words) > 2 and words[1] == "sm" and "?" not in words[2] and words[0][1:].isdecimal():
            shown[int(words[0][1:]) - 1] = STANDARD.hand_name(STANDARD.cards(words[2]))
    return shown
