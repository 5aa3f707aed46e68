"""Nearest centroids on a GPU: what `clustering.nearest_centroids` finds, by comparison with all centroids.

A thread keeps several rows in registers. A block copies a tile of centroids to shared memory, where its threads all
read the same number at the same time, and compares each centroid with its rows. Of equal distances the lowest centroid
counts: centroids come in order, and only a nearer one replaces the best. The width of rows is a constant of a kernel,
so the compiler unrolls all loops over coordinates; then coordinates have fixed registers, and a coordinate of a
centroid is read from shared memory once for all rows of a thread.

**Arithmetic.** L1: the sum of up to 256 differences of 16 bits is below 2²⁴, so 32 bits are enough. L2: the sum of
eight squares has up to 35 bits. A row a is nearest to the centroid c with the greatest

    score(c)  =  |a|² − |a − c|²  =  Σ a_j · 2 c_j − |c|²

which takes one product of two 32-bit numbers for each coordinate and no difference; 2 c_j has 17 bits. Sums have 64
bits, so scores are exact, and they are equal where distances are equal.

**Cost.** Instructions of a thread for a row and a centroid, compiled for compute capability 9.0:

    L2, 8 coordinates       8 products (IMAD.WIDE), 8 additions, 5 to compare and to keep the best     21
    L1, 49 coordinates      49 differences added up (VABSDIFF), 4 to compare and to keep the best      53

A multiprocessor of an H200 starts 64 integer instructions in a cycle (132 of them 1.5 · 10¹³ in a second), of wide
products perhaps half as many; products and other instructions have units of their own. Shared memory gives 32 numbers
in a cycle; four rows (L2) or two (L1) share a number, so it is not the limit. With 20,000 buckets

    river, 123 million hands, L2            2.5 · 10¹² pairs     2.6 to 4.8 s     one core of the CPU: 524 s
    turn, 14 million hands, L1              2.8 · 10¹¹ pairs     1.0 s            19 s
    Lloyd, an iteration of 10⁶ rows         2 · 10¹⁰ pairs       0.02 to 0.04 s (L2), 0.07 s (L1)     4.1 s, 1.8 s

Rows go to the device once in a search: 2 GB for the river and 1.4 GB for the turn, 0.2 s each at 10 GB/s. So integer
instructions are the limit. The search of the CPU is pruned by keys; here it is not, because the rows of a block are
those of a board and have all keys, so that a block would seldom skip a tile. Describing all hands, which stays on the
CPU, takes 18 s (river) and 11 s (turn) of one core for each of two passes, so it is the limit of a build with a GPU.
Times of the GPU are computed from the numbers above; none has been measured yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from regretless.kernels.cuda_target import added_difference, cuda, inlined, int32, kernel, smaller

__all__ = ["ROWS_OF_A_THREAD", "TILE", "search_kernel"]

TILE = 128
"""Centroids in shared memory at a time: 25 KB for 49 coordinates."""

ROWS_OF_A_THREAD = {True: 4, False: 2}
"""Rows in registers, by whether distances are squared: 4 · 8 coordinates, or 2 · 49."""

REGISTERS = {True: 80, False: 128}
"""Limits of registers: three blocks of 256 threads run on a multiprocessor at once (L2), or two (L1)."""


def _score(width: int, squared: bool) -> Any:
    """The function that compares a row of a thread with a centroid of the tile: the nearer, the greater."""

    def squared_score(own, r, tile, lengths, c):
        score = -lengths[np.uint32(c)]
        for j in range(width):
            score += np.int64(own[np.uint32(r * width + j)]) * np.int64(tile[np.uint32(c * width + j)])
        return score

    def absolute_score(own, r, tile, lengths, c):
        total = np.uint32(0)
        for j in range(width):
            total = added_difference(own[np.uint32(r * width + j)], tile[np.uint32(c * width + j)], total)
        return int32(-int32(total))

    return inlined(squared_score if squared else absolute_score)


def search_kernel(width: int, squared: bool, centroids_of_a_tile: int = TILE) -> Any:
    """The kernel for rows of a width and one of the two distances.

    features [n, width] and centroids [k, width] of 16 bits, lengths [k] = |c|² (0 for L1); written: label [n], the
    nearest centroid, and distance [n]. Launched with a thread for each ROWS_OF_A_THREAD rows.
    """
    each, step = ROWS_OF_A_THREAD[squared], centroids_of_a_tile
    kept, staged, factor = each * width, step * width, np.uint32(2 if squared else 1)
    numbers: Any = np.int64 if squared else np.int32
    worst, score_of = numbers(np.iinfo(numbers).min), _score(width, squared)

    def search(features, centroids, lengths, label, distance):
        tile = cuda.shared.array(staged, np.uint32)  # one in a line: the simulator tells them apart by their lines
        tile_lengths = cuda.shared.array(step, np.int64)
        own, chosen = cuda.local.array(kept, np.uint32), cuda.local.array(each, np.int32)
        best, length = cuda.local.array(each, numbers), cuda.local.array(each, np.int64)
        threads, thread = int32(cuda.blockDim.x), int32(cuda.threadIdx.x)
        first, last = int32(cuda.blockIdx.x * threads * each + thread), int32(features.shape[0] - 1)
        for r in range(each):
            best[np.uint32(r)], chosen[np.uint32(r)], length[np.uint32(r)] = worst, 0, 0
            row = smaller(int32(first + r * threads), last)
            for j in range(width):
                number = features[np.uint32(row), np.uint32(j)]
                own[np.uint32(r * width + j)] = number
                if squared:
                    length[np.uint32(r)] += np.int64(number) * np.int64(number)
        begin, count = int32(0), int32(centroids.shape[0])
        while begin < count:
            here = smaller(int32(step), int32(count - begin))
            cuda.syncthreads()  # all threads have compared the tile before
            k = thread
            while k < here * width:
                c, coordinate = k // int32(width), k % int32(width)
                tile[np.uint32(k)] = factor * np.uint32(centroids[np.uint32(begin + c), np.uint32(coordinate)])
                if coordinate == 0:
                    tile_lengths[np.uint32(c)] = lengths[np.uint32(begin + c)]
                k = int32(k + threads)
            cuda.syncthreads()
            centroid = int32(0)
            while centroid < here:
                for r in range(each):
                    score = score_of(own, r, tile, tile_lengths, centroid)
                    if score > best[np.uint32(r)]:
                        best[np.uint32(r)], chosen[np.uint32(r)] = score, int32(begin + centroid)
                centroid = int32(centroid + 1)
            begin = int32(begin + step)
        for r in range(each):
            row = int32(first + r * threads)
            if row <= last:
                label[np.uint32(row)] = chosen[np.uint32(r)]
                distance[np.uint32(row)] = length[np.uint32(r)] - best[np.uint32(r)]

    return kernel(search, registers=REGISTERS[squared])
