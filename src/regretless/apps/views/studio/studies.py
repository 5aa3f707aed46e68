"""Leaks and differences of runs of hold'em as pages ask for them: as far as one page may read, and kept for the next.

A page reads the first street, one board of a later street, or all boards of a small game.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.apps.views.holdem_boards import complete_board
from regretless.apps.views.holdem_nodes import MOST_NUMBERS, MOST_READ, NodeView, affordable, view_of
from regretless.errors import OptionError
from regretless.poker.results.grids import by_class
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.results.waiting_ev import waiting_ev_at
from regretless.poker.studying.board_sweeps import count_nodes, swept_boards
from regretless.poker.studying.differences import (
    HoldemDifferences,
    NodeDifference,
    differences,
    factors_of,
    node_difference,
)
from regretless.poker.studying.leaks import HoldemLeaks, leaks
from regretless.poker.tree.board_lookup import find_board, whole_board

if TYPE_CHECKING:
    from regretless.apps.views.loaded_run import LoadedRun

__all__ = [
    "NodePair",
    "differences_of_runs",
    "holdem_leaks",
    "may_read_all",
    "node_pair",
    "study_ahead",
    "study_board",
]

MOST_NODES = 12_000
"""Decisions on all boards up to which a page reads all of them."""

MOST_KEPT = 8

SHARE_OF_MEMORY = 0.1
"""Of the free memory: a run that needs more is not read ahead."""


def study_board(strategy: Any, text: str) -> str | None:
    """The board of a later street that is studied, whole; None for the first street."""
    if not isinstance(strategy, PublicStrategy):
        raise OptionError("a run with a card abstraction has no exact values of its hands: solve the spot hand by hand")
    game = strategy.tree.game
    cards = whole_board(game, text)
    if len(cards) == len(game.first_board):
        return None
    sizes = np.cumsum((len(game.first_board), *game.board_cards)).tolist()
    street = next(at for at, size in enumerate(sizes) if size >= len(cards))
    return str(game.deck.names(complete_board(strategy, cards, street, sizes[street])))


def may_read_all(strategy: PublicStrategy) -> bool:
    """Whether a page may read all boards of a game, and whether there is more than one."""
    tree = strategy.tree
    return tree.boards > 1 and tree.numbers <= MOST_NUMBERS and count_nodes(tree) <= MOST_NODES


def _reading(strategy: PublicStrategy, board: str | None, everything: bool) -> dict[str, Any]:
    """How far `leaks` and `differences` read."""
    tree = strategy.tree
    if everything and may_read_all(strategy):
        return {"board": None, "streets": None, "values": True}
    street = 0 if board is None else len(find_board_path(strategy, board)) - 1
    if not affordable(strategy, find_board(tree, street, board)):
        raise OptionError("values here need all later boards, which are gigabytes: choose a board of a later street")
    values = tree.numbers <= MOST_NUMBERS or strategy.all_read
    return {"board": board, "streets": 1 if board is None else None, "values": values}


def find_board_path(strategy: PublicStrategy, board: str) -> tuple[int, ...]:
    """The boards of the tree on the way to a board."""
    game = strategy.tree.game
    sizes = np.cumsum((len(game.first_board), *game.board_cards)).tolist()
    return find_board(strategy.tree, sizes.index(len(game.deck.cards(board))), board).path


def _kept(loaded: LoadedRun, key: Any, compute: Any) -> Any:
    """A result that was computed before, or is now; the oldest ones are dropped."""
    with loaded.studying:
        if key not in loaded.studies:
            while len(loaded.studies) >= MOST_KEPT:
                loaded.studies.pop(next(iter(loaded.studies)))
            loaded.studies[key] = compute()
        return loaded.studies[key]


def study_ahead(loaded: LoadedRun) -> None:
    """Read a run and compute its leaks on the first street, so that the pages that show them answer at once.

    Where it is the only run, also what differs in its last iterate: the first page of the comparison shows that. Runs
    of more than `MOST_READ` numbers, or of a large part of the free memory, are left alone.
    """
    from regretless.poker.tree.memory_estimate import free_memory

    strategy = loaded.stored_strategy("average")
    if not isinstance(strategy, PublicStrategy):
        return
    numbers, free = strategy.tree.numbers, free_memory()
    if numbers > MOST_READ or (free is not None and numbers * strategy.source.itemsize > SHARE_OF_MEMORY * free):
        return
    strategy.need(range(strategy.tree.boards))
    holdem_leaks(loaded, "average", None, False)
    if len(loaded.library.entries()) == 1:
        differences_of_runs(loaded, loaded, ("average", "current"), None, False)


def holdem_leaks(loaded: LoadedRun, which: str, board: str | None, everything: bool) -> HoldemLeaks:
    """Where a run loses chips against a best response."""
    strategy = loaded.stored_strategy(which)
    reading = _reading(strategy, board, everything)
    found: HoldemLeaks = _kept(loaded, ("leaks", which, *reading.values()), lambda: leaks(strategy, **reading))
    return found


def differences_of_runs(
    one: LoadedRun, other: LoadedRun, which: tuple[str, str], board: str | None, everything: bool
) -> HoldemDifferences:
    """Where two runs differ."""
    first, second = one.stored_strategy(which[0]), other.stored_strategy(which[1])
    reading = _reading(first, board, everything)
    key = ("differences", which, other.header.signature, *reading.values())
    found: HoldemDifferences = _kept(one, key, lambda: differences(first, second, **reading))
    return found


@dataclasses.dataclass(frozen=True, eq=False)
class NodePair:
    """One node of two solutions, side by side."""

    views: tuple[NodeView, NodeView]
    gains: NodeView
    """The first solution's node; its cells show the chips that hands expect more in the second one."""
    difference: NodeDifference


def node_pair(strategies: tuple[Any, Any], line: str, board: str) -> NodePair:
    """A node of two solutions on a board."""
    first, second = (view_of(strategy, line, board, "strategy") for strategy in strategies)
    nodes = first.node, second.node
    if len({(node.line, node.board) for node in nodes}) > 1:  # another example of a board
        second = view_of(strategies[1], line, first.node.board, "strategy")
        nodes = first.node, second.node
    swept = next(swept_boards(strategies[0].tree, first.node.board))
    rest = waiting_ev_at(strategies[0], nodes[0]), waiting_ev_at(strategies[1], nodes[1])
    found = node_difference(nodes, rest, factors_of(swept, *strategies), most_hands=len(first.node))
    gains = np.full(len(first.node), np.nan)
    theirs = dict(zip(second.node.names, second.node.ev.tolist(), strict=True))
    for at, name in enumerate(first.node.names):
        gains[at] = theirs.get(name, np.nan) - first.node.ev[at]
    cells = _cells(first.node, gains)
    return NodePair((first, second), dataclasses.replace(first, what="gain", values=cells, by_hand=gains), found)


def _cells(node: NodeStrategy, values: Any) -> Any:
    """[cells] means over the hands at the node, or over all hands of a class if none of them comes there."""
    found = by_class(node, values)
    even = dataclasses.replace(node, weight=np.ones(len(node)), opposing=np.ones(len(node)))
    return np.where(np.isnan(found), by_class(even, values), found)
