"""A strategy by buckets as an opponent at a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from regretless.apps.play.holdem_play import Dealt, HoldemGame
from regretless.game import Game
from regretless.poker.results.bucket_strategy import BucketStrategy

__all__ = ["BucketOpponent"]

REMEMBERED = 64
"""Boards whose buckets are cached."""


class BucketOpponent:
    """The strategy of a game with a card abstraction; values of its actions are not known."""

    def __init__(self, strategy: BucketStrategy) -> None:
        self.strategy = strategy
        self.holdem = HoldemGame(strategy.tree)
        self._buckets = lru_cache(REMEMBERED)(strategy.tree.abstraction.sequences_on)

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.holdem

    def probabilities(self, state: Dealt) -> Sequence[float]:
        """The probability of each of the mover's actions."""
        hand = state.hands[self.holdem.player(state)]
        return list(self.strategy.block(state.node)[:, self._buckets(state.board)[hand]].tolist())

    def values(self, state: Dealt) -> Sequence[float] | None:
        """None: expected chips are not computed for strategies by buckets."""
        return None
