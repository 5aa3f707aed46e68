"""Whether what `results/deep/` keeps can be had again: runs on a CPU are begun anew and compared digit by digit.

    python -m benchmarks.deep_again [ITERATIONS]

Every kept run of Kuhn and Leduc poker starts again with its settings and its seed, for ITERATIONS iterations (30). Its
curve must be that of the kept one. Digits agree on the machine, and with the PyTorch, that made the kept runs.
"""

from __future__ import annotations

import sys

import torch

import regretless as rg
from benchmarks.deep_runs import Kept, about, kept, rounded
from benchmarks.record import write
from benchmarks.timing import Row
from regretless.lookup.methods import method_from_json

SECTIONS = ("kuhn", "leduc", "ablations")


def main() -> None:
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    torch.set_num_threads(1)
    rows = [
        {"section": section, "run": name, **begun_again(run, iterations)}
        for section in SECTIONS
        for name, run in kept(section).items()
    ]
    write("deep-again", rows, about())
    if any(row["the same"] < row["measurements"] or not row["measurements"] for row in rows):
        sys.exit("some curves are not those that were kept")


def begun_again(run: Kept, iterations: int) -> Row:
    """How many measurements of a run's beginning are the same, and which is the first that is not."""
    method, last = method_from_json(run["settings"]), min(iterations, run["iterations"])
    curve = rg.solve(run["game"], method, iterations=last, seed=run["seed"], threads=1).history
    found = dict(zip(curve["iteration"].tolist(), curve["exploitability"].tolist(), strict=True))
    before = dict(zip(run["curve"]["iteration"], run["curve"]["exploitability"], strict=True))
    both = sorted(found.keys() & before.keys())
    differs = [iteration for iteration in both if rounded(found[iteration]) != before[iteration]]
    print(run["method"], last, "differs" if differs else "the same", flush=True)
    return {
        "iterations": last,
        "measurements": len(both),
        "the same": len(both) - len(differs),
        "first that differs": f"{differs[0]:g}" if differs else "–",
    }


if __name__ == "__main__":
    main()
