"""Walks of CFR-BR with buckets: choices of a best response first, then a walk of the learner against them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.buckets.bucket_answers import answer_last_street, best_street
from regretless.kernels.buckets.bucket_layout import BOTH, DOWN, UP, Answer, BucketTables, StreetBoards
from regretless.kernels.buckets.bucket_walks import walk_street
from regretless.kernels.numba_ext.vectors import WIDTH
from regretless.method import Settings
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.solving.buckets.batch_walker import Batch, BatchWalker
from regretless.poker.solving.buckets.line_groups import line_groups

__all__ = ["AnsweredWalker"]

Array = npt.NDArray[Any]


class AnsweredWalker(BatchWalker):
    """Walks of one learner. The other player, who answers, plays by hand."""

    def __init__(
        self, tree: BucketedTree, counts: list[int], settings: Settings, answering: int, by_hand: Array
    ) -> None:
        """by_hand [nodes]: the first entry of each table by hand, on the first street."""
        self.answering = answering
        super().__init__(tree, counts, settings.dtype, settings.threads)
        first = self.streets[0].arrays
        hand_tables = line_groups(tree, settings.dtype, by_hand)[0].arrays.table
        table = np.where((first.kind == answering)[:, None], hand_tables, first.table)
        self.streets[0] = self.streets[0]._replace(arrays=first._replace(table=table))
        hands = self.rows[0].reach.shape[3]
        self.choices = [
            np.zeros((boards if 0 < n < len(counts) - 1 else 0, street.choices, hands, WIDTH), self.dtype)
            for n, (boards, street) in enumerate(zip(counts, self.streets, strict=True))
        ]
        """By street; those of the last one are kept in scratch."""

    def buffer_bytes(self, counts: list[int], hands: int) -> int:
        """Bytes of boards and of rows between streets, with those of choices."""
        rows = sum(n * street.choices for n, street in zip(counts[1:-1], self.streets[1:-1], strict=True))
        return super().buffer_bytes(counts, hands) + rows * hands * WIDTH * self.dtype.itemsize

    def walk(self, boards: list[StreetBoards], tables: BucketTables, weight: float) -> Array:
        """Walk a batch: the first street down, choices below it, then the learner against them."""
        batch, last = Batch(boards, tables, weight), len(self.streets) - 1
        by_regret = Answer(self.answering, False, self.no_answer.choices)
        by_choice = [Answer(self.answering, True, choices) for choices in self.choices]
        self.clear_values()
        if last:
            self.run(walk_street, DOWN, 0, batch, by_regret)
            self._choose(batch, by_choice)
            self.clear_values()
            for street in range(1, last):
                self.run(walk_street, DOWN, street, batch, by_choice[street])
            self.run(answer_last_street, BOTH, last, batch, by_choice[last])
            for street in range(last - 1, 0, -1):
                self.run(walk_street, UP, street, batch, by_choice[street])
        self.run(walk_street, UP if last else BOTH, 0, batch, by_regret)
        return self.root_values()

    def _choose(self, batch: Batch, answers: list[Answer]) -> None:
        """Write the choices of all streets between the first and the last."""
        last = len(self.streets) - 1
        if last < 2:
            return
        for street in range(1, last):
            self.run(best_street, DOWN, street, batch, answers[street])
        self.run(best_street, BOTH, last, batch, answers[last])
        for street in range(last - 1, 0, -1):
            self.run(best_street, UP, street, batch, answers[street])
