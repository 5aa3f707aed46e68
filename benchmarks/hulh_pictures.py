"""The picture of docs/results/hulh.md, from results/hulh/abstraction-*.json.

python -m benchmarks.hulh_pictures
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from regretless.plots import save_figure

ROOT = Path(__file__).parents[1]
CURVE = ROOT / "results" / "hulh" / "abstraction-200.json"
KEPT = {k: ROOT / "results" / "hulh" / f"cuda-{k}.json" for k in (200, 2_000, 20_000)}
"""Results by the number of buckets on each street after the first."""
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


def exploitabilities(axes: Any) -> None:
    """The last measured state of each abstraction, with its interval."""
    for k, path in KEPT.items():
        for row in json.loads(path.read_text(encoding="utf-8"))["exploitability"][-1:]:
            spread = [[row["mbb/g"] - row["low"]], [row["high"] - row["mbb/g"]]]
            axes.errorbar([k], [row["mbb/g"]], yerr=spread, fmt="o", capsize=4, color="C1")
            note = f"{row['boards']:,} boards" + (", all flops" if row["exact"] else "")
            axes.annotate(note, (k, row["mbb/g"]), textcoords="offset points", xytext=(8, 4), fontsize=8)
    axes.set_xscale("log")
    axes.set_xticks(list(KEPT), [f"{k:,}" for k in KEPT])
    axes.minorticks_off()
    axes.set(
        title="exploitability, from all flops or from 60", xlabel="buckets on each street after the first",
        ylabel="mbb/g", ylim=(0, None), xlim=(120, 150_000),
    )  # fmt: skip


def main() -> None:
    """Draw what the last state of 200 buckets wins from earlier ones, and how exploitable the abstractions are."""
    kept = json.loads(CURVE.read_text(encoding="utf-8"))
    last = max(row["boards"] for row in kept["states"])
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    intervals(left, [row for row in kept["matches"] if row["boards"] == last], "against")
    left.set(
        title=f"200 buckets: the state after {last:,} boards wins",
        xlabel="from the state after this number of boards",
        ylabel="mbb/g",
    )
    left.set_ylim(0, None)
    exploitabilities(right)
    save_figure(figure, PICTURE)


if __name__ == "__main__":
    main()
