"""`regretless push-fold`."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import command


def test_text(tmp_path: Path) -> None:
    answer = command("push-fold", "--stack", 10, "--chart", tmp_path / "chart.png", "--csv", tmp_path / "table.csv")
    assert answer.code == 0
    assert "small blind: all-in 58.3%" in answer.out and "range: 22+,A2+,K2+" in answer.out
    assert "exploitability  0, up to rounding" in answer.out
    assert (tmp_path / "chart.png").exists() and (tmp_path / "table.csv").exists()


def test_json() -> None:
    answer = command("push-fold", "--stack", 10, "--ante", 0.125, "--json")
    found = json.loads(answer.out)
    assert found["ante"] == 0.125 and len(found["classes"]) == 169
    assert found["classes"][0] == {**found["classes"][0], "class": "AA", "push": 1.0, "call": 1.0}


def test_mistakes() -> None:
    assert "stack" in command("push-fold", "--stack", 0.5).refused()
    assert ".png" in command("push-fold", "--stack", 5, "--chart", "a.gif").refused()
