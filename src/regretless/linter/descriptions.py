"""Histories, actions and infosets as a user reads them.

Labels that raise are a problem of their own; here they must not hide the problem that is reported.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from regretless.game import Game, shortened

__all__ = ["brief", "listed", "named_actions", "named_history", "named_infoset", "past", "where"]

MOST_LISTED = 12
"""Actions, probabilities or payoffs in a message before the rest is cut off."""

MOST_MOVES = 40
"""Moves in a message before the first ones are cut off."""

MOST_CHARACTERS = 200
"""Characters of one label in a message."""


def named_actions(game: Game, actions: Sequence[Any]) -> str:
    """Actions by their labels."""
    return listed([_named_action(game, action) for action in actions])


def named_infoset(game: Game, infoset: Hashable) -> str:
    """An infoset by its label."""
    try:
        return shortened(game.infoset_label(infoset), MOST_CHARACTERS)
    except Exception:
        return shortened(infoset, MOST_CHARACTERS)


def named_history(game: Game, moves: Sequence[Any]) -> str:
    """A history as its moves: "deal K, deal Q, pass"; empty at the start."""
    words = ", ".join(_named_action(game, move) for move in moves[-MOST_MOVES:])
    return words if len(moves) <= MOST_MOVES else f"… {len(moves) - MOST_MOVES:,} moves, {words}"


def where(game: Game, moves: Sequence[Any]) -> str:
    """A history as the place where a problem was found."""
    return f"after {named_history(game, moves)}" if moves else "at the start"


def past(game: Game, last: tuple[Hashable, Any] | None) -> str:
    """What a player did last, given the infoset and the action."""
    if last is None:
        return "not moved before"
    return f"played {_named_action(game, last[1])} at {named_infoset(game, last[0])}"


def listed(values: Sequence[Any]) -> str:
    """Values separated by commas; only the first ones of a long list."""
    words = [_printed(value) for value in values[:MOST_LISTED]]
    return ", ".join([*words, f"… {len(values)} in all"] if len(values) > MOST_LISTED else words)


def brief(state: Any) -> str:
    """A state, on part of a line."""
    return shortened(state, 80)


def _named_action(game: Game, action: Any) -> str:
    try:
        return _printed(game.action_label(action))
    except Exception:
        return shortened(action, MOST_CHARACTERS)


def _printed(value: Any) -> str:
    """What a value prints, cut off where it is long."""
    try:
        return str(value)[:MOST_CHARACTERS]
    except Exception:  # Python prints no whole number of thousands of digits
        return shortened(value)
