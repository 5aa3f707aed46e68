"""Figures that guides quote are those of the results files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def rows(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((ROOT / "benchmarks/results" / f"{name}.json").read_text())["rows"]
    return found


def guide(name: str) -> str:
    return " ".join((ROOT / "docs/guides" / f"{name}.md").read_text().split())


def test_sixteen_bits() -> None:
    mean = {(row["variant"], row["numbers"]): float(row["mean"]) for row in rows("guide-rounding")}
    linear, plus = ([mean[name, kind] for kind in ("float32", "int16")] for name in ("linear CFR", "CFR+"))
    assert (
        f"{linear[0]:.3f} in 32 bits and {linear[1]:.3f} in 16 (linear CFR), and of {plus[0]:.4f} and {plus[1]:.4f}"
        in guide("limit-holdem")
    )


def test_memory() -> None:
    process, _, turn, flop = (row["memory"] for row in rows("guide-memory"))
    assert f"take about {process}" in guide("holdem")
    turn_gb, flop_gb = float(turn.removesuffix(" MB")) / 1_000, float(flop.removesuffix(" GB"))
    assert f"take {turn_gb:.1f} GB, those of a flop {flop_gb:.0f} GB" in guide("limit-holdem")


def test_resolving() -> None:
    found, text = rows("hulh-resolving"), guide("limit-holdem")
    river = [row["hands that win more"] for row in found if row["method"] == "unsafe"][-2:]
    more = [int(each.split(" of ")[0]) for each in river]
    assert f"{more[0]} and {more[1]} of 1,081 hands" in text
    assert f"({100 * more[0] / 1_081:.0f} % and {100 * more[1] / 1_081:.0f} %) win more" in text
    seconds = [int(row["processor, both players"].split()[0]) for row in found if row["after"].count("/") == 1]
    assert f"{min(seconds)} to {max(seconds)} processor seconds for both players on a turn" in text
