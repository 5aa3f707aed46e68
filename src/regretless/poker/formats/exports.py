"""Strategies as tables for other programs: one node by hands, or everything from a node on, as CSV or Parquet.

A node has a row for each hand:

| column | meaning |
|---|---|
| hand, class | "AsKh", "AKo" |
| weight | range weight × the player's own probability of reaching the node |
| reach | probability of the hand among all hands at the node; the column sums to 1 |
| ev | expected chips from the node on; empty where no opposing hand is possible |
| p ACTION, ev ACTION | probability of each action, and expected chips after it |

A subtree has a row for each action of each hand, with the columns line, board, deals, player, hand, class, weight,
reach, ev, action, probability, action_ev. Boards that differ by suits only, given the cards of the request, have the
same strategy: one of them is written, and `deals` is their number. Both files are written in chunks.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, suggest
from regretless.kernels.constants import DEAL
from regretless.poker.cards.deck import CardText, Deck
from regretless.poker.cards.hand_classes import class_name
from regretless.poker.quoting import quoted
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.tree.board_lookup import FoundBoard, find_board
from regretless.poker.tree.hand_numbers import hand_names
from regretless.storage import write_atomically

__all__ = ["as_frame", "export", "hand_columns", "street_below", "write_csv", "write_parquet"]

Array = npt.NDArray[Any]
Columns = dict[str, Array]

FORMATS = ("csv", "parquet", "texassolver")
MOST_ROWS = 50_000_000
"""Rows of the largest subtree that is exported: about 5 GB of CSV."""


@lru_cache(maxsize=8)
def class_names(deck: Deck, size: int) -> dict[str, str]:
    """The class of each hand by the hand's name: "AKs" for two cards, "K" for one, the hand itself for more."""
    names = hand_names(deck, size).tolist()
    if size == 2:
        return {name: class_name(hand, deck) for name, hand in zip(names, deck.hands(2).tolist(), strict=True)}
    return {name: name[0] if size == 1 else name for name in names}


def hand_columns(node: NodeStrategy) -> Columns:
    """The columns of a node's table with one row for each hand."""
    columns: Columns = {"hand": np.array(node.names), "class": _classes(node), **_numbers(node)}
    for at, action in enumerate(node.actions):
        columns[f"p {action}"] = node.probabilities[:, at]
    for at, action in enumerate(node.actions):
        columns[f"ev {action}"] = node.action_ev[:, at]
    return columns


def _classes(node: NodeStrategy) -> Array:
    known = class_names(node.game.deck, node.hands.shape[1])
    return np.array([known[name] for name in node.names])


def _numbers(node: NodeStrategy) -> Columns:
    total = node.mass.sum()
    return {"weight": node.weight, "reach": node.mass / total if total > 0 else node.mass, "ev": node.ev}


def action_columns(node: NodeStrategy, deals: int) -> Columns:
    """The columns of a node's table with one row for each action of each hand."""
    hands, actions = node.probabilities.shape
    where = {"line": node.line, "board": node.board, "deals": deals, "player": node.player}
    held = {"hand": np.array(node.names), "class": _classes(node), **_numbers(node)}
    return {
        **{name: np.full(hands * actions, value) for name, value in where.items()},
        **{name: np.repeat(column, actions) for name, column in held.items()},
        "action": np.tile(np.array(node.actions), hands),
        "probability": node.probabilities.ravel(),
        "action_ev": node.action_ev.ravel(),
    }


