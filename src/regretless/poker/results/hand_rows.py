"""What every hand of the deck does on one board, for strategies by bucket, of networks and hand by hand alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.bucket_strategy import BucketStrategy
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.board_lookup import find_board
from regretless.poker.tree.hand_numbers import hand_numbers

__all__ = ["HandRows", "HoldemStrategy", "rows_on"]

Floats = npt.NDArray[np.float64]

HoldemStrategy = BoardStrategy | PublicStrategy

HandRows = Callable[[int], Floats]
"""From a node of the betting tree to [actions, hands of the deck], its probabilities on one board."""


@runtime_checkable
class AnswersTogether(Protocol):
    """A strategy of networks: asked for many nodes of a board together, it reads the cards once."""

    def probabilities_on(self, nodes: Sequence[int], board: tuple[int, ...]) -> list[Floats]:
        """For each of some nodes of one street [actions, hands of the deck] probabilities."""


def rows_on(
    strategy: HoldemStrategy, street: int, cards: tuple[int, ...], wanted: Sequence[int] | None = None
) -> HandRows:
    """The rows of a board of a street. Hands that hold a card of it have the row of any other hand, or zeros.

    wanted: the nodes that will be asked for, where they are known ahead.
    """
    if isinstance(strategy, BucketStrategy):
        bucket = np.maximum(strategy.tree.abstraction.sequences_on(cards), 0)
        return lambda node: strategy.block(node, bucket)
    if wanted is not None and isinstance(strategy, AnswersTogether):
        return dict(zip(wanted, strategy.probabilities_on(wanted, cards), strict=True)).__getitem__
    if isinstance(strategy, BoardStrategy):
        return lambda node: strategy.hand_probabilities(node, cards)
    tree, kind = strategy.tree, strategy.tree.betting_tree.kind
    found = find_board(tree, street, cards)
    strategy.need([found.number])
    held = [(hand_numbers(tree, hands), classes) for hands, classes in map(found.hands, range(2))]
    count = len(tree.game.deck.hands(tree.game.hand_size))

    def rows(node: int) -> Floats:
        hands, classes = held[int(kind[node])]
        block = strategy.block(node, found.number)
        out = np.zeros((len(block), count))
        out[:, hands] = block[:, classes]
        return out

    return rows
