"""Public chance sampling on limit hold'em with buckets: time of one board, and the limit of the memory behind it.

    python -m benchmarks.hulh_solving [200] [--note "what else the machine did"]

The argument is the number of buckets of flop, turn and river. Buckets are drawn at random, which takes seconds and
costs a walk as much as real ones. Processor seconds are those of all threads together.

The limit: a walk reads and writes vectors of sixteen lanes. For each hand of a group of sixteen lines it needs 12 of
them for an action (reach down, values of both players up, sums by bucket), 3 for a decision (sums of reach), and for
each player 9 for a fold and 23 for a showdown. Most rows fit the second-level cache and not the first one, so the limit
is these bytes at the rate at which one core adds two arrays of that size.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import regretless as rg
from benchmarks.record import circumstances, write
from regretless.kernels.constants import DEAL, FOLD
from regretless.method import Settings
from regretless.poker import Abstraction, LimitHoldem
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import StreetBuckets
from regretless.poker.solving.buckets.bucket_learner import BucketLearner

TARGET = 0.080
"""Seconds by the clock of one board on two cores, both players updated."""

BOARDS = 48
"""Boards that are timed."""


def made_up(buckets: int) -> BucketedTree:
    """Limit hold'em with 169 buckets before the flop and random ones after it."""
    rounds, draw, streets = CardRounds.of(LimitHoldem()), np.random.default_rng(0), []
    for street in range(4):
        count = buckets if street else 169
        classes = rounds.classes(street)
        index = draw.integers(0, count, classes, np.uint16) if street else np.arange(classes, dtype=np.uint16)
        ones = np.ones(count, np.int64)
        streets.append(StreetBuckets("random", index, ones, ones, ones, np.zeros((0, 0), np.uint16)))
    problem = LimitHoldem(abstraction=Abstraction(rounds, tuple(streets), "imperfect")).problem()
    assert isinstance(problem, BucketedTree)
    return problem


def bytes_of_a_board(made: BucketLearner) -> float:
    """Bytes that a walk of one board reads and writes, by the model above."""
    boards = made.tree.abstraction.rounds.boards
    total = 0
    for street, cards in zip(made.walker.streets, boards, strict=True):
        left = made.tree.game.deck.size - cards
        kind, children = street.arrays.kind, street.arrays.children
        decisions, folds = int((kind < DEAL).sum()), int((kind == FOLD).sum())
        shows = int((kind > FOLD).sum())
        passes = 12 * int(children.sum()) + 3 * decisions + 2 * (9 * folds + 23 * shows)
        total += left * (left - 1) // 2 * passes
    return float(total * 16 * made.walker.dtype.itemsize)


def cache_rate() -> float:
    """Bytes per second that one core reads and writes when it adds arrays that fit the second-level cache."""
    one, two = np.ones(40_000, np.float32), np.ones(40_000, np.float32)
    best = np.inf
    for _ in range(30):
        began = time.perf_counter()
        for _ in range(100):
            np.add(one, two, out=one)
        best = min(best, time.perf_counter() - began)
    return 100 * 3 * one.nbytes / best


def timed(tree: BucketedTree, dtype: str, boards: int, threads: int) -> dict[str, Any]:
    """One setting: seconds of the clock and of the processor for each board."""
    method = rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR, boards=boards)
    made = method.learner(tree, Settings(seed=1, dtype=dtype, threads=threads))
    assert isinstance(made, BucketLearner)
    made.advance(0)
    made.advance(1)
    clock, spent = time.perf_counter(), time.process_time()
    made.advance(BOARDS // boards)
    clock, spent = (time.perf_counter() - clock) / BOARDS, (time.process_time() - spent) / BOARDS
    limit = bytes_of_a_board(made) / cache_rate()
    return {
        "buckets": tree.abstraction.name,
        "precision": dtype,
        "boards of a batch": boards,
        "threads": threads,
        "clock of a board": f"{clock * 1e3:.1f} ms",
        "processor": f"{spent * 1e3:.1f} ms",
        "model": f"{bytes_of_a_board(made) / 1e9:.2f} GB",
        "limit (one core)": f"{limit * 1e3:.1f} ms",
        "processor ÷ limit": f"{spent / limit:.2f}",
        "target by the clock": f"{TARGET * 1e3:.0f} ms on two cores",
    }


def main() -> None:
    """Time all settings and keep the table."""
    words, about = sys.argv[1:], circumstances()
    if "--note" in words:
        at = words.index("--note")
        about["note"] = words[at + 1]
        del words[at : at + 2]
    tree = made_up(int(words[0]) if words else 200)
    rows = [
        timed(tree, dtype, boards, threads)
        for dtype in ("float32", "float64")
        for boards in (1, 16)
        for threads in (1, 2)
    ]
    write("hulh-solving", rows, about)


if __name__ == "__main__":
    main()
