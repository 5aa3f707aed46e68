"""Walks with buckets over a batch of boards, on several threads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.buckets.bucket_layout import (
    BOTH,
    DOWN,
    UP,
    Answer,
    BucketTables,
    DealRows,
    LaneScratch,
    StreetBoards,
)
from regretless.kernels.buckets.bucket_walks import decay_average, update_regrets, walk_street
from regretless.kernels.numba_ext.vectors import WIDTH
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.solving.buckets.line_groups import StreetGroups, line_groups, shared_out
from regretless.threads import run_together

__all__ = ["Batch", "BatchWalker", "TableUpdates"]

Array = npt.NDArray[Any]

ALONE = 40_000
"""Numbers of a table from which on threads share an update."""


class Batch(NamedTuple):
    """What a walk reads and writes besides buffers."""

    boards: list[StreetBoards]  # by street
    tables: BucketTables
    weight: float  # of this iteration in the average


class TableUpdates:
    """Passes over whole tables, on several threads."""

    def __init__(self, tree: BucketedTree, dtype: str, threads: int) -> None:
        self.tree, self.dtype, self.threads = tree, np.dtype(dtype), threads

    def update(self, tables: BucketTables, share: float, step: Array, part: slice | None = None) -> None:
        """The regret update with gains times `share`; step: positive and negative discount, floor."""
        numbers = np.array([*step[:3], share], self.dtype)
        self._by_parts(lambda begin, end: update_regrets(tables, begin, end, numbers), part)

    def decay(self, tables: BucketTables, factor: float, part: slice | None = None) -> None:
        """Multiply the average by a factor."""
        self._by_parts(lambda begin, end: decay_average(tables, begin, end, self.dtype.type(factor)), part)

    def _by_parts(self, work: Any, part: slice | None = None) -> None:
        """Call work(begin, end) for parts of the tables, each on a thread."""
        begin, end = (0, self.tree.infoset_actions) if part is None else (part.start, part.stop)
        threads = self.threads if end - begin >= ALONE else 1
        bounds = np.linspace(begin, end, threads + 1).astype(np.int64).tolist()
        run_together(lambda number: work(bounds[number], bounds[number + 1]), threads)


class BatchWalker(TableUpdates):
    """Walks streets down and up again; each group of lines belongs to one thread. Results do not depend on threads."""

    def __init__(self, tree: BucketedTree, counts: list[int], dtype: str, threads: int) -> None:
        """counts: boards of each street in a batch."""
        super().__init__(tree, dtype, threads)
        self.streets = line_groups(tree, dtype)
        self.shares = [shared_out(street.cost, min(threads, len(street.cost))) for street in self.streets]
        ranges = np.stack(tree.game.hand_weights())
        hands = ranges.shape[1]
        tree.check_memory(dtype, self.buffer_bytes(counts, hands))
        self.rows = [self._rows(1, 1, hands)]
        """Between each street and the one above; the rows above the first street hold the ranges."""
        self.rows[0].reach[0, 0, :, :, 0] = ranges
        for street, boards in zip(self.streets, counts, strict=True):
            self.rows.append(self._rows(boards, street.rows, hands))
        self.scratch = [self._scratch(hands) for _ in range(threads)]
        self.smallest = float(np.finfo(self.dtype).tiny)
        self.no_answer = Answer(-1, False, np.zeros((0, 0, 0, WIDTH), self.dtype))

    def _rows(self, boards: int, rows: int, hands: int) -> DealRows:
        shape = (boards, rows, 2, hands, WIDTH)
        return DealRows(np.zeros(shape, self.dtype), np.zeros(shape, self.dtype))

    def _scratch(self, hands: int) -> LaneScratch:
        depths = max(street.depths for street in self.streets)
        actions = max(1, int(self.tree.betting_tree.children.max()))
        make = lambda *shape: np.zeros((*shape, WIDTH), self.dtype)  # noqa: E731
        return LaneScratch(
            reach=make(depths, 2, hands),
            value=make(depths, 2, hands),
            strategy=make(depths, actions, hands),
            bucket_value=make(depths, actions, hands),
            bucket_sum=make(hands),
            held=make(self.tree.game.deck.size),
            path=np.zeros(depths, np.int64),
            reach_at=np.zeros((depths, 2), np.int64),
            identity=np.arange(hands, dtype=np.int64),
            choices=make(self.streets[-1].choices, hands),
        )

    def buffer_bytes(self, counts: list[int], hands: int) -> int:
        """Bytes of boards and of rows between streets."""
        rows = sum(2 * boards * street.rows for street, boards in zip(self.streets, counts, strict=True))
        lists = sum(counts) * hands * len(StreetBoards._fields) * 8
        return lists + rows * 2 * hands * WIDTH * self.dtype.itemsize

    def walk(self, boards: list[StreetBoards], tables: BucketTables, weight: float) -> Array:
        """Walk a batch and add gains and averages to the tables; returns the values [2, hands] of all hands."""
        last = len(self.streets) - 1
        batch = Batch(boards, tables, weight)
        self.clear_values()
        for street in range(last):
            self.run(walk_street, DOWN, street, batch, self.no_answer)
        self.run(walk_street, BOTH, last, batch, self.no_answer)
        for street in range(last - 1, -1, -1):
            self.run(walk_street, UP, street, batch, self.no_answer)
        return self.root_values()

    def clear_values(self) -> None:
        """Clear the sums of values between streets."""
        for rows in self.rows[:-1]:
            rows.value[...] = 0

    def root_values(self) -> Array:
        """[2, hands] the values at the root after a walk."""
        return self.rows[0].value[0, 0, :, :, 0].copy()

    def run(self, kernel: Any, way: int, street: int, batch: Batch, answer: Answer) -> None:
        """Call a kernel for a street; each thread takes its share of the groups."""
        made: StreetGroups = self.streets[street]
        shares, known = self.shares[street], int(self.tree.known[street])
        weights = np.array([batch.weight, self.smallest], self.dtype)

        def work(number: int) -> None:
            kernel(
                way, shares[number], made.arrays, batch.boards[street], self.rows[street], self.rows[street + 1], known,
                batch.tables, weights, self.scratch[number], answer,
            )  # fmt: skip

        run_together(work, len(shares))
