"""Launches of kernels: blocks that fit on a GPU, and compiled kernels that are kept."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

__all__ = ["KernelLauncher", "Launch"]


class Launch(NamedTuple):
    """Launch settings of kernels; the defaults suit current data-centre GPUs."""

    threads: int = 256
    """Threads per block."""
    blocks: int | None = None
    """Blocks that run at the same time; None for as many as fit on the GPU."""
    chip_bytes: int = 47 * 1024
    """Shared memory of a block; four such blocks fit on one multiprocessor."""
    columns: int = 32
    """Classes per tile when boards are summed."""


class KernelLauncher:
    """Launches the kernels of a module by name."""

    def __init__(self, kernels: Any, launch: Launch, simulated: bool) -> None:
        self.kernels, self.launch, self.simulated = kernels, launch, simulated
        self.compiled: dict[str, Any] = {}
        self.launches: dict[tuple[str, int], Any] = {}

    def fitting_blocks(self) -> int:
        """The number of blocks that fit on the GPU at once; registers may reduce it."""
        from regretless.kernels.cuda_target import cuda

        card = cuda.get_current_device()
        of_memory = card.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR // (self.launch.chip_bytes + 1024)
        of_threads = card.MAX_THREADS_PER_MULTIPROCESSOR // self.launch.threads
        return int(card.MULTIPROCESSOR_COUNT * max(1, min(of_memory, of_threads)))

    def start(self, name: str, blocks: int, *arguments: Any) -> None:
        """Launch a kernel.

        Numba needs longer for the types of all arguments than for a launch, so the compiled kernel is kept.
        """
        kernel = getattr(self.kernels, name)
        if self.simulated:
            kernel[blocks, self.launch.threads, 0, self.launch.chip_bytes](*arguments)
            return
        if name not in self.compiled:
            self.compiled[name] = kernel.compile(tuple(map(kernel.typeof_pyval, arguments)))
        launch = self._configured(name, blocks)
        self.compiled[name].launch(arguments, launch.griddim, launch.blockdim, launch.stream, launch.sharedmem)

    def _configured(self, name: str, blocks: int) -> Any:
        """The launch configuration of a kernel, made once.

        Numba warns of fewer than 128 blocks. Small games have fewer, and a user cannot change that.
        """
        if (name, blocks) not in self.launches:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*Grid size")
                kernel = getattr(self.kernels, name)
                self.launches[name, blocks] = kernel[blocks, self.launch.threads, 0, self.launch.chip_bytes]
        return self.launches[name, blocks]
