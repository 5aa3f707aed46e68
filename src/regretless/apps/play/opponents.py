"""Strategies as opponents: the probability of each action at a state, and its expected chips."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from regretless.apps.views.infoset_measures import Measures, action_numbers
from regretless.errors import OptionError
from regretless.game import Game, State
from regretless.strategy import Strategy

__all__ = ["LabelledOpponent", "ListedOpponent", "Opponent", "VisitedOpponent"]


class Opponent(Protocol):
    """What a table needs from a strategy."""

    @property
    def game(self) -> Game:
        """The game that is played."""

    def probabilities(self, state: State) -> Sequence[float]:
        """The probability of each of the mover's actions."""

    def values(self, state: State) -> Sequence[float] | None:
        """Expected chips of each action, given what the mover knows; None if unknown."""


class LabelledOpponent:
    """A strategy by labels, of a game that is not listed or has imperfect recall: values of actions are unknown."""

    def __init__(self, game: Game, strategy: Strategy) -> None:
        self.game, self.strategy = game, strategy

    @cached_property
    def action_numbers(self) -> dict[str, int]:
        """The number of each action of the game, by which it is coloured."""
        return action_numbers(self.strategy.labels)

    def _infoset(self, state: State) -> int:
        game, labels = self.game, self.strategy.labels
        mover, label = game.player(state), game.infoset_label(game.infoset(state))
        for owner in (mover, -1):  # −1: the infoset is shared by all players
            infoset = labels.by_player.get((owner, label), -1)
            if infoset >= 0 and len(labels.actions[infoset]) == len(game.actions(state)):
                return infoset
        raise OptionError(f"the strategy belongs to another game: it does not know infoset {label!r} of player {mover}")

    def probabilities(self, state: State) -> Sequence[float]:
        """The probability of each of the mover's actions."""
        found: list[float] = self.strategy.probabilities[
            self.strategy.labels.sequences_of(self._infoset(state))
        ].tolist()
        return found

    def values(self, state: State) -> Sequence[float] | None:
        """Unknown."""
        return None


class ListedOpponent(LabelledOpponent):
    """A strategy of a listed game: the value of every action is exact."""

    def __init__(self, measures: Measures) -> None:
        super().__init__(measures.tree.game, measures.strategy)
        self.measures = measures

    def values(self, state: State) -> Sequence[float] | None:
        """v(I, a) divided by the reach of chance and the others: chips, given that the infoset is reached."""
        infoset = self._infoset(state)
        others = float(self.measures.others_reach[infoset])
        if others <= 0:  # the others never come here
            return None
        worth = self.measures.counterfactual[self.strategy.labels.sequences_of(infoset)]
        return np.asarray(worth / others).tolist()  # type: ignore[no-any-return]


class VisitedOpponent:
    """The strategy of a game too large to list: stored where the solve has visited an infoset, uniform elsewhere."""

    def __init__(self, game: Game, strategy: Any) -> None:
        self.game, self.strategy = game, strategy

    def probabilities(self, state: State) -> Sequence[float]:
        """The probability of each of the mover's actions."""
        return list(self.strategy.at(state).values())

    def values(self, state: State) -> Sequence[float] | None:
        """Unknown."""
        return None
