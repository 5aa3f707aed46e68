"""Clusters of a sample of hands: k-means++ seeds, then Lloyd's iterations, all in whole numbers.

An iteration assigns every row to its nearest centroid and moves every centroid to the middle of its rows: the vector
with the least sum of distances. That is the mean, rounded to 16 bits, where distances are squared, and the median of
each coordinate where they are not.

A deviation from Johanson, Burch, Valenzano & Bowling 2013: they move centroids to the mean histogram also under the
earth mover's distance. With means the sum of distances rises again where many hands have equal histograms, as on the
turn; with medians it never rises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.cards.clustering import BLOCK, draw_seeds, move_centroids, nearest_centroids

__all__ = ["Centroids", "KMeansStep", "lloyd", "seed_centroids", "sorted_centroids"]

ROWS_OF_A_PIECE = 1 << 13
"""Rows whose nearest centroid one task finds."""

MOST_ITERATIONS = 40
ENOUGH = 1_000
"""Iterations end when one lowers the sum of distances by less than a thousandth of it."""

Pieces = Callable[[Callable[[Any], Any], list[Any]], Iterator[Any]]
"""Runs a function on a list of pieces, on several threads, and yields the results."""

Array = npt.NDArray[Any]


class Centroids(NamedTuple):
    """Centroids, sorted by the sum of their coordinates."""

    values: npt.NDArray[np.uint16]  # [k, width]
    keys: npt.NDArray[np.int64]  # [k]


Draw = Callable[[Array, Array, Array, bool, int, int], Array]
"""Draws seeds of k-means++: rows sorted by key, keys, counts, squared, seed, k → the numbers of the rows drawn."""

Assign = Callable[[Array, Array, Centroids, bool, Array], int]
"""Finds nearest centroids: rows, counts, centroids, squared, labels to be written → the sum of counts × distances."""


class KMeansStep(NamedTuple):
    """The state between two iterations: everything that the next one depends on."""

    centroids: Centroids
    iteration: int
    total: int
    """The sum of the distances of all rows to their centroids, in the last iteration; −1 before the first."""
    ended: bool


def sorted_centroids(values: npt.NDArray[np.uint16]) -> Centroids:
    """Centroids in the order of their keys; equal keys stay in their order."""
    keys = values.sum(axis=1, dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    return Centroids(np.ascontiguousarray(values[order]), keys[order])


def _drawn(rows: Array, keys: Array, counts: Array, squared: bool, seed: int, k: int) -> Array:
    """Seeds of k-means++ on the CPU."""
    blocks = -(-len(rows) // BLOCK)
    seeds, distances = np.zeros(k, np.int64), np.zeros(len(rows), np.int64)
    bounds = (np.zeros(blocks, np.int64), np.zeros(blocks, np.int64))
    return seeds[: draw_seeds(rows, keys, counts, squared, seed, 0, k, seeds, distances, bounds)]


def seed_centroids(
    rows: npt.NDArray[np.uint16],
    counts: npt.NDArray[np.int64],
    k: int,
    squared: bool,
    seed: int,
    draw: Draw = _drawn,
) -> Centroids:
    """Rows [n, width] drawn by k-means++, each counted counts [n] times: k of them, or all that differ if fewer do."""
    keys = rows.sum(axis=1, dtype=np.int64)
    order = np.lexsort((*rows.T[::-1], keys))  # the result depends on the set of rows, not on their order
    rows, keys, counts = np.ascontiguousarray(rows[order]), keys[order], counts[order]
    return sorted_centroids(rows[draw(rows, keys, counts, squared, seed, k)])


def lloyd(
    rows: npt.NDArray[np.uint16],
    counts: npt.NDArray[np.int64],
    step: KMeansStep,
    squared: bool,
    pieces: Pieces,
    assign: Assign | None = None,
) -> Iterator[KMeansStep]:
    """Lloyd's iterations from a state on; each yields the next state, until one has `ended`.

    assign: finds the nearest centroids, elsewhere than on the CPU.
    """
    labels = np.zeros(len(rows), np.int32)
    find = partial(_assigned, pieces=pieces) if assign is None else assign
    while not step.ended:
        centroids, last = step.centroids, step.total
        total = find(rows, counts, centroids, squared, labels)
        moved = _moved(rows, counts, labels, centroids.values, squared, pieces)
        converged = np.array_equal(moved, centroids.values) or (last >= 0 and (last - total) * ENOUGH < last)
        iteration = step.iteration + 1
        order = np.argsort(moved.sum(axis=1, dtype=np.int64), kind="stable")
        labels = np.argsort(order).astype(np.int32)[labels]  # guesses for the next iteration
        step = KMeansStep(sorted_centroids(moved), iteration, total, converged or iteration >= MOST_ITERATIONS)
        yield step


def _assigned(rows: Array, counts: Array, centroids: Centroids, squared: bool, labels: Array, pieces: Pieces) -> int:
    """Nearest centroids on the CPU; what labels held before are guesses."""
    tasks = [(begin, min(begin + ROWS_OF_A_PIECE, len(rows))) for begin in range(0, len(rows), ROWS_OF_A_PIECE)]

    def assign(piece: tuple[int, int]) -> int:
        return int(nearest_centroids(rows, counts, *piece, *centroids, squared, labels))

    return sum(pieces(assign, tasks))


def _moved(
    rows: npt.NDArray[np.uint16],
    counts: npt.NDArray[np.int64],
    labels: npt.NDArray[np.int32],
    centroids: npt.NDArray[np.uint16],
    squared: bool,
    pieces: Pieces,
) -> npt.NDArray[np.uint16]:
    """The middle of the rows of each centroid."""
    moved = centroids.copy()
    order = np.argsort(labels, kind="stable")
    first = np.searchsorted(labels[order], np.arange(len(moved) + 1))
    bounds = np.unique(np.searchsorted(first, np.arange(0, len(rows), ROWS_OF_A_PIECE)))
    tasks = list(pairwise([*bounds[bounds < len(moved)].tolist(), len(moved)]))

    def move(piece: tuple[int, int]) -> None:
        move_centroids(rows, counts, order, first, *piece, squared, moved)

    for _ in pieces(move, tasks):
        pass
    return moved
