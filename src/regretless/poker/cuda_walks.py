"""Walks on a GPU: the interface of `walks.Walker`, with all numbers on the device.

    numbers = CudaNumbers.to_device(host_numbers)
    walker = CudaWalker(tree, "float32")
    walker.walk(player, numbers, numbers.regret, True, step)        # returns at once; the device works on
    numbers.from_device()                                           # waits, and brings everything back
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public_cuda_layout import (
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
)
from regretless.kernels.public_layout import Numbers
from regretless.poker.cuda_tables import CudaTables
from regretless.poker.public_tree import PublicTree

__all__ = ["CudaNumbers", "CudaRoom", "CudaWalker", "Launch", "cuda_available"]

Array = npt.NDArray[Any]


def cuda_available() -> str | None:
    """None if there is a GPU to work on, else a sentence that says what is missing."""
    try:
        from regretless.kernels.public_cuda_target import cuda
    except ImportError as error:
        return f"device='cuda' needs Numba's CUDA target, which cannot be imported here ({error}): install numba-cuda"
    try:
        found = bool(cuda.is_available()) and len(cuda.gpus) > 0
    except Exception as error:
        return f"device='cuda' needs an NVIDIA GPU; its driver says: {error}"
    if not found:
        return "device='cuda' needs an NVIDIA GPU and its driver, and none is found here: device='cpu' runs everywhere"
    return None


class Launch(NamedTuple):
    """How kernels are started; the defaults are for cards of the last years."""

    threads: int = 256
    """Threads of a block."""
    blocks: int | None = None
    """Blocks at work at once; None is as many as the card holds."""
    chip_bytes: int = 44 * 1024
    """Memory on the chip that a block asks for; five such blocks fit on one multiprocessor."""
    columns: int = 32
    """Classes side by side when boards are summed."""


class CudaNumbers(NamedTuple):
    """What a solve keeps, on the device; fields as those of `Numbers`, in 32 or 64 bits a number."""

    regret: Any
    guess: Any
    average: Any
    scale: Any
    scale_first: Any
    locked: Any

    @classmethod
    def to_device(cls, numbers: Numbers) -> CudaNumbers:
        """Copy numbers to the device."""
        from regretless.kernels.public_cuda_target import cuda

        if numbers.scale is not None:
            raise OptionError("16-bit numbers are for device='cpu': on a GPU take dtype='float32'")
        fields = [None if field is None else cuda.to_device(np.ascontiguousarray(field)) for field in numbers]
        return cls(*fields)

    def from_device(self) -> Numbers:
        """Wait for the device and copy its numbers back."""
        return Numbers(*(None if field is None else field.copy_to_host() for field in self))


class CudaRoom:
    """The root's values after a walk; copied from the device when they are looked at."""

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


