"""Walks over public trees on a GPU: the interface of `cpu_walker.Walker`, with all numbers on the device.

numbers = CudaNumbers.to_device(host_numbers)
walker = CudaWalker(tree, "float32")
walker.walk(player, numbers, numbers.regret, True, step)        # returns at once; the device goes on
numbers.from_device()                                           # waits, and copies all numbers to the host
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.availability import check_device_memory, cuda_available
from regretless.gpu.launching import KernelLauncher, Launch
from regretless.kernels.public.cuda_layout import (
    LINE_LANES,
    LINE_NODES,
    LINE_RECORD,
    LINE_ROWS,
    MINE,
    THEIRS,
    Between,
    Plan,
    Store,
    Street,
    Turn,
)
from regretless.poker.solving.cuda_state import SMALLER, CudaNumbers
from regretless.poker.solving.cuda_tables import CudaTables
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["CudaNumbers", "CudaWalker", "Launch", "RootValues", "cuda_available"]

Array = npt.NDArray[Any]

WINDOW = 1 << 31
"""Kernels index with 31 bits; longer arrays are passed a window at a time."""


class RootValues:
    """The values of the root after a walk; copied from the device on first access."""

    def __init__(self, risen: Any, first: int, count: int) -> None:
        self.risen, self.first, self.count = risen, first, count

    def _row(self, half: int) -> Array:
        first = half * (self.risen.size // 2) + self.first
        return np.asarray(self.risen[first : first + self.count].copy_to_host())[None]

    @cached_property
    def value(self) -> Array:
        """[1, classes] counterfactual values of the best response after measuring, of the strategy after learning."""
        return self._row(0)

    @cached_property
    def played(self) -> Array:
        """[1, classes] counterfactual values of the strategy, after measuring."""
        return self._row(1)


def _from(array: Any, street: Street) -> Any:
    """The part of an array from a launch's window on."""
    return array[street.window :] if street.window and array.size else array


