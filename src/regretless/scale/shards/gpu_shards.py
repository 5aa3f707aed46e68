"""A shard of a public tree on a GPU: the interface of `BoardShard`, with its numbers on the device.

The driver walks the first street on its processor. A shard gets reach from there and returns one sum over its boards,
so few bytes are sent, and the result has the same bits for the same number of shards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL
from regretless.kernels.public.cuda_layout import BELOW, CHILD_END, CHILD_FIRST, MINE, THEIRS, UNIT_RECORD, Street
from regretless.poker.solving.cuda_state import CudaNumbers
from regretless.poker.solving.cuda_tables import CudaTables
from regretless.poker.solving.cuda_walker import CudaWalker, Launch
from regretless.poker.tree.public_tree import PublicTree
from regretless.scale.shards.board_shards import ShardLayout, StateFormat, WalkRequest, empty_state, named_arrays

__all__ = ["CudaShard"]

Array = npt.NDArray[Any]


class ShardWalker(CudaWalker):
    """Walks the boards of a shard, from the second street on."""

    def __init__(self, tree: PublicTree, dtype: str, layout: ShardLayout, launch: Launch | None = None) -> None:
        self.layout = layout
        betting = tree.betting
        first = np.arange(len(betting.kind)) < betting.street_nodes[1]
        deals = np.flatnonzero(first & (betting.kind == DEAL))
        self.line, self.row = betting.line_out[deals], betting.row[:, deals]  # of each deal after the first street
        super().__init__(tree, dtype, launch=launch)

    def _tables(self) -> CudaTables:
        """The first board has the shard's boards as its children, so that sums are over them alone."""
        tables = super()._tables()
        units = tables.hands.unit.reshape(2, self.tree.boards, UNIT_RECORD)
        units[:, 0, CHILD_FIRST], units[:, 0, CHILD_END] = self.layout.roots.start, self.layout.roots.stop
        self.below = units[:, 0, BELOW].copy()  # [2] where reach and values of the second street begin
        return tables

    def _street(self, number: int) -> Street:
        street = super()._street(number)
        if number == 0:
            return street
        run = self.layout.runs[number - 1]
        return street._replace(board_first=run.start, boards=len(run))

    def enter_lines(self, player: int, mine: Array, theirs: Array) -> None:
        """Set reach where the second street begins, from rows [rows, classes] of the first."""
        entering: Any = self.between.entering
        for half, whose, rows in ((MINE, player, mine), (THEIRS, 1 - player, theirs)):
            stride = int(self.tree.book.arrays.stride[whose, 0])
            reach = np.zeros((self.streets[1].lines, stride), self.dtype)
            reach[self.line] = rows[self.row[whose], :stride]
            first = half * (entering.size // 2) + int(self.below[whose])
            entering[first : first + reach.size].copy_to_device(reach.ravel())

    def walk_below(self, player: int, numbers: CudaNumbers, source: Any, learning: bool, step: Array) -> None:
        """Walk all boards of the shard and add up their values."""
        self._walk_streets(1, player, numbers, source, learning, step)
        self._add_boards(0, player, learning)

    def sums(self, player: int, kinds: int) -> Array:
        """[kinds, lines, classes] the player's values of the second street, summed over the shard's boards."""
        boards, lines, dealt = self.tree.book.arrays, self.streets[1].lines, self.between.dealt
        stride, count = int(boards.stride[player, 0]), int(boards.count[player, 0])
        out = np.zeros((kinds, lines, int(boards.stride[:, 0].max())), self.dtype)
        for kind in range(kinds):
            first = kind * (dealt.size // 2) + int(self.below[player])
            values: Any = dealt[first : first + lines * stride]
            out[kind, :, :count] = values.copy_to_host().reshape(lines, stride)[:, :count]  # the rest was never written
        return out


class CudaShard:
    """A shard at work on the GPU of its process."""

    def __init__(
        self, tree: PublicTree, roots: range, kind: StateFormat, threads: int = 1, launch: Launch | None = None
    ) -> None:
        """`threads` is for the CPU and is not used."""
        self.layout = ShardLayout(tree, roots)
        own, state = empty_state(tree, self.layout, kind)
        self.walker = ShardWalker(own, kind.compute, self.layout, launch)
        self.numbers = CudaNumbers.to_device(state)
        self.player = 0

    def walk(self, request: WalkRequest) -> None:
        """Walk the shard's boards; the sum of their values is kept until the next walk."""
        self.player = request.player
        self.walker.enter_lines(request.player, request.mine, request.theirs)
        source = getattr(self.numbers, request.source)
        self.walker.walk_below(request.player, self.numbers, source, request.learning, request.step)

    def values(self, kinds: int) -> Array:
        """[1, kinds, lines, classes] the sum of the values of the latest walk."""
        return self.walker.sums(self.player, kinds)[None]

    def add(self, player: int, sums: Array) -> Array:
        """Sums of values [1 or 2, lines, classes] with those of the latest walk added."""
        return np.asarray(sums + self.walker.sums(player, len(sums)))

    def arrays(self) -> dict[str, Array]:
        """Regrets, averages and what else the next iteration depends on."""
        return named_arrays(self.numbers.from_device())

    def load(self, arrays: Mapping[str, Array]) -> None:
        """Continue from what `arrays` once returned."""
        for name in ("regret", "average", "guess"):
            own = getattr(self.numbers, name)
            if own is not None:
                own.copy_to_device(np.ascontiguousarray(arrays[name]))
