"""The probabilities of all hands at nodes of the betting: one question for all kinds of strategies of hold'em."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted
from regretless.poker.results.hand_rows import HoldemStrategy, rows_on

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


class HandRanges:
    """A strategy by buckets or on a public tree."""

    def __init__(self, strategy: HoldemStrategy) -> None:
        self.strategy = strategy
        self.game, self.betting_tree = strategy.tree.game, strategy.tree.betting_tree

    def probabilities_on(self, nodes: Sequence[int], board: tuple[int, ...]) -> list[Floats]:
        """Only the numbers of the hands on this board are read."""
        if not len(nodes):
            return []
        rows = rows_on(self.strategy, int(self.betting_tree.street[nodes[0]]), board)
        return [rows(node) for node in nodes]


def range_lookup_of(strategy: Any) -> RangeLookup:
    """The lookup of a strategy of hold'em; a strategy that is a lookup itself is returned unchanged."""
    if isinstance(strategy, RangeLookup):
        return strategy
    if isinstance(strategy, HoldemStrategy):
        return HandRanges(strategy)
    raise OptionError(
        f"a strategy of hold'em is needed here, by buckets, on a public tree, or an object with game, betting_tree and "
        f"probabilities_on(nodes, board); got {quoted(strategy)}"
    )
