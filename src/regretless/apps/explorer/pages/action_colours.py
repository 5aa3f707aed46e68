"""The colours of actions: an action has one colour at all nodes of a game and on all pages.

Bets of hold'em are coloured by their share of the pot, on the scale of `bet_scale`; pictures use the same one. Actions
of other games are numbered in the order in which the game first offers them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from regretless.apps.explorer.pages.drawing import action_class
from regretless.poker.results.drawing.bet_scale import bet_steps, ranked_steps

__all__ = ["chosen_colours", "line_colours", "node_colours", "numbered_colours", "ranked_colours"]


class LineNode(Protocol):
    """A node of hold'em: the line of play to it, and its actions."""

    @property
    def line(self) -> str:
        """As the betting tree spells it."""

    @property
    def actions(self) -> tuple[str, ...]:
        """Their names."""


def line_colours(rules: Any, line: str, actions: Sequence[str]) -> list[str]:
    """Classes of the actions after a line of play; rules: the betting of the game."""
    return _classes(actions, bet_steps(rules, line, actions))


def node_colours(game: Any, node: LineNode) -> list[str]:
    """Classes of the actions of a node of hold'em."""
    return line_colours(game.betting, node.line, node.actions)


def ranked_colours(actions: Sequence[str]) -> list[str]:
    """Classes of actions without a game: bets by their rank."""
    return _classes(actions, ranked_steps(actions))


def _classes(actions: Sequence[str], steps: Sequence[int | None]) -> list[str]:
    calm = {"fold": "hold-fold"}
    return [
        calm.get(action, "hold-pass") if step is None else f"hold-bet{step}"
        for action, step in zip(actions, steps, strict=True)
    ]


def numbered_colours(numbers: Mapping[str, int], actions: Sequence[str]) -> list[str]:
    """Classes of actions by their numbers in the game; by their position where the game was not listed."""
    return [action_class(numbers.get(action, at)) for at, action in enumerate(actions)]


def chosen_colours(opponent: Any, label: str, actions: Sequence[str]) -> list[str]:
    """Classes of the actions of an infoset at a table or in a drill."""
    rules = getattr(opponent.game, "rules", None)
    if rules is not None and hasattr(rules, "betting"):
        return line_colours(rules.betting, label.rpartition(" | ")[2], actions)
    return numbered_colours(getattr(opponent, "action_numbers", {}), actions)
