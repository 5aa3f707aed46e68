"""Runs of deep methods, kept whole: `results/deep/` holds every curve with its settings, seed, machine and commit.

A run is written as soon as it ends, beside those that are there, so a section can be made in pieces: a run of the same
name replaces the one before. All seconds are those of one processor, which other work on the machine does not lengthen;
on a machine with nothing else to do they are seconds of a clock.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch

import regretless as rg
from benchmarks.record import circumstances
from regretless.lookup.methods import method_to_json

CURVES = Path(__file__).parents[1] / "results" / "deep"

NFSP_ADAM = rg.NFSP(
    exploration=0.08, plays=16_384, widths=(1024, 512, 1024, 512), response_capacity=600_000,
    average_capacity=30_000_000, target_every=1_000,
)  # fmt: skip
"""NFSP on hold'em with the networks and memories of its paper, parallel plays and Adam."""

Kept = dict[str, Any]
"""A run as it is kept: settings, circumstances, and its curve, a list for each column of its history."""


def about() -> dict[str, Any]:
    """The circumstances of a run, with what the environment variable NOTE says of them."""
    note = os.environ.get("NOTE")
    return circumstances() | {"torch": torch.__version__} | ({"note": note} if note else {})


@contextmanager
def processor_seconds() -> Iterator[None]:
    """Let solves count the seconds that this process computes."""
    with patch("regretless.solving.loop.time", SimpleNamespace(perf_counter=time.process_time)):
        yield


def solved(section: str, name: str, game: str, method: Any, seconds: float, seed: int) -> Kept:
    """Solve on one thread of the CPU and keep the run."""
    with processor_seconds():
        return keep_run(section, name, rg.solve(game, method, seconds=seconds, seed=seed, threads=1))


def keep_run(section: str, name: str, run: rg.Run) -> Kept:
    """Keep a run with its whole history."""
    curve = {column: [rounded(number) for number in numbers.tolist()] for column, numbers in run.history.items()}
    return keep(
        section, name,
        {"game": run.game, "method": run.method.name, "settings": method_to_json(run.method),
         "seed": run.settings["seed"], "device": "cpu, one thread", "seconds": rounded(run.seconds), "gpu_seconds": 0,
         "iterations": run.iterations, "exploitability": run.exploitability, "curve": curve},
    )  # fmt: skip


def keep(section: str, name: str, found: Kept) -> Kept:
    """Write a run beside the others of its section, at once; other processes that do so wait."""
    CURVES.mkdir(parents=True, exist_ok=True)
    place = CURVES / f"{section}.json"
    unfinished = place.with_suffix(".part")
    with unfinished.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        runs = kept(section)
        runs[name] = found | about()
        unfinished.write_text(as_text(runs))
        unfinished.replace(place)
    print(f"{section}: {name}: exploitability {found['exploitability']:.4f}", flush=True)
    return runs[name]


def kept(section: str) -> dict[str, Kept]:
    """All runs of a section, by name."""
    place = CURVES / f"{section}.json"
    return json.loads(place.read_text()) if place.exists() else {}


def as_text(runs: dict[str, Kept]) -> str:
    """JSON with a line for every column of a curve."""
    lines = []
    for name, run in runs.items():
        plain = json.dumps({key: value for key, value in run.items() if key != "curve"}, indent=2, ensure_ascii=False)
        columns = [f"   {json.dumps(column)}: {json.dumps(numbers)}" for column, numbers in run["curve"].items()]
        curve = ',\n  "curve": {\n' + ",\n".join(columns) + "\n  }\n}"
        lines.append(f"{json.dumps(name, ensure_ascii=False)}: {plain[:-2]}{curve}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def rounded(number: float) -> float:
    """Six digits are enough for a picture."""
    return float(f"{number:.6g}")
