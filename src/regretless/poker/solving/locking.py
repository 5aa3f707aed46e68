"""Locked nodes: strategies that stay fixed while the rest is solved."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.kernels.public.layout import SolveState
from regretless.poker.games import Lock
from regretless.poker.quoting import quoted
from regretless.poker.ranges.range import Range
from regretless.poker.tree.board_lookup import find_board
from regretless.poker.tree.hand_numbers import hand_numbers
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["action_row", "chosen_hands", "lock_numbers"]

Array = npt.NDArray[Any]

FULL = 32_767
"""Probability one in 16 bits."""

TELLS_SUITS = (
    "the lock at {line!r} has different strategies for hands that differ by suits only, and such hands are merged: "
    "build the game with isomorphism=False, or give them the same strategy"
)


def lock_numbers(tree: PublicTree, numbers: SolveState, only: Container[int] | None = None) -> None:
    """Store locked strategies in place of regrets and averages, and mark their blocks.

    only: the boards that `numbers` holds; None where it holds all.
    """
    for lock in tree.game.locks:
        node = tree.betting_tree.find(lock.line)
        if tree.betting_tree.kind[node] >= DEAL:
            raise OptionError(f"there is no decision after {quoted(lock.line)}, so there is nothing to lock")
        player, street = int(tree.betting_tree.kind[node]), int(tree.betting_tree.street[node])
        shares = _shares(tree, node, lock)
        if lock.board is not None:
            found = find_board(tree, street, lock.board)
            hands, classes = found.hands(player)
            by_class = _by_class(lock, shares[hand_numbers(tree, hands)], classes)
            if only is None or found.number in only:
                _write(tree, numbers, node, found.number, by_class)
            continue
        _check_suits(tree, lock, shares, tree.game.hand_weights()[player] > 0)
        arrays = tree.book.arrays
        for board in range(int(arrays.street_boards[street]), int(arrays.street_boards[street + 1])):
            if only is not None and board not in only:
                continue
            begin, count = int(arrays.begin[player, board]), int(arrays.count[player, board])
            _write(tree, numbers, node, board, shares[hand_numbers(tree, tree.book.hands[begin : begin + count])])


def _by_class(lock: Lock, shares: Array, classes: Array) -> Array:
    """[classes, actions] the probabilities of classes, from those of hands [hands, actions]."""
    out = np.zeros((int(classes.max(initial=-1)) + 1, shares.shape[1]))
    out[classes] = shares
    if not np.array_equal(out[classes], shares):
        raise OptionError(TELLS_SUITS.format(line=lock.line))
    return out


def _check_suits(tree: PublicTree, lock: Lock, shares: Array, held: Array) -> None:
    """Refuse a lock on all boards with different strategies for hands that are merged."""
    for moved in tree.book.symmetry.sets(tree.game.hand_size)[tree.book.kept[0]]:
        if not np.array_equal(shares[moved][held], shares[held]):
            raise OptionError(TELLS_SUITS.format(line=lock.line))


def _write(tree: PublicTree, numbers: SolveState, node: int, board: int, shares: Array) -> None:
    """Lock one node on one board; shares [classes, actions]."""
    at = tree.order.number[node]
    player, arrays = int(tree.betting.kind[at]), tree.book.arrays
    stride, count = int(arrays.stride[player, board]), int(arrays.count[player, board])
    first = int(arrays.first[player, board]) + int(tree.betting.slot[at]) * stride
    block = np.zeros((int(tree.betting.children[at]), stride))
    block[:, :count] = shares.T
    block_number = int(numbers.scale_first[board]) + int(tree.betting.block[at])
    stored = np.rint(block.ravel() * FULL) if numbers.scale is not None else block.ravel()
    for target in (numbers.regret, numbers.guess, numbers.average):
        if target is not None:
            target[first : first + block.size] = stored
    if numbers.scale is not None:
        numbers.scale[:, block_number] = 1.0 / FULL
    assert numbers.locked is not None
    numbers.locked[block_number] = True


def _shares(tree: PublicTree, node: int, lock: Lock) -> Array:
    """[hands, actions] the probabilities of a lock."""
    names = tree.betting_tree.actions[node]
    out = np.full((len(tree.game.deck.hands(tree.game.hand_size)), len(names)), 1.0 / len(names))
    if not isinstance(lock.strategy, Mapping) or not lock.strategy:
        raise OptionError(
            f"a lock is {{action: probability}} or {{range: {{action: probability}}}}, got {quoted(lock.strategy)}"
        )
    if all(not isinstance(value, Mapping) for value in lock.strategy.values()):
        out[:] = action_row(names, lock, lock.strategy)
        return out
    for text, row in lock.strategy.items():
        out[chosen_hands(tree, lock, text)] = action_row(names, lock, row)
    return out


def chosen_hands(tree: PublicTree, lock: Lock, text: Any) -> Array:
    """The numbers of the hands of a key of a lock: a range, or one hand where hands do not have two cards."""
    game = tree.game
    if not isinstance(text, str):
        raise OptionError(f"the lock at {lock.line!r} names hands as text like 'QQ+,AK', got {quoted(text)}")
    if game.hand_size == 2:
        return np.flatnonzero(Range.parse(text, game.deck).weights > 0)
    return np.array([game.deck.hand_number(game.deck.cards(text, count=game.hand_size))])


def action_row(names: tuple[str, ...], lock: Lock, given: Any) -> Array:
    """[actions] the probabilities in {action: probability}; a unique beginning of an action's name is enough."""
    if not isinstance(given, Mapping):
        raise OptionError(
            f"the lock at {lock.line!r} mixes ranges and actions: {quoted(given)} is no {{action: probability}}"
        )
    row = np.zeros(len(names))
    for action, share in given.items():
        fitting = [i for i, name in enumerate(names) if name == action] or [
            i for i, name in enumerate(names) if name.startswith(str(action))
        ]
        if len(fitting) != 1:
            raise OptionError(
                f"the lock at {lock.line!r} names {quoted(action)}; the actions there are {', '.join(names)}"
            )
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise OptionError(
                f"the lock at {lock.line!r} gives {quoted(action)} the probability {quoted(share)}; it is 0 to 1"
            )
        row[fitting[0]] = share
    if abs(row.sum() - 1) > 1e-6:
        raise OptionError(f"the lock at {lock.line!r} has probabilities that sum to {row.sum():g}, not 1")
    return row
