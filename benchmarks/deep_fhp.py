"""Deep CFR on flop hold'em, on a GPU: exploitability against iterations, exact at every point.

    python -m benchmarks.deep_fhp FOLDER NAME=SECONDS [NAME=SECONDS …]

Runs the settings of each NAME (see SETTINGS) for so long, one after the other, and writes FOLDER/fhp.json after every
measurement, so that nothing is lost when time is up. Seconds are those of iterations: measuring is not counted.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import torch

import regretless as rg
from benchmarks import deep_runs
from benchmarks.deep_runs import keep, rounded
from regretless.deep.holdem_learner import HoldemDeepCFR
from regretless.methods import method_to_json
from regretless.methods.learner import Settings
from regretless.poker.public_tree import PublicTree

PAPER = rg.DeepCFR.as_published(averaging="value-networks")
CONTINUED = PAPER.replace(refit="continued", steps=1_000, schedule="linear", rate=2e-3)

SETTINGS: dict[str, rg.DeepCFR] = {
    "published": PAPER,
    "cosine": PAPER.replace(schedule="cosine"),
    "averaged": PAPER.replace(ema=0.998),
    "continued": CONTINUED,
    "continued-4000": CONTINUED.replace(steps=4_000),
    "more-walks": CONTINUED.replace(traversals=200_000),
    "boards": CONTINUED.replace(traversals=300_000, boards=64),
    "boards-4000": CONTINUED.replace(traversals=300_000, boards=64, steps=4_000),
}
"""SD-CFR throughout: its average is exact, so what is seen is the error of the value networks alone."""

MEASURED_EVERY = 1.15

SHOWN = ("iteration", "seconds", "mbb_total", "last_mbb_total", "loss", "measuring")


def run(tree: PublicTree, name: str, seconds: float, seed: int = 1) -> None:
    """Learn for so many seconds of iterations, and keep the curve."""
    method = SETTINGS[name]
    learner = HoldemDeepCFR(tree, method, Settings(dtype="float32", seed=seed, device="cuda"))
    curve: dict[str, list[float]] = {}
    spent, following = 0.0, 1
    while spent < seconds:
        torch.cuda.synchronize()
        began = time.perf_counter()
        learner.advance(1)
        torch.cuda.synchronize()
        spent += time.perf_counter() - began
        if learner.iteration < following and spent < seconds:
            continue
        began = time.perf_counter()
        found = {"iteration": learner.iteration, "seconds": spent, **learner.measure()}
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
        print({key: rounded(found[key]) for key in SHOWN}, flush=True)
        following = max(following + 1, int(following * MEASURED_EVERY))


def main() -> None:
    folder, *wanted = sys.argv[1:]
    deep_runs.CURVES = Path(folder)
    tree = rg.poker.FlopHoldem().public_tree()
    for request in wanted:
        name, _, seconds = request.partition("=")
        run(tree, name, float(seconds))
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
