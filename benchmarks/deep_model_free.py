"""DREAM and ESCHER beside SD-CFR on Leduc poker and liar's dice, measured exactly.

    python -m benchmarks.deep_model_free [seconds=280] [jobs=14] [only=dream] [tables]

Every run is one process with one thread of the CPU, and `jobs` of them run at once. A run goes on for `seconds` of
processor time from its checkpoint, if there is one, so a long run can be made in pieces. `tables` writes the tables of
what is kept in `results/deep/model-free.json` and runs nothing.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import regretless as rg
from benchmarks.deep_runs import Kept, about, keep_run, kept, processor_seconds
from benchmarks.record import write
from benchmarks.timing import Row

RUNS = Path(__file__).parents[1] / "runs"
SECTION = "model-free"

METHODS: dict[str, Any] = {"DREAM": rg.DREAM(traversals=500), "ESCHER": rg.ESCHER(traversals=500), "SD-CFR": rg.SD_CFR}
"""Few plays in an iteration: curves are by decisions, of which the published ones have a few million."""
GAMES = {"leduc": (1, 2, 3), "liars_dice:sides=4": (1,), "liars_dice": (1,)}
"""Games and the seeds of their runs; SD-CFR has the first seed only."""

PUBLISHED = {100_000: 0.66, 240_000: 0.30, 500_000: 0.20, 1_000_000: 0.128, 2_000_000: 0.095, 4_500_000: 0.060}
"""DREAM on Leduc, exploitability in antes by nodes: read by eye off DREAM_plots.png in the authors' repository
(EricSteinberger/DREAM), so to about a tenth.

Their code counts decisions, and the end of a play only where the player that does not walk ends it. Moves of chance are
not counted. So `decisions` is the column to compare. The picture does not say whether it counts both players' plays."""

Job = tuple[str, str, int]


def jobs_of(only: str) -> list[Job]:
    """(method, game, seed) of every run."""
    found = [
        (name, game, seed)
        for game, seeds in GAMES.items()
        for name in METHODS
        for seed in (seeds if name != "SD-CFR" else seeds[:1])
    ]
    return [job for job in found if only.lower() in " ".join(map(str, job)).lower()]


def place_of(job: Job) -> Path:
    """The file of a run."""
    name, game, seed = job
    return RUNS / f"{name}-{game.replace(':', '-')}-{seed}.run".lower()


def run(job: Job, seconds: float) -> Job:
    """Begin a run or go on with it."""
    import torch

    torch.set_num_threads(1)
    name, game, seed = job
    options: dict[str, Any] = {"seconds": seconds, "threads": 1, "checkpoint": place_of(job), "checkpoint_every": 120}
    with processor_seconds():
        if place_of(job).exists():
            rg.resume(place_of(job), **options)
        else:
            rg.solve(game, METHODS[name], seed=seed, **options)
    return job


def at_nodes(found: Kept, nodes: float) -> float | None:
    """The exploitability at the last measurement up to `nodes` decisions, or None where the run is shorter."""
    curve = found["curve"]
    column = np.array(curve.get("decisions", curve["nodes"]))
    if column[-1] < nodes:
        return None
    return float(curve["exploitability"][max(int(np.searchsorted(column, nodes, side="right")) - 1, 0)])


def published_rows() -> list[Row]:
    """DREAM on Leduc at equal numbers of decisions, beside the published curve."""
    rows = []
    runs = [found for name, found in kept(SECTION).items() if name.startswith("DREAM, leduc")]
    for nodes, theirs in PUBLISHED.items():
        ours = [gap for found in runs if (gap := at_nodes(found, nodes)) is not None]
        if ours:
            mean = float(np.mean(ours))
            rows.append(
                {"decisions": f"{nodes:,}", "published": theirs, "ours, mean": f"{mean:.3f}", "seeds": len(ours),
                 "lowest": f"{min(ours):.3f}", "highest": f"{max(ours):.3f}", "met": "yes" if mean <= theirs else "no"}
            )  # fmt: skip
    return rows


def final_rows() -> list[Row]:
    """Every run: where it ended."""
    rows = []
    for name, found in sorted(kept(SECTION).items()):
        curve = found["curve"]
        rows.append(
            {"run": name, "processor seconds": f"{found['seconds']:.0f}", "iterations": found["iterations"],
             "histories touched": f"{curve['nodes'][-1]:,.0f}", "exploitability": f"{found['exploitability']:.4f}",
             "best": f"{min(curve['exploitability']):.4f}"}
        )  # fmt: skip
    return rows


def main() -> None:
    given = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    if "tables" not in sys.argv[1:]:
        RUNS.mkdir(exist_ok=True)
        seconds, at_once = float(given.get("seconds", 280)), int(given.get("jobs", 14))
        with ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
            waiting = [pool.submit(run, job, seconds) for job in jobs_of(given.get("only", ""))]
            for done in as_completed(waiting):
                name, game, seed = job = done.result()
                keep_run(SECTION, f"{name}, {game}, seed {seed}", rg.load(place_of(job)))
    write("deep-model-free", final_rows(), about())
    write("deep-model-free-published", published_rows(), about())


if __name__ == "__main__":
    main()
