"""Public chance sampling on limit hold'em with buckets: time of one board, and the limit of the memory behind it.

    python -m benchmarks.hulh_solving [200] [--device cuda] [--note "what else the machine did"]

The argument is the number of buckets of flop, turn and river. Buckets are drawn at random, which takes seconds and
costs a walk as much as real ones. Processor seconds are those of all threads together.

The limit: a walk reads and writes vectors of sixteen lanes. For each hand of a group of sixteen lines it needs 12 of
them for an action (reach down, values of both players up, sums by bucket), 3 for a decision (sums of reach), and for
each player 9 for a fold and 23 for a showdown. Most rows fit the second-level cache and not the first one, so the limit
is these bytes at the rate at which one core adds two arrays of that size.

With `--device cuda` the limit is that of `kernels.buckets.cuda_bucket_walks`: 440 bytes for each hand, line and player,
and six accesses to a table for each bucket and action of a board, at 4.8 TB/s, the memory rate of an H200. Their sizes
are four bytes each if the tables fit the cache of 50 MB, and else sectors of 32 bytes.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import regretless as rg
from benchmarks.record import circumstances, gpu_name, write
from regretless.kernels.constants import DEAL, FOLD
from regretless.kernels.public.cuda_layout import ACTIONS, DECISION_RECORD
from regretless.method import Settings
from regretless.poker import Abstraction, LimitHoldem
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import StreetBuckets
from regretless.poker.solving.buckets.bucket_learner import BucketLearner
from regretless.poker.solving.buckets.cuda_bucket_learner import CudaBucketLearner

TARGET = 0.080
"""Seconds by the clock of one board on two cores, both players updated."""

BOARDS = 48
"""Boards that are timed on a CPU."""

GPU_TARGET, GPU_RATE, GPU_CACHE = 0.002, 4.8e12, 50e6
"""Seconds of one board on an H200; its bytes per second of memory, and bytes of its cache."""

SECTOR = 32
"""Bytes that a GPU reads or writes at least."""

GPU_BOARDS = 4_096
"""Boards that are timed on a GPU."""


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


def bytes_on_a_gpu(made: CudaBucketLearner, boards: int) -> float:
    """Bytes of one board on a GPU, by the model above; a batch walks fewer boards of the streets before the last."""
    walker, size, total = made.walker, made.walker.dtype.itemsize, 0.0
    decisions: Any = walker.lines.decision
    for number, street in enumerate(walker.streets):
        first, end = walker.decisions[number]
        actions = decisions.copy_to_host().reshape(-1, DECISION_RECORD)[first:end, ACTIONS].sum()
        hands = int(walker.boards.hands[number])
        access = size if 3 * size * actions * street.known < GPU_CACHE else SECTOR
        triples, buckets = 2 * hands * street.lines, street.known * (1 - np.exp(-hands / street.known))
        total += street.boards / boards * (triples * 110 * size + 6 * access * buckets * actions)
    return float(total)


def timed_on_a_gpu(tree: BucketedTree, dtype: str, boards: int) -> dict[str, Any]:
    """One setting: seconds of the clock for each board, and those that the host needs to draw and prepare it."""
    method = rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR, boards=boards)
    made = method.learner(tree, Settings(seed=1, dtype=dtype, device="cuda"))
    assert isinstance(made, CudaBucketLearner)
    wait = made.walker.cuda.synchronize
    made.advance(0)
    made.advance(1)
    wait()
    clock, batches = time.perf_counter(), -(-GPU_BOARDS // boards)
    made.advance(batches)
    wait()
    clock = (time.perf_counter() - clock) / (batches * boards)
    alone = time.perf_counter()
    for number in range(8):
        made.walker.boards.filled(made.batches.prepared(made.batches.draw(1, number, 0)))
    alone = (time.perf_counter() - alone) / (8 * boards)
    limit = bytes_on_a_gpu(made, boards) / GPU_RATE
    return {
        "buckets": tree.abstraction.name,
        "precision": dtype,
        "boards of a batch": boards,
        "clock of a board": f"{clock * 1e3:.3f} ms",
        "the host beside it": f"{alone * 1e3:.3f} ms",
        "model": f"{bytes_on_a_gpu(made, boards) / 1e9:.2f} GB",
        "limit": f"{limit * 1e3:.3f} ms",
        "clock ÷ limit": f"{clock / limit:.1f}",
        "target": f"{GPU_TARGET * 1e3:.0f} ms",
        "boards in 5 minutes": f"{300 / clock:,.0f}",
    }


def main() -> None:
    """Time all settings and keep the table."""
    words, about = sys.argv[1:], circumstances()
    given = {}
    for option in ("--note", "--device"):
        if option in words:
            at = words.index(option)
            given[option] = words[at + 1]
            del words[at : at + 2]
    if "--note" in given:
        about["note"] = given["--note"]
    tree = made_up(int(words[0]) if words else 200)
    if given.get("--device") == "cuda":
        about["gpu"] = gpu_name()
        settings = [("float32", 1), ("float32", 16), ("float32", 64), ("float32", 256), ("float64", 64)]
        rows = [timed_on_a_gpu(tree, dtype, boards) for dtype, boards in settings]
        write(f"hulh-solving-cuda-{tree.known[-1]}", rows, about)
        return
    rows = [
        timed(tree, dtype, boards, threads)
        for dtype in ("float32", "float64")
        for boards in (1, 16)
        for threads in (1, 2)
    ]
    write("hulh-solving", rows, about)


if __name__ == "__main__":
    main()
