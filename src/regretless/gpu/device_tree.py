"""A listed game on a GPU: its arrays, iterations of CFR on them, and values and best responses to plans.

tree = DeviceTree(form)
state = tree.state(regret, guess, plan, average)                 # copies of arrays of the host
tree.run(state, tree.iteration_phases([0, 1], True), steps)      # any number of iterations in one launch
tree.measure(state.average, [0, 1])                              # values and best responses
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.availability import check_device_memory, cuda_available
from regretless.gpu.payoff_slices import cut_into_segments, payoff_slices
from regretless.gpu.tree_phases import iteration_phases, lay_out_levels, measure_phases, treeplexes
from regretless.kernels.sequence_form.layout import SequenceForm
from regretless.kernels.tree_cuda.phase_layout import CHUNKS, LANES, PayoffSlices, Rules, Treeplexes, TreeState

__all__ = ["DeviceTree", "Launch", "Responses"]

Array = npt.NDArray[Any]

SHARED_SUMS = 4
"""Numbers of shared memory for each thread, in double precision."""

ONE_BLOCK = 2
"""Rounds of the largest phase up to which one block works alone, whose barriers are the fastest."""

LARGE_TREE = 1 << 22
"""Payoff entries from which blocks of 512 threads are the fastest on an H200; below, blocks of 256 are."""

BLOCKS_PER_MULTIPROCESSOR = 2
"""Blocks that share a multiprocessor: more of them take longer to wait for each other than they gain."""

MOST_ITERATIONS = 1024
"""Iterations of one launch: a barrier counts with 31 bits."""

SMALLER = "take dtype='float32', a smaller game, or device='cpu'"


class Launch(NamedTuple):
    """Launch settings of the kernel; the defaults suit current data-centre GPUs."""

    threads: int | None = None
    """Threads per block; None to choose by the size of the tree."""
    blocks: int | None = None
    """Blocks that run at the same time; None for as many as have work, up to two for each multiprocessor."""
    together: bool = True
    """Whether one launch runs all phases. With False each phase is a launch of its own, which is slower; the simulator
    runs several blocks in this way only."""


DEFAULT_LAUNCH = Launch()


class Responses(NamedTuple):
    """What players win with given plans, and what they could win; P players, those not asked for have zeros."""

    values: Array  # [P] chips
    best: Array  # [P] chips
    gradient: Any  # [S] on the device: the value of each sequence to a best response, before scaling; chips
    scale: Array  # [P] what gradients are multiplied by, if the plans of the others are sums of plans


class DeviceTree:
    """The sequence form of a game on a GPU; results do not depend on how many blocks share the work."""

    def __init__(self, form: SequenceForm, launch: Launch | None = None) -> None:
        """form: in double precision."""
        missing = cuda_available()
        if missing:
            raise OptionError(missing)
        from regretless.kernels.cuda_target import SIMULATED, cuda
        from regretless.kernels.tree_cuda.phase_kernel import run_phases

        self.cuda, self.kernel, self.simulated = cuda, run_phases, SIMULATED
        self.launch = DEFAULT_LAUNCH if launch is None else launch
        self.threads = self.launch.threads or (512 if len(form.payoff) >= LARGE_TREE else 256)
        self.sequence_first = form.sequence_first.astype(np.int64)
        self.players, self.sequences = len(form.sequence_first) - 1, int(form.sequence_first[-1])
        self.segments = cut_into_segments(form)
        self.levels = lay_out_levels(form, self.threads)
        plexes, slot = treeplexes(form, self.segments, self.levels)
        slices, self.bits = payoff_slices(form, self.segments, slot)
        self.contribution_first = plexes.contribution_first
        self.host_payoff = slices.payoff
        check_device_memory(sum(array.nbytes for array in (*slices, *plexes)), SMALLER)
        self.slices = {"float64": PayoffSlices(*map(cuda.to_device, slices))}
        self.treeplexes = Treeplexes(*map(cuda.to_device, plexes))
        self.barrier = cuda.to_device(np.zeros(1, np.int32))
        self.compiled: dict[tuple[str, ...], Any] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of the game's arrays on the device, without those of a solve."""
        arrays = [*self.treeplexes, *self.slices["float64"]]
        return sum(array.size * array.dtype.itemsize for array in arrays)

    @property
    def contributions(self) -> int:
        """Contributions to gradients: of payoffs, and of infosets."""
        return int(self.contribution_first[-1])

    def slices_as(self, dtype: str) -> PayoffSlices:
        """The payoffs with numbers of another precision."""
        if dtype not in self.slices:
            payoff = self.cuda.to_device(self.host_payoff.astype(dtype))
            self.slices[dtype] = self.slices["float64"]._replace(payoff=payoff)
        return self.slices[dtype]

    def state(self, regret: Array, guess: Array, plan: Array, average: Array) -> TreeState:
        """The numbers of a solve on the device, copied from the host, and scratch of the same precision."""
        dtype = plan.dtype
        check_device_memory((5 * self.sequences + guess.size + self.contributions) * dtype.itemsize, SMALLER)
        copied = [self.cuda.to_device(np.ascontiguousarray(array)) for array in (regret, guess, plan, average)]
        return TreeState(*copied, *self._scratch(dtype))

    def _scratch(self, dtype: npt.DTypeLike) -> list[Any]:
        """Strategy, gradient, contributions and partial sums."""
        sizes = (self.sequences, self.sequences, self.contributions)
        scratch = [self.cuda.device_array(size, dtype) for size in sizes]
        return [*scratch, self.cuda.device_array(self.players * CHUNKS, np.float64)]

    def iteration_phases(self, learning: Sequence[int], alternating: bool) -> Any:
        """The phases of an iteration, on the device."""
        return self.cuda.to_device(iteration_phases(self.segments, self.levels, learning, alternating))

    def run(self, state: TreeState, phases: Any, steps: Array, predictive: bool = False) -> None:
        """Run `phases` once for each row of `steps` [n, 8]; waits for the device. Without rows it only compiles."""
        dtype = str(state.contribution.dtype)
        rules = Rules(self.bits, self.players - 1, predictive, float(np.finfo(state.regret.dtype).tiny))
        fixed = (self.slices_as(dtype), self.treeplexes, state, rules)
        if not len(steps):
            self._prepared(*fixed, self.cuda.to_device(np.zeros((1, 8))), phases, self.barrier)
        for first in range(0, len(steps), MOST_ITERATIONS):
            batch = self.cuda.to_device(np.ascontiguousarray(steps[first : first + MOST_ITERATIONS]))
            if self.launch.together:
                self._start(*fixed, batch, phases)
                continue
            for t in range(len(batch)):
                for number in range(len(phases)):
                    self._start(*fixed, batch[t : t + 1], phases[number : number + 1])
        self.cuda.synchronize()

    def _start(self, *arguments: Any) -> None:
        arguments = (*arguments, self.barrier)
        self.barrier.copy_to_device(np.zeros(1, np.int32))
        if self.simulated:
            self.kernel[self.launch.blocks or 1, self.threads, 0, SHARED_SUMS * 8 * self.threads](*arguments)
            return
        compiled, configured = self._prepared(*arguments)
        compiled.launch(arguments, configured.griddim, configured.blockdim, configured.stream, configured.sharedmem)

    def _prepared(self, *arguments: Any) -> Any:
        """The compiled kernel for arguments of these types, and its launch configuration."""
        if self.simulated:
            return None
        key = tuple(str(array.dtype) for array in arguments[2])
        if key not in self.compiled:
            compiled = self.kernel.compile(tuple(map(self.kernel.typeof_pyval, arguments)))
            compiled.cooperative = True  # blocks wait for each other: refused if they do not all fit on the GPU
            threads, shared = self.threads, SHARED_SUMS * 8 * self.threads
            fit = compiled.max_cooperative_grid_blocks(threads, shared)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*Grid size")  # small games have few blocks
                configured = self.kernel[min(self.launch.blocks or self._blocks(), fit), threads, 0, shared]
            self.compiled[key] = compiled, configured
        return self.compiled[key]

    def _blocks(self) -> int:
        """Blocks that have work in the largest phase, up to two a multiprocessor; one if that has little to do."""
        slices = int(np.diff(self.segments.player_slices).max())
        widest = max(np.diff(first).max(initial=0) for first in self.levels.sequence_first)
        rounds = max(self.levels.most_tiles, -(-max(slices * LANES, int(widest)) // self.threads))
        most = BLOCKS_PER_MULTIPROCESSOR * int(self.cuda.get_current_device().MULTIPROCESSOR_COUNT)
        return 1 if rounds <= ONE_BLOCK else min(rounds, most)

    @cached_property
    def response_scratch(self) -> list[Any]:
        """Scratch in double precision for measuring."""
        check_device_memory((2 * self.sequences + self.contributions) * 8, SMALLER)
        return self._scratch(np.float64)

    def measure(self, plan: Any, players: Sequence[int], scratch: list[Any] | None = None) -> Responses:
        """Values and best-response values of `players` when all follow `plan` [S], an array on the device.

        The plan may be a sum of plans: each player's part is divided by what its empty sequence holds. scratch: the
        last four fields of a state in double precision, if there is one.
        """
        scratch = self.response_scratch if scratch is None else scratch
        state = TreeState(plan, plan, plan, plan, *scratch)
        phases = self.cuda.to_device(measure_phases(self.segments, self.levels, players))
        self.run(state, phases, np.zeros((1, 8)))
        roots = np.array([plan[int(first)] for first in self.sequence_first[:-1]], np.float64)
        totals = state.total.copy_to_host().reshape(self.players, CHUNKS).sum(axis=1)
        values, best, scale = np.zeros(self.players), np.zeros(self.players), np.zeros(self.players)
        for player in players:
            scale[player] = 1.0 / np.prod(np.delete(roots, player))
            first, last = self.contribution_first[self.sequence_first[player] : self.sequence_first[player] + 2]
            values[player] = totals[player] / roots[player] * scale[player]
            if last > first:
                best[player] = state.contribution[int(first) : int(last)].copy_to_host().sum() * scale[player]
        return Responses(values, best, state.gradient, scale)
