"""k-means in whole numbers, compared with a slow version."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_abstraction import distances

from conftest import INTERPRETED
from regretless.kernels.cards.clustering import BLOCK, nearest_centroids
from regretless.poker.abstraction.build.kmeans import KMeansStep, lloyd, seed_centroids, sorted_centroids

STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
WORD = 2**64


def drawn_rows(seed: int, n: int, width: int, values: int = 65_536) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return np.sort(draw.integers(0, values, (n, width)), axis=1).astype(np.uint16)


def in_order(function, pieces):  # type: ignore[no-untyped-def]
    return map(function, pieces)


@pytest.mark.parametrize("squared", [False, True])
@given(seed=st.integers(0, 10**6), width=st.sampled_from([1, 8, 49]), k=st.integers(1, 40), few=st.booleans())
@settings(max_examples=30, deadline=None)
def test_the_nearest_centroid_is_that_of_a_comparison_with_all(
    squared: bool, seed: int, width: int, k: int, few: bool
) -> None:
    """With few different values there are many ties; the lowest centroid counts."""
    values = 4 if few else 65_536
    rows = drawn_rows(seed, 50, width, values)
    centroids = sorted_centroids(drawn_rows(seed + 1, k, width, values))
    labels = np.random.default_rng(seed).integers(0, k, 50).astype(np.int32)  # any guess
    total = nearest_centroids(rows, np.full(50, 3), 0, 50, *centroids, squared, labels)
    apart = distances(rows, centroids.values, squared)
    assert labels.tolist() == apart.argmin(axis=1).tolist()
    assert total == 3 * apart.min(axis=1).sum()


def mixed(word: int) -> int:
    word = ((word ^ (word >> 30)) * FIRST) % WORD
    word = ((word ^ (word >> 27)) * SECOND) % WORD
    return word ^ (word >> 31)


def slow_seeds(rows: np.ndarray, counts: np.ndarray, k: int, squared: bool, seed: int) -> list[list[int]]:
    """k-means++ by its definition: rows drawn in proportion to count × distance to the nearest seed."""
    order = sorted(range(len(rows)), key=lambda i: (int(rows[i].sum(dtype=np.int64)), rows[i].tolist()))
    rows, counts = rows[order], counts[order]
    nearest, seeds = None, []
    for s in range(k):
        weight = counts if nearest is None else counts * nearest
        if not weight.sum():
            break
        place = (mixed((seed + STEP * (s + 1)) % WORD) >> 1) % int(weight.sum())
        drawn = int(np.searchsorted(np.cumsum(weight), place, side="right"))
        seeds.append(rows[drawn].tolist())
        apart = distances(rows, rows[drawn : drawn + 1], squared)[:, 0]
        nearest = apart if nearest is None else np.minimum(nearest, apart)
    return sorted(seeds, key=lambda row: sum(row))


@pytest.mark.parametrize("squared", [False, True])
def test_seeds_are_those_of_the_definition(squared: bool) -> None:
    n = 60 if INTERPRETED else 3 * BLOCK + 7
    rows = drawn_rows(5, n, 8)
    counts = np.random.default_rng(6).integers(1, 9, n)
    found = seed_centroids(rows, counts, 12, squared, 77)
    assert sorted(found.values.tolist()) == sorted(slow_seeds(rows, counts, 12, squared, 77))
    assert (np.diff(found.keys) >= 0).all()
    shuffled = np.random.default_rng(8).permutation(n)
    again = seed_centroids(rows[shuffled], counts[shuffled], 12, squared, 77)
    assert (again.values == found.values).all()


def test_fewer_different_rows_than_centroids() -> None:
    rows = np.repeat(drawn_rows(1, 3, 8), 10, axis=0)
    found = seed_centroids(rows, np.ones(30, np.int64), 9, True, 0)
    assert len(found.values) == 3


@pytest.mark.parametrize("squared", [False, True])
def test_an_iteration_moves_centroids_to_the_middle_and_never_makes_it_worse(squared: bool) -> None:
    rows, counts = drawn_rows(2, 300, 8), np.random.default_rng(3).integers(1, 5, 300)
    step = KMeansStep(seed_centroids(rows, counts, 10, squared, 1), 0, -1, False)
    before = None
    for moved in lloyd(rows, counts, step, squared, in_order):
        apart = distances(rows, step.centroids.values, squared)
        label, middles = apart.argmin(axis=1), []
        assert moved.total == (apart.min(axis=1) * counts).sum()
        for c in range(10):
            own, weight = rows[label == c].astype(np.int64), counts[label == c]
            repeated = np.repeat(own, weight, axis=0)
            if not len(own):
                middles.append(step.centroids.values[c].tolist())
            elif squared:
                middles.append(((2 * repeated.sum(axis=0) + len(repeated)) // (2 * len(repeated))).tolist())
            else:
                middles.append(np.sort(repeated, axis=0)[(len(repeated) - 1) // 2].tolist())
        assert sorted(middles) == sorted(moved.centroids.values.tolist())
        slack = 10 * len(rows) if squared else 0  # a mean is rounded
        assert before is None or moved.total <= before + slack
        before, step = moved.total, moved
    assert step.ended and step.iteration > 1
