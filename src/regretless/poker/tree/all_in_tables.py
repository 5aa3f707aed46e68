"""Tables of equities for all-ins before the last street, so that walks deal no cards where no player decides any more.

A table is kept for each board of a street with all-ins; see `kernels.public.all_ins` for what is in it and what it
costs. Tables of a street are used if they take little memory beside the numbers of a solve. Walks on a GPU, and walks
with tables by bucket, deal the cards.
"""

from __future__ import annotations

from math import comb, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.kernels.public.all_ins import add_showdowns, add_table
from regretless.kernels.public.layout import LANE_WIDTH, AllIns, Betting, Boards
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.tree.betting_arrays import WalkOrder, betting_arrays
from regretless.threads import run_together

if TYPE_CHECKING:
    from regretless.poker.tree.public_tree import PublicTree

__all__ = ["AllInLayout", "all_in_layout", "no_all_ins", "table_bytes"]

MOST_STREETS = 3
"""Streets of the largest game with tables: from the flop on there are 990 runs of two cards."""

FREE_BYTES = 32_000_000
"""Tables of this size are always used."""

LARGEST_SHARE = 0.25
"""The most that tables may take of the memory of the numbers in 32 bits."""

LARGEST = 32_767
"""The largest number of 16 bits."""

Array = npt.NDArray[Any]


class AllInLayout(NamedTuple):
    """How walks with tables see a tree: its betting without the lines that are all-in, and the tables."""

    betting: Betting
    all_ins: AllIns


def no_all_ins(streets: int, boards: int) -> AllIns:
    """All-ins of walks that deal the cards."""
    nothing = np.zeros((2, 0))
    return AllIns(
        street=np.zeros(streets + 1, np.int32),
        node=np.zeros(0, np.int32),
        row=nothing.astype(np.int32),
        stake=nothing,
        tie=nothing,
        first=np.full(boards, -1, np.int64),
        table=np.zeros(0, np.int16),
        raked=0,
    )


def board_bytes(boards: Boards, street: int) -> Array:
    """[boards of the street] bytes of their tables."""
    here = slice(int(boards.street_boards[street]), int(boards.street_boards[street + 1]))
    return boards.stride[0, here].astype(np.int64) * boards.stride[1, here] * np.dtype(np.int16).itemsize


def tabulated_streets(tree: PublicTree) -> int:
    """All-ins of streets before this one have tables; 0 where there is nothing to tabulate or no memory for it."""
    order, boards = tree.order, tree.book.arrays
    if tree.streets > MOST_STREETS or not _ties_pay_the_mean(tree.betting_tree):
        return 0
    allowed = max(FREE_BYTES, int(LARGEST_SHARE * 8 * tree.numbers))
    wanted = 0
    for street in range(tree.streets - 1):
        if np.any(order.all_in == street):
            allowed -= int(board_bytes(boards, street).sum())
            if allowed < 0 or _runs(tree, street) * boards.size.max() > LARGEST:
                break
            wanted = street + 1
    return wanted


def table_bytes(tree: PublicTree) -> int:
    """Bytes of all tables of a tree."""
    streets = [street for street in range(tabulated_streets(tree)) if np.any(tree.order.all_in == street)]
    return sum(int(board_bytes(tree.book.arrays, street).sum()) for street in streets)


def _ties_pay_the_mean(tree: BettingTree) -> bool:
    shown = tree.kind == SHOWDOWN
    return bool(np.allclose(tree.tie[shown], (tree.win[shown] + tree.lose[shown]) / 2, rtol=1e-12))


def all_in_layout(tree: PublicTree, threads: int) -> AllInLayout:
    """The betting that walks with tables see, and the tables; without all-ins the betting as it is and no tables."""
    tabulated = tabulated_streets(tree)
    if not tabulated:
        return AllInLayout(tree.betting, no_all_ins(tree.streets, tree.boards))
    betting = betting_arrays(tree.betting_tree, tree.order, tabulated=tabulated)
    first, table = _tables(tree, tabulated, threads)
    return AllInLayout(betting, _entries(tree, tabulated)._replace(first=first, table=table))


