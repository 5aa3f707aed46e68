"""A betting tree as the arrays that walks over public trees go through: street by street, line by line."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.kernels.public.layout import LANE_WIDTH, Betting
from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["BUNDLE_LANES", "Order", "betting_arrays", "node_order"]

BUNDLE_LANES = 96
"""A bundle takes in further lines while both players need at most so many lanes for its terminals."""

Ints = npt.NDArray[np.int32]


class Order:
    """The order in which walks number the nodes of a betting tree."""

    def __init__(self, tree: BettingTree) -> None:
        begins = (tree.parent < 0) | (tree.kind[tree.parent] == DEAL)
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
            roots = roots[np.argsort(came, kind="stable")]
            line[roots] = np.arange(len(roots))
            for node in here[~begins[here]]:  # breadth first: parents come before
                line[node] = line[tree.parent[node]]
            ordered = here[np.argsort(line[here], kind="stable")]
            rank[ordered] = np.arange(before, before + len(ordered))
            before += len(ordered)
            parts.append(ordered)
            self.lines.append(self.lines[-1] + len(roots))
        self.node = np.concatenate(parts).astype(np.int32)  # [N] the tree's node of each number
        self.number[self.node] = np.arange(len(tree), dtype=np.int32)
        self.line = line[self.node]  # [N] line of its street, by number
        self.begins = begins[self.node]
        self.street_nodes = np.cumsum([0, *(len(p) for p in parts)]).astype(np.int32)


def node_order(tree: BettingTree) -> Order:
    """The numbering of a betting tree's nodes in walks."""
    return Order(tree)


def betting_arrays(tree: BettingTree, order: Order, bundle_lanes: int = BUNDLE_LANES) -> Betting:
    """The arrays of a betting tree in the order of walks."""
    node = order.node
    kind = tree.kind[node]
    leaf = kind >= DEAL
    children = np.where(leaf, 0, tree.children[node]).astype(np.int32)
    first_child = np.where(leaf, 0, order.number[np.minimum(tree.first_child[node], len(tree) - 1)]).astype(np.int32)
    parent = np.where(tree.parent[node] < 0, -1, order.number[tree.parent[node]])
    row = _rows(order, kind, parent)
    slot = _slots(order, kind, children)
    line_in = np.where(order.begins, order.line, -1).astype(np.int32)
    deal = parent[order.begins].astype(np.int32)
    line_out = np.full(len(node), -1, np.int32)
    into = np.flatnonzero(order.begins & (parent >= 0))
    line_out[parent[into]] = line_in[into]
    lanes = [_lanes_of_lines(order, kind, row, player) for player in range(2)]
    cuts = _cuts(order, lanes, bundle_lanes)
    bundle_nodes, street_bundles = cuts
    tables = [_lane_table(tree, order, lanes[player], bundle_nodes, player) for player in range(2)]
    width = max(len(t["row"]) for t in tables)
    return Betting(
        kind=kind,
        first_child=first_child,
        children=children,
        row=row,
        slot=slot,
        block=_blocks(order, kind),
        line_in=line_in,
        line_out=line_out,
        deal=deal,
        street_nodes=order.street_nodes,
        street_lines=np.array(order.lines, np.int32),
        street_bundles=street_bundles,
        bundle_nodes=bundle_nodes,
        bundle_rows=_starts(row, bundle_nodes),
        bundle_lanes=np.array([t["first"] for t in tables], np.int32),
        lane_row=_table(tables, "row", width, -1, np.int32),
        lane_show=_table(tables, "show", width, -1, np.int32),
        lane_fold=_table(tables, "fold", width, -1, np.int32),
        lane_win=_table(tables, "win", width, 0.0, np.float64),
        lane_tie=_table(tables, "tie", width, 0.0, np.float64),
        lane_lose=_table(tables, "lose", width, 0.0, np.float64),
        lane_folded=_table(tables, "folded", width, 0.0, np.float64),
    )


def _rows(order: Order, kind: npt.NDArray[np.int8], parent: npt.NDArray[Any]) -> Ints:
    """[2, N] rows of reach, from 0 on each street: a new one at a line's root and after the player has acted."""
    out = np.zeros((2, len(kind)), np.int32)
    for player in range(2):
        fresh = order.begins | (kind[parent] == player)
        for street in range(len(order.street_nodes) - 1):
            here = slice(order.street_nodes[street], order.street_nodes[street + 1])
            out[player, here] = np.cumsum(fresh[here]) - 1
        for at in np.flatnonzero(~fresh):
            out[player, at] = out[player, parent[at]]
    return out


