"""The probabilities of all hands at nodes of the betting: one question for all kinds of strategies of hold'em."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.numpy_matching import matched
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted
from regretless.poker.results.bucket_strategy import BucketStrategy
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.board_lookup import find_board
from regretless.poker.tree.hand_numbers import hand_numbers

__all__ = ["RangeLookup", "range_lookup_of"]

Floats = npt.NDArray[np.float64]


@runtime_checkable
class RangeLookup(Protocol):
    """A strategy that answers for all hands at once, for example one of a network."""

    @property
    def game(self) -> PublicGame:
        """The game of the strategy; its abstraction, if it has one, does not matter here."""

    @property
    def betting_tree(self) -> BettingTree:
        """Its betting tree."""

    def probabilities_on(self, nodes: Sequence[int], board: tuple[int, ...]) -> list[Floats]:
        """For each of the nodes, which are decisions of one street: [actions, hands of the deck] probabilities.

        The board has the cards of that street in the order dealt. Hands that hold one of them may have any numbers.
        """


class BucketRanges:
    """A strategy by buckets."""

    def __init__(self, strategy: BucketStrategy) -> None:
        self.strategy = strategy
        self.game, self.betting_tree = strategy.tree.game, strategy.tree.betting_tree

    def probabilities_on(self, nodes: Sequence[int], board: tuple[int, ...]) -> list[Floats]:
        """Only the buckets of the hands are read, so the table can stay in its file."""
        tree, source = self.strategy.tree, self.strategy.source
        column = np.maximum(tree.abstraction.sequences_on(board), 0)
        out = []
        for node in nodes:
            known = int(tree.known[self.betting_tree.street[node]])
            rows = int(tree.first[node]) + known * np.arange(int(self.betting_tree.children[node]))
            out.append(matched(source[rows[:, None] + column].astype(np.float64)))
        return out


class PublicRanges:
    """A strategy on a public tree."""

    def __init__(self, strategy: PublicStrategy) -> None:
        self.strategy = strategy
        self.game, self.betting_tree = strategy.tree.game, strategy.tree.betting_tree

    def probabilities_on(self, nodes: Sequence[int], board: tuple[int, ...]) -> list[Floats]:
        """Hands outside of the range of a player have the probability 0 everywhere."""
        tree, betting = self.strategy.tree, self.betting_tree
        if not len(nodes):
            return []
        found = find_board(tree, int(betting.street[nodes[0]]), board)
        self.strategy.need(found.path)
        hands = len(self.game.deck.hands(self.game.hand_size))
        held = [found.hands(player) for player in range(2)]
        out = []
        for node in nodes:
            own, classes = held[int(betting.kind[node])]
            filled = np.zeros((int(betting.children[node]), hands))
            filled[:, hand_numbers(tree, own)] = self.strategy.block(node, found.number)[:, classes]
            out.append(filled)
        return out


def range_lookup_of(strategy: Any) -> RangeLookup:
    """The lookup of a strategy of hold'em; a strategy that is a lookup itself is returned unchanged."""
    if isinstance(strategy, BucketStrategy):
        return BucketRanges(strategy)
    if isinstance(strategy, PublicStrategy):
        return PublicRanges(strategy)
    if isinstance(strategy, RangeLookup):
        return strategy
    raise OptionError(
        f"a strategy of hold'em is needed here, by buckets, on a public tree, or an object with game, betting_tree and "
        f"probabilities_on(nodes, board); got {quoted(strategy)}"
    )
