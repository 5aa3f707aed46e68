"""Values against a strategy given by buckets, on any part of a public tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL
from regretless.kernels.public.board_walks import add_risen
from regretless.kernels.public.layout import BOTH, DOWN, UP, RisenValues, WalkTask
from regretless.kernels.public.response_walks import BucketTable, Ends, respond_boards
from regretless.poker.cards.deck import CardText
from regretless.poker.results.bucket_strategy import BucketStrategy
from regretless.poker.solving.cpu_walker import NO_STEP, Walker
from regretless.poker.tree.hand_numbers import hand_numbers
from regretless.poker.tree.public_tree import PublicTree
from regretless.threads import run_together

__all__ = ["BucketWalker", "HandColumns", "NodeTables", "class_buckets", "node_tables"]

Array = npt.NDArray[Any]


class HandColumns(Protocol):
    """Which column of a table each hand reads on a board: an abstraction, or every hand its own."""

    def sequences_on(self, board: CardText) -> Array:
        """[hands] the column of each hand of the deck; −1 for hands that hold a card of the board."""


@dataclass(frozen=True, eq=False)
class NodeTables:
    """A strategy as tables by node: [actions, known] at `first[node]`, for the nodes of a betting tree."""

    abstraction: HandColumns
    first: Array  # [nodes of the whole betting tree]
    known: Array  # [streets]
    probability: npt.NDArray[np.float32]  # [numbers]

    def on(self, nodes: Array, first_street: int, bucket: Array) -> BucketTable:
        """For a walk over `nodes` of the betting tree, which begins on a street; bucket [classes]."""
        return BucketTable(self.first[nodes], self.known[first_street:].copy(), bucket, self.probability)


def node_tables(strategy: BucketStrategy) -> NodeTables:
    """The probabilities of a strategy, normalised at each node."""
    tree, betting = strategy.tree, strategy.tree.betting_tree
    probability = np.empty(tree.infoset_actions, np.float32)
    for node in np.flatnonzero(betting.kind < DEAL).tolist():
        block = strategy.block(node)
        first = int(tree.first[node])
        probability[first : first + block.size] = block.ravel()
    return NodeTables(tree.abstraction, tree.first, tree.known, probability)


def class_buckets(tree: PublicTree, abstraction: HandColumns) -> npt.NDArray[np.int32]:
    """[classes] the column of each hand class of a tree in the tables of a strategy."""
    book = tree.book
    hand, out = hand_numbers(tree, book.hands), np.zeros(len(book.hands), np.int32)
    begin, end = book.arrays.begin, book.arrays.begin + book.arrays.count
    for board, cards in enumerate(book.cards):
        column = abstraction.sequences_on(cards)
        for player in range(2):
            own = slice(int(begin[player, board]), int(end[player, board]))
            out[own] = column[hand[own]]
    return out


class BucketWalker:
    """Walks over a tree whose first street may have several lines; results do not depend on the number of threads."""

    def __init__(self, tree: PublicTree, dtype: str = "float32", threads: int = 1) -> None:
        self.tree, self.buffers = tree, Walker(tree, dtype, threads, tree.betting)
        lines = int(tree.betting.street_lines[1])
        width = self.buffers.first_scratch.theirs.shape[1]
        self.ends = Ends(np.zeros((lines, width), dtype), np.zeros((lines, width), dtype))

    def values(self, player: int, theirs: BucketTable, entry: Array, mine: BucketTable | None = None) -> Array:
        """[lines, classes] counterfactual values of the player at the roots.

        entry [lines, classes]: the other player's reach. Without `mine` the player plays a best response.
        """
        own = mine or theirs._replace(probability=theirs.probability[:0])
        self.ends.entry[:] = 0
        self.ends.entry[:, : entry.shape[1]] = entry
        buffers, boards = self.buffers, self.tree.book.arrays
        if self.tree.streets == 1:
            self._walk_top(BOTH, player, own, theirs)
        else:
            self._walk_top(DOWN, player, own, theirs)
            risen = RisenValues(buffers.risen, int(buffers.items[0]))
            tasks = [self._task(share, BOTH, player) for share in buffers.shares]
            jobs = [
                (self.tree.betting, boards, own, theirs, task, self.ends, scratch, risen, work)
                for task, scratch, work in zip(tasks, buffers.scratch, buffers.works, strict=True)
            ]
            run_together(lambda number: respond_boards(*jobs[number]), len(jobs))
            self._add_risen(player, buffers.items)
            self._walk_top(UP, player, own, theirs)
        return np.array(self.ends.exits[:, : boards.count[player, 0]], np.float64)

    def compile(self, table: BucketTable) -> None:
        """Compile the walk before it is timed, by walking the first street down and adding up no boards."""
        self._walk_top(DOWN, 0, table, table)
        if self.tree.streets > 1:
            self._add_risen(0, self.buffers.items[:0])

    def _add_risen(self, player: int, items: Array) -> None:
        """Values of the second street's boards, added up for the first one."""
        buffers = self.buffers
        lines = buffers.risen.shape[2]
        add_risen(self.tree.book.arrays, items, player, buffers.risen, lines, True, buffers.first_scratch)

    def _walk_top(self, way: int, player: int, mine: BucketTable, theirs: BucketTable) -> None:
        buffers = self.buffers
        unused = RisenValues(buffers.first_scratch.risen[None], 0)
        task = self._task(np.zeros(1, np.int32), way, player)
        respond_boards(
            self.tree.betting, self.tree.book.arrays, mine, theirs, task, self.ends, buffers.scratch[0], unused,
            buffers.works[0],
        )  # fmt: skip

    def _task(self, items: Array, way: int, player: int) -> WalkTask:
        return WalkTask(items, way, player, True, NO_STEP)