def _slots(order: Order, kind: npt.NDArray[np.int8], children: Ints) -> Ints:
    """[N] actions of the owner's earlier nodes on the street."""
    out = np.zeros(len(kind), np.int32)
    for street in range(len(order.street_nodes) - 1):
        here = np.arange(order.street_nodes[street], order.street_nodes[street + 1])
        for player in range(2):
            own = here[kind[here] == player]
            out[own] = np.cumsum(children[own]) - children[own]
    return out


def _blocks(order: Order, kind: npt.NDArray[np.int8]) -> Ints:
    """[N] decision nodes before this one on the street."""
    out = np.zeros(len(kind), np.int32)
    for street in range(len(order.street_nodes) - 1):
        here = slice(order.street_nodes[street], order.street_nodes[street + 1])
        decides = kind[here] < DEAL
        out[here] = np.cumsum(decides) - decides
    return out


Lane = tuple[int, int, int, int]  # line (over all streets), row of the other's reach, showdown or −1, fold or −1


def _lanes_of_lines(order: Order, kind: npt.NDArray[np.int8], row: Ints, player: int) -> list[Lane]:
    """For each line the other player's rows that end the game: with a showdown, with a fold, or with both."""
    found: dict[tuple[int, int], list[int]] = {}
    streets = np.searchsorted(order.street_nodes, np.arange(len(kind)), side="right") - 1
    for at in np.flatnonzero(kind >= FOLD):
        line = order.lines[streets[at]] + int(order.line[at])
        ends = found.setdefault((line, int(row[1 - player, at])), [-1, -1])
        ends[0 if kind[at] == SHOWDOWN else 1] = int(at)
    return [(line, there, show, fold) for (line, there), (show, fold) in sorted(found.items())]


def _cuts(order: Order, lanes: list[list[Lane]], most: int) -> tuple[Ints, Ints]:
    """Where bundles begin: as many lines at once as fit `most` lanes, never across streets."""
    per_line = np.zeros((2, order.lines[-1]), np.int64)
    for player in range(2):
        for lane in lanes[player]:
            per_line[player, lane[0]] += 1
    starts = np.flatnonzero(order.begins)
    nodes: list[int] = []
    streets = [0]
    for street in range(len(order.lines) - 1):
        held = np.zeros(2, np.int64)
        for line in range(order.lines[street], order.lines[street + 1]):
            if line == order.lines[street] or (held + per_line[:, line]).max() > most:
                nodes.append(int(starts[line]))
                held[:] = 0
            held += per_line[:, line]
        streets.append(len(nodes))
    nodes.append(int(order.street_nodes[-1]))
    return np.array(nodes, np.int32), np.array(streets, np.int32)


def _starts(row: Ints, bundle_nodes: Ints) -> Ints:
    """[2, bundles + 1] first row of each bundle; the last column is not used."""
    starts = np.zeros((2, len(bundle_nodes)), np.int32)
    starts[:, :-1] = row[:, bundle_nodes[:-1]]
    return starts


def _lane_table(
    tree: BettingTree, order: Order, lanes: list[Lane], bundle_nodes: Ints, player: int
) -> dict[str, list[Any]]:
    """Lanes bundle by bundle, showdowns first, each kind of group filled up to the width of a vector."""
    starts = np.flatnonzero(order.begins)
    by_bundle: list[list[Lane]] = [[] for _ in range(len(bundle_nodes) - 1)]
    for lane in lanes:
        by_bundle[int(np.searchsorted(bundle_nodes, starts[lane[0]], side="right")) - 1].append(lane)
    table: dict[str, list[Any]] = {n: [] for n in ("first", "row", "show", "fold", "win", "tie", "lose", "folded")}
    for group in by_bundle:
        table["first"].append(len(table["row"]))
        for _, there, show, fold in sorted(group, key=lambda lane: lane[2] < 0):
            win, tie, lose = (0.0, 0.0, 0.0) if show < 0 else (
                float(of[order.node[show], player]) for of in (tree.win, tree.tie, tree.lose)
            )  # fmt: skip
            folded = 0.0 if fold < 0 else float(tree.win[order.node[fold], player])
            entries = (there, show, fold, win - tie, tie - lose, lose, folded)
            for name, entry in zip(list(table)[1:], entries, strict=True):
                table[name].append(entry)
        for _ in range(-len(table["row"]) % LANE_WIDTH):
            for name, entry in zip(list(table)[1:], (-1, -1, -1, 0.0, 0.0, 0.0, 0.0), strict=True):
                table[name].append(entry)
    table["first"].append(len(table["row"]))
    return table


def _table(tables: list[dict[str, list[Any]]], name: str, width: int, filler: float, dtype: Any) -> npt.NDArray[Any]:
    out = np.full((2, max(width, LANE_WIDTH)), filler, dtype)
    for player, table in enumerate(tables):
        out[player, : len(table[name])] = table[name]
    return out
