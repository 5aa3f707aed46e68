"""Public chance sampling with tables of 16 bits: half the memory of 32 bits, and no table of gains.

The tables of a group of lines are decoded to 32 bits, walked on all boards of the batch, updated, and encoded again
(see `kernels.buckets.bucket_codes`). All walks of an iteration over a group follow each other, so gains exist for one
group at a time. This needs one batch of boards in an iteration.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.buckets.bucket_codes import decode_tables, encode_tables
from regretless.kernels.buckets.bucket_layout import DOWN, UP, Answer, BucketTables
from regretless.kernels.buckets.bucket_walks import update_regrets
from regretless.kernels.constants import DECAY, FLOOR, NEGATIVE, POSITIVE, WEIGHT
from regretless.method import Settings
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.solving.buckets.batch_walker import Batch, BatchWalker
from regretless.poker.solving.buckets.board_batches import BoardBatches
from regretless.poker.solving.buckets.bucket_learner import BucketTablesLearner, public_chance_plan
from regretless.poker.solving.buckets.line_groups import StreetGroups
from regretless.threads import run_together

__all__ = ["CodedBucketLearner"]

Array = npt.NDArray[Any]

WALKED = "float32"
"""What decoded tables and all walks compute with."""


class CodedTables(NamedTuple):
    """Numbers of a solve in 16 bits, and the scales of their blocks."""

    regret: npt.NDArray[np.int16]  # [infoset-actions]
    average: npt.NDArray[np.int16]  # [infoset-actions]
    regret_scale: npt.NDArray[np.float32]  # [blocks]
    average_scale: npt.NDArray[np.float32]  # [blocks]


class Update(NamedTuple):
    """The regret update of an iteration, and the seeds for rounding regrets and averages."""

    numbers: npt.NDArray[np.float32]  # [4] positive and negative discount, floor, factor of gains
    seeds: tuple[np.uint64, np.uint64]


class CodedWalker(BatchWalker):
    """Walks group by group, each with its tables decoded; results do not depend on threads."""

    def __init__(self, tree: BucketedTree, counts: list[int], threads: int) -> None:
        super().__init__(tree, counts, WALKED, threads)
        self.places: list[list[Array]] = []  # by street and group: see `encode_tables`
        for street, made in enumerate(self.streets):
            local, places = self._local_tables(made, int(tree.known[street]))
            self.streets[street] = made._replace(arrays=made.arrays._replace(table=local))
            self.places.append(places)
        largest = max(_numbers(places) for street in self.places for places in street)
        self.decoded = [BucketTables(*(np.zeros(largest, WALKED) for _ in range(3))) for _ in range(threads)]
        self.next_update = Update(np.ones(4, np.float32), (np.uint64(0), np.uint64(0)))

    def _local_tables(self, made: StreetGroups, known: int) -> tuple[Array, list[Array]]:
        """[positions, 16] where tables begin in a buffer for one group, and [tables, 4] the places of each group."""
        arrays, blocks = made.arrays, self.tree.blocks
        local, places = np.full(arrays.table.shape, -1, np.int64), []
        for begin, end in zip(arrays.first[:-1].tolist(), arrays.first[1:].tolist(), strict=True):
            found, at = [], 0
            for position, lane in np.argwhere(arrays.table[begin:end] >= 0).tolist():
                first, size = int(arrays.table[begin + position, lane]), int(arrays.children[begin + position]) * known
                found.append((first, int(blocks.of(np.array([first]))[0]), size, at))
                local[begin + position, lane] = at
                at += size
            places.append(np.array(found, np.int64).reshape(-1, 4))
        return local, places

    def run(self, kernel: Any, way: int, street: int, batch: Batch, answer: Answer) -> None:
        """Walk a street; each thread takes its groups one after the other."""
        shares, weights = self.shares[street], np.array([batch.weight, self.smallest], self.dtype)

        def work(number: int) -> None:
            for group in shares[number].tolist():
                self._walk_group(kernel, way, street, group, batch, weights, number, answer)

        run_together(work, len(shares))

    def _walk_group(
        self, kernel: Any, way: int, street: int, group: int, batch: Batch, weights: Array, thread: int, answer: Answer
    ) -> None:
        """Decode the tables of a group, walk it, and encode what has changed: averages going down, regrets going up."""
        tables: Any = batch.tables
        places, decoded, update = self.places[street][group], self.decoded[thread], self.next_update
        decode_tables(tables.regret, tables.regret_scale, places, decoded.regret)
        if way != UP:
            decode_tables(tables.average, tables.average_scale, places, decoded.average)
        numbers = _numbers(places)
        decoded.gain[:numbers] = 0
        kernel(
            way, np.array([group], np.int64), self.streets[street].arrays, batch.boards[street], self.rows[street],
            self.rows[street + 1], int(self.tree.known[street]), decoded, weights, self.scratch[thread], answer,
        )  # fmt: skip
        if way != UP:
            encode_tables(decoded.average, places, update.seeds[1], tables.average, tables.average_scale)
        if way != DOWN:
            update_regrets(decoded, 0, numbers, update.numbers)
            encode_tables(decoded.regret, places, update.seeds[0], tables.regret, tables.regret_scale)


class CodedBucketLearner(BucketTablesLearner):
    """`MCCFR(sampling="public-chance")` on a bucketed tree with dtype="int16"."""

    def __init__(self, tree: BucketedTree, method: Any, settings: Settings) -> None:
        plan = public_chance_plan(tree, method)
        if plan.pieces != 1:
            raise OptionError(
                f"dtype='int16' keeps no gains between batches, so an iteration is one batch: give boards= instead of "
                f"traversals={method.traversals}"
            )
        tree.check_memory(settings.dtype)
        super().__init__(tree, settings, method.variant, 0)
        self.method, self.share = method, plan.share
        self.batches = BoardBatches(tree, method.boards, WALKED)
        self.walker = CodedWalker(tree, self.batches.counts, settings.threads)
        numbers, blocks = tree.infoset_actions, tree.blocks.count
        self.coded = CodedTables(
            np.zeros(numbers, np.int16), np.zeros(numbers, np.int16),
            np.zeros(blocks, np.float32), np.zeros(blocks, np.float32),
        )  # fmt: skip

    def arrays(self) -> dict[str, Array]:
        """Codes of regrets and averages, and their scales."""
        return self.coded._asdict()

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        if not iterations:  # compile on tables of their own
            kept = {name: array.copy() for name, array in self.arrays().items()}
            self._walk(CodedTables(**kept), 0.0, 0, 0, 0)
        for step in self.variant.steps(self.iteration + 1, iterations):
            self.iteration += 1
            if step[DECAY] != 1:
                self.coded.average_scale[:] *= np.float32(step[DECAY])
            seeds = np.random.SeedSequence([self.settings.seed, self.iteration]).generate_state(2, np.uint64)
            numbers = np.array([*step[[POSITIVE, NEGATIVE, FLOOR]], self.share], np.float32)
            self.walker.next_update = Update(numbers, (seeds[0], seeds[1]))
            self._walk(self.coded, float(step[WEIGHT]) * self.share, self.settings.seed, self.iteration, 0)

    def _walk(self, tables: CodedTables, weight: float, *seeds: int) -> None:
        boards = self.batches.prepared(self.batches.draw(*seeds))
        self.walker.walk(boards, tables, weight)  # type: ignore[arg-type]


def _numbers(places: Array) -> int:
    """Numbers of the tables of a group."""
    return int(places[:, 2].sum())