class CudaWalker:
    """Walks over a public tree on a GPU; results do not depend on how blocks share the work."""

    def __init__(self, tree: PublicTree, dtype: str, threads: int = 1, launch: Launch | None = None) -> None:
        """`threads` is for the CPU and is not used."""
        launch = Launch() if launch is None else launch
        missing = cuda_available()
        if missing:
            raise OptionError(missing)
        from regretless.kernels.cuda_target import SIMULATED, cuda
        from regretless.kernels.public import cuda_walks

        self.tree, self.dtype, self.launch = tree, np.dtype(dtype), launch
        self.cuda, self.launcher = cuda, KernelLauncher(cuda_walks, launch, SIMULATED)
        tables = self._tables()
        self._check(tables)
        self.lines = type(tables.lines)(*map(cuda.to_device, tables.lines))
        self.hands = type(tables.hands)(*map(cuda.to_device, tables.hands))
        self.roots = tables.roots  # [2] where each player's reach at the roots begins in a half of `entering`
        self.between = self._between(tables)
        self.streets = [self._street(number) for number in range(tree.streets)]
        self.windows = [self._windows(street) for street in self.streets]
        self.plans = [self._plan(number, tables) for number in range(tree.streets)]
        largest = max(plan.size for plan in self.plans)  # numbers of a block's scratch buffer
        self.blocks = min(launch.blocks or self.launcher.fitting_blocks(), WINDOW // largest)
        self.scratch = cuda.device_array(self.blocks * largest, self.dtype)
        self.queue = cuda.to_device(np.zeros(2 + self.blocks, np.int32))
        self.none = cuda.to_device(np.zeros(0, self.dtype))
        self.unlocked = cuda.to_device(np.zeros(0, np.bool_))
        self.smallest = self.dtype.type(np.finfo(self.dtype).tiny)

    def _tables(self) -> CudaTables:
        """Lines, boards and hands as kernels read them."""
        return CudaTables(self.tree, self.dtype)

    def _check(self, tables: CudaTables) -> None:
        """Refuse games whose showdowns do not fit into shared memory or whose boards need indices of over 31 bits."""
        fit, needed = self.launch.chip_bytes // self.dtype.itemsize, tables.numbers_per_lane
        if needed > min(fit, 0x7FFF):
            raise OptionError(
                f"this game has too many hands per board for a GPU: a block can hold {fit:,} numbers and a showdown "
                f"needs {needed:,}; take device='cpu' or narrower ranges"
            )
        tree, boards = self.tree, self.tree.book.arrays
        numbers = 2 * int(tree.slots.max()) * int(boards.stride.max())
        if max(numbers, *(array.size for array in (*tables.hands, *tables.lines))) >= WINDOW // 2:
            raise OptionError(f"{tree!r} is too large for a GPU: take device='cpu', or fewer bet sizes")

    def enter_with(self, player: int, reach: Array) -> None:
        """Let a player enter the root with a given reach [classes] instead of the range of the game."""
        boards, half = self.tree.book.arrays, len(self.between.entering) // 2
        row, entering = np.ascontiguousarray(reach, self.dtype), self.between.entering
        for line in range(int(self.tree.betting.street_lines[1])):
            first = THEIRS * half + int(self.roots[player]) + line * int(boards.stride[player, 0])
            entering[first : first + len(row)].copy_to_device(row)  # type: ignore[attr-defined]

    def _between(self, tables: CudaTables) -> Between:
        """The arrays between streets. Reach at the root: 1 for own hands, the range for the other's."""
        entering = np.zeros((2, tables.entering), self.dtype)
        boards = self.tree.book.arrays
        for player, start in enumerate(tables.roots):
            for first in start + np.arange(self.tree.betting.street_lines[1]) * boards.stride[player, 0]:
                own = slice(first, first + boards.count[player, 0])
                entering[MINE, own] = 1
                entering[THEIRS, own] = self.tree.book.weight[player]
        check_device_memory(2 * (2 * tables.entering + tables.risen) * self.dtype.itemsize, SMALLER)
        return Between(
            entering=self.cuda.to_device(entering.ravel()),
            dealt=self.cuda.device_array(entering.size, self.dtype),
            risen=self.cuda.device_array(2 * tables.risen, self.dtype),
        )

    def _street(self, number: int) -> Street:
        boards, lines = self.tree.book.arrays.street_boards, self.tree.betting.street_lines
        return Street(
            board_first=int(boards[number]),
            boards=int(boards[number + 1] - boards[number]),
            line_first=int(lines[number]),
            lines=int(lines[number + 1] - lines[number]),
            window=0,
        )

    def _windows(self, street: Street) -> list[Street]:
        """A street, cut into windows whose numbers can be indexed with 31 bits."""
        first = self.tree.book.arrays.first[0, street.board_first : street.board_first + street.boards]
        cuts = [0]
        while first[-1] - first[cuts[-1]] >= WINDOW // 2:
            cuts.append(int(np.searchsorted(first, first[cuts[-1]] + WINDOW // 2)))
        return [
            street._replace(board_first=street.board_first + cut, boards=end - cut, window=int(first[cut]))
            for cut, end in zip(cuts, [*cuts[1:], street.boards], strict=True)
        ]

    def _plan(self, number: int, tables: CudaTables) -> Plan:
        """The layout of the scratch buffers on a street."""
        street = self.streets[number]
        records = tables.lines.line.reshape(-1, LINE_RECORD)[street.line_first : street.line_first + street.lines]
        first = records[:, [LINE_LANES, LINE_LANES + 2]]
        end = records[:, [LINE_LANES + 1, LINE_LANES + 3]]
        lanes, reach = int((end - first).max()), int(records[:, LINE_ROWS : LINE_ROWS + 2].max())
        boards = self.tree.book.arrays.stride[:, street.board_first : street.board_first + street.boards]
        width = int(boards.max())
        tile = int((records[:, LINE_NODES] + records[:, LINE_ROWS : LINE_ROWS + 2].max(axis=1)).max())
        numbers = tile * self.launch.threads
        spilled = numbers if numbers * self.dtype.itemsize > self.launch.chip_bytes else 0
        return Plan(
            boards=self.tree.boards,
            size=(reach + lanes + 2) * width + spilled,
            width=width,
            shown=reach * width,
            roots=(reach + lanes) * width,
            tile=(reach + lanes + 2) * width,
        )

    def set_phase(self, iteration: int) -> None:
        """Does nothing: only 16-bit numbers have a dither."""

    def walk(self, player: int, numbers: CudaNumbers, source: Any, learning: bool, step: Array) -> RootValues:
        """Start one walk for one player; returns at once, with the future values of the root."""
        self._walk_streets(0, player, numbers, source, learning, step)
        boards = self.tree.book.arrays
        return RootValues(self.between.risen, 0, int(boards.count[player, 0]))

    def _walk_streets(
        self, first: int, player: int, numbers: CudaNumbers, source: Any, learning: bool, step: Array
    ) -> None:
        """Walk the streets from the first on, down and up again."""
        steps = tuple(self.dtype.type(number) for number in step)
        store = Store(
            regret=numbers.regret,
            guess=self.none if numbers.guess is None else numbers.guess,
            average=numbers.average,
            locked=self.unlocked if numbers.locked is None else numbers.locked,
            block_first=numbers.scale_first,
        )
        last = self.tree.streets - 1
        for number in range(first, last):
            self._descend(number, player, source, learning)
        self._ascend(last, player, store, source, learning, steps)
        for number in range(last - 1, first - 1, -1):
            self._add_boards(number, player, learning)
            self._ascend(number, player, store, source, learning, steps)

    def _descend(self, number: int, player: int, source: Any, learning: bool) -> None:
        roles = 2 if learning else 1
        for street in self.windows[number]:
            self._start(
                "descend", street.boards * street.lines * roles, self.lines, self.hands, street, _from(source, street),
                self.between, self.scratch, self.plans[number], self.queue, player, roles, self.smallest,
            )  # fmt: skip

    def _ascend(
        self, number: int, player: int, store: Store, source: Any, learning: bool, step: tuple[Any, ...]
    ) -> None:
        for street in self.windows[number]:
            windowed = store._replace(
                **{name: _from(getattr(store, name), street) for name in ("regret", "guess", "average")}
            )
            self._start(
                "ascend", street.boards * street.lines, self.lines, self.hands, street, windowed, _from(source, street),
                self.between, self.scratch, self.plans[number], self.queue, Turn(player, learning, self.smallest), step,
            )  # fmt: skip

    def _add_boards(self, number: int, player: int, learning: bool) -> None:
        street, lines = self.streets[number], self.streets[number + 1].lines
        kinds, columns = 1 if learning else 2, self.launch.columns
        tiles = -(-self.plans[number].width // columns)
        self._start(
            "add_boards", street.boards * lines * kinds * tiles, self.hands, street, lines, self.between,
            self.plans[number], player, kinds, columns, tiles,
        )  # fmt: skip

    def _start(self, name: str, items: int, *arguments: Any) -> None:
        """Launch a kernel with at most one block per item."""
        self.launcher.start(name, min(items, self.blocks), *arguments)

    def worth(self, player: int, values: Array) -> float:
        """The value of a player in chips per game, from a row of counterfactual values at the root."""
        boards, weight = self.tree.book.arrays, self.tree.book.weight[player]
        begin, count = boards.begin[player, 0], boards.count[player, 0]
        size = boards.size[begin : begin + count]
        return float((size * weight) @ values[:count].astype(np.float64)) / self.tree.normaliser
