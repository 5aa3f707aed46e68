"""A node whose strategy is painted: what the page shows of it, and the game that comes of what was painted."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.errors import OptionError
from regretless.poker.cards.deck import Deck
from regretless.poker.cards.hand_classes import class_name
from regretless.poker.games import Lock, PublicGame, Spot
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.studying.node_locks import lock_node
from regretless.poker.tree.board_lookup import find_board

__all__ = ["LockRow", "cells_for_browser", "check_lockable", "lock_rows", "painted_game", "read_painted"]

WHOLE = 10_000
"""Painted probabilities are sent as whole numbers of this."""

PAINTED = re.compile(r"[2-9TJQKA][cdhs][2-9TJQKA][cdhs](?:-\d{1,5})+")


@dataclass(frozen=True)
class LockRow:
    """A locked node of a game, for a list."""

    number: int
    line: str
    board: str
    """The board on which it holds; empty for all boards."""
    summary: str
    """What is locked, in a few words."""


def lock_rows(game: PublicGame) -> list[LockRow]:
    """The locked nodes of a game."""
    return [
        LockRow(number, lock.line, "" if lock.board is None else str(lock.board), _summary(lock))
        for number, lock in enumerate(game.locks)
    ]


def _summary(lock: Lock) -> str:
    """The strategy of a lock in a few words."""
    if any(isinstance(row, Mapping) for row in lock.strategy.values()):
        hands = sum(len(str(names).split(",")) for names in lock.strategy)
        return f"{hands} {'entry' if hands == 1 else 'entries'} for hands"
    return ", ".join(f"{action} {float(share):.0%}" for action, share in lock.strategy.items())


def check_lockable(strategy: Any) -> None:
    """Refuse a strategy whose nodes cannot be locked and solved again by a page."""
    if not isinstance(strategy, PublicStrategy) or not isinstance(strategy.tree.game, Spot):
        raise OptionError("nodes of spots are locked here; for other games use game.lock in Python")


def cells_for_browser(strategy: PublicStrategy, node: NodeStrategy) -> dict[str, Any]:
    """What the script of the page reads: the hands of each class, those that differ by suits only with one number."""
    street = int(strategy.tree.betting_tree.street[strategy.node(node.line)])
    hands, classes = find_board(strategy.tree, street, node.board or None).hands(node.player)
    assert np.array_equal(hands, node.hands)
    cells: dict[str, list[Any]] = {}
    for at, hand in enumerate(hands.tolist()):
        shares = np.round(node.probabilities[at], 4).tolist()
        row = [node.names[at], int(classes[at]), round(float(node.mass[at]), 9), shares]
        cells.setdefault(class_name(hand, node.game.deck), []).append(row)
    return {"actions": list(node.actions), "cells": cells}


def read_painted(text: str, node: NodeStrategy, deck: Deck) -> dict[str, dict[str, float]]:
    """{hand: {action: probability}} from the text that the page sends: "AhKs-0-7500-2500.QdQc-…"."""
    changes: dict[str, dict[str, float]] = {}
    for part in filter(None, text.split(".")):
        if not PAINTED.fullmatch(part):
            raise OptionError(f"the painted hands cannot be read at {part[:40]!r}: load the page again")
        name, *numbers = part.split("-")
        if len(numbers) != len(node.actions) or not sum(map(int, numbers)):
            raise OptionError(f"{name} has {len(numbers)} probabilities, and there are {len(node.actions)} actions")
        total = sum(map(int, numbers))
        if abs(total - WHOLE) > len(numbers):
            raise OptionError(f"the probabilities of {name} sum to {total / WHOLE:g}, not 1")
        shares = [int(number) / total for number in numbers]
        changes[deck.hand_name(sorted(deck.cards(name)))] = dict(zip(node.actions, shares, strict=True))
    return changes


def painted_game(
    strategy: PublicStrategy,
    line: str,
    board: str,
    painted: str | None,
    *,
    kept: Container[int],
    every_board: bool = False,
) -> PublicGame:
    """The game of a run with the locks that are kept and, unless `painted` is None, with one more at this node."""
    game: PublicGame = strategy.tree.game
    if painted is not None:
        node = strategy.at(line, board or None, ev=False)
        game = lock_node(strategy, line, read_painted(painted, node, game.deck), board or None, every_board=every_board)
        new = game.locks[-1]
    others = [lock for number, lock in enumerate(strategy.tree.game.locks) if number in kept and lock in game.locks]
    return game.with_locks([*others, new] if painted is not None else others)
