"""Lock a node of a solved game: some hands play otherwise, all others as they were solved, and the rest is free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.cards.deck import CardText
from regretless.poker.cards.hand_classes import class_name
from regretless.poker.games import Lock, PublicGame
from regretless.poker.quoting import quoted
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.solving.locking import action_row, chosen_hands
from regretless.poker.studying.checks import solved_strategy
from regretless.poker.tree.board_lookup import find_board
from regretless.poker.tree.hand_numbers import hand_numbers

__all__ = ["lock_node", "locked_rows"]

Array = npt.NDArray[Any]

DIGITS = 4
"""Decimals of locked probabilities: hands that play almost the same share one row of a spot file."""


def lock_node(
    solved: Any,
    line: str,
    changes: Mapping[str, Mapping[str, float]] | None = None,
    board: CardText | None = None,
    *,
    every_board: bool = False,
) -> PublicGame:
    """The game of a run with one node locked: `changes` {range: {action: probability}}, other hands as solved.

    `solved` is a run of hold'em or its strategy. Probabilities are rounded to four decimals. A node of a later street
    is locked on its board and, unless the game was built with `isomorphism=False`, on the boards that differ from it
    by suits only. With `every_board`, each class of hands plays on all boards as it does on this one. A lock that the
    node has already is replaced. `rg.solve(locked, start=run)` solves it from where the run is.

    >>> import regretless as rg
    >>> spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ("QQ,AK", "AQ,KJ"), pot=100, stack=100, sizes="bet 50%")
    >>> run = rg.solve(spot, rg.DCFR, iterations=20)
    >>> locked = rg.poker.lock_node(run, "", {"AK": {"bet 50": 1}})
    >>> round(rg.solve(locked, rg.DCFR, iterations=20, start=run).strategy.at("").grid()["AKs"]["bet 50"], 6)
    1.0
    """
    strategy = solved_strategy(solved, "lock_node takes a run")
    if changes is not None and not isinstance(changes, Mapping):
        raise OptionError(f"changes are a dictionary such as {{'AK': {{'check': 1}}}}, got {quoted(changes)}")
    tree, number = strategy.tree, strategy.node(line)
    street = int(tree.betting_tree.street[number])
    node = strategy.at(number, board, ev=False)
    rows = locked_rows(strategy, node, changes or {}, every_board and street > 0)
    where = None if every_board or street == 0 else node.board
    made = Lock(node.line, rows, where)
    others = [lock for lock in tree.game.locks if not _same_node(strategy, lock, number, where)]
    game: PublicGame = tree.game.with_locks([*others, made])
    return game


def _same_node(strategy: PublicStrategy, lock: Lock, node: int, board: str | None) -> bool:
    """Whether an earlier lock holds at a node, on a board or everywhere (None)."""
    tree = strategy.tree
    if tree.betting_tree.find(lock.line) != node:
        return False
    if board is None or lock.board is None:
        return board is None
    street = int(tree.betting_tree.street[node])
    return find_board(tree, street, lock.board).number == find_board(tree, street, board).number


def locked_rows(
    strategy: PublicStrategy, node: NodeStrategy, changes: Mapping[str, Mapping[str, float]], every_board: bool = False
) -> dict[str, dict[str, float]]:
    """{hands: {action: probability}} of a node after changes; hands with the same probabilities are one entry."""
    tree = strategy.tree
    numbers = hand_numbers(tree, node.hands)
    street = int(tree.betting_tree.street[strategy.node(node.line)])
    by_suits = find_board(tree, 0, None) if every_board else find_board(tree, street, node.board or None)
    table = node.probabilities.astype(np.float64).copy()
    names, classes = np.array(node.names), np.array([class_name(hand, tree.game.deck) for hand in node.hands.tolist()])
    if every_board:
        grid = node.grid()
        cells = {str(label): grid.frequencies[at] for at, label in np.ndenumerate(grid.labels)}
        table = np.array([cells[name] for name in classes.tolist()])
    solved = table.copy()
    group = _suit_classes(strategy, node.player, by_suits, numbers)
    lock = Lock(node.line, changes, node.board)
    for text, row in changes.items():
        wanted = np.isin(numbers, chosen_hands(tree, lock, text))
        if not wanted.any():
            raise OptionError(f"no hand of {quoted(text)} can be held at {node.line or 'the beginning'!r} here")
        table[np.isin(group, group[wanted])] = action_row(node.actions, lock, row)
    if not every_board:
        return _merged(names, table, node)
    # Classes first: of two entries for a hand the later one counts. A class whose hands differ is followed by them.
    mixed = np.array([bool((table[classes == name] != table[at]).any()) for at, name in enumerate(classes.tolist())])
    whole = _merged(classes, np.where(mixed[:, None], solved, table), node)
    return whole | _merged(names[mixed], table[mixed], node)


def _suit_classes(strategy: PublicStrategy, player: int, board: Any, numbers: Array) -> Array:
    """[hands] the class of each hand: hands of one class differ by suits only, and cannot play differently."""
    hands, classes = board.hands(player)
    of = np.full(len(strategy.tree.game.hand_weights()[player]), -1, np.int64)
    of[hand_numbers(strategy.tree, hands)] = classes
    return np.asarray(of[numbers])


def _merged(names: Array, table: Array, node: NodeStrategy) -> dict[str, dict[str, float]]:
    rows: dict[tuple[float, ...], dict[str, None]] = {}
    for name, row in zip(names.tolist(), table, strict=True):
        short = np.round(row, DIGITS)
        short[int(np.argmax(short))] += 1 - short.sum()  # rounded probabilities sum to 1 again
        key = tuple(round(float(share), DIGITS) for share in short)
        rows.setdefault(key, {})[name] = None
    return {
        ",".join(hands): {action: share for action, share in zip(node.actions, key, strict=True) if share}
        for key, hands in rows.items()
    }
