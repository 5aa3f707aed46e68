"""Flops of limit hold'em measured on a GPU: seconds of a flop for several numbers of buckets, beside the limit.

    python -m benchmarks.hulh_gpu_flops [--buckets 200 2000 20000] [--flops 12] [--check]

Buckets and strategies are drawn at random, which is the hardest case for the caches. Flops are drawn as well, and
measured one after the other, as `rg.exploitability` does it: the processor lays out the next one meanwhile. --check
compares the first flop with the walk on the CPU. The limit is that of `cuda_flop_walks`: 310 accesses to shared memory
for each river, line, player and hand, a warp in each cycle of every multiprocessor.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from benchmarks.hulh_measure import drawn_buckets
from benchmarks.record import circumstances, gpu_name, write
from regretless.method import processors
from regretless.poker import LimitHoldem
from regretless.poker.measuring.bucket_walker import node_tables
from regretless.poker.measuring.flops import FlopGame
from regretless.poker.measuring.gpu.gpu_flops import GpuFlops

ACCESSES, LINES, HANDS = 310, 567, 1_081
TARGET = 0.15 * 7
"""Seconds of a flop: 0.15 for each of the seven lines to it."""


def limit(rivers: int) -> float:
    """Seconds that the rivers of a flop take at least on this GPU."""
    from numba import cuda

    card = cuda.get_current_device()
    warps = ACCESSES * rivers * LINES * 2 * HANDS / 32
    return float(warps / (card.MULTIPROCESSOR_COUNT * card.CLOCK_RATE * 1_000))


def measured(buckets: int, flops: int, check: bool) -> dict[str, Any]:
    """The row of a number of buckets."""
    tables = node_tables(drawn_buckets(LimitHoldem(), buckets))
    game = FlopGame(LimitHoldem(), (tables, tables), "float32", processors(), "cuda")
    drawn = np.random.default_rng(1).choice(len(game.flops), flops, replace=False)
    chosen = [game.flops[number] for number in drawn]
    began = time.perf_counter()
    engine = GpuFlops(game)
    engine.values(chosen[0])
    compiling, began = time.perf_counter() - began, time.perf_counter()
    found = list(engine.in_turn(chosen))
    clock, began = (time.perf_counter() - began) / flops, time.perf_counter()
    boards = [engine.layout.lay_out(flop.cards) for flop in chosen]
    layout, began = (time.perf_counter() - began) / flops, time.perf_counter()
    for each in boards:
        engine._walk(each)
    walk = (time.perf_counter() - began) / flops
    least = float(np.mean([limit(each[-1].boards) for each in boards]))
    every = sum(1 / flop.symmetries for flop in game.flops) / sum(1 / flop.symmetries for flop in chosen)
    row = {
        "buckets": f"{buckets:,}", "flops": flops, "clock of a flop": f"{clock:.3f} s", "walk": f"{walk:.3f} s",
        "layout on the CPU": f"{layout:.3f} s", "limit": f"{least:.3f} s", "walk ÷ limit": f"{walk / least:.2f}",
        "target": f"{TARGET:.2f} s", "all flops": f"{clock * flops * every:.0f} s", "starting": f"{compiling:.1f} s",
    }  # fmt: skip
    if check:
        slow = FlopGame(LimitHoldem(), (tables, tables), "float32", processors()).values(chosen[0]).rows
        row["difference from the CPU"] = f"{np.abs(slow - found[0].rows).max() / np.abs(slow).max():.1e}"
    return row


def main() -> None:
    """Measure the numbers of buckets given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--buckets", type=int, nargs="+", default=[200])
    parser.add_argument("--flops", type=int, default=12)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    about, rows = circumstances() | {"gpu": gpu_name()}, []
    for buckets in given.buckets:
        rows.append(measured(buckets, given.flops, given.check))
        write("hulh-gpu-flops", rows, about)


if __name__ == "__main__":
    main()
