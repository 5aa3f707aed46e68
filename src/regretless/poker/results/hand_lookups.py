"""The probabilities of one hand at one node: the same question for strategies hand by hand and by bucket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from regretless.errors import OptionError
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted
from regretless.poker.results.bucket_strategy import BucketStrategy
from regretless.poker.results.playing import class_on
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.board_lookup import find_board

__all__ = ["HandLookup", "lookup_of"]


class HandLookup(Protocol):
    """A strategy that answers for any hand of its game."""

    @property
    def game(self) -> PublicGame:
        """The game of the strategy."""

    @property
    def betting_tree(self) -> BettingTree:
        """Its betting tree."""

    def probabilities(self, node: int, hand: tuple[int, ...], board: tuple[int, ...]) -> Sequence[float]:
        """The probability of each action at a node of the betting tree; board cards in the order dealt."""


class PublicLookup:
    """A strategy on a public tree."""

    def __init__(self, strategy: PublicStrategy) -> None:
        self.strategy = strategy
        self.game, self.betting_tree = strategy.tree.game, strategy.tree.betting_tree

    def probabilities(self, node: int, hand: tuple[int, ...], board: tuple[int, ...]) -> Sequence[float]:
        """The probability of each action."""
        found = find_board(self.strategy.tree, int(self.betting_tree.street[node]), board)
        self.strategy.need(found.path)
        slot = class_on(found, int(self.betting_tree.kind[node]), hand)
        return list(self.strategy.block(node, found.number)[:, slot].tolist())


class BucketLookup:
    """A strategy by buckets."""

    def __init__(self, strategy: BucketStrategy) -> None:
        self.strategy, self.abstraction = strategy, strategy.tree.abstraction
        self.game, self.betting_tree = strategy.tree.game, strategy.tree.betting_tree

    def probabilities(self, node: int, hand: tuple[int, ...], board: tuple[int, ...]) -> Sequence[float]:
        """The probability of each action."""
        return list(self.strategy.block(node)[:, self._column(hand, board)].tolist())

    def _column(self, hand: tuple[int, ...], board: tuple[int, ...]) -> int:
        """The bucket of a hand, or with perfect recall its sequence of buckets; see `Abstraction.sequences_on`."""
        abstraction = self.abstraction
        if abstraction.recall != "perfect":
            return abstraction.bucket(hand, board)
        column = 0
        for street in range(abstraction.rounds.street_of(len(board)) + 1):
            cards = board[: abstraction.rounds.boards[street]]
            column = column * abstraction.counts[street] + abstraction.bucket(hand, cards)
        return column


def lookup_of(strategy: Any) -> HandLookup:
    """The lookup of a strategy of hold'em; a strategy that is a lookup itself is returned unchanged."""
    if isinstance(strategy, PublicStrategy):
        return PublicLookup(strategy)
    if isinstance(strategy, BucketStrategy):
        return BucketLookup(strategy)
    if callable(getattr(strategy, "probabilities", None)) and hasattr(strategy, "betting_tree"):
        return strategy  # type: ignore[no-any-return]
    raise OptionError(f"a strategy of hold'em is needed here, got {quoted(strategy)}")
