"""Lines of play in groups of sixteen, as walks with buckets read them (see `kernels.buckets.bucket_layout`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.buckets.bucket_layout import LineGroups
from regretless.kernels.constants import DEAL
from regretless.kernels.numba_ext.vectors import WIDTH
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["StreetGroups", "line_groups", "probability_missed", "shared_out"]

Array = npt.NDArray[Any]


class Line(NamedTuple):
    """A line of play that enters a street."""

    root: int  # the node where the street begins
    row: int  # the row of the street above that its reach comes from
    lane: int  # and the lane of that row


class StreetGroups(NamedTuple):
    """The groups of one street."""

    arrays: LineGroups
    rows: int  # of reach that go on to the next street
    choices: int  # rows of choices: of all groups, or on the last street of the largest one
    depths: int  # of its deepest betting tree
    cost: Array  # [groups] work of a walk, as a number of nodes


def line_groups(tree: BucketedTree, dtype: str, tables: Array | None = None) -> list[StreetGroups]:
    """The groups of every street. The ranges of the first street are row 0, lane 0 of a street above it.

    tables [nodes]: the first entry of each node's table; by default those of the tree.
    """
    tables = tree.first if tables is None else tables
    lines, streets = [[Line(0, 0, 0)]], []
    for street in range(tree.betting_tree.streets):
        groups = [group for row in _by_shape(tree.betting_tree, lines) for group in row]
        made, lines = _street(tree, groups, _Columns(tree, street, dtype, tables))
        streets.append(made)
    return streets


def shared_out(cost: Array, threads: int) -> list[Array]:
    """Group numbers of each thread: expensive groups first, each to the thread with the least work so far."""
    shares: list[list[int]] = [[] for _ in range(threads)]
    load = [0.0] * threads
    for group in np.argsort(-cost, kind="stable").tolist():
        least = min(range(threads), key=load.__getitem__)
        shares[least].append(group)
        load[least] += float(cost[group])
    return [np.array(sorted(share), np.int64) for share in shares]


def _preorder(tree: BettingTree, root: int) -> list[tuple[int, int, int, bool]]:
    """The nodes of a street below a root: node, depth, action that leads there, whether it is the last action."""
    found, stack = [], [(root, 0, -1, True)]
    while stack:
        node, depth, action, last = stack.pop()
        found.append((node, depth, action, last))
        if tree.kind[node] < DEAL:
            first, count = int(tree.first_child[node]), int(tree.children[node])
            stack += [(first + a, depth + 1, a, a == count - 1) for a in reversed(range(count))]
    return found


def _by_shape(tree: BettingTree, rows: Sequence[Sequence[Line]]) -> list[list[list[Line]]]:
    """Groups of lines with the same shape of betting tree.

    A row that fills most lanes stays together: its reach is then copied as it is. Other rows are packed.
    """
    whole: list[list[Line]] = []
    loose: dict[tuple[tuple[int, int], ...], list[Line]] = {}
    for row in rows:
        shapes = [tuple((int(tree.kind[n]), d) for n, d, _, _ in _preorder(tree, line.root)) for line in row]
        if len(row) > WIDTH // 2 and len(set(shapes)) == 1:
            whole.append(list(row))
            continue
        for shape, line in zip(shapes, row, strict=True):
            loose.setdefault(shape, []).append(line)
    packed = [[group[n : n + WIDTH] for n in range(0, len(group), WIDTH)] for group in loose.values()]
    return [whole, *packed]


def _street(tree: BucketedTree, groups: list[list[Line]], columns: _Columns) -> tuple[StreetGroups, list[list[Line]]]:
    """The arrays of one street, and the lines of the next one by rows."""
    betting, below = tree.betting_tree, list[list[Line]]()
    for group in groups:
        lanes = [_preorder(betting, line.root) for line in group]
        for position in zip(*lanes, strict=True):
            nodes = [entry[0] for entry in position]
            row = -1
            if betting.kind[nodes[0]] == DEAL:
                row = len(below)
                below.append([Line(int(betting.first_child[n]), row, lane) for lane, n in enumerate(nodes)])
            columns.add(nodes, position[0], row)
        columns.end_group(group)
    return columns.finished(len(below)), below


class _Columns:
    """The arrays of a street while groups are added."""

    def __init__(self, tree: BucketedTree, street: int, dtype: str, tables: Array) -> None:
        self.tables, self.betting, self.dtype = tables, tree.betting_tree, dtype
        self.missed = probability_missed(tree, street)
        self.is_last = street == tree.betting_tree.streets - 1
        self.choices = self.most_choices = 0
        self.first: list[int] = [0]  # [groups + 1]
        self.cost: list[int] = []  # [groups]
        self.positions: list[tuple[int, int, int, int, bool, int, int]] = []
        self.table: list[Array] = []
        self.payoff: list[Array] = []
        self.sources: list[Array] = []

    def add(self, nodes: list[int], entry: tuple[int, int, int, bool], row: int) -> None:
        """One position of a group; entry: that of its first lane."""
        node, depth, action, last = entry
        decides = self.betting.kind[node] < DEAL
        actions = int(self.betting.children[node]) if decides else 0
        choice = self.choices if decides else -1
        self.positions.append((int(self.betting.kind[node]), actions, action, depth, last, row, choice))
        self.choices += int(decides)
        table, payoff = np.full(WIDTH, -1, np.int64), np.zeros((2, 3, WIDTH))
        if decides:
            table[: len(nodes)] = self.tables[nodes]
        for n, paid in enumerate((self.betting.win, self.betting.tie, self.betting.lose)):
            payoff[:, n, : len(nodes)] = paid[nodes].T * self.missed
        self.table.append(table)
        self.payoff.append(payoff)

    def end_group(self, group: list[Line]) -> None:
        """The last position of a group has been added."""
        source = np.full((2, WIDTH), -1, np.int64)
        source[:, : len(group)] = [line.row for line in group], [line.lane for line in group]
        self.sources.append(source)
        self.most_choices = max(self.most_choices, self.choices)
        if self.is_last:
            self.choices = 0
        self.cost.append(len(self.positions) - self.first[-1])
        self.first.append(len(self.positions))

    def finished(self, rows: int) -> StreetGroups:
        """The arrays of the street."""
        kind, children, action, depth, last, row, choice = (list(c) for c in zip(*self.positions, strict=True))
        integers = lambda numbers: np.array(numbers, np.int64)  # noqa: E731
        sources = np.stack(self.sources)
        arrays = LineGroups(
            first=integers(self.first),
            kind=integers(kind),
            children=integers(children),
            action=integers(action),
            depth=integers(depth),
            is_last=np.array(last, np.bool_),
            row=integers(row),
            choice=integers(choice),
            table=np.stack(self.table),
            payoff=np.stack(self.payoff).astype(self.dtype),
            source_row=sources[:, 0].copy(),
            source_lane=sources[:, 1].copy(),
        )
        return StreetGroups(arrays, rows, self.most_choices, max(depth) + 1, np.array(self.cost, np.float64))


def probability_missed(tree: BucketedTree, street: int) -> float:
    """The probability that the rest of a board holds none of two players' cards, given the board of a street."""
    game, boards = tree.game, tree.abstraction.rounds.boards
    left, to_come = game.deck.size - boards[street], boards[-1] - boards[street]
    return comb(left - 2 * game.hand_size, to_come) / comb(left, to_come)
