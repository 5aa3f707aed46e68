"""A strategy of buckets or networks as an opponent at a table."""

from __future__ import annotations

from collections.abc import Sequence

from regretless.apps.play.holdem_play import Dealt, HoldemGame
from regretless.game import Game
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.hand_lookups import lookup_of

__all__ = ["BoardOpponent"]


class BoardOpponent:
    """A strategy that answers board by board; values of its actions are not known."""

    def __init__(self, strategy: BoardStrategy) -> None:
        self.holdem = HoldemGame(strategy.tree)
        self._lookup = lookup_of(strategy)

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.holdem

    def probabilities(self, state: Dealt) -> Sequence[float]:
        """The probability of each of the mover's actions."""
        hand = self.holdem.deals[state.hands[self.holdem.player(state)]]
        return self._lookup.probabilities(state.node, tuple(hand.tolist()), state.board)

    def values(self, state: Dealt) -> Sequence[float] | None:
        """None: expected chips are not computed for such strategies."""
        return None
