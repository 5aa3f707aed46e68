"""Values against strategies given by buckets on a GPU: the interface of `BucketWalker`, with all lines in one walk."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public.layout import Betting
from regretless.kernels.public.response_walks import BucketTable
from regretless.poker.solving.cpu_walker import NO_STEP
from regretless.poker.solving.cuda_state import CudaNumbers
from regretless.poker.solving.cuda_tables import BucketColumns
from regretless.poker.solving.cuda_walker import WINDOW, CudaWalker, Launch
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["CudaBucketWalker", "SlotTables"]

Array = npt.NDArray[Any]


class SlotTables:
    """Both players' strategies on the device by slot: (slot, bucket) is at first + slot · known + bucket."""

    def __init__(self, betting: Betting, seats: tuple[BucketTable, BucketTable], dtype: str) -> None:
        from regretless.kernels.cuda_target import cuda

        streets = len(betting.street_nodes) - 1
        self.known = np.stack([np.asarray(seat.known, np.int64) for seat in seats])  # [2, streets]
        self.first = np.zeros((2, streets), np.int64)
        parts: list[Array] = []
        size = 0
        for player, seat in enumerate(seats):
            for street in range(streets):
                self.first[player, street] = size
                here = np.arange(betting.street_nodes[street], betting.street_nodes[street + 1])
                for node in here[betting.kind[here] == player].tolist():  # nodes in order have their slots in order
                    begin = int(seat.first[node])
                    count = int(betting.children[node]) * int(seat.known[street])
                    parts.append(seat.probability[begin : begin + count])
                    size += count
        if size >= WINDOW:
            raise OptionError(
                f"{size:,} probabilities are too many for a GPU, the limit is {WINDOW:,}: take device='cpu'"
            )
        joined = np.concatenate(parts) if parts else np.zeros(1)
        self.numbers = cuda.to_device(joined.astype(dtype))

    def columns(self, tree: PublicTree, bucket: Array) -> BucketColumns:
        """For the boards of a tree; bucket [classes], the same for both players."""
        street = tree.board_street
        return BucketColumns(bucket, self.first[:, street], self.known[:, street])


class CudaBucketWalker:
    """Walks over a tree whose first street may have several lines, on a GPU."""

    def __init__(
        self, tree: PublicTree, dtype: str, tables: SlotTables, bucket: Array, launch: Launch | None = None
    ) -> None:
        from regretless.kernels.cuda_target import cuda

        self.tree = tree
        self.walker = CudaWalker(tree, dtype, launch=launch, buckets=tables.columns(tree, bucket))
        first = cuda.to_device(np.zeros(tree.boards, np.int64))
        self.numbers = CudaNumbers(tables.numbers, None, tables.numbers, None, first, None)

    def values(self, player: int, theirs: BucketTable, entry: Array, mine: BucketTable | None = None) -> Array:
        """[lines, classes] counterfactual values of the player at the roots, as `BucketWalker.values` returns them.

        The strategies are those of the constructor; `mine` says whether the player follows its own.
        """
        self.walker.enter(1 - player, entry)
        self.walker.walk(player, self.numbers, self.numbers.regret, False, NO_STEP)
        return self.walker.line_values(player, played=mine is not None).astype(np.float64)

    def compile(self, table: BucketTable) -> None:
        """Kernels are compiled when they are first launched: walk once with no reach."""
        lines, count = int(self.tree.betting.street_lines[1]), int(self.tree.book.arrays.count[1, 0])
        self.values(0, table, np.zeros((lines, count)))
