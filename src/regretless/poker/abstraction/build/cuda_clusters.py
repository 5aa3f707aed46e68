"""Clusters on a GPU: seeds of k-means++ and nearest centroids, bit for bit those of the CPU.

What takes the time of a build with 20,000 buckets, on one core of the CPU (hold'em, a sample of a million hands):

| | river | turn | here |
|---|---|---|---|
| features of all hands, twice | 2 · 18 s | 2 · 11 s | stay on the CPU, on all threads |
| k-means++ | 13 s | 12 s | on the GPU; sorting the rows, about 2 s, on the CPU |
| Lloyd, each of about 15 iterations | 4.1 s | 1.8 s | the search on the GPU, means and medians on the CPU |
| the nearest centroid of all hands | 524 s | 19 s | on the GPU |

The kernels are in `kernels.cards.cuda_clustering`, whose docstring has the model of their cost, and in `cuda_seeding`.
Rows are searched in batches, so only the seeds need the whole sample in the memory of the GPU.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.availability import check_device_memory, cuda_available
from regretless.gpu.launching import KernelLauncher, Launch
from regretless.kernels.cards.clustering import BLOCK
from regretless.kernels.random_streams import STEP, mixed
from regretless.poker.abstraction.build.kmeans import Centroids
from regretless.poker.abstraction.build.street_plans import StreetPlan
from regretless.poker.quoting import quoted

__all__ = ["ROWS_OF_A_BATCH", "CudaClusters", "CudaSearch", "check_build_device"]

Array = npt.NDArray[Any]

ROWS_OF_A_BATCH = 1 << 19
"""Rows that are searched at once: 512 blocks of 1,024 rows (L2), or 1,024 of 512 (L1)."""

SEEDS_AT_ONCE = 1_024
"""Seeds between two looks at whether there are rows left."""

LAUNCH = Launch(chip_bytes=0)
"""256 threads in a block; the size of their shared memory is compiled into the kernels."""

SMALLER = "take fewer buckets or a smaller sample=, or device='cpu'"


def check_build_device(device: object) -> None:
    """OptionError where a build cannot use a device."""
    if device not in ("cpu", "cuda"):
        raise OptionError(f"device is 'cpu' or 'cuda', got {quoted(device)}")
    missing = cuda_available() if device == "cuda" else None
    if missing:
        raise OptionError(missing)


def device_bytes(plans: tuple[StreetPlan, ...], sample: int) -> int:
    """The most bytes that a build has on the device at once: for the seeds of a street, and for searches."""
    most = 0
    for plan in plans:
        if plan.sampled and plan.feature != "percentile":
            rows = min(sample, plan.classes)
            seeds = rows * (2 * plan.width + 24) + 16 * (rows // BLOCK + 1) + 16 * plan.buckets
            search = ROWS_OF_A_BATCH * (2 * plan.width + 12) + plan.buckets * (2 * plan.width + 8)
            most = max(most, seeds + search)
    return most


@cache
def kernels(width: int, squared: bool) -> SimpleNamespace:
    """The kernels for rows of a width and a distance."""
    from regretless.kernels.cards.cuda_clustering import search_kernel
    from regretless.kernels.cards.cuda_seeding import draw_row, nearer_kernel

    return SimpleNamespace(
        search=search_kernel(width, squared), come_nearer=nearer_kernel(width, squared), draw_row=draw_row
    )


class CudaClusters:
    """What the GPU does of a build."""

    def __init__(self, plans: tuple[StreetPlan, ...], sample: int, launch: Launch = LAUNCH) -> None:
        check_build_device("cuda")
        check_device_memory(device_bytes(plans, sample), SMALLER, work="this build")
        self.launch = launch
        self.launchers: dict[tuple[int, bool], KernelLauncher] = {}
        self.buffers: dict[int, Any] = {}

    def launcher(self, width: int, squared: bool) -> KernelLauncher:
        """The launcher of the kernels for rows of a width and a distance, which are compiled once."""
        from regretless.kernels.cuda_target import SIMULATED

        if (width, squared) not in self.launchers:
            self.launchers[width, squared] = KernelLauncher(kernels(width, squared), self.launch, SIMULATED)
        return self.launchers[width, squared]

    def buffer(self, width: int) -> Any:
        """Arrays of the device for the rows of a batch, their labels and distances."""
        from regretless.kernels.cuda_target import cuda

        if width not in self.buffers:
            rows, label = (
                cuda.device_array((ROWS_OF_A_BATCH, width), np.uint16),
                cuda.device_array(ROWS_OF_A_BATCH, np.int32),
            )
            self.buffers[width] = rows, label, cuda.device_array(ROWS_OF_A_BATCH, np.int64)
        return self.buffers[width]

    def search(self, centroids: Centroids, squared: bool) -> CudaSearch:
        """A search among centroids."""
        width = centroids.values.shape[1]
        return CudaSearch(self.launcher(width, squared), self.buffer(width), centroids, squared)

    def assign(self, rows: Array, counts: Array, centroids: Centroids, squared: bool, labels: Array) -> int:
        """Write labels [n], the nearest centroids of rows [n, width]; returns the sum of counts × distances."""
        distances = np.empty(len(rows), np.int64)
        self.search(centroids, squared).nearest(rows, labels, distances)
        return int(np.dot(distances, counts))

    def draw(self, rows: Array, keys: Array, counts: Array, squared: bool, seed: int, k: int) -> Array:
        """The rows that `clustering.draw_seeds` draws: up to k, fewer where fewer differ."""
        from regretless.kernels.cuda_target import cuda

        start = self.launcher(rows.shape[1], squared).start
        mix = getattr(mixed, "py_func", mixed)
        words = mix(np.uint64(seed) + STEP * np.arange(1, k + 1, dtype=np.uint64))
        seeds = np.full(k, -1, np.int64)
        first = np.cumsum(counts)
        seeds[0] = np.searchsorted(first, (int(words[0]) >> 1) % int(first[-1]), side="right")
        blocks = -(-len(rows) // BLOCK)
        on_device = [cuda.to_device(array) for array in (np.ascontiguousarray(rows.T), keys, counts, words, seeds)]
        columns, device_keys, device_counts, device_words, drawn = on_device
        distances, greatest, mass = (cuda.to_device(np.zeros(n, np.int64)) for n in (len(rows), blocks, blocks))
        for number in range(1, k):
            start(
                "come_nearer", blocks, columns, device_keys, device_counts, drawn, number - 1, distances, greatest, mass
            )
            start("draw_row", 1, device_counts, distances, mass, device_words, number, drawn)
            if number % SEEDS_AT_ONCE == 0 and drawn[number : number + 1].copy_to_host()[0] < 0:
                break
        found: Array = drawn.copy_to_host()
        return found[found >= 0]


class CudaSearch:
    """Nearest centroids, batch by batch."""

    def __init__(self, launcher: KernelLauncher, buffer: Any, centroids: Centroids, squared: bool) -> None:
        from regretless.kernels.cards.cuda_clustering import ROWS_OF_A_THREAD
        from regretless.kernels.cuda_target import cuda

        self.launcher, self.buffer = launcher, buffer
        self.rows_of_a_block = launcher.launch.threads * ROWS_OF_A_THREAD[squared]
        lengths = np.square(centroids.values, dtype=np.int64).sum(axis=1) * int(squared)
        self.centroids, self.lengths = cuda.to_device(centroids.values), cuda.to_device(lengths)

    def nearest(self, rows: Array, labels: Array, distances: Array | None = None) -> None:
        """Write labels [n] of rows [n, width], and their distances [n] where they are asked for."""
        most = len(self.buffer[0])
        for begin in range(0, len(rows), most):
            end = min(begin + most, len(rows))
            features, label, distance = (array[: end - begin] for array in self.buffer)
            features.copy_to_device(np.ascontiguousarray(rows[begin:end]))
            blocks = -(-(end - begin) // self.rows_of_a_block)
            self.launcher.start("search", blocks, features, self.centroids, self.lengths, label, distance)
            label.copy_to_host(labels[begin:end])
            if distances is not None:
                distance.copy_to_host(distances[begin:end])
