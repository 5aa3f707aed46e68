"""A betting tree as the arrays that walks over public trees read: street by street, line by line."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.kernels.public.layout import LANE_WIDTH, Betting
from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["BUNDLE_LANES", "WalkOrder", "betting_arrays"]

BUNDLE_LANES = 96
"""A bundle takes further lines while each player needs at most this number of lanes for its terminals."""

NEVER = 100
"""Later than any street."""

Ints = npt.NDArray[np.int32]


def _ancestors(parent: npt.NDArray[Any], stops: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """[N] the nearest ancestor of each node, or the node itself, that is one of `stops`.

    Each pass doubles the distance that is looked up, so a tree of depth d takes log₂ d passes.
    """
    found = np.where(stops, np.arange(len(parent)), parent)
    while not np.array_equal(further := found[found], found):
        found = further
    return found


def _all_in_streets(tree: BettingTree, begins: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """[N] at the first node of a line: the street on which both players went all-in before it, or NEVER."""
    out = np.full(len(tree), NEVER, np.int64)
    for street in range(1, tree.streets):
        roots = np.flatnonzero(begins & (tree.street == street) & (tree.kind >= DEAL))
        deal = tree.parent[roots]
        out[roots] = np.where(begins[deal], out[deal], street - 1)
    return out


class WalkOrder:
    """The order in which walks number the nodes of a betting tree."""

    def __init__(self, tree: BettingTree) -> None:
        begins = (tree.parent < 0) | (tree.kind[tree.parent] == DEAL)
        all_in = _all_in_streets(tree, begins)
        root_of = _ancestors(tree.parent, begins)  # [N] the first node of each node's line
        line = np.zeros(len(tree), np.int32)
        rank = np.zeros(len(tree), np.int64)
        self.number = np.zeros(len(tree), np.int32)  # [N] of each node of the tree
        parts = []
        before = 0
        self.lines = [0]
        for street in range(tree.streets):
            here = np.flatnonzero(tree.street == street)
            roots = here[begins[here]]
            came = np.zeros(len(roots), np.int64) if street == 0 else rank[tree.parent[roots]]
            roots = roots[np.lexsort((came, -all_in[roots]))]  # all-ins last, those of the earliest street at the end
            line[roots] = np.arange(len(roots))
            line[here] = line[root_of[here]]
            ordered = here[np.argsort(line[here], kind="stable")]
            rank[ordered] = np.arange(before, before + len(ordered))
            before += len(ordered)
            parts.append(ordered)
            self.lines.append(self.lines[-1] + len(roots))
        self.node = np.concatenate(parts).astype(np.int32)  # [N] the tree's node of each number
        self.number[self.node] = np.arange(len(tree), dtype=np.int32)
        self.line = line[self.node]  # [N] line of its street, by number
        self.begins = begins[self.node]
        self.all_in = np.where(all_in == NEVER, -1, all_in)[root_of][self.node]
        """[N] the street on which both players went all-in before the node's line began, or −1, by number."""
        self.street_nodes = np.cumsum([0, *(len(p) for p in parts)]).astype(np.int32)


