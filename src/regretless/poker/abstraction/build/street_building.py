"""Builds the buckets of one street: sample, seeds, clusters, buckets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.cards.clustering import (
    assign_by_strength,
    assign_labels,
    assign_rows,
    draw_deals,
    mark_indices,
    nearest_centroids,
    pick_rows,
)
from regretless.kernels.cards.hand_features import FULL, HISTOGRAM
from regretless.kernels.cards.river_strengths import CLUSTERS
from regretless.poker.abstraction.build.build_state import BuildState
from regretless.poker.abstraction.build.cuda_clusters import ROWS_OF_A_BATCH, CudaClusters, CudaSearch
from regretless.poker.abstraction.build.kmeans import Centroids, KMeansStep, lloyd, seed_centroids, sorted_centroids
from regretless.poker.abstraction.build.street_plans import StreetPlan
from regretless.poker.abstraction.build.sweeping import BoardSweep, Rows
from regretless.poker.abstraction.build.workers import Workers
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import empty_map, finished_street
from regretless.poker.cards.indexing import HandIndexer

__all__ = ["StreetBuilder", "opponent_clusters"]

Array = npt.NDArray[Any]
Steps = Iterator[tuple[str, float]]
"""The stage, and the share of it that is done."""

MOST_WEIGHT = 100_000_000
"""Deals of a street up to which all its hands can be the sample: sums of count × distance² stay below 2⁶³."""

DEALS_OF_A_PIECE = 1 << 20
OPPONENT_SEED = 63
"""Where a street would be in the seed of its clusters; streets have numbers below it."""


class StreetBuilder:
    """The stages of one street. `steps` changes a `BuildState` piece by piece, so that it can be saved in between."""

    def __init__(
        self,
        rounds: CardRounds,
        street: int,
        plan: StreetPlan,
        seed: int,
        sample: int,
        workers: Workers,
        cluster_of: Array | None,
        device: CudaClusters | None = None,
    ) -> None:
        self.rounds, self.street, self.plan, self.seed, self.sample = rounds, street, plan, seed, sample
        self.workers, self.device = workers, device
        hands = len(rounds.deck.hands(rounds.hand_size))
        self.sweep = BoardSweep(
            rounds, street, plan.kind, np.zeros(hands, np.int8) if cluster_of is None else cluster_of
        )

    def steps(self, state: BuildState) -> Steps:
        """Do what is left of the street."""
        if not self.plan.sampled and state.stage == "sample":
            state.enter("buckets")
        if state.stage == "sample":
            yield from self._describe_sample(state)
            state.enter("buckets" if self.plan.feature == "percentile" else "seeds")
        if state.stage == "seeds":
            yield "seeds", 0.0
            state.arrays["centroids"] = self._seeds(state).values
            state.enter("clusters")
        if state.stage == "clusters":
            yield from self._move_centroids(state)
        yield from self._fill_buckets(state)

    # -- sample --------------------------------------------------------------------------------------------------------

    def _describe_sample(self, state: BuildState) -> Steps:
        arrays = state.arrays
        if not arrays:
            wanted, counts = self._wanted()
            rows = len(wanted)
            arrays |= {"wanted": wanted, "counts": counts, "strengths": np.zeros(rows, np.uint16)}
            arrays["rows"] = np.zeros((rows, self.plan.width), np.uint16)
        marked = np.zeros(self.plan.classes // 64 + 1, np.uint64)
        mark_indices(arrays["wanted"], marked)

        def describe(piece: tuple[int, int]) -> None:
            found = self.sweep.rows(piece)
            pick_rows(
                found.indices, found.features, found.strength, len(found.indices), marked, arrays["wanted"],
                arrays["rows"], arrays["strengths"],
            )  # fmt: skip
            if self.takes_all:
                arrays["counts"][found.indices] = found.deals

        pieces = self.sweep.pieces
        for _ in self.workers.results(describe, pieces[state.piece :]):
            state.piece += 1
            yield "sample", state.piece / len(pieces)

    @cached_property
    def takes_all(self) -> bool:
        """Whether the sample is every hand, weighted by its number of deals."""
        return self.plan.classes <= self.sample and self.rounds.deals(self.street) <= MOST_WEIGHT

    def _wanted(self) -> tuple[Array, Array]:
        """The hands of the sample: indices, sorted, and how often each was drawn."""
        if self.takes_all:
            return np.arange(self.plan.classes), np.zeros(self.plan.classes, np.int64)
        indexer, cards = self.rounds.indexer(self.street), self.rounds.hand_size + self.rounds.boards[self.street]
        deals = np.empty((self.sample, cards), np.int64)
        draw_deals(self.seed, self.street, self.rounds.deck.size, deals)
        found = [indexer.index(deals[n : n + DEALS_OF_A_PIECE]) for n in range(0, len(deals), DEALS_OF_A_PIECE)]
        return np.unique(np.concatenate(found), return_counts=True)

    # -- clusters ------------------------------------------------------------------------------------------------------

    def _seeds(self, state: BuildState) -> Centroids:
        rows, counts, seed = state.arrays["rows"], state.arrays["counts"], _seed_of(self.seed, self.street)
        elsewhere: dict[str, Any] = {} if self.device is None else {"draw": self.device.draw}
        return seed_centroids(rows, counts, self.plan.buckets, self.plan.squared, seed, **elsewhere)

    def _move_centroids(self, state: BuildState) -> Steps:
        arrays = state.arrays
        step = KMeansStep(sorted_centroids(arrays["centroids"]), state.iteration, state.total, False)
        assign, pieces = None if self.device is None else self.device.assign, self.workers.results
        for moved in lloyd(arrays["rows"], arrays["counts"], step, self.plan.squared, pieces, assign):
            arrays["centroids"] = moved.centroids.values
            state.iteration, state.total = moved.iteration, moved.total
            if moved.ended:  # before an interrupt can come: one iteration more would give another map
                state.enter("buckets")
            yield "clusters", 1 - 0.8**moved.iteration

    # -- buckets -------------------------------------------------------------------------------------------------------

    def _fill_buckets(self, state: BuildState) -> Steps:
        arrays = state.arrays
        count = len(arrays["centroids"]) if "centroids" in arrays else self.plan.buckets
        if "map" not in arrays:
            arrays["map"] = empty_map(self.plan.classes, count)
            arrays["totals"] = np.zeros((2, count), np.int64)
        if self.device is not None and self.plan.sampled and self.plan.width > 1:
            yield from self._assign_batches(state, self.device)
        else:
            yield from self._assign_pieces(state, count)
        kept = arrays["centroids"] if "centroids" in arrays else np.zeros((0, 0), np.uint16)
        state.finish(finished_street(self.plan.feature, arrays["map"], arrays["totals"], kept))

    def _assign_pieces(self, state: BuildState, count: int) -> Steps:
        """Fill the map on the CPU: each thread searches for the hands that it has described."""
        assign, pieces = self._assignment(state.arrays, count), self.sweep.pieces
        for totals in self.workers.results(assign, pieces[state.piece :]):
            if totals is not None:
                state.arrays["totals"] += totals
            state.piece += 1
            yield "buckets", state.piece / len(pieces)

    def _assign_batches(self, state: BuildState, device: CudaClusters) -> Steps:
        """Fill the map with a GPU: threads describe hands, and the GPU searches for those of many pieces at once."""
        pieces, batch, done = self.sweep.pieces, list[Rows](), state.piece
        search = device.search(sorted_centroids(state.arrays["centroids"]), self.plan.squared)
        for rows in self.workers.results(self.sweep.copied_rows, pieces[state.piece :]):
            batch.append(rows)
            done += 1
            if done == len(pieces) or sum(len(rows.indices) for rows in batch) >= ROWS_OF_A_BATCH:
                totals = self._assigned(batch, search, state.arrays)
                state.arrays["totals"] += totals
                state.piece, batch = done, []
            yield "buckets", done / len(pieces)

    def _assigned(self, batch: list[Rows], search: CudaSearch, arrays: dict[str, Array]) -> Array:
        """Write the buckets of a batch to the map; returns what is to be added to the totals."""
        rows, totals = Rows(*map(np.concatenate, zip(*batch, strict=True))), np.zeros_like(arrays["totals"])
        labels = np.empty(len(rows.indices), np.int32)
        search.nearest(rows.features, labels)
        assign_labels(rows.indices, labels, rows.strength, rows.deals, arrays["map"], totals)
        return totals

    def _assignment(self, arrays: dict[str, Array], count: int) -> Any:
        """The function that fills the map for the boards of a piece; it returns what it adds to the totals."""
        bucket_of = arrays["map"]
        if not self.plan.sampled:

            def keep(piece: tuple[int, int]) -> None:
                rows = self.sweep.rows(piece)
                bucket_of[rows.indices] = rows.indices
                arrays["totals"][:, rows.indices] = rows.deals, rows.deals * rows.strength.astype(np.int64)

            return keep
        if self.plan.width == 1:
            bucket_at = self._buckets_by_strength(arrays, count)

            def look_up(piece: tuple[int, int]) -> Array:
                indices, _, strength, deals = self.sweep.rows(piece)
                totals = np.zeros((2, count), np.int64)
                assign_by_strength(indices, strength, deals, len(indices), bucket_at, bucket_of, totals)
                return totals

            return look_up
        centroids = sorted_centroids(arrays["centroids"])

        def search(piece: tuple[int, int]) -> Array:
            rows, totals = self.sweep.rows(piece), np.zeros((2, count), np.int64)
            assign_rows(*rows, len(rows.indices), *centroids, self.plan.squared, bucket_of, totals)
            return totals

        return search

    def _buckets_by_strength(self, arrays: dict[str, Array], count: int) -> Array:
        """[65,536] the bucket of each strength: the nearest centroid, or the percentile."""
        if self.plan.feature == "percentile":
            return percentiles(arrays["strengths"], arrays["counts"], count)
        strengths = np.arange(FULL + 1, dtype=np.uint16)[:, None]
        labels = np.zeros(FULL + 1, np.int32)
        centroids = sorted_centroids(arrays["centroids"])
        nearest_centroids(strengths, np.ones(FULL + 1, np.int64), 0, FULL + 1, *centroids, True, labels)
        return labels


def percentiles(strengths: Array, counts: Array, buckets: int) -> Array:
    """[65,536] the bucket of each strength, so that buckets are dealt equally often, as far as strengths differ."""
    mass = np.bincount(strengths, weights=counts, minlength=FULL + 1).astype(np.int64)
    middle = np.cumsum(mass) - (mass + 1) // 2
    found = np.minimum(middle * buckets // max(int(mass.sum()), 1), buckets - 1)
    return np.asarray(found, np.int32)


def opponent_clusters(rounds: CardRounds, seed: int, workers: Workers) -> npt.NDArray[np.int8]:
    """[hands] eight clusters of the hands before any board card, by the histogram of their strengths."""
    whole = CardRounds(rounds.deck, rounds.hand_size, (0, rounds.boards[-1]))
    hands = rounds.deck.hands(rounds.hand_size)
    sweep = BoardSweep(whole, 0, HISTOGRAM, np.zeros(len(hands), np.int8))
    found = sweep.rows(sweep.pieces[0])
    rows, counts, strength = found.features.copy(), found.deals.copy(), found.strength.copy()
    seeds = seed_centroids(rows, counts, CLUSTERS, False, _seed_of(seed, OPPONENT_SEED))
    *_, last = lloyd(rows, counts, KMeansStep(seeds, 0, -1, False), False, workers.results)
    label = np.zeros(len(rows), np.int32)
    nearest_centroids(rows, counts, 0, len(rows), *last.centroids, False, label)
    mass = np.bincount(label, counts, CLUSTERS)
    means = np.bincount(label, counts * strength.astype(np.int64), CLUSTERS) / np.maximum(mass, 1)
    number = np.argsort(np.argsort(means, kind="stable"))  # clusters without hands come first
    cluster_of_index = np.zeros(whole.classes(0), np.int8)
    cluster_of_index[found.indices] = number[label]
    return np.asarray(cluster_of_index[HandIndexer((rounds.hand_size,), rounds.deck).index(hands)])


def _seed_of(seed: int, street: int) -> int:
    """The seed of the clusters of a street."""
    return (seed * 64 + street) % 2**63
