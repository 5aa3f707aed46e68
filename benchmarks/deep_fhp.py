"""Deep CFR and NFSP on flop hold'em, on a GPU: exploitability against iterations, exact at every point.

    python -m benchmarks.deep_fhp FOLDER NAME=SECONDS NAME@ITERATIONS …

Runs the settings of each NAME (see SETTINGS) for that time, one after the other, and writes FOLDER/fhp.json after every
measurement, so that nothing is lost when time is up. Seconds are those of iterations: measuring is not counted.
"""

from __future__ import annotations

import re
import sys
import time
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

import torch

import regretless as rg
from benchmarks import deep_runs
from benchmarks.deep_runs import NFSP_ADAM, keep, kept, rounded
from regretless.deep.learners.holdem.holdem_deep_cfr import HoldemDeepCFR
from regretless.lookup.methods import method_to_json
from regretless.method import Settings
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.public_tree import PublicTree

PAPER = rg.DeepCFR.as_published(averaging="value-networks")
BOARDS = PAPER.replace(boards="all", traversals=2_000_000, capacity=200_000_000, schedule="cosine", rate=2e-3)
CONTINUED = {"refit": "continued", "schedule": "linear", "steps": 1_000}
MERGED = {"memory": "merged", "traversals": 10_000_000}
FLOORED = BOARDS.replace(**MERGED, floor=3.0)
STRONG = BOARDS.replace(**MERGED, strength=True, steps=3_000)
LEARNED = STRONG.replace(targets="strategies", predictive=1.0, refit="continued")

SETTINGS: dict[str, rg.DeepCFR | rg.NFSP] = {
    "published": PAPER,
    "published-network": rg.DeepCFR.as_published(),
    "cosine": PAPER.replace(schedule="cosine"),
    "averaged": PAPER.replace(ema=0.998),
    "continued": PAPER.replace(**CONTINUED, rate=2e-3),
    "more-walks": PAPER.replace(schedule="cosine", traversals=200_000, capacity=200_000_000),
    "boards-1000": BOARDS.replace(steps=1_000),
    "boards-4000": BOARDS,
    "boards-wide": BOARDS.replace(widths=(128,)),
    "boards-continued": BOARDS.replace(**CONTINUED),
    "boards-continued-4000": BOARDS.replace(**{**CONTINUED, "steps": 4_000}),
    "boards-recursive": BOARDS.replace(**{**CONTINUED, "refit": "recursive"}),
    "boards-recursive-4000": BOARDS.replace(**{**CONTINUED, "refit": "recursive", "steps": 4_000}),
    "boards-merged": BOARDS.replace(**MERGED),
    "boards-merged-continued": BOARDS.replace(**MERGED, **CONTINUED),
    "boards-floor": FLOORED,
    "boards-strength": STRONG,
    "boards-strength-floor-1": STRONG.replace(floor=1.0),
    "boards-strength-floor": STRONG.replace(floor=3.0),
    "boards-strategies": LEARNED.replace(steps=1_000),
    "boards-strategies-500": LEARNED.replace(steps=500),
    "boards-strategies-3000": LEARNED,
    "boards-strategies-wide": LEARNED.replace(steps=1_000, widths=(128,), traversals=40_000_000),
    "best-long": STRONG.replace(floor=3.0, steps=1_500),
    "steps-1000": FLOORED.replace(steps=1_000),
    "steps-2000": FLOORED.replace(steps=2_000),
    "steps-8000": FLOORED.replace(steps=8_000),
    "width-32": FLOORED.replace(widths=(32,)),
    "width-128": FLOORED.replace(widths=(128,)),
    "not-linear": FLOORED.replace(linear=False),
    "uniform-fallback": FLOORED.replace(fallback="uniform"),
    "refits-continued": FLOORED.replace(refit="continued"),
    "strategy-network": FLOORED.replace(averaging="strategy-network"),
    "window": BOARDS.replace(memory="window", capacity=10_000_000),
    "nfsp": rg.NFSP.as_published(game="hulh", plays=1_024),
    "nfsp-adam": NFSP_ADAM,
}
"""SD-CFR but for two and NFSP. Its average is exact, so what is seen is the error of the value networks alone. From
`steps-1000` to `window` they are the ablations of the paper, one knob of `boards-floor` at a time; windows hold samples
and have no floor."""

MEASURED_EVERY = 1.15

SHOWN = ("iteration", "seconds", "mbb_total", "last_mbb_total", "loss", "measuring")


def run(tree: PublicTree, name: str, seconds: float, iterations: float = inf, seed: int = 1) -> None:
    """Learn for some seconds, or some iterations, and keep the curve."""
    method = SETTINGS[name]
    learner: Any = method.learner(tree, Settings(dtype="float32", seed=seed, device="cuda"))
    curve: dict[str, list[float]] = {}
    spent, following = 0.0, 1
    while spent < seconds and learner.iteration < iterations:
        torch.cuda.synchronize()
        began = time.perf_counter()
        learner.advance(1)
        torch.cuda.synchronize()
        spent += time.perf_counter() - began
        if learner.iteration < min(following, iterations) and spent < seconds:
            continue
        began = time.perf_counter()
        found = {"iteration": learner.iteration, "seconds": spent, **learner.measure()}
        if isinstance(learner, HoldemDeepCFR):
            found["last_mbb_total"] = learner.responses.measured(learner.played())["mbb_total"]
        found["measuring"] = time.perf_counter() - began
        for column, number in found.items():
            curve.setdefault(column, []).append(rounded(number))
        keep(
            "fhp", name,
            {"game": "fhp", "method": method.name, "settings": method_to_json(method), "seed": seed,
             "device": torch.cuda.get_device_name(), "seconds": rounded(spent), "gpu_seconds": rounded(spent),
             "iterations": learner.iteration, "exploitability": found["exploitability"], "curve": curve},
        )  # fmt: skip
        print({key: rounded(found[key]) for key in SHOWN if key in found}, flush=True)
        following = max(following + 1, int(following * MEASURED_EVERY))
    won = learner.average_strategy().against(equilibrium(tree)) * 1_000 / tree.game.big_blind
    print(f"{name}: {won:.2f} mbb/g against the equilibrium")
    keep("fhp", name, kept("fhp")[name] | {"against_equilibrium": rounded(won)})


@cache
def equilibrium(tree: PublicTree) -> PublicStrategy:
    """Exact play, up to a thousandth of a big blind."""
    found: PublicStrategy = rg.solve(tree, rg.DCFR, iterations=300, device="cuda", dtype="float32").strategy
    return found


def main() -> None:
    folder, *wanted = sys.argv[1:]
    deep_runs.CURVES = Path(folder)
    tree = rg.poker.FlopHoldem().public_tree()
    for request in wanted:
        name, kind, amount = re.split("([=@])", request)
        seconds, iterations = (float(amount), inf) if kind == "=" else (inf, float(amount))
        run(tree, name, seconds, iterations)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
