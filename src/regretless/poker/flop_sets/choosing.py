"""How the sets of flops were chosen. `python -m regretless.poker.flop_sets.choosing FILE` chooses them again.

The method, for a set of n flops out of the 1,755 kinds:

1. Each kind has a weight, the number of its flops, and a vector of features: the equity of each of the 169 classes of
   hands against a random hand, exact over all turns and rivers; and what the flop looks like (suits, pairs, the highest
   and the lowest rank, the gaps between ranks). Both groups of features have the same total variance.
2. The kinds are divided by suits and pairs: monotone, two-tone and rainbow, the last two with and without a pair. Each
   part gets a share of the n flops by its number of flops (largest remainders, at least one).
3. Weighted k-means with a k-means++ start in each part. The flop nearest to each centre is chosen.
4. The weights of the chosen flops make the weighted means of all features as near as possible to those of all flops:
   least squares, with a penalty for leaving the weight of the flop's cluster, of which they are a third to three times.
5. Steps 3 and 4 are repeated from 20 starts. The set whose weighted means are nearest to those of all flops is kept.

`tests/poker/flop_sets` measures the sets on equities of ranges that were not used here, and
`benchmarks/flop_sets.py` on frequencies and EVs of a solved game.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.poker.cards.deck import STANDARD
from regretless.poker.flop_sets.flops import all_flops
from regretless.poker.preflop.all_in_table import CLASSES, class_of_hands
from regretless.poker.ranges.equity import equity
from regretless.poker.ranges.range import Range

__all__ = ["choose", "features"]

Array = npt.NDArray[Any]

SIZES = (25, 49, 95, 184)
STARTS = 20
ROUNDS = 30
PENALTY = 0.03
"""Weight of a set's distance from the clusters' weights, against the distance of the means of the features."""
FURTHEST = 3.0
"""How many times the weight of its cluster a flop may have; at least the inverse of it."""


def looks(flops: Array) -> Array:
    """[flops, looks] suits, pairs, ranks and gaps."""
    ranks, suits = np.sort(flops // 4, axis=1), flops % 4
    different_suits = np.array([len(set(row)) for row in suits.tolist()])
    different_ranks = np.array([len(set(row)) for row in ranks.tolist()])
    low, middle, high = ranks.T
    gaps = np.stack([np.minimum(high - middle, 5), np.minimum(middle - low, 5)], axis=1)
    kinds = [different_suits == 1, different_suits == 2, different_ranks == 1, different_ranks == 2]
    return np.column_stack([*kinds, *(high == rank for rank in range(4, 13)), middle, low, gaps]).astype(float)


def class_equities(flops: Array, threads: int = 2) -> Array:
    """[flops, classes] the equity of each class against a random hand; 1 for a class that the flop makes impossible."""
    everything, classes = Range.full(), class_of_hands()

    def one(flop: Array) -> Array:
        by_hand = equity(everything, everything, flop.tolist(), boards="all", threads=1).hands_a
        held = ~np.isnan(by_hand)
        count = np.bincount(classes[held], minlength=CLASSES)
        total = np.bincount(classes[held], by_hand[held], CLASSES)
        return np.where(count > 0, total / np.maximum(count, 1), 1.0)

    with ThreadPoolExecutor(threads) as pool:
        return np.array(list(pool.map(one, flops)))


def features(flops: Array, deals: Array) -> Array:
    """[flops, features] both groups of features, scaled so that each has the same total variance."""
    groups = []
    for group in (class_equities(flops), looks(flops)):
        mean = np.average(group, axis=0, weights=deals)
        spread = np.sqrt(np.average((group - mean) ** 2, axis=0, weights=deals))
        groups.append((group - mean) / np.where(spread > 0, spread, 1.0) / np.sqrt(group.shape[1]))
    return np.column_stack(groups)


def parts_of(flops: Array) -> Array:
    """[flops] the part of each flop: monotone, two-tone, rainbow; then two-tone and rainbow with a pair or trips."""
    suits = np.array([len(set(row)) for row in (flops % 4).tolist()])
    paired = np.array([len(set(row)) < 3 for row in (flops // 4).tolist()])
    return np.asarray(suits - 1 + 2 * paired)


def shares_of(parts: Array, deals: Array, count: int) -> Array:
    """[parts] how many of `count` flops each part gets."""
    wanted = np.bincount(parts, deals) / deals.sum() * count
    given: Array = np.maximum(np.floor(wanted).astype(int), 1)
    while given.sum() < count:
        given[np.argmax(wanted - given)] += 1
    return given


def choose(flops: Array, points: Array, deals: Array, count: int, seed: int = 0) -> tuple[Array, Array]:
    """The rows of `count` flops, and their weights, which sum to 1."""
    random = np.random.default_rng(seed)
    parts = parts_of(flops)
    mean = deals @ points / deals.sum()
    sets = (_one_set(points, deals, parts, shares_of(parts, deals, count), random) for _ in range(STARTS))
    fitted = [(chosen, _fitted(points[chosen], shares, mean)) for chosen, shares in sets]
    return min(fitted, key=lambda found: float(((found[1] @ points[found[0]] - mean) ** 2).sum()))


def _one_set(
    points: Array, deals: Array, parts: Array, numbers: Array, random: np.random.Generator
) -> tuple[Array, Array]:
    """The flops nearest to the centres of clusters, and the shares of the clusters."""
    chosen, shares = [], []
    for part, number in enumerate(numbers.tolist()):
        rows = np.flatnonzero(parts == part)
        owner = _clusters(points[rows], deals[rows], number, random)
        for cluster in np.unique(owner):
            members = rows[owner == cluster]
            centre = np.average(points[members], axis=0, weights=deals[members])
            chosen.append(members[np.argmin(((points[members] - centre) ** 2).sum(axis=1))])
            shares.append(deals[members].sum() / deals.sum())
    return np.array(chosen), np.array(shares)


def _clusters(points: Array, deals: Array, count: int, random: np.random.Generator) -> Array:
    """[flops] the cluster of each flop, by Lloyd's algorithm from a k-means++ start."""
    centres = points[random.choice(len(points), p=deals / deals.sum())][None]
    while len(centres) < count:
        nearest = _distances(points, centres).min(axis=1) * deals
        centres = np.vstack([centres, points[random.choice(len(points), p=nearest / nearest.sum())]])
    owner = np.full(len(points), -1)
    for _ in range(ROUNDS):
        found = _distances(points, centres).argmin(axis=1)
        if (found == owner).all():
            break
        owner = found
        for cluster in range(count):
            members = owner == cluster
            if members.any():
                centres[cluster] = np.average(points[members], axis=0, weights=deals[members])
    return owner


