"""The betting of a bucketed tree as the arrays of GPU walks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.buckets.cuda_bucket_layout import SUMS, BucketPlan, BucketStreet
from regretless.kernels.constants import DEAL
from regretless.kernels.public.cuda_layout import (
    ACTIONS,
    DECIDER,
    DECISION_RECORD,
    LANE_PAYOFFS,
    LINE_DECISIONS,
    LINE_LANES,
    LINE_NODES,
    LINE_RECORD,
    LINE_ROWS,
    SLOT,
    Lines,
)
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.solving.buckets.line_groups import probability_missed
from regretless.poker.solving.cuda_tables import line_tables
from regretless.poker.tree.betting_arrays import WalkOrder, betting_arrays

__all__ = ["BucketLines"]

Array = npt.NDArray[Any]


class BucketLines:
    """Lines of all streets with the places of their tables, and what each street needs."""

    def __init__(self, tree: BucketedTree, dtype: npt.DTypeLike) -> None:
        order = WalkOrder(tree.betting_tree)
        betting = betting_arrays(tree.betting_tree, order)
        lines = line_tables(betting, np.float64)
        self.tree, self.street_lines = tree, betting.street_lines  # [streets + 1]
        self.record = lines.line.reshape(-1, LINE_RECORD)
        decision = lines.decision.reshape(-1, DECISION_RECORD)
        decision[:, SLOT] = tree.first[order.node[np.flatnonzero(betting.kind < DEAL)]]
        self.sums = self._place_sums(decision)  # [2, lines] rows of sums
        payoff = lines.payoff.reshape(-1, LANE_PAYOFFS)
        for street in range(tree.betting_tree.streets):
            for begin, end in self._lane_spans(street):
                payoff[begin:end] *= probability_missed(tree, street)
        self.arrays: Lines = lines._replace(payoff=lines.payoff.astype(dtype))

    def _place_sums(self, decision: Array) -> Array:
        """Number the rows of sums: for each decision of a player one for the reach and one for each action."""
        spans = self.record[:, LINE_DECISIONS : LINE_DECISIONS + 2]
        rows = np.zeros((2, len(spans)), np.int64)
        for line, (begin, end) in enumerate(spans.tolist()):
            for player in range(2):
                own = begin + np.flatnonzero(decision[begin:end, DECIDER] == player)
                needed = decision[own, ACTIONS] + 1
                decision[own, SUMS] = np.cumsum(needed) - needed
                rows[player, line] = needed.sum()
        return rows

    def _lane_spans(self, street: int) -> list[tuple[int, int]]:
        """The lanes of a street, a span for each player; lanes are sorted by player and line."""
        records = self.record[self.street_lines[street] : self.street_lines[street + 1]]
        return [(int(records[0, at]), int(records[-1, at + 1])) for at in (LINE_LANES, LINE_LANES + 2)]

    def decisions(self, street: int) -> tuple[int, int]:
        """The first decision of a street, and the end."""
        records = self.record[self.street_lines[street] : self.street_lines[street + 1]]
        return int(records[0, LINE_DECISIONS]), int(records[-1, LINE_DECISIONS + 1])

    def street(self, number: int, board_first: int, boards: int) -> BucketStreet:
        """What kernels get of a street."""
        first, end = (int(self.street_lines[at]) for at in (number, number + 1))
        return BucketStreet(board_first, boards, first, end - first, int(self.tree.known[number]))

    def plan(self, number: int, width: int, threads: int, fit: int) -> BucketPlan:
        """The layout of a block's buffer; width: hands of a board, padded. fit: numbers of a block's shared memory."""
        own = slice(int(self.street_lines[number]), int(self.street_lines[number + 1]))
        records = self.record[own]
        lanes = int((records[:, [LINE_LANES + 1, LINE_LANES + 3]] - records[:, [LINE_LANES, LINE_LANES + 2]]).max())
        reach = int(records[:, LINE_ROWS : LINE_ROWS + 2].max())
        rows = max(reach + lanes, int(self.sums[:, own].max()))
        tile = int((records[:, LINE_NODES] + records[:, LINE_ROWS : LINE_ROWS + 2].max(axis=1)).max()) * threads
        return BucketPlan(
            size=rows * width + (tile if tile > fit else 0), width=width, shown=reach * width, tile=rows * width
        )
