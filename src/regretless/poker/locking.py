"""Locked nodes: strategies that are held still while the rest is solved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public_layout import DEAL, Numbers
from regretless.poker.board_finding import find_board
from regretless.poker.games import Lock
from regretless.poker.public_tree import PublicTree
from regretless.poker.ranges import Range

__all__ = ["lock_numbers"]

Array = npt.NDArray[Any]

FULL = 32_767
"""Probability one in 16 bits."""


def lock_numbers(tree: PublicTree, numbers: Numbers) -> None:
    """Write locked strategies where regrets would be, and mark their blocks."""
    for lock in tree.game.locks:
        node = tree.betting_tree.find(lock.line)
        if tree.betting_tree.kind[node] >= DEAL:
            raise OptionError(f"nobody decides after {lock.line!r}: there is nothing to lock")
        street = int(tree.betting_tree.street[node])
        if lock.board is not None:
            chosen = [find_board(tree, street, lock.board).number]
        else:
            bounds = tree.book.arrays.street_boards
            chosen = list(range(int(bounds[street]), int(bounds[street + 1])))
        shares = _shares(tree, node, lock)
        for board in chosen:
            _write(tree, numbers, node, board, shares)


def _write(tree: PublicTree, numbers: Numbers, node: int, board: int, shares: Array) -> None:
    at = tree.order.number[node]
    player, arrays = int(tree.betting.kind[at]), tree.book.arrays
    stride, count = int(arrays.stride[player, board]), int(arrays.count[player, board])
    begin = int(arrays.begin[player, board])
    symmetry = tree.book.symmetry
    every = symmetry.codes(tree.game.deck.hands(tree.game.hand_size).astype(np.int64))
    hands = np.searchsorted(every, symmetry.codes(tree.book.hands[begin : begin + count]))
    actions = int(tree.betting.children[at])
    first = int(arrays.first[player, board]) + int(tree.betting.slot[at]) * stride
    block = np.zeros((actions, stride))
    block[:, :count] = shares[hands].T
    place = int(numbers.scale_first[board]) + int(tree.betting.block[at])
    kept = block.ravel() * FULL if numbers.scale is not None else block.ravel()
    for target in (numbers.regret, numbers.guess):
        if target is not None:
            target[first : first + block.size] = np.rint(kept) if numbers.scale is not None else kept
    if numbers.scale is not None:
        numbers.scale[[0, 2], place] = 1.0 / FULL
    assert numbers.locked is not None
    numbers.locked[place] = True


def _shares(tree: PublicTree, node: int, lock: Lock) -> Array:
    """[hands, actions] the probabilities that a lock asks for."""
    names = tree.betting_tree.actions[node]
    hands = len(tree.game.deck.hands(tree.game.hand_size))
    out = np.full((hands, len(names)), 1.0 / len(names))
    if not isinstance(lock.strategy, Mapping) or not lock.strategy:
        raise OptionError(f"a lock is {{action: probability}} or {{range: {{action: probability}}}}, got {lock.strategy!r}")
    if all(not isinstance(value, Mapping) for value in lock.strategy.values()):
        out[:] = _row(names, lock, lock.strategy)
        return out
    for text, row in lock.strategy.items():
        chosen = Range.parse(text, tree.game.deck).weights > 0
        out[chosen] = _row(names, lock, row)
    return out


def _row(names: tuple[str, ...], lock: Lock, given: Any) -> Array:
    if not isinstance(given, Mapping):
        raise OptionError(f"the lock at {lock.line!r} mixes ranges and actions: {given!r} is no {{action: probability}}")
    row = np.zeros(len(names))
    for action, share in given.items():
        fitting = [i for i, name in enumerate(names) if name == action] or [
            i for i, name in enumerate(names) if name.startswith(str(action))
        ]
        if len(fitting) != 1:
            raise OptionError(f"the lock at {lock.line!r} names {action!r}; the actions there are {', '.join(names)}")
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise OptionError(f"the lock at {lock.line!r} gives {action!r} the probability {share!r}; it is 0 to 1")
        row[fitting[0]] = share
    if abs(row.sum() - 1) > 1e-6:
        raise OptionError(f"the lock at {lock.line!r} has probabilities that sum to {row.sum():g}, not 1")
    return row
