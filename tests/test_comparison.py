"""Several methods side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import regretless as rg


def test_compare(kuhn: rg.Tree) -> None:
    result = rg.compare(kuhn, [rg.CFR, "cfr+", rg.XFP], iterations=30)
    assert result.game == "kuhn"
    assert list(result.runs) == ["CFR", "CFR+", "fictitious play"]
    alone = rg.solve(kuhn, rg.CFR_PLUS, iterations=30)
    assert np.array_equal(result.runs["CFR+"].arrays["average"], alone.arrays["average"])
    rows = result.table()
    assert [row["method"] for row in rows] == list(result.runs)
    assert rows[1]["exploitability"] == alone.exploitability
    assert rows[1]["iterations"] == 30
    assert set(rows[0]) == {"method", "iterations", "seconds", "exploitability", "value"}


def test_games_by_name_and_options() -> None:
    result = rg.compare("kuhn", ["cfr", "dcfr"], until=0.1)
    assert all(run.stopped == "until" for run in result.runs.values())


def test_the_same_method_twice(kuhn: rg.Tree) -> None:
    result = rg.compare(kuhn, [rg.CFR, rg.CFR, rg.CFR], iterations=2)
    assert list(result.runs) == ["CFR", "CFR'", "CFR''"]


def test_names_of_ones_own(kuhn: rg.Tree) -> None:
    result = rg.compare(kuhn, {"plain": rg.CFR, "floored": "cfr+"}, iterations=2)
    assert list(result.runs) == ["plain", "floored"]
    assert result.runs["floored"].method == rg.CFR_PLUS


def test_nothing_to_compare(kuhn: rg.Tree) -> None:
    with pytest.raises(rg.OptionError, match="at least one method"):
        rg.compare(kuhn, [])
    with pytest.raises(rg.OptionError, match="unknown algorithm 'cfrr'; did you mean 'cfr'"):
        rg.compare(kuhn, ["cfrr"], iterations=2)


def test_plot(kuhn: rg.Tree, tmp_path: Path) -> None:
    figure = rg.compare(kuhn, [rg.CFR, rg.CFR_PLUS], iterations=50).plot(tmp_path / "compare.png")
    assert (tmp_path / "compare.png").read_bytes().startswith(b"\x89PNG")
    left, right = figure.axes
    assert [line.get_label() for line in left.get_lines()] == ["CFR", "CFR+"]
    assert right.get_legend() is not None