def betting_arrays(
    tree: BettingTree, order: WalkOrder, bundle_lanes: int = BUNDLE_LANES, tabulated: int = 0
) -> Betting:
    """The arrays of a betting tree in the order of walks.

    Lines that are all-in since a street before `tabulated` are left out: they are the last lines of each street, their
    nodes keep their numbers, and the deal that leads to them has no line.
    """
    node = order.node
    walked = (order.all_in < 0) | (order.all_in >= tabulated)
    kind = tree.kind[node]
    leaf = kind >= DEAL
    children = np.where(leaf, 0, tree.children[node]).astype(np.int32)
    first_child = np.where(leaf, 0, order.number[np.minimum(tree.first_child[node], len(tree) - 1)]).astype(np.int32)
    parent = np.where(tree.parent[node] < 0, -1, order.number[tree.parent[node]])
    row = _rows(order, kind, parent)
    line_in = np.where(order.begins & walked, order.line, -1).astype(np.int32)
    line_out = np.full(len(node), -1, np.int32)
    into = np.flatnonzero(order.begins & (parent >= 0))
    line_out[parent[into]] = line_in[into]
    lanes = [_lanes(order, np.where(walked, kind, DEAL), row, player) for player in range(2)]
    street_lines = _line_counts(order, walked)
    bundle_nodes, street_bundles = _cuts(order, street_lines, lanes, bundle_lanes)
    tables = [_lane_table(tree, order, lanes[player], bundle_nodes, player) for player in range(2)]
    width = max(LANE_WIDTH, *(len(table["row"]) for table in tables))
    return Betting(
        kind=kind,
        first_child=first_child,
        children=children,
        row=row,
        slot=_slots(order, kind, children),
        block=_blocks(order, kind),
        line_in=line_in,
        line_out=line_out,
        deal=parent[order.begins & walked].astype(np.int32),
        street_nodes=order.street_nodes,
        street_lines=np.cumsum([0, *street_lines]).astype(np.int32),
        street_bundles=street_bundles,
        bundle_nodes=bundle_nodes,
        bundle_rows=_starts(row, bundle_nodes),
        bundle_lanes=np.array([table["first"] for table in tables], np.int32),
        lane_row=_both_players(tables, "row", width, -1, np.int32),
        lane_show=_both_players(tables, "show", width, -1, np.int32),
        lane_fold=_both_players(tables, "fold", width, -1, np.int32),
        lane_win=_both_players(tables, "win", width, 0.0, np.float64),
        lane_tie=_both_players(tables, "tie", width, 0.0, np.float64),
        lane_lose=_both_players(tables, "lose", width, 0.0, np.float64),
        lane_folded=_both_players(tables, "folded", width, 0.0, np.float64),
    )


def _rows(order: WalkOrder, kind: npt.NDArray[np.int8], parent: npt.NDArray[Any]) -> Ints:
    """[2, N] rows of reach, from 0 on each street: a new one at a line's root and after the player has acted."""
    out = np.zeros((2, len(kind)), np.int32)
    for player in range(2):
        fresh = order.begins | (kind[parent] == player)
        for street in range(len(order.street_nodes) - 1):
            here = slice(order.street_nodes[street], order.street_nodes[street + 1])
            out[player, here] = np.cumsum(fresh[here]) - 1
        out[player] = out[player, _ancestors(parent, fresh)]
    return out


def _slots(order: WalkOrder, kind: npt.NDArray[np.int8], children: Ints) -> Ints:
    """[N] actions of the owner's earlier nodes on the street."""
    out = np.zeros(len(kind), np.int32)
    for street in range(len(order.street_nodes) - 1):
        here = np.arange(order.street_nodes[street], order.street_nodes[street + 1])
        for player in range(2):
            own = here[kind[here] == player]
            out[own] = np.cumsum(children[own]) - children[own]
    return out


def _blocks(order: WalkOrder, kind: npt.NDArray[np.int8]) -> Ints:
    """[N] decision nodes before this one on the street."""
    out = np.zeros(len(kind), np.int32)
    for street in range(len(order.street_nodes) - 1):
        here = slice(order.street_nodes[street], order.street_nodes[street + 1])
        decides = kind[here] < DEAL
        out[here] = np.cumsum(decides) - decides
    return out


class _Lanes(NamedTuple):
    """The rows of one player's opponent that end the game, by line and then by row. [lanes] each."""

    line: npt.NDArray[np.int64]  # counted over all streets
    row: npt.NDArray[np.int64]  # of the other player's reach
    show: npt.NDArray[np.int64]  # the showdown with this reach, or −1
    fold: npt.NDArray[np.int64]  # the fold with this reach, or −1