def as_frame(columns: Columns) -> Any:
    """A pandas data frame, or the columns unchanged if pandas is not installed."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


def write_csv(path: str | os.PathLike[str], chunks: Iterable[Columns]) -> None:
    """Write tables with the same columns below each other as comma-separated values; nan becomes an empty cell."""

    def fill(file: IO[bytes]) -> None:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        for at, columns in enumerate(chunks):
            if at == 0:
                writer.writerow(columns)
            cells = [_cells(column) for column in columns.values()]
            writer.writerows(zip(*cells, strict=True))
        text.flush()
        text.detach()

    write_atomically(path, fill)


def _cells(column: Array) -> list[Any]:
    """Cells as text; nine digits are enough for 32-bit floats."""
    if column.dtype.kind != "f":
        return list(column.tolist())
    return ["" if value != value else f"{value:.9g}" for value in column.tolist()]


def write_parquet(path: str | os.PathLike[str], chunks: Iterable[Columns]) -> None:
    """Write tables below each other as a Parquet file, each as one row group."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise OptionError(
            "Parquet files need pyarrow, which is not installed; pip install 'regretless[frames]'"
        ) from None

    def fill(file: IO[bytes]) -> None:
        writer = None
        for columns in chunks:
            table = pyarrow.table(columns)
            if writer is None:
                writer = pyarrow.parquet.ParquetWriter(file, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()

    write_atomically(path, fill)


def export(
    strategy: PublicStrategy,
    path: str | os.PathLike[str],
    *,
    line: str = "",
    board: CardText | None = None,
    format: str = "csv",
    streets: int | None = None,
) -> None:
    """Write the subtree of a node.

    line, board: the node. format: "csv", "parquet" or "texassolver" (JSON; see `texas_solver`). streets: the number of
    streets to write, beginning with that of the node; None for all.
    """
    if format not in FORMATS:
        raise OptionError(f"there is no export to {quoted(format)}: {suggest(str(format), FORMATS)}")
    if streets is not None and (isinstance(streets, bool) or not isinstance(streets, int) or streets < 1):
        raise OptionError(f"an export has 1 street or more, got streets={quoted(streets)}")
    node = strategy.node(line)
    street = int(strategy.tree.betting_tree.street[node])
    found = find_board(strategy.tree, street, board)
    last = strategy.tree.streets - 1 if streets is None else min(street + streets, strategy.tree.streets) - 1
    if format == "texassolver":
        from regretless.poker.formats.texas_solver import write_texas_solver

        write_texas_solver(strategy, path, node, found, last)
        return
    _check_rows(strategy, node, found, last)
    chunks = _street(strategy, *street_below(strategy, [node]), found, last, 1)
    (write_csv if format == "csv" else write_parquet)(path, chunks)


def _street(
    strategy: PublicStrategy, decisions: list[int], ends: list[int], board: FoundBoard, last: int, deals: int
) -> Iterator[Columns]:
    """The tables of a street on a board, then those of the boards that can follow it."""
    for one in strategy.at_board(decisions, board):
        yield action_columns(one, deals)
    street = len(board.path) - 1
    if street == last or not ends:
        return
    begins = [int(strategy.tree.betting_tree.first_child[end]) for end in ends]
    later, after = street_below(strategy, begins)
    if later or after:
        for next_board, count in _kinds_of_deals(strategy, board):
            yield from _street(strategy, later, after, next_board, last, deals * count)


def street_below(strategy: PublicStrategy, nodes: list[int]) -> tuple[list[int], list[int]]:
    """The decisions from given nodes on to the end of their street, and the deals that end it."""
    tree = strategy.tree.betting_tree
    decisions, ends, waiting = [], [], list(nodes)
    while waiting:
        node = waiting.pop(0)
        if tree.kind[node] < DEAL:
            decisions.append(node)
            first = int(tree.first_child[node])
            waiting += range(first, first + int(tree.children[node]))
        elif tree.kind[node] == DEAL:
            ends.append(node)
    return decisions, ends


def _kinds_of_deals(strategy: PublicStrategy, board: FoundBoard) -> Iterator[tuple[FoundBoard, int]]:
    """The boards that can follow a board, one of each kind, and the number of deals of that kind."""
    tree = strategy.tree
    street = len(board.path)
    left = [card for card in range(tree.game.deck.size) if card not in board.cards]
    kinds: dict[int, tuple[FoundBoard, int]] = {}
    for dealt in combinations(left, tree.game.board_cards[street - 1]):
        found = find_board(tree, street, (*board.cards, *dealt))
        first, count = kinds.get(found.number, (found, 0))
        kinds[found.number] = (first, count + 1)
    yield from kinds.values()


def _check_rows(strategy: PublicStrategy, node: int, board: FoundBoard, last: int) -> None:
    """Refuse an export of more than MOST_ROWS rows before it starts. It counts classes of hands, a lower bound."""
    tree, betting = strategy.tree, strategy.tree.betting_tree
    held = {}  # by street: [2] classes of both players on all its boards
    for street in range(len(board.path) - 1, last + 1):
        held[street] = tree.book.arrays.count[:, _boards_below(strategy, board, street)].sum(axis=1, dtype=np.int64)
    inside, rows = {node}, 0
    for at in range(node, len(betting)):  # breadth first: parents come first
        if at == node or int(betting.parent[at]) in inside:
            inside.add(at)
            if betting.kind[at] < DEAL and int(betting.street[at]) <= last:
                rows += int(betting.children[at]) * int(held[int(betting.street[at])][betting.kind[at]])
    if rows > MOST_ROWS:
        raise OptionError(
            f"this export has at least {rows:,} rows, and the limit is {MOST_ROWS:,}: "
            f"begin later (line=, board=) or export fewer streets"
        )


def _boards_below(strategy: PublicStrategy, board: FoundBoard, street: int) -> Array:
    """The boards of a street that can follow a board."""
    first = strategy.tree.book.arrays.child_first
    low, high = board.number, board.number + 1
    for _ in range(street - len(board.path) + 1):  # children of adjacent boards are adjacent
        low, high = int(first[low]), int(first[high])
    return np.arange(low, high)
