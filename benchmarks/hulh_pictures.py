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
    """Points with their 95 % intervals."""
    middle = [row["mbb/g"] for row in rows]
    down = [row["mbb/g"] - row["low"] for row in rows]
    up = [row["high"] - row["mbb/g"] for row in rows]
    drawn = [row[boards] for row in rows]
    axes.errorbar(drawn, middle, yerr=[down, up], fmt="o-", capsize=4)
    axes.set_xticks(drawn, [f"{number:,}" for number in drawn])


def main() -> None:
    """Draw what later states win from the first one, and their exploitability."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    first = min(row["boards"] for row in kept["states"])
    won = sorted(
        (row for row in kept["matches"] if row["against"] == first), key=lambda row: row["boards of the first"]
    )
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    intervals(left, won, "boards of the first")
    left.set(title=f"wins from the state after {first:,} boards", xlabel="boards", ylabel="mbb/g", ylim=(0, None))
    intervals(right, kept["exploitability"], "boards")
    flops = kept["exploitability"][0]["flops"]
    right.set(title=f"exploitability, estimated from {flops} flops", xlabel="boards", ylabel="mbb/g")
    save_figure(figure, PICTURE)


if __name__ == "__main__":
    main()
