"""`regretless report`: from a spot without a board to a table of its flops."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import command

from conftest import INTERPRETED

pytestmark = [
    pytest.mark.usefixtures("empty_folder"),
    pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled"),
]

SPOT = 'ranges = ["AA", "KK"]\npot = 100\nstack = 30\nsizes = "bet all-in"\n'


@pytest.mark.full
def test_from_a_spot_to_its_report() -> None:
    """Called again, nothing is solved twice."""
    Path("spot.toml").write_text(SPOT)
    asked = ("spot.toml", "--flops", 25, "-n", 2, "--workers", 1, "--out", "runs")
    first = command("report", *asked, "--sort", "ev", "--limit", 3, "--html", "report.html", "--csv", "report.csv")
    assert first.code == 0 and "25 flops" in first.out and "22 more flops" in first.out
    assert Path("report.html").exists() and len(Path("report.csv").read_text().splitlines()) == 26
    assert command("solve-many", *asked).err.count("complete before") == 25


def test_mistakes() -> None:
    Path("empty").mkdir()
    assert "holds no run" in command("report", "empty").refused()
    assert "--flops is for a spot file" in command("report", "empty", "--flops", 25).refused()
    Path("spot.toml").write_text(SPOT)
    assert "sets of 25" in command("report", "spot.toml", "--flops", 26).refused()
    assert "(.toml), got 'kuhn'" in command("solve-many", "kuhn", "--flops", 25).refused()
    Path("spot.toml").write_text('board = "As Kd 2c"\n' + SPOT)
    assert "has no board of its own" in command("solve-many", "spot.toml", "--flops", 25).refused()