def _lanes(order: WalkOrder, kind: npt.NDArray[np.int8], row: Ints, player: int) -> _Lanes:
    """For each line the other player's rows that end the game: with a showdown, with a fold, or with both."""
    ends = np.flatnonzero(kind >= FOLD)
    street = np.searchsorted(order.street_nodes, ends, side="right") - 1
    line = np.array(order.lines, np.int64)[street] + order.line[ends]
    there = row[1 - player, ends].astype(np.int64)
    rows = int(there.max()) + 1
    keys, lane = np.unique(line * rows + there, return_inverse=True)
    show, fold = np.full((2, len(keys)), -1, np.int64)
    shown = kind[ends] == SHOWDOWN
    show[lane[shown]], fold[lane[~shown]] = ends[shown], ends[~shown]
    return _Lanes(keys // rows, keys % rows, show, fold)


def _line_counts(order: WalkOrder, walked: npt.NDArray[np.bool_]) -> list[int]:
    """[S] lines of each street that are walked."""
    found = order.begins & walked
    return [int(np.count_nonzero(found[a:b])) for a, b in pairwise(order.street_nodes)]


def _cuts(order: WalkOrder, counts: list[int], lanes: list[_Lanes], most: int) -> tuple[Ints, Ints]:
    """([B + 1] first nodes of bundles, [S + 1] first bundles of streets); counts [S]: lines that are walked.

    A bundle takes lines while they need at most `most` lanes. It never spans two streets.
    """
    per_line = np.stack([np.bincount(found.line, minlength=order.lines[-1]) for found in lanes])
    mine, theirs = per_line.tolist()
    starts = np.flatnonzero(order.begins).tolist()
    nodes: list[int] = []
    streets = [0]
    for street in range(len(order.lines) - 1):
        held = [0, 0]
        for line in range(order.lines[street], order.lines[street] + counts[street]):
            if line == order.lines[street] or max(held[0] + mine[line], held[1] + theirs[line]) > most:
                nodes.append(starts[line])
                held = [0, 0]
            held = [held[0] + mine[line], held[1] + theirs[line]]
        streets.append(len(nodes))
    nodes.append(int(order.street_nodes[-1]))
    return np.array(nodes, np.int32), np.array(streets, np.int32)


def _starts(row: Ints, bundle_nodes: Ints) -> Ints:
    """[2, bundles + 1] first row of each bundle; the last column is not used."""
    starts = np.zeros((2, len(bundle_nodes)), np.int32)
    starts[:, :-1] = row[:, bundle_nodes[:-1]]
    return starts


def _lane_table(
    tree: BettingTree, order: WalkOrder, lanes: _Lanes, bundle_nodes: Ints, player: int
) -> dict[str, npt.NDArray[Any]]:
    """Columns over lanes, bundle by bundle and showdowns first; each bundle is padded to whole vectors.

    `first` [B + 1] says where the lanes of each bundle begin.
    """
    bundles = len(bundle_nodes) - 1
    starts = np.flatnonzero(order.begins)
    bundle = np.searchsorted(bundle_nodes, starts[lanes.line], side="right") - 1
    chosen = np.lexsort((lanes.show < 0, bundle))  # stable: within a bundle by line and row
    bundle = bundle[chosen]
    count = np.bincount(bundle, minlength=bundles)
    first = np.concatenate([[0], np.cumsum(-(-count // LANE_WIDTH) * LANE_WIDTH)])
    lane = first[bundle] + np.arange(len(bundle)) - (np.cumsum(count) - count)[bundle]
    row, show, fold = (of[chosen] for of in (lanes.row, lanes.show, lanes.fold))
    win, tie, lose = (np.where(show < 0, 0.0, of[order.node[show], player]) for of in (tree.win, tree.tie, tree.lose))
    folded = np.where(fold < 0, 0.0, tree.win[order.node[fold], player])
    columns = {"row": row, "show": show, "fold": fold, "win": win - tie, "tie": tie - lose, "lose": lose}
    table: dict[str, npt.NDArray[Any]] = {"first": first}
    for name, column in (columns | {"folded": folded}).items():
        table[name] = np.full(first[-1], -1 if name in ("row", "show", "fold") else 0.0, column.dtype)
        table[name][lane] = column
    return table


def _both_players(
    tables: list[dict[str, npt.NDArray[Any]]], name: str, width: int, filler: float, dtype: Any
) -> npt.NDArray[Any]:
    """[2, width] a column of both players' tables, filled up at the end."""
    out = np.full((2, width), filler, dtype)
    for player, table in enumerate(tables):
        out[player, : len(table[name])] = table[name]
    return out
