"""Strategies to sit down against: with what probability they act at a state, and what each action is worth there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from regretless.apps.views.infoset_measures import Measures
from regretless.errors import OptionError
from regretless.game import Game, State
from regretless.strategy import Strategy

__all__ = ["LabelledOpponent", "ListedOpponent", "MetOpponent", "Opponent"]


class Opponent(Protocol):
    """What a table needs of a strategy."""

    @property
    def game(self) -> Game:
        """The game that is played."""

    def chances(self, state: State) -> Sequence[float]:
        """The probability of each of the mover's actions."""

    def values(self, state: State) -> Sequence[float] | None:
        """Chips that each action is worth to the mover who knows only what the mover knows; None if nobody knows."""


class LabelledOpponent:
    """A strategy by labels, of a game that is not listed (or forgets): nobody knows what its actions are worth."""

    def __init__(self, game: Game, strategy: Strategy) -> None:
        self.game, self.strategy = game, strategy

    def _infoset(self, state: State) -> int:
        game, labels = self.game, self.strategy.labels
        mover, label = game.player(state), game.infoset_label(game.infoset(state))
        for owner in (mover, -1):  # −1 owns what players share
            infoset = labels.by_player.get((owner, label), -1)
            if infoset >= 0 and len(labels.actions[infoset]) == len(game.actions(state)):
                return infoset
        raise OptionError(f"the strategy belongs to another game: it does not know infoset {label!r} of player {mover}")

    def chances(self, state: State) -> Sequence[float]:
        """The probability of each of the mover's actions."""
        found: list[float] = self.strategy.probabilities[
            self.strategy.labels.sequences_of(self._infoset(state))
        ].tolist()
        return found

    def values(self, state: State) -> Sequence[float] | None:
        """Not known."""
        return None


class ListedOpponent(LabelledOpponent):
    """A strategy of a listed game: what every action is worth is known exactly."""

    def __init__(self, measures: Measures) -> None:
        super().__init__(measures.tree.game, measures.strategy)
        self.measures = measures

    def values(self, state: State) -> Sequence[float] | None:
        """v(I, a) over the reach of chance and the others: chips, where the infoset has been reached."""
        infoset = self._infoset(state)
        others = float(self.measures.others_reach[infoset])
        if others <= 0:  # the strategy never comes here
            return None
        worth = self.measures.counterfactual[self.strategy.labels.sequences_of(infoset)]
        return np.asarray(worth / others).tolist()  # type: ignore[no-any-return]


class MetOpponent:
    """The strategy of a game too large to list, at the infosets that its solve has met; uniform elsewhere."""

    def __init__(self, game: Game, strategy: Any) -> None:
        self.game, self.strategy = game, strategy

    def chances(self, state: State) -> Sequence[float]:
        """The probability of each of the mover's actions."""
        return list(self.strategy.at(state).values())

    def values(self, state: State) -> Sequence[float] | None:
        """Not known."""
        return None
