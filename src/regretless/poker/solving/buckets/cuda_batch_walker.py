"""Walks with buckets over batches of boards on a GPU: the interface of `BatchWalker`, with all tables on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.availability import check_device_memory, cuda_available
from regretless.gpu.launching import KernelLauncher, Launch
from regretless.kernels.buckets.bucket_layout import StreetBoards
from regretless.kernels.buckets.cuda_bucket_layout import BetweenStreets, BucketNumbers
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.solving.buckets.cuda_boards import CudaBoards
from regretless.poker.solving.buckets.cuda_lines import BucketLines
from regretless.poker.solving.cuda_walker import WINDOW

__all__ = ["CudaBatchWalker"]

Array = npt.NDArray[Any]

SMALLER = "take fewer buckets or boards, or device='cpu'"
"""What to do where a GPU has too little memory."""


class CudaBatchWalker:
    """Walks streets down and up again; a block of threads takes one line and one player at a time.

    Results do not depend on how blocks share the lines.
    """

    def __init__(self, tree: BucketedTree, counts: list[int], dtype: str, launch: Launch | None = None) -> None:
        """counts: boards of each street in a batch."""
        missing = cuda_available()
        if missing:
            raise OptionError(missing)
        from regretless.kernels.buckets import cuda_bucket_walks
        from regretless.kernels.cuda_target import SIMULATED, cuda

        self.tree, self.dtype, self.cuda = tree, np.dtype(dtype), cuda
        self.launch = Launch() if launch is None else launch
        self.launcher = KernelLauncher(cuda_bucket_walks, self.launch, SIMULATED)
        lines = BucketLines(tree, self.dtype)
        self.boards = CudaBoards(tree, counts, lines.street_lines, self.dtype)
        self._check_hands()
        fit = self.launch.chip_bytes // self.dtype.itemsize
        widths = (-(-self.boards.hands // 16) * 16).tolist()
        self.plans = [lines.plan(street, width, self.launch.threads, fit) for street, width in enumerate(widths)]
        largest = max(plan.size for plan in self.plans)
        self.blocks = min(self.launch.blocks or self.launcher.fitting_blocks(), WINDOW // largest)
        self._check_memory(lines, largest)
        self.streets = [
            lines.street(street, int(self.boards.street_first[street]), boards) for street, boards in enumerate(counts)
        ]
        self.decisions = [lines.decisions(street) for street in range(len(counts))]
        self.lines = type(lines.arrays)(*map(cuda.to_device, lines.arrays))
        self.hands, self.segments = self.boards.on_device(cuda)
        self.between = self._between()
        self.scratch = cuda.device_array(self.blocks * largest, self.dtype)
        self.queue = cuda.to_device(np.zeros(2 + self.blocks, np.int32))
        self.smallest = self.dtype.type(np.finfo(self.dtype).tiny)

    def _check_hands(self) -> None:
        """Refuse games whose showdowns do not fit into shared memory."""
        fit, needed = self.launch.chip_bytes // self.dtype.itemsize, self.boards.numbers_per_lane
        if needed > min(fit, 0x7FFF):
            raise OptionError(
                f"this game has too many hands per board for a GPU: a block can hold {fit:,} numbers and a showdown "
                f"needs {needed:,}; take device='cpu'"
            )

    def _check_memory(self, lines: BucketLines, buffer: int) -> None:
        """Refuse solves that need more memory than is free, or indices of over 31 bits."""
        numbers, between = self.tree.infoset_actions, 2 * self.boards.half
        if max(numbers, between, 3 * self.boards.total, *(array.size for array in lines.arrays)) >= WINDOW:
            raise OptionError(
                f"{numbers:,} infoset-actions and {between:,} numbers between streets are too many for a GPU, the "
                f"limit of each is {WINDOW:,}: {SMALLER}"
            )
        needed = (len(BucketNumbers._fields) * numbers + 2 * between + self.blocks * buffer) * self.dtype.itemsize
        check_device_memory(needed + self.boards.nbytes + sum(array.nbytes for array in lines.arrays), SMALLER)

    def _between(self) -> BetweenStreets:
        """Reach and values between streets; the players enter the first street with their ranges."""
        entering, ranges = np.zeros((2, self.boards.half), self.dtype), np.stack(self.tree.game.hand_weights())
        entering[:, : ranges.shape[1]] = ranges
        dealt = self.cuda.to_device(np.zeros(entering.size, self.dtype))
        return BetweenStreets(self.cuda.to_device(entering.ravel()), dealt)

    def tables(self) -> BucketNumbers:
        """Numbers of a fresh solve on the device."""
        zeros = np.zeros(self.tree.infoset_actions, self.dtype)
        return BucketNumbers(*(self.cuda.to_device(zeros) for _ in BucketNumbers._fields))

    def match(self, tables: Any) -> None:
        """Match all strategies to their regrets."""
        for street, (first, end) in zip(self.streets, self.decisions, strict=True):
            if first < end:
                self.launcher.start(
                    "match_street", end - first, self.lines.decision, first, end, street.known, tables, self.smallest
                )

    def walk(self, boards: list[StreetBoards], tables: Any, weight: float) -> None:
        """Start to walk a batch: gains and averages are added to the tables. `match` comes first in an iteration."""
        self.boards.copy(self.boards.filled(boards), self.hands, self.segments)
        last = len(self.streets) - 1
        for street in range(last):
            self._descend(street, tables)
        for street in range(last, -1, -1):
            self._ascend(street, tables, self.dtype.type(weight))

    def _descend(self, number: int, tables: Any) -> None:
        street = self.streets[number]
        self.launcher.start(
            "descend", min(2 * street.boards * street.lines, self.blocks), self.lines, self.hands, street, tables,
            self.between, self.scratch, self.plans[number], self.queue,
        )  # fmt: skip

    def _ascend(self, number: int, tables: Any, weight: Any) -> None:
        street = self.streets[number]
        self.launcher.start(
            "ascend", min(2 * street.lines, self.blocks), self.lines, self.hands, self.segments, street, tables,
            self.between, self.scratch, self.plans[number], self.queue, weight,
        )  # fmt: skip

    def root_values(self) -> Array:
        """[2, hands] the values at the root after a walk; waits for the device."""
        half, hands = self.boards.half, self.boards.every
        dealt: Any = self.between.dealt
        return np.stack([dealt[first : first + hands].copy_to_host() for first in (0, half)])

    def update(self, tables: Any, share: float, step: Array, part: slice | None = None) -> None:
        """The regret update with gains times `share`; step: positive and negative discount, floor."""
        steps = [self.dtype.type(number) for number in (*step[:3], share)]
        self._pass("update_regrets", tables, part, *steps)

    def decay(self, tables: Any, factor: float, part: slice | None = None) -> None:
        """Multiply the average by a factor."""
        self._pass("decay_average", tables, part, self.dtype.type(factor))

    def _pass(self, name: str, tables: Any, part: slice | None, *numbers: Any) -> None:
        """Launch a pass over the tables, or over a part of them."""
        begin, end = (0, self.tree.infoset_actions) if part is None else (part.start, part.stop)
        blocks = max(1, min(self.blocks, -(-(end - begin) // self.launch.threads)))
        self.launcher.start(name, blocks, tables, begin, end, *numbers)
