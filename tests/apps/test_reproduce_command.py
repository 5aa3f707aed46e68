"""`regretless reproduce`: what it lists, computes, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command

from conftest import INTERPRETED
from regretless.reproduce import registry
from regretless.reproduce.claims import Claim, Expected, Line, Measured, Picture
from regretless.reproduce.registry import all_claims
from regretless.reproduce.sources import HART

ROOT = Path(__file__).parents[2]


def test_the_list() -> None:
    listed = command("reproduce")
    assert listed.code == 0, listed.err
    told = json.loads(command("reproduce", "--json").out)["rows"]
    assert [row["name"] for row in told] == [claim.name for claim in all_claims()]
    for row in told:
        assert row["name"] in listed.out
        assert row["verdict"] in ("agrees", "differs", "not run")
        assert row["verdict"] == "agrees" or row["why"]


def test_the_page_is_what_the_command_prints() -> None:
    printed = command("reproduce", "--markdown").out
    assert printed == (ROOT / "docs" / "results" / "index.md").read_text(encoding="utf-8")


@pytest.mark.skipif(INTERPRETED, reason="solves games")
def test_one_row() -> None:
    answer = command("reproduce", "rps-first-regret")
    assert answer.code == 0, answer.err
    assert "rps-first-regret: agrees" in answer.out and "R¹(I, 0), b" in answer.out


def test_a_kept_row_says_what_a_new_run_needs() -> None:
    answer = command("reproduce", "deep-cfr-figure-2", "deep-cfr-table-1")
    assert answer.code == 0, answer.err
    assert "kept result in results/deep/fhp.json; a new run needs one H200 GPU" in answer.out
    assert "deep-cfr-table-1: not run" in answer.out and "2 rows: 1 differs, 1 not run" in answer.out


def test_mistakes() -> None:
    assert "unknown result 'kuhn-famly'; did you mean 'kuhn-family'?" in command("reproduce", "kuhn-famly").refused()
    assert "give names or --all" in command("reproduce", "blotto", "--all").refused()
    assert "--markdown lists the rows" in command("reproduce", "--all", "--markdown").refused()
    assert "need names or --all" in command("reproduce", "--quick").refused()
    assert "--json or --markdown" in command("reproduce", "--json", "--markdown").refused()


def test_drift_plots_and_kept_numbers(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (Line("a", [1, 2], [3, 4]), Line("b", [1, 2], [4, 3]))
    picture = Picture("t", "x", "y", lines, "xy")
    good = Claim("good", HART, "§1", "Shows", "code", (Expected("n", 1),), lambda job: Measured({"n": 1}, picture))
    bad = Claim("bad", HART, "§1", "Shows", "code", (Expected("n", 1),), lambda job: Measured({"n": 2.0}))
    monkeypatch.setattr(registry, "all_claims", lambda: (good, bad))
    answer = command("reproduce", "good", "bad", "--plots", "p", "--keep", "kept.json", "--quick")
    assert answer.code == 1
    assert "n: 2 does not agree with 1" in answer.out and "1 agrees, 1 drifted" in answer.out
    assert Path("p/good.png").stat().st_size > 5_000 and not Path("p/bad.png").exists()
    assert command("reproduce", "good", "--keep", "kept.json", "--json").code == 0
    kept = json.loads(Path("kept.json").read_text())
    assert kept["rows"]["good"]["quick"] == {"n": 1} and kept["rows"]["good"]["full"] == {"n": 1}
    assert "machine" in kept["about"]


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="solves games")
def test_the_small_version_of_all_rows() -> None:
    answer = command("reproduce", "--all", "--quick")
    assert answer.code == 0, answer.out