def _entries(tree: PublicTree, tabulated: int) -> AllIns:
    """The all-ins of all streets, without tables."""
    order, betting, nodes = tree.order, tree.betting, tree.betting_tree
    out = no_all_ins(tree.streets, tree.boards)
    bounds, columns = [0], []
    for street in range(tree.streets):
        here = np.arange(order.street_nodes[street], order.street_nodes[street + 1])
        calls = here[_calls(order, nodes)[here]] if street < tabulated else here[:0]
        padded = -(-len(calls) // LANE_WIDTH) * LANE_WIDTH
        columns.append(np.concatenate([calls, np.full(padded - len(calls), -1)]))
        bounds.append(bounds[-1] + padded)
    node = np.concatenate(columns).astype(np.int32)
    ends = _showdown_after(nodes, order.node[node])
    runs = [_runs(tree, int(street)) for street in nodes.street[order.node[node]]]
    stake, tie = ((nodes.win - nodes.lose)[ends].T / 2 / np.array(runs), nodes.tie[ends].T)
    real = node >= 0
    return out._replace(
        street=np.array(bounds, np.int32),
        node=node,
        row=np.ascontiguousarray(np.where(real, betting.row[::-1, node], -1), np.int32),
        stake=np.ascontiguousarray(np.where(real, stake, 0.0)),
        tie=np.ascontiguousarray(np.where(real, tie, 0.0)),
        raked=int(tie[:, real].any()),
    )


def _calls(order: WalkOrder, tree: BettingTree) -> Array:
    """[N] by number: whether the node is the deal after the call of an all-in; later deals of the line are not."""
    node = order.node
    deals = tree.kind[node] == DEAL
    follows = tree.kind[np.minimum(tree.first_child[node], len(tree) - 1)]
    return np.asarray(deals & (follows >= DEAL) & ~order.begins)


def _showdown_after(tree: BettingTree, node: Array) -> Array:
    while (dealing := tree.kind[node] == DEAL).any():
        node = np.where(dealing, tree.first_child[node], node)
    return node


def _runs(tree: PublicTree, street: int) -> int:
    """Runs of the cards after a street, in the order of the deals, for two given hands."""
    game = tree.game
    left = game.deck.size - len(game.first_board) - sum(game.board_cards[:street]) - 2 * game.hand_size
    dealt = game.board_cards[street:]
    return prod(comb(left - sum(dealt[:later]), cards) for later, cards in enumerate(dealt))


def _tables(tree: PublicTree, tabulated: int, threads: int) -> tuple[Array, Array]:
    """([boards] where each table begins, the tables), from the last street up; threads share the second street."""
    boards, last = tree.book.arrays, tree.streets - 1
    sizes = np.zeros(tree.boards, np.int64)
    for street in range(tabulated):
        if np.any(tree.order.all_in == street):
            here = slice(int(boards.street_boards[street]), int(boards.street_boards[street + 1]))
            sizes[here] = board_bytes(boards, street) // 2
    first = np.where(sizes > 0, np.cumsum(sizes) - sizes, -1)
    table = np.zeros(int(sizes.sum()), np.int16)

    def keep(board: int, street: int, sums: Array) -> None:
        if first[board] >= 0:
            counts = np.rint(sums * _runs(tree, street)).astype(np.int16)
            table[first[board] : first[board] + sizes[board]] = counts.ravel()

    def equities(board: int, street: int, number: int, parts: int) -> Array:
        """The expected wins − losses on every `parts`-th child of a board, from `number` on."""
        sums = np.zeros((boards.stride[0, board], boards.stride[1, board]))
        children = range(int(boards.child_first[board]) + number, int(boards.child_first[board + 1]), parts)
        if street == last - 1:
            add_showdowns(boards, children.start, children.stop, parts, sums)
            return sums
        for child in children:
            below = equities(child, street + 1, 0, 1)
            keep(child, street + 1, below)
            add_table(boards, child, below, sums)
        return sums

    keep(0, 0, np.sum(run_together(lambda number: equities(0, 0, number, threads), threads), axis=0))
    return first, table
