"""Features and clusters the obvious way, in plain Python: the oracle of the compiled ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from slow_poker import score

from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import StreetBuckets

FULL = 65_535
Array = npt.NDArray[np.int64]


def showdown_points(
    rounds: CardRounds, hand: Sequence[int], board: Sequence[int], clusters: Sequence[int] | None = None, count: int = 1
) -> tuple[list[int], list[int]]:
    """Points of a hand on a complete board against each cluster of hands, and the number of hands of each."""
    deck = rounds.deck
    own = score(deck, [*hand, *board])
    points, opponents = [0] * count, [0] * count
    for number, other in enumerate(deck.hands(rounds.hand_size).tolist()):
        if {*other} & {*hand, *board}:
            continue
        theirs = score(deck, [*other, *board])
        cluster = 0 if clusters is None else clusters[number]
        points[cluster] += 2 if own > theirs else 1 if own == theirs else 0
        opponents[cluster] += 1
    return points, opponents


def completions(rounds: CardRounds, hand: Sequence[int], board: Sequence[int]) -> list[tuple[int, ...]]:
    """All ways to complete a board."""
    left = [card for card in range(rounds.deck.size) if card not in {*hand, *board}]
    return [(*board, *more) for more in combinations(left, rounds.boards[-1] - len(board))]


def mean_strength(rounds: CardRounds, hand: Sequence[int], board: Sequence[int]) -> int:
    """The mean share of the pot, in 16 bits."""
    found = [showdown_points(rounds, hand, full) for full in completions(rounds, hand, board)]
    points = sum(one[0] for one, _ in found)
    return points * FULL // (2 * sum(one[0] for _, one in found))


def histogram(rounds: CardRounds, hand: Sequence[int], board: Sequence[int], bins: int) -> list[int]:
    """The cumulative histogram of the strengths on complete boards, without its last entry."""
    boards = completions(rounds, hand, board)
    strengths = []
    for full in boards:
        (points,), (opponents,) = showdown_points(rounds, hand, full)
        strengths.append(min(points * bins // (2 * opponents), bins - 1))
    return [sum(s <= j for s in strengths) * FULL // len(boards) for j in range(bins - 1)]


def against_clusters(
    rounds: CardRounds, hand: Sequence[int], board: Sequence[int], clusters: Sequence[int], count: int
) -> list[int]:
    """The mean strength against each cluster."""
    points, opponents = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for full in completions(rounds, hand, board):
        one, other = showdown_points(rounds, hand, full, clusters, count)
        points += one
        opponents += other
    return [int(p) * FULL // (2 * int(n)) if n else FULL // 2 for p, n in zip(points, opponents, strict=True)]


def distances(rows: npt.NDArray[np.uint16], centroids: npt.NDArray[np.uint16], squared: bool) -> Array:
    """[rows, centroids] the distance of each pair."""
    apart = np.abs(rows.astype(np.int64)[:, None] - centroids.astype(np.int64)[None])
    return (apart**2 if squared else apart).sum(axis=2)


def made_up_streets(rounds: CardRounds, counts: Sequence[int], seed: int = 0) -> tuple[StreetBuckets, ...]:
    """Buckets drawn at random: an abstraction without a build."""
    draw, streets = np.random.default_rng(seed), []
    for street, count in enumerate(counts):
        classes = rounds.classes(street)
        bucket_of = draw.integers(0, count, classes).astype(np.uint16)
        bucket_of[:count] = np.arange(count)
        hands = np.bincount(bucket_of, minlength=count)
        strength = hands * np.linspace(1, FULL, count).astype(np.int64)
        centroids = np.sort(draw.integers(0, FULL, (count, 49)), axis=1).astype(np.uint16)
        streets.append(StreetBuckets("histogram", bucket_of, hands, hands, strength, centroids))
    return tuple(streets)