class CudaWalker:
    """Walks over a public tree on a GPU; the numbers do not depend on how the work is shared out there."""

    def __init__(self, tree: PublicTree, dtype: str, threads: int = 1, launch: Launch = Launch()) -> None:
        """`threads` is for the CPU and not used here."""
        missing = cuda_available()
        if missing:
            raise OptionError(missing)
        from regretless.kernels import public_cuda_walk
        from regretless.kernels.public_cuda_target import SIMULATED, cuda

        self.simulated = SIMULATED
        self.tree, self.dtype, self.launch = tree, np.dtype(dtype), launch
        self.cuda, self.kernels = cuda, public_cuda_walk
        tables = CudaTables(tree, dtype)
        self._check(tables.numbers_per_lane)
        self.lines = type(tables.lines)(*map(cuda.to_device, tables.lines))
        self.hands = type(tables.hands)(*map(cuda.to_device, tables.hands))
        self.between = self._between(tables)
        self.streets = [self._street(number) for number in range(tree.streets)]
        self.blocks = launch.blocks or self._blocks()
        plans = [self._plan(number, tables) for number in range(tree.streets)]
        self.plans = [plan for plan, _ in plans]
        self.rooms = cuda.to_device(np.zeros((self.blocks, max(size for _, size in plans)), self.dtype))
        self.queue = cuda.to_device(np.zeros(2, np.int32))
        self.none = cuda.to_device(np.zeros(0, self.dtype))
        self.unlocked = cuda.to_device(np.zeros(0, np.bool_))
        self.smallest = self.dtype.type(np.finfo(self.dtype).tiny)
        self.compiled: dict[str, Any] = {}

    def _check(self, numbers_per_lane: int) -> None:
        fit = self.launch.chip_bytes // self.dtype.itemsize
        if numbers_per_lane > min(fit, 0x7FFF):
            raise OptionError(
                f"this game has too many hands a board for a GPU: a block has room for {fit:,} numbers and a showdown "
                f"needs {numbers_per_lane:,}; take device='cpu' or narrower ranges"
            )

    def _blocks(self) -> int:
        """As many blocks as the card holds at once, if its registers do not say otherwise."""
        card = self.cuda.get_current_device()
        of_memory = card.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR // (self.launch.chip_bytes + 1024)
        of_threads = card.MAX_THREADS_PER_MULTIPROCESSOR // self.launch.threads
        return int(card.MULTIPROCESSOR_COUNT * max(1, min(of_memory, of_threads)))

    def _between(self, tables: CudaTables) -> Between:
        """Reach at the first street stays as it is: one's own hands each for certain, and the other's range."""
        entering = np.zeros((2, tables.entering), self.dtype)
        boards = self.tree.book.arrays
        for player, first in enumerate(tables.roots):
            own = slice(first, first + boards.count[player, 0])
            entering[MINE, own] = 1
            entering[THEIRS, own] = self.tree.book.weight[player]
        device = self.cuda.to_device
        return Between(
            entering=device(entering.ravel()),
            dealt=device(np.zeros(entering.size, self.dtype)),
            risen=device(np.zeros(2 * tables.risen, self.dtype)),
        )

    def _street(self, number: int) -> Street:
        boards, lines = self.tree.book.arrays.street_boards, self.tree.betting.street_lines
        return Street(
            board_first=int(boards[number]),
            boards=int(boards[number + 1] - boards[number]),
            line_first=int(lines[number]),
            lines=int(lines[number + 1] - lines[number]),
        )

    def _plan(self, number: int, tables: CudaTables) -> tuple[Plan, int]:
        """How rooms are divided on a street, and the numbers that takes."""
        street = self.streets[number]
        records = tables.lines.line.reshape(-1, LINE_RECORD)[street.line_first : street.line_first + street.lines]
        first = records[:, [LINE_LANES, LINE_LANES + 2]]
        end = records[:, [LINE_LANES + 1, LINE_LANES + 3]]
        lanes = int((end - first).max())
        boards = self.tree.book.arrays.stride[:, street.board_first : street.board_first + street.boards]
        width = int(boards.max())
        rows = int((records[:, LINE_NODES] + records[:, LINE_ROWS : LINE_ROWS + 2].max(axis=1)).max())
        numbers = rows * self.launch.threads
        spilled = numbers if numbers * self.dtype.itemsize > self.launch.chip_bytes else 0
        plan = Plan(
            boards=self.tree.boards,
            width=width,
            shown=lanes * width,
            roots=2 * lanes * width,
            tile=(2 * lanes + 2) * width,
        )
        return plan, plan.tile + spilled

    def set_phase(self, iteration: int) -> None:
        """Nothing: only 16-bit numbers need it."""

    def walk(self, player: int, numbers: CudaNumbers, source: Any, learning: bool, step: Array) -> CudaRoom:
        """One walk for one player; returns at once, with what will hold the root's values."""
        steps = tuple(self.dtype.type(number) for number in step)
        store = Store(
            regret=numbers.regret,
            guess=self.none if numbers.guess is None else numbers.guess,
            average=numbers.average,
            locked=self.unlocked if numbers.locked is None else numbers.locked,
            block_first=numbers.scale_first,
        )
        last = self.tree.streets - 1
        for number in range(last):
            self._descend(number, player, source, learning)
        self._ascend(last, player, store, source, learning, steps)
        for number in range(last - 1, -1, -1):
            self._add_boards(number, player, learning)
            self._ascend(number, player, store, source, learning, steps)
        boards = self.tree.book.arrays
        return CudaRoom(self.between.risen, 0, int(boards.count[player, 0]))

    def _descend(self, number: int, player: int, source: Any, learning: bool) -> None:
        street, roles = self.streets[number], 2 if learning else 1
        self._start(
            "descend", street.boards * street.lines * roles, self.lines, self.hands, street, source, self.between,
            self.rooms, self.plans[number], self.queue, player, roles, self.smallest,
        )  # fmt: skip

    def _ascend(
        self, number: int, player: int, store: Store, source: Any, learning: bool, step: tuple[Any, ...]
    ) -> None:
        street = self.streets[number]
        self._start(
            "ascend", street.boards * street.lines, self.lines, self.hands, street, store, source, self.between,
            self.rooms, self.plans[number], self.queue, player, learning, step, self.smallest,
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
        """Launch a kernel with as many blocks as there is work for.

        Finding the types of all arguments takes Numba longer than a launch, so it is asked to only once.
        """
        kernel = getattr(self.kernels, name)
        launch = kernel[min(items, self.blocks), self.launch.threads, 0, self.launch.chip_bytes]
        if self.simulated:
            launch(*arguments)
            return
        if name not in self.compiled:
            self.compiled[name] = kernel.compile(tuple(map(kernel.typeof_pyval, arguments)))
        self.compiled[name].launch(arguments, launch.griddim, launch.blockdim, launch.stream, launch.sharedmem)

    def worth(self, player: int, values: Array) -> float:
        """Chips per game, from a row of the root's counterfactual values."""
        boards, weight = self.tree.book.arrays, self.tree.book.weight[player]
        begin, count = boards.begin[player, 0], boards.count[player, 0]
        size = boards.size[begin : begin + count]
        return float((size * weight) @ values[:count].astype(np.float64)) / self.tree.normaliser
