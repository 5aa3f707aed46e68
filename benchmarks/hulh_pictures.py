"""The picture of docs/results/hulh.md, from results/hulh/abstraction-200.json.

python -m benchmarks.hulh_pictures
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from regretless.plots import save_figure

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "results" / "hulh" / "abstraction-200.json"
PICTURE = ROOT / "docs" / "images" / "hulh-curve.png"


def intervals(axes: Any, rows: list[dict[str, Any]], boards: str) -> None:
    """Points with their 95 % intervals, over boards that double."""
    middle = [row["mbb/g"] for row in rows]
    down = [row["mbb/g"] - row["low"] for row in rows]
    up = [row["high"] - row["mbb/g"] for row in rows]
    drawn = [row[boards] for row in rows]
    axes.errorbar(drawn, middle, yerr=[down, up], fmt="o-", capsize=4)
    axes.set_xscale("log", base=2)
    axes.set_xticks(drawn, [f"{number:,}" for number in drawn])
    axes.minorticks_off()


def main() -> None:
    """Draw what the last state wins from earlier ones, and the exploitability of some."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    last, flops = max(row["boards"] for row in kept["states"]), kept["exploitability"][0]["flops"]
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    intervals(left, kept["matches"], "against")
    left.set(
        title=f"the state after {last:,} boards wins",
        xlabel="from the state after this number of boards",
        ylabel="mbb/g",
    )
    left.set_ylim(0, None)
    intervals(right, kept["exploitability"], "boards")
    right.set(title=f"exploitability, estimated from {flops} flops", xlabel="boards", ylabel="mbb/g", ylim=(0, None))
    save_figure(figure, PICTURE)


if __name__ == "__main__":
    main()
