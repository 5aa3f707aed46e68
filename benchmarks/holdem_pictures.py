"""Pictures of the page on flop hold'em, drawn from what `benchmarks.holdem variants` measured.

python -m benchmarks.holdem_pictures [RUN]        with a saved run of FHP also its opening strategy
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from matplotlib.figure import Figure

import regretless as rg
from benchmarks.record import RESULTS
from regretless.plots import COLOURS, save_figure

IMAGES = Path(__file__).parents[1] / "docs" / "images"
STYLES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (1, 1)), "-", "--"]
SHADES = [*COLOURS[:6], "#777777", "#000000"]
PER_ITERATION = RESULTS / "holdem-iteration.json"


def convergence() -> None:
    """Exploitability against iterations, and against seconds on a GPU and on the CPU."""
    kept = json.loads((RESULTS / "holdem-curves-cuda.json").read_text())
    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    cpu = json.loads(PER_ITERATION.read_text())["rows"][0]["seconds per iteration"] if PER_ITERATION.exists() else None
    for (name, curve), colour, style in zip(kept["curves"].items(), SHADES, STYLES, strict=False):
        left.loglog(curve["iteration"], curve["mbb_total"], color=colour, linestyle=style, label=name)
        right.loglog(curve["seconds"], curve["mbb_total"], color=colour, linestyle=style, label=name)
        if cpu:
            slow = [float(cpu) * iteration for iteration in curve["iteration"]]
            right.loglog(slow, curve["mbb_total"], color=colour, linestyle=style, linewidth=0.8, alpha=0.7)
    for panel, label in ((left, "iterations"), (right, "seconds: one H200 (thick), two CPU cores (thin)")):
        panel.set(xlabel=label)
        panel.set_xlim(left=0.05 if panel is right else 1)
        panel.axhline(1.0, color="black", linewidth=0.6)
        panel.grid(visible=True, which="major", color="#dddddd", linewidth=0.7)
        panel.spines[["top", "right"]].set_visible(False)
    left.set(ylabel="exploitability, mbb/g total")
    left.legend(frameon=False)
    save_figure(figure, IMAGES / "fhp-convergence.png")


def opening(path: str) -> None:
    """What the small blind does first, and what the big blind answers to a raise."""
    run = rg.load(path)
    run.strategy.at("").plot(IMAGES / "fhp-opening.png")
    run.strategy.at("raise").plot(IMAGES / "fhp-answer.png")


def main() -> None:
    """Draw all there is."""
    if (RESULTS / "holdem-curves-cuda.json").exists():
        convergence()
    if len(sys.argv) > 1:
        opening(sys.argv[1])


if __name__ == "__main__":
    main()
