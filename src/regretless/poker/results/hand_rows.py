"""What every hand of the deck does on one board, for strategies by bucket and strategies hand by hand alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.poker.results.bucket_strategy import BucketStrategy
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.board_lookup import find_board
from regretless.poker.tree.hand_numbers import hand_numbers

__all__ = ["HandRows", "HoldemStrategy", "rows_on"]

Array = npt.NDArray[Any]

HoldemStrategy = BucketStrategy | PublicStrategy

HandRows = Callable[[int], Array]
"""From a node of the betting tree to [actions, hands of the deck], its probabilities on one board."""


def rows_on(strategy: HoldemStrategy, street: int, cards: tuple[int, ...]) -> HandRows:
    """The rows of a board of a street. Hands that are not possible there have the row of any other hand."""
    if isinstance(strategy, BucketStrategy):
        bucket = np.maximum(strategy.tree.abstraction.sequences_on(cards), 0)
        return lambda node: strategy.block(node, bucket)
    tree = strategy.tree
    found = find_board(tree, street, cards)
    strategy.need([found.number])
    columns = []
    for player in range(2):
        hands, classes = found.hands(player)
        column = np.zeros(len(tree.game.deck.hands(tree.game.hand_size)), np.int64)
        column[hand_numbers(tree, hands)] = classes
        columns.append(column)
    return lambda node: strategy.block(node, found.number)[:, columns[int(tree.betting_tree.kind[node])]]
