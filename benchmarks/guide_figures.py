"""Figures of the guides to hold'em: what 16 bits cost public chance sampling, and the memory of processes and subgames.

    python -m benchmarks.guide_figures [rounding] [memory] [--note "what else the machine did"]

Rounding: the small game of the guide to limit hold'em, solved in 32 and in 16 bits by two variants, three seeds each.
Memory: peaks are of processes of their own. A flop of limit hold'em is laid out and not solved; its figure is what the
check before a solve counts.
"""

from __future__ import annotations

import argparse
import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import regretless as rg
from benchmarks.record import circumstances, write
from benchmarks.timing import Row
from regretless.poker.resolving.subgame import subgame_after
from regretless.poker.tree.memory_estimate import readable

SEEDS = (1, 2, 3)
ITERATIONS = 3_000
LINE, BOARD = "raise call / bet call", "Qs Jh 2h 7c"


def rounding() -> list[Row]:
    """Exploitability by variant and type of numbers; chips a game."""
    rules = rg.poker.Limit(streets=3, bets=(2, 2, 4), caps=2, blinds=(1, 2))
    small = rg.poker.PublicGame(rg.poker.Deck("9TJQKA", "sh"), 2, (3, 1), rules)
    game = dataclasses.replace(small, abstraction=rg.poker.abstract(small, buckets=(20, 30, 40), seed=1))
    rows: list[Row] = []
    for variant in (rg.LINEAR_CFR, rg.CFR_PLUS):
        method = rg.MCCFR(sampling="public-chance", variant=variant, boards=4)
        for dtype in ("float32", "int16"):
            found = []
            for seed in SEEDS:
                run = rg.solve(game, method, iterations=ITERATIONS, seed=seed, dtype=dtype, measure="never")
                found.append(float(rg.exploitability(game, run.strategy)))
            each = {f"seed {seed}": f"{value:.4f}" for seed, value in zip(SEEDS, found, strict=True)}
            mean = f"{sum(found) / len(found):.4f}"
            rows.append({"variant": variant.name, "numbers": dtype, "iterations": ITERATIONS, "mean": mean, **each})
    return rows


def memory() -> list[Row]:
    """Peaks of processes, and what a flop would need."""
    rows: list[Row] = []
    processes = {
        "river": "a river spot of 6 hands for each player, solved: the process itself",
        "turn": f"limit hold'em after {LINE} on {BOARD}, one player resolved: the whole process",
    }
    for name, what in processes.items():
        command = [sys.executable, "-m", "benchmarks.guide_figures", "--peak", name]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows.append({"what": what, "memory": told})
    for street, line, board in (("turn", LINE, BOARD), ("flop", "raise call", "Qs Jh 2h")):
        rows.append({"what": f"the tables of a {street} of limit hold'em, as counted before a solve",
                     "memory": readable(subgame_after(_blueprint(), line, board).bytes_needed("float32"))})  # fmt: skip
    return rows


def _blueprint() -> Any:
    return rg.poker.card_blind(rg.poker.LimitHoldem(), fold=1, call=2, raise_=1)


def peak(name: str) -> None:
    """Print the most memory of this process."""
    if name == "turn":
        rg.poker.resolve(_blueprint(), LINE, BOARD, player=0, iterations=3)
    else:
        rg.solve(rg.poker.Spot("Qs Jh 2h 7c 3d", ranges=("AA", "KK"), pot=100, stack=200), iterations=3)
    lines = Path("/proc/self/status").read_text().splitlines()  # getrusage would count what the parent held before
    print(readable(int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024), end="")


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", default=["rounding", "memory"])
    parser.add_argument("--note")
    parser.add_argument("--peak")
    given = parser.parse_args()
    if given.peak:
        peak(given.peak)
        return
    about = {**circumstances(), **({"note": given.note} if given.note else {})}
    for part in given.parts:
        write(f"guide-{part}", {"rounding": rounding, "memory": memory}[part](), about)


if __name__ == "__main__":
    main()
