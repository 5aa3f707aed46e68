"""Buckets and strategies drawn at random, for tests of measurements."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from regretless.poker import Abstraction, PublicGame
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import StreetBuckets
from regretless.poker.results.bucket_strategy import BucketStrategy


def merged(game: PublicGame, counts: tuple[int, ...], recall: str = "imperfect") -> PublicGame:
    """A game with buckets drawn at random."""
    rounds, draw, streets = CardRounds.of(game), np.random.default_rng(7), []
    for street, count in enumerate(counts):
        bucket_of = draw.integers(0, count, rounds.classes(street)).astype(np.uint16)
        ones = np.ones(count, np.int64)
        streets.append(StreetBuckets("drawn", bucket_of, ones, ones, ones, np.zeros((0, 0), np.uint16)))
    return dataclasses.replace(game, abstraction=Abstraction(rounds, tuple(streets), recall))


def drawn(game: PublicGame, seed: int = 3) -> BucketStrategy:
    """A strategy drawn at random; a third of the actions is never taken."""
    tree: Any = game.problem()
    draw = np.random.default_rng(seed)
    numbers = draw.random(tree.infoset_actions) * (draw.random(tree.infoset_actions) < 0.67)
    strategy: BucketStrategy = tree.strategy({"average": numbers.astype(np.float32)}, "average")
    return strategy
