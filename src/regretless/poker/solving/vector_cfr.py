"""Vector CFR on a public tree: any variant, in 64, 32 or 16 bits per number, on the CPU or a GPU."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public.layout import SolveState
from regretless.method import Learner, Settings
from regretless.poker.solving.averaged_steps import steps_in_storage
from regretless.poker.solving.cpu_walker import NO_STEP, Walker, kernel_state
from regretless.poker.solving.locking import lock_numbers
from regretless.poker.solving.responses import response_row
from regretless.poker.solving.warm_start import skipped_iterations, warm_numbers
from regretless.poker.tree.memory_estimate import check_memory
from regretless.poker.tree.public_tree import PUBLIC_TREE, PublicTree
from regretless.variants import Variant

__all__ = ["VectorLearner", "blocks_of"]

Array = npt.NDArray[Any]


def blocks_of(tree: PublicTree) -> tuple[Array, int]:
    """([boards] the first block of each board, the number of blocks): a block is the table of one (board, node)."""
    decisions = np.array([count.decisions for count in tree.betting_tree.counts], np.int64)
    per_board = decisions[tree.board_street]
    return np.cumsum(per_board) - per_board, int(per_board.sum())


def kept(numbers: SolveState) -> dict[str, Any]:
    """The arrays that a solve changes and that its file holds, by name."""
    found = {"regret": numbers.regret, "average": numbers.average, "guess": numbers.guess, "scale": numbers.scale}
    return {name: array for name, array in found.items() if array is not None}


@Variant.learners.on(PUBLIC_TREE)
class VectorLearner(Learner):
    """A variant of CFR on a public tree."""

    measured_every = 1.4
    measured_at_target = True
    copies = False
    """A run takes the arrays without a copy, because they can be gigabytes."""

    def __init__(self, tree: PublicTree, variant: Variant, settings: Settings) -> None:
        super().__init__(tree, settings)
        if not variant.alternating:
            raise OptionError(f"{variant.name} on a public tree updates players in turn; alternating=no is for trees")
        self.variant, self.public, self.device = variant, tree, settings.device
        storage = np.dtype(settings.dtype)
        compute = np.dtype(np.float64 if storage == np.float64 else np.float32)
        check_memory(tree, settings.dtype, bool(variant.predictive))
        first, blocks = blocks_of(tree)
        guess = np.zeros(tree.numbers, storage) if variant.predictive else None
        self.numbers = SolveState(
            regret=np.zeros(tree.numbers, storage),
            guess=guess,
            average=np.zeros(tree.numbers, storage),
            scale=np.zeros((3, blocks), np.float32) if storage == np.int16 else None,
            scale_first=first,
            locked=np.zeros(blocks, np.bool_) if tree.game.locks else None,
        )
        if settings.start is not None:
            warm_numbers(tree, self.numbers, settings.start, settings.threads)
            self.settings = dataclasses.replace(settings, start=None)  # an array of gigabytes is no longer needed
        self.skipped = skipped_iterations(variant, settings.started)
        if tree.game.locks:
            lock_numbers(tree, self.numbers)
        self.walker = self._walker(compute.name)

    def _walker(self, dtype: str) -> Any:
        if self.device == "cpu":
            return Walker(self.public, dtype, self.settings.threads)
        from regretless.poker.solving.cuda_walker import CudaNumbers, CudaWalker

        walker = CudaWalker(self.public, dtype)
        self.numbers = CudaNumbers.to_device(self.numbers)  # type: ignore[assignment]
        return walker

    @property
    def source(self) -> Array:
        """The numbers that the current strategy is proportional to."""
        return self.numbers.regret if self.numbers.guess is None else self.numbers.guess

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        first = self.iteration + self.skipped + 1
        steps = steps_in_storage(self.variant, first, iterations, self.settings.dtype)
        state = kernel_state(self.numbers) if self.device == "cpu" else self.numbers  # once, not for every walk
        rounded, source = self.settings.dtype == "int16", self.source
        if self.device == "cpu" and self.public.streets == 1 and not rounded:
            self.walker.advance(state, source, steps)
            self.iteration += iterations
            return
        for step in steps:
            self.iteration += 1
            if rounded:
                self.walker.set_phase(self.iteration)
            for player in range(2):
                self.walker.walk(player, state, source, True, step)

    def values(self, source: Array) -> list[tuple[float, float]]:
        """For each player the value of a best response and the value of the strategies, in chips."""
        out = []
        for player in range(2):
            root = self.walker.walk(player, self.numbers, source, False, NO_STEP)
            out.append((self.walker.worth(player, root.value[0]), self.walker.worth(player, root.played[0])))
        return out

    def measure(self) -> dict[str, float]:
        """One row of a run's history: exploitability in chips, thousandths of a big blind and shares of the pot."""
        averaged = self.iteration > max(self.variant.delay - self.skipped, 0)
        source = self.numbers.average if averaged else self.source
        return response_row(self.public, self.values(source))

    def arrays(self) -> dict[str, Array]:
        """All arrays that the next iteration depends on; copied to the host from a GPU."""
        return kept(self.numbers if self.device == "cpu" else self.numbers.from_device())  # type: ignore[attr-defined]

    def stand_ins(self) -> dict[str, Any]:
        """The arrays without a copy, on the host or on a GPU."""
        return kept(self.numbers)

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from the arrays of an earlier solve; they are used without a copy."""
        for name, own in kept(self.numbers).items():
            if arrays[name].shape != own.shape or arrays[name].dtype != own.dtype:
                raise OptionError(f"{name!r} has the shape {arrays[name].shape}, and this game needs {own.shape}")
            if self.device == "cpu":  # not copied: untouched zeros take no memory, and two copies might not fit
                self.numbers = self.numbers._replace(**{name: arrays[name]})
            else:
                own.copy_to_device(np.ascontiguousarray(arrays[name]))
        self.iteration = iteration
