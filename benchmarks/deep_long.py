"""SD-CFR on Leduc poker for 10,000 iterations: why rates of learning must fall with the iterations.

    python -m benchmarks.deep_long [ITERATIONS] ["falling, baseline"] [seconds=500]

Runs the default settings, in which the rates of refits fall as 1/t, the same with rates that do not fall, and the first
with a baseline, also with strategies as targets. Runs are named by their rates: falling, constant, "falling, baseline",
or "strategies, baseline", whose rates fall too. Beside exploitability and loss a run counts the infosets that have at
most two active units in the last hidden layer: the outputs there can move in two directions at most, so three
advantages can no longer be fitted. Curves are kept in `results/deep/long.json`, of which `benchmarks.deep_pictures`
draws a picture.

A run stops after `seconds` of processor time and goes on from there the next time. Several processes may make one run
each at the same time.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import torch

import regretless as rg
from benchmarks.deep_runs import Kept, about, keep, kept, rounded
from benchmarks.record import write
from benchmarks.timing import Row
from regretless.deep.learners.listed_deep_cfr import ListedDeepCFR
from regretless.deep.networks.gradients import FlatPerceptron
from regretless.lookup.methods import method_to_json
from regretless.method import Settings
from regretless.solving.measuring_times import next_measurement

RUNS = {
    "falling": rg.SD_CFR,
    "constant": rg.SD_CFR.replace(anneal_after=0),
    "falling, baseline": rg.SD_CFR.replace(baseline="history"),
    "strategies, baseline": rg.SD_CFR.replace(baseline="history", targets="strategies"),
}
"""The third shows how much of what is left is the luck of walks, the last one what is gained by learning strategies."""
STATES = Path(__file__).parents[1] / "runs"
FEW = 2
SHOWN = (100, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000)


def main() -> None:
    torch.set_num_threads(1)
    given = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    names = [word for word in sys.argv[1:] if word in RUNS] or list(RUNS)
    for name in names:
        run(name, numbers[0] if numbers else 10_000, float(given.get("seconds", "inf")))
    write("deep-long", [row for name, found in kept("long").items() for row in rows_of(name, found)], about())


def run(name: str, iterations: int, seconds: float, seed: int = 1) -> None:
    """Learn, and keep the curve after every measurement; goes on with what is kept if the learner's state is there."""
    method, tree = RUNS[name], rg.build(rg.games.Leduc())
    learner = ListedDeepCFR(tree, method, Settings(seed=seed))
    place = STATES / f"deep-long-{name}.npz".replace(", ", "-")
    curve: dict[str, list[float]] = {}
    spent = 0.0
    if place.exists():
        with np.load(place) as file:
            learner.restore({key: file[key] for key in file.files if key != "iteration"}, int(file["iteration"]))
        curve = kept("long")[name]["curve"]
        spent = curve["seconds"][-1]
    stop = spent + seconds
    while learner.iteration < iterations and spent < stop:
        began = time.process_time()
        learner.advance(min(next_measurement(learner.iteration), iterations) - learner.iteration)
        spent += time.process_time() - began
        found = {"iteration": learner.iteration, "seconds": spent, **learner.measure(), "few_units": few(learner)}
        for column, number in found.items():
            curve.setdefault(column, []).append(rounded(number))
        keep(
            "long", name,
            {"game": "leduc", "method": method.name, "settings": method_to_json(method), "seed": seed,
             "device": "cpu, one thread", "seconds": rounded(spent), "gpu_seconds": 0,
             "iterations": learner.iteration, "exploitability": found["exploitability"], "curve": curve},
        )  # fmt: skip
    STATES.mkdir(exist_ok=True)
    np.savez(place, iteration=learner.iteration, **learner.arrays())


def few(learner: ListedDeepCFR) -> int:
    """Infosets with at most FEW active units in the last hidden layer."""
    count = 0
    for player, advantages in learner.advantages.items():
        network = advantages.trainer.network
        assert isinstance(network, FlatPerceptron)
        network.forward(learner.game.features(learner.own[player]))
        count += int(((network.values[-2] > 0).sum(1) <= FEW).sum())
    return count


def rows_of(name: str, run: Kept) -> list[Row]:
    """Some measurements of a run, and the worst ratio to the best exploitability so far."""
    curve = {column: np.array(numbers) for column, numbers in run["curve"].items()}
    ratio = curve["exploitability"] / np.minimum.accumulate(curve["exploitability"])
    rows = []
    for iteration in SHOWN:
        at = int(np.searchsorted(curve["iteration"], iteration))
        if at < len(ratio):
            rows.append(
                {"rates": name, "iteration": int(curve["iteration"][at]), "seconds": f"{curve['seconds'][at]:.0f}",
                 "exploitability": f"{curve['exploitability'][at]:.4f}", "loss": f"{curve['loss'][at]:.1e}",
                 "infosets with few units": int(curve["few_units"][at]),
                 "÷ best so far, worst": f"{ratio[: at + 1].max():.2f}"}
            )  # fmt: skip
    return rows


if __name__ == "__main__":
    main()
