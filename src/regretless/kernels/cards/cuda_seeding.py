"""Seeds of k-means++ on a GPU: the rows that `clustering.draw_seeds` draws.

A seed takes two launches. `come_nearer` lowers the distances of all rows to those of the last seed, a block of threads
for each BLOCK rows, and skips blocks that cannot come nearer, by the bound of the keys. `draw_row` is one block, which
draws the next row: it finds the block of rows, and the row in it, by running sums. The host copies nothing between
seeds; so it launches ahead of the device. All sums are integers of 64 bits, as on the CPU, and so are the rows drawn.

**Cost.** A seed passes at most over all coordinates, counts and distances: 32 bytes a row (8 coordinates) or 114 (49).
Rows lie in columns, so that neighbouring threads read neighbouring numbers. With a million rows that is up to 7 or
24 µs at 4.8 TB/s, and less by the bound. Two launches take perhaps 50 to 100 µs of the host, in Python, which is the
limit: 1 to 2 s for 20,000 seeds, next to 13 s on one core of the CPU. Not measured yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from regretless.kernels.cards.clustering import BLOCK
from regretless.kernels.cuda_target import added_difference, cuda, inlined, int32, kernel, smaller

__all__ = ["THREADS", "draw_row", "nearer_kernel"]

THREADS = 256
"""The most threads of a block."""


def _distance(width: int, squared: bool) -> Any:
    """The function for the distance of two rows; rows [width, n]."""

    def squared_distance(rows, i, drawn):
        total = np.int64(0)
        for j in range(width):
            d = np.int64(rows[np.uint32(j), np.uint32(i)]) - np.int64(rows[np.uint32(j), np.uint32(drawn)])
            total += d * d
        return total

    def absolute_distance(rows, i, drawn):
        total = np.uint32(0)
        for j in range(width):
            one, other = rows[np.uint32(j), np.uint32(i)], rows[np.uint32(j), np.uint32(drawn)]
            total = added_difference(np.uint32(one), np.uint32(other), total)
        return np.int64(total)

    return inlined(squared_distance if squared else absolute_distance)


def nearer_kernel(width: int, squared: bool) -> Any:
    """The kernel that lowers distances, for rows of a width and one of the two distances.

    rows [width, n], sorted by keys [n], each counts [n] times; seeds [k], of which number `last` was drawn last, −1
    where there is no other row. Changed: distances [n] to the nearest seed, and of each block the greatest of them and
    mass, the sum of count × distance.
    """
    distance_of = _distance(width, squared)

    def come_nearer(rows, keys, counts, seeds, last, distances, greatest, mass):
        far = cuda.shared.array(THREADS, np.int64)  # one in a line: the simulator tells them apart by their lines
        sums = cuda.shared.array(THREADS, np.int64)
        drawn, block, thread = seeds[last], cuda.blockIdx.x, int32(cuda.threadIdx.x)
        first, end = block * BLOCK, smaller((block + 1) * BLOCK, keys.shape[0])
        if drawn < 0:
            return
        gap = keys[first] - keys[drawn]
        gap = gap if gap > keys[drawn] - keys[end - 1] else keys[drawn] - keys[end - 1]
        if last > 0 and gap > 0 and (gap * gap >= greatest[block] * width if squared else gap >= greatest[block]):
            return
        far[thread], sums[thread] = 0, 0
        i = first + thread
        while i < end:
            nearest, found = distances[i], distance_of(rows, i, drawn)
            if last == 0 or found < nearest:
                nearest = found
                distances[i] = found
            if nearest > far[thread]:
                far[thread] = nearest
            sums[thread] += nearest * counts[i]
            i += cuda.blockDim.x
        other = int32(cuda.blockDim.x) >> 1
        while other > 0:
            cuda.syncthreads()
            if thread < other:
                sums[thread] += sums[thread + other]
                if far[thread + other] > far[thread]:
                    far[thread] = far[thread + other]
            other >>= 1
        if thread == 0:
            greatest[block], mass[block] = far[0], sums[0]

    return kernel(come_nearer, registers=64)


@inlined
def add_up(sums, thread, threads):
    """Replace sums [threads] by their running sums."""
    cuda.syncthreads()
    apart = int32(1)
    while apart < threads:
        added = sums[thread - apart] if thread >= apart else np.int64(0)
        cuda.syncthreads()
        sums[thread] += added
        cuda.syncthreads()
        apart = int32(apart << 1)


@kernel
def draw_row(counts, distances, mass, words, number, seeds):
    """Write seeds [number]: a row drawn by words [number] with probability ∝ count × distance; −1 if all are 0."""
    sums = cuda.shared.array(THREADS, np.int64)
    found = cuda.shared.array(2, np.int64)
    thread, threads = int32(cuda.threadIdx.x), int32(cuda.blockDim.x)
    each = (mass.shape[0] + threads - 1) // threads
    first, end = smaller(thread * each, mass.shape[0]), smaller((thread + 1) * each, mass.shape[0])
    own = np.int64(0)
    for block in range(first, end):
        own += mass[block]
    sums[thread] = own
    add_up(sums, thread, threads)
    total = sums[threads - 1]
    if total == 0:
        if thread == 0:
            seeds[number] = -1
        return
    rest = np.int64((words[number] >> np.uint64(1)) % np.uint64(total)) - (sums[thread] - own)
    if 0 <= rest < own:
        block = first
        while rest >= mass[block]:
            rest -= mass[block]
            block += 1
        found[0], found[1] = block, rest
    cuda.syncthreads()
    begin, rest = found[0] * BLOCK, found[1]
    each = (BLOCK + threads - 1) // threads
    first, end = begin + thread * each, begin + (thread + 1) * each
    first, end = smaller(first, counts.shape[0]), smaller(end, counts.shape[0])
    own = np.int64(0)
    for i in range(first, end):
        own += counts[i] * distances[i]
    sums[thread] = own
    add_up(sums, thread, threads)
    rest -= sums[thread] - own
    if 0 <= rest < own:
        i = first
        while rest >= counts[i] * distances[i]:
            rest -= counts[i] * distances[i]
            i += 1
        seeds[number] = i