def _distances(points: Array, centres: Array) -> Array:
    """[points, centres] squared distances."""
    squares: Array = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * points @ centres.T
    return np.asarray(np.maximum(squares, 0.0))


def _fitted(points: Array, shares: Array, mean: Array) -> Array:
    """[chosen] the weights w that minimise |pointsᵀw − mean|² + PENALTY² Σ (w/share − 1)²/n, and sum to 1."""
    from scipy.optimize import lsq_linear

    scale = PENALTY / np.sqrt(len(shares))
    rows = np.vstack([points.T, np.diag(scale / shares), np.full((1, len(shares)), 10.0)])
    right = np.concatenate([mean, np.full(len(shares), scale), [10.0]])
    weights = lsq_linear(rows, right, (shares / FURTHEST, shares * FURTHEST)).x
    return np.asarray(weights / weights.sum())


def main(path: str) -> None:
    """Choose all sets and write them."""
    flops, deals = all_flops()
    points = features(flops, deals)
    sets = {}
    for count in SIZES:
        chosen, weights = choose(flops, points, deals.astype(float), count)
        order = np.argsort(-weights, kind="stable")
        names = [STANDARD.hand_name(flops[row].tolist()) for row in chosen[order]]
        sets[str(count)] = {name: round(float(w), 6) for name, w in zip(names, weights[order], strict=True)}
    Path(path).write_text(json.dumps(sets, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
