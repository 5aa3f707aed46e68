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


class Centroids(NamedTuple):
    """Centroids, sorted by the sum of their coordinates."""

    values: npt.NDArray[np.uint16]  # [k, width]
    keys: npt.NDArray[np.int64]  # [k]


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


def seed_centroids(
    rows: npt.NDArray[np.uint16],
    counts: npt.NDArray[np.int64],
    k: int,
    squared: bool,
    seed: int,
) -> Centroids:
    """Rows [n, width] drawn by k-means++, each counted counts [n] times: k of them, or all that differ if fewer do."""
    keys = rows.sum(axis=1, dtype=np.int64)
    order = np.lexsort((*rows.T[::-1], keys))  # the result depends on the set of rows, not on their order
    rows, keys, counts = np.ascontiguousarray(rows[order]), keys[order], counts[order]
    blocks = -(-len(rows) // BLOCK)
    seeds, distances = np.zeros(k, np.int64), np.zeros(len(rows), np.int64)
    bounds = (np.zeros(blocks, np.int64), np.zeros(blocks, np.int64))
    drawn = draw_seeds(rows, keys, counts, squared, seed, 0, k, seeds, distances, bounds)
    return sorted_centroids(rows[seeds[:drawn]])


def lloyd(
    rows: npt.NDArray[np.uint16], counts: npt.NDArray[np.int64], step: KMeansStep, squared: bool, pieces: Pieces
) -> Iterator[KMeansStep]:
    """Lloyd's iterations from a state on; each yields the next state, until one has `ended`."""
    labels = np.zeros(len(rows), np.int32)
    tasks = [(begin, min(begin + ROWS_OF_A_PIECE, len(rows))) for begin in range(0, len(rows), ROWS_OF_A_PIECE)]
    while not step.ended:
        centroids, last = step.centroids, step.total

        def assign(piece: tuple[int, int], centroids: Centroids = centroids, labels: Any = labels) -> int:
            return int(nearest_centroids(rows, counts, *piece, *centroids, squared, labels))

        total = sum(pieces(assign, tasks))
        moved = _moved(rows, counts, labels, centroids.values, squared, pieces)
        converged = np.array_equal(moved, centroids.values) or (last >= 0 and (last - total) * ENOUGH < last)
        iteration = step.iteration + 1
        order = np.argsort(moved.sum(axis=1, dtype=np.int64), kind="stable")
        labels = np.argsort(order).astype(np.int32)[labels]  # guesses for the next iteration
        step = KMeansStep(sorted_centroids(moved), iteration, total, converged or iteration >= MOST_ITERATIONS)
        yield step


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
