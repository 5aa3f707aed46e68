"""`regretless resolve`: what it prints, what it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command

import regretless as rg
from conftest import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole solves")


@pytest.fixture
def run(empty_folder: Path, kuhn: rg.Tree) -> rg.Run:
    solved = rg.solve(kuhn, rg.CFR, iterations=5)
    solved.save("kuhn.run")
    return solved


def test_for_people(run: rg.Run) -> None:
    answer = command("resolve", "kuhn.run", "--at", "Qp", "--at", "Kp", "--out", "patched.strategy")
    assert answer.code == 0, answer.err
    patched = rg.resolve("kuhn", run.strategy, ["Qp", "Kp"], "maxmargin")
    assert rg.load("patched.strategy") == patched
    before, after = rg.exploitability("kuhn", run.strategy), rg.exploitability("kuhn", patched)
    assert f"exploitability {before:.6g} → {after:.6g} (maxmargin, " in answer.out
    assert answer.out.strip().endswith("saved to patched.strategy")


def test_for_machines(run: rg.Run) -> None:
    answer = command("resolve", "kuhn.run", "--history", "J, Q, pass", "--method", "reach", "--player", "1", "--json")
    told = json.loads(answer.out)
    assert told["exploitability"] <= told["exploitability_before"] and told["saved"] is None
    patched = rg.resolve("kuhn", run.strategy, ("J", "Q", "pass"), "reach", player=1)
    assert told["exploitability"] == rg.exploitability("kuhn", patched)


def test_mistakes(run: rg.Run) -> None:
    assert "either --at INFOSET, or --history ACTIONS" in command("resolve", "kuhn.run").refused()
    both = command("resolve", "kuhn.run", "--at", "Qp", "--history", "J")
    assert "either --at INFOSET, or --history ACTIONS" in both.refused()
    assert "there is no infoset 'Xp'" in command("resolve", "kuhn.run", "--at", "Xp").refused()
    assert "after J the actions are Q, K, not 'J'" in command("resolve", "kuhn.run", "--history", "J, J").refused()
    assert "maxmargin" in command("resolve", "kuhn.run", "--at", "Qp", "--method", "best").refused()
    run.strategy.save("kuhn.strategy")
    assert "does not name its game" in command("resolve", "kuhn.strategy", "--at", "Qp").refused()
