"""Card abstractions of limit hold'em: time and memory of whole builds.

    python -m benchmarks.abstraction [200] [2000] [20000] [--keep FOLDER] [--device cuda] [--note "what else ran"]

Each number k builds 169-k-k-k in a process of its own, with two threads. With --keep its file is FOLDER/k.abs.
Processor seconds are those of both threads together, compiling included; on a machine with nothing else to do, two
threads take about half of them by the clock. With --device cuda a GPU searches; fingerprints are those of the CPU.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.record import circumstances, write
from regretless.poker import LimitHoldem, abstract
from regretless.poker.abstraction.build.building import build_cost
from regretless.poker.abstraction.build.progress import BuildProgress
from regretless.poker.tree.memory_estimate import readable

THREADS, SEED = 2, 1
TARGETS = {200: 10, 2_000: 30, 20_000: 90}
"""Minutes on two cores."""


def build(k: int, keep: Path | None, device: str = "cpu") -> dict[str, Any]:
    """One build in this process: seconds of the clock and of the processor, by street."""
    began: dict[str, float] = {}

    def note(progress: BuildProgress) -> None:
        began.setdefault(progress.street, time.process_time())

    game, buckets = LimitHoldem(), (169, k, k, k)
    estimate = build_cost(game, buckets, threads=THREADS, device=device)
    clock, spent = time.perf_counter(), time.process_time()
    made = abstract(game, buckets, seed=SEED, threads=THREADS, progress=note, device=device)
    clock, end = time.perf_counter() - clock, time.process_time()
    marks = [*began.values(), end]
    streets = {name: marks[n + 1] - marks[n] for n, name in enumerate(began)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if keep:
        made.save(keep / f"{k}.abs")
    return {
        "abstraction": made.name if device == "cpu" else f"{made.name} ({device})",
        "infoset-actions": f"{made.infoset_actions(game):,}",
        "clock": f"{clock:.0f} s",
        "processor": f"{end - spent:.0f} s",
        **{f"{name} (processor)": f"{seconds:.0f} s" for name, seconds in streets.items()},
        "estimated clock": f"{estimate.seconds:.0f} s",
        "peak memory": readable(peak),
        "estimated memory": readable(estimate.memory),
        "fingerprint": made.fingerprint,
        "target": f"{TARGETS[k]} min of a quiet clock, 8 GB",
    }


def main() -> None:
    """Build every number asked for, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("buckets", type=int, nargs="*", default=[200])
    parser.add_argument("--keep", type=Path, help="a folder for the files of the abstractions")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--note")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(build(given.buckets[0], given.keep, given.device)))
        return
    about = circumstances() | ({"note": given.note} if given.note else {})
    rows = []
    for k in given.buckets:
        command = [sys.executable, "-m", "benchmarks.abstraction", "--one", str(k), "--device", given.device]
        command += ["--keep", str(given.keep)] if given.keep else []
        found = subprocess.run(command, check=True, capture_output=True, text=True)
        rows.append(json.loads(found.stdout.splitlines()[-1]))
        write("abstraction" if given.device == "cpu" else "abstraction-cuda", rows, about)


if __name__ == "__main__":
    main()
