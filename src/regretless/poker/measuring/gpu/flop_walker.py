"""Values against strategies by buckets on a GPU, on all boards below a flop at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.availability import check_device_memory, cuda_available
from regretless.gpu.launching import KernelLauncher, Launch
from regretless.kernels.flops.cuda_flop_layout import FlopBoards, FlopPlan, FlopStreet
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.measuring.bucket_walker import NodeTables
from regretless.poker.measuring.gpu.flop_boards import StreetBoards
from regretless.poker.measuring.gpu.flop_lines import ACTION_BITS, StreetLines, lines_of_streets
from regretless.poker.measuring.gpu.shape_source import ShapeSource, compiled_walk, shape_source

__all__ = ["FLOP_LAUNCH", "FlopWalker"]

Array = npt.NDArray[Any]

FLOP_LAUNCH = Launch(threads=128)
"""128 threads and 47 KB: four blocks run on a multiprocessor at once."""

FEWEST_THREADS = 32
"""A warp: fewer threads of a block would leave some of it idle."""

WIDEST = 8
"""Lines side by side: with four bytes each they fill a sector of memory."""

MOST_SHAPES = 4
"""Shapes of the last street for which kernels are compiled; more would take longer than they save."""

QUEUE_BLOCKS = 4
"""The kernel of a shape may need less memory than the others, so that more of its blocks run at once: the queue has
entries for up to four times as many blocks."""

WINDOW = 1 << 31
"""Kernels index the arrays of a board with 31 bits."""


class Buffers(NamedTuple):
    """The arrays between streets on the device: [2 players, boards, hands, lines], one after the other."""

    reach: list[Any]  # [streets] where lines begin, by hand of the board above
    risen: list[Any]  # [streets] values by run


class FlopWalker:
    """A betting tree and two strategies on the device, and walks over the boards of a flop."""

    def __init__(
        self,
        tree: BettingTree,
        nodes: Array,
        tables: tuple[NodeTables, NodeTables],
        cards: int,
        hand_size: int,
        dtype: str,
        launch: Launch | None = None,
        own_kernels: bool = True,
    ) -> None:
        """tree: the lines from the flop on; nodes: the node of the whole game's tree for each; cards: of the deck.
        own_kernels: whether lines of one shape on the last street may have them."""
        missing = cuda_available()
        if missing:
            raise OptionError(missing)
        from regretless.kernels.cuda_target import SIMULATED, cuda
        from regretless.kernels.flops import cuda_flop_walks

        self.cuda, self.dtype, self.launch = cuda, np.dtype(dtype), FLOP_LAUNCH if launch is None else launch
        self.cards, self.two = cards, hand_size == 2
        self.streets = self._fitting_lines(tree, self.launch.threads if launch else FEWEST_THREADS)
        self.launcher = KernelLauncher(cuda_flop_walks, self.launch, SIMULATED)
        self.wide, self.tile = self.streets[0].wide, self.launch.threads // self.streets[0].wide
        self.width = self.launch.threads + self.wide
        self.lines = [type(street.tables)(*map(cuda.to_device, street.tables)) for street in self.streets]
        self.plans = [self._plan(street) for street in self.streets]
        self.shapes = self._shape_sources() if own_kernels else []
        self.shape_launchers: dict[tuple[int, int, int], KernelLauncher] = {}
        self.blocks = self.launch.blocks or self.launcher.fitting_blocks()
        self.queue = cuda.to_device(np.zeros(2 + QUEUE_BLOCKS * self.blocks, np.int32))
        self.strategies = self._strategies(nodes, tables)
        self.known: dict[tuple[str, int], Any] = {}

    def _fitting_lines(self, tree: BettingTree, fewest: int) -> list[StreetLines]:
        """The streets with as many lines side by side, and then as many threads, as shared memory allows."""
        fit, threads = self.launch.chip_bytes // self.dtype.itemsize, self.launch.threads
        wide, needed = min(WIDEST, threads), 0
        while wide > 0 and threads >= fewest:
            streets = lines_of_streets(tree, wide, self.dtype)
            needed = max(street.numbers(threads + wide, self.cards) for street in streets)
            if needed <= fit:
                self.launch = self.launch._replace(threads=threads)
                return streets
            wide, threads = (wide // 2, threads) if wide > 1 else (1, threads // 2)
        raise OptionError(
            f"this game has too many actions on a street for a GPU: a block can hold {fit:,} numbers and a line needs "
            f"{needed:,}; take device='cpu', or fewer bet sizes"
        )

    def _strategies(self, nodes: Array, tables: tuple[NodeTables, NodeTables]) -> list[Any]:
        """[streets] the strategies of both players by bucket, one after the other, on the device."""
        same = tables[0].probability is tables[1].probability
        given = sum(table.probability.size for table in tables[: 1 if same else 2])
        known = [[int(table.known[street + 1]) for table in tables] for street in range(len(self.streets))]
        self.second_table = [
            len(lines.source[0]) * buckets for lines, (buckets, _) in zip(self.streets, known, strict=True)
        ]
        sizes = [
            first + len(lines.source[1]) * buckets
            for first, lines, (_, buckets) in zip(self.second_table, self.streets, known, strict=True)
        ]
        check_device_memory(self.dtype.itemsize * sum(sizes) + 4 * given, "take device='cpu'", "this measurement")
        out = [self.cuda.device_array(max(1, size), self.dtype) for size in sizes]
        probability: Any = None
        for player, table in enumerate(tables):
            if player == 0 or not same:
                probability = self.cuda.to_device(table.probability)
            for street, lines in enumerate(self.streets):
                source, buckets = lines.source[player], known[street][player]
                if not len(source):
                    continue
                node, action = nodes[source >> ACTION_BITS], source & ((1 << ACTION_BITS) - 1)
                first = self.cuda.to_device(table.first[node] + action * buckets)
                own = out[street][player * self.second_table[street] :]
                self.launcher.start("transpose", self.blocks, probability, first, len(source), own, buckets)
        self.cuda.synchronize()
        return out

    def values(self, boards: list[StreetBoards], entries: Array, kinds: int) -> Array:
        """[kinds, 2, lines, hands of the deck] counterfactual values of both players at the roots.

        boards: of all streets; entries [2, lines, hands of the deck]: each player's reach. The first kind is a best
        response, the second the player's own strategy.
        """
        sizes = [self._sizes(number, street) for number, street in enumerate(boards)]
        arrays = [self._on_device(street.arrays) for street in boards]
        buffers = self._buffers(sizes)
        self._enter(buffers.reach[0], sizes[0], entries)
        start, last = self.launcher.start, len(boards) - 1
        for number in range(last):
            start(
                "descend", self.blocks, self.lines[number], sizes[number], arrays[number], buffers.reach[number],
                buffers.reach[number + 1], self.strategies[number], self.plans[number], self.queue,
            )  # fmt: skip
        out = []
        reach_below = [buffers.reach[number + 1] for number in range(last)]
        if kinds > 1 and last > 0:  # values take the place of reach, which the second walk needs again
            reach_below = [self._buffer("dealt", number, buffers.reach[number + 1].size) for number in range(last)]
        for kind in range(kinds):
            for number in range(last, -1, -1):
                dealt = reach_below[number] if number < last else buffers.reach[number]
                risen, size = buffers.risen[number], sizes[number]
                entering = buffers.reach[number]
                if number == last and self.shapes:
                    self._ascend_shapes(size, arrays[number], entering, risen, kind)
                else:
                    start(
                        "ascend", self.blocks, self.lines[number], size, arrays[number], entering, dealt, risen,
                        self.strategies[number], self.plans[number], self.queue, bool(kind),
                    )  # fmt: skip
                if number > 0:
                    start("gather", self.blocks, size, arrays[number], risen, reach_below[number - 1])
            out.append(self._roots(buffers.risen[0], sizes[0]))
        return np.stack(out)

    def _ascend_shapes(self, size: FlopStreet, boards: FlopBoards, reach: Any, risen: Any, kind: int) -> None:
        """The last street, by kernels for its shapes."""
        for number, shape in enumerate(self.streets[-1].shapes):
            for player in range(2):
                key = number, player, kind
                if key not in self.shape_launchers:
                    self.shape_launchers[key] = self._shape_launcher(self.shapes[number][player], bool(kind))
                launcher = self.shape_launchers[key]
                launcher.start(
                    "ascend_shape", self._shape_blocks(launcher), self.lines[-1], size, boards, reach, risen,
                    self.strategies[-1], player, shape.first, shape.groups, self.queue,
                )  # fmt: skip

    def _shape_blocks(self, launcher: KernelLauncher) -> int:
        """Blocks of the kernel of a shape: as many as fit on the GPU, but each needs an entry of the queue."""
        return self.launch.blocks or min(launcher.fitting_blocks(), QUEUE_BLOCKS * self.blocks)

    def _shape_launcher(self, source: ShapeSource, played: bool) -> KernelLauncher:
        from regretless.kernels.cuda_target import SIMULATED

        made = SimpleNamespace(ascend_shape=compiled_walk(source, played))
        bytes_needed = source.sizes.numbers * self.dtype.itemsize
        return KernelLauncher(made, self.launch._replace(chip_bytes=bytes_needed), SIMULATED)

    def _shape_sources(self) -> list[list[ShapeSource]]:
        """[shapes, 2 players] the walks of the last street as source; empty where it has many shapes or large ones."""
        street = self.streets[-1]
        if len(street.shapes) > MOST_SHAPES:
            return []
        found = [
            [shape_source(shape, player, self.cards, self.wide, self.width, self.two) for player in range(2)]
            for shape in street.shapes
        ]
        sizes = [source.sizes for sources in found for source in sources]
        fit = self.launch.chip_bytes // self.dtype.itemsize
        fits = all(0 < each.lanes <= self.tile and each.numbers <= fit for each in sizes)
        return found if fits else []

    def _sizes(self, number: int, street: StreetBoards) -> FlopStreet:
        lines, arrays = self.streets[number], street.arrays
        below = self.streets[number + 1].lines if number + 1 < len(self.streets) else 0
        rows = [len(source) for source in lines.source]
        return FlopStreet(
            boards=street.boards, above=street.above, runs=len(arrays.run) - 1, hands=street.hands,
            hands_above=street.hands_above, groups=lines.groups, lines=lines.lines, next_lines=below, wide=lines.wide,
            first_rows=rows[0], second_rows=rows[1], second_table=self.second_table[number],
            bucket_apart=street.bucket_apart, most_steps=arrays.step.shape[1], cards=self.cards, two=self.two,
        )  # fmt: skip

    def _on_device(self, arrays: FlopBoards) -> FlopBoards:
        put = self.cuda.to_device
        flat = arrays._replace(weight=arrays.weight.astype(self.dtype))
        return FlopBoards(*(put(np.ascontiguousarray(array).reshape(-1)) for array in flat))

    def _plan(self, street: StreetLines) -> FlopPlan:
        reach = street.most(lambda program: program.sums) * (self.cards + 1) * street.wide
        return FlopPlan(reach, reach + street.most(lambda program: program.rows) * self.width, self.width)

    def _buffers(self, sizes: list[FlopStreet]) -> Buffers:
        reach = [2 * size.above * size.hands_above * size.lines for size in sizes]
        risen = [2 * size.runs * size.hands_above * size.lines for size in sizes]
        if max(size.hands_above * size.lines * size.runs * 2 for size in sizes) >= WINDOW:
            raise OptionError("this game has too many lines for a GPU: take device='cpu', or fewer bet sizes")
        return Buffers(
            [self._buffer("reach", number, count) for number, count in enumerate(reach)],
            [self._buffer("risen", number, count) for number, count in enumerate(risen)],
        )

    def _buffer(self, name: str, number: int, count: int) -> Any:
        """An array of `count` numbers that is kept between flops; all 0 when it is new."""
        kept = self.known.get((name, number))
        if kept is None or kept.size < count:
            check_device_memory(count * self.dtype.itemsize, "take device='cpu'", "this measurement")
            kept = self.known[name, number] = self.cuda.to_device(np.zeros(count, self.dtype))
        return kept[:count] if kept.size > count else kept

    def _enter(self, reach: Any, size: FlopStreet, entries: Array) -> None:
        """The reach of the other player at the roots, for both players' walks."""
        entering = np.zeros((2, size.hands_above, size.lines), self.dtype)
        for player in range(2):
            entering[player][:, self.streets[0].place] = entries[1 - player].T
        reach.copy_to_device(entering.ravel())

    def _roots(self, risen: Any, size: FlopStreet) -> Array:
        found = risen.copy_to_host().reshape(2, size.hands_above, size.lines)
        return np.asarray(found[:, :, self.streets[0].place].transpose(0, 2, 1), np.float64)
