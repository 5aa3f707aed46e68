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
    before = Path("kuhn.run").read_bytes()
    for words in (("--out", "kuhn.run"), ("--out", "kuhn.run", "--overwrite")):
        assert "--out kuhn.run would replace kuhn.run" in command("resolve", "kuhn.run", "--at", "Qp", *words).refused()
    Path("other.run").write_text("kept")
    assert "other.run exists" in command("resolve", "kuhn.run", "--at", "Qp", "--out", "other.run").refused()
    assert Path("kuhn.run").read_bytes() == before and Path("other.run").read_text() == "kept"
    assert command("resolve", "kuhn.run", "--at", "Qp", "--out", "other.run", "--overwrite").code == 0
    assert isinstance(rg.load("other.run"), rg.Strategy)
    run.strategy.save("kuhn.strategy")
    assert "does not name its game" in command("resolve", "kuhn.strategy", "--at", "Qp").refused()


# -- hold'em ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def turn(empty_folder: Path) -> rg.Run:
    spot = rg.poker.Spot("Qs Jh 2h 7c", ("QQ+,AK,T9s", "88+,AQ,KJs"), pot=20, stack=30, sizes="bet 100%")
    solved = rg.solve(spot, rg.DCFR, iterations=5)
    solved.save("turn.run")
    return solved


PLACE = ("--line", "check check", "--board", "Qs Jh 2h 7c 3d")


def test_holdem_for_people(turn: rg.Run) -> None:
    answer = command("resolve", "turn.run", *PLACE, "-n", "100", "--out", "river.run")
    assert answer.code == 0, answer.err
    found = rg.poker.resolve(turn, "check check", "Qs Jh 2h 7c 3d", iterations=100)
    lines = answer.out.splitlines()
    assert lines[0].endswith("'check check' on QsJh2h7c3d (maxmargin)") and lines[-1] == "saved to river.run"
    before, after = found.margins[1].value_before, found.margins[1].value_after
    assert f"player 1: a best response wins {before:+.6g} → {after:+.6g} chips" in answer.out
    river = rg.load("river.run")
    assert isinstance(river, rg.Run) and river.exploitability < rg.exploitability(found.game, found.blueprint)
    one, other = river.strategy.at("check"), found.strategy.at("check")
    assert one.probabilities == pytest.approx(other.probabilities, abs=1e-3)
    assert command("show", "river.run", "check").code == 0
    origin = river.settings["resolved"]
    assert (origin["method"], origin["line"], origin["board"]) == ("maxmargin", "check check", "QsJh2h7c3d")
    assert origin["blueprint"] == {"run": "turn.run", "game": turn.game, "fingerprint": turn.fingerprint}
    assert origin["players"]["1"]["smallest_margin"] == pytest.approx(found.margins[1].smallest, abs=1e-3)
    assert river.method == found.variant and "seed" not in river.settings
    assert river.settings["threads"] == found.settings["threads"]
    shown = " ".join(command("show", "river.run").out.split())
    assert "maxmargin after 'check check' on QsJh2h7c3d, blueprint turn.run of" in shown and "margins from" in shown


def test_holdem_that_has_not_converged_is_warned_about(turn: rg.Run) -> None:
    few = command("resolve", "turn.run", *PLACE, "-n", "1")
    found = rg.poker.resolve(turn, "check check", "Qs Jh 2h 7c 3d", iterations=1)
    worst = min(each.smallest for each in found.margins.values())
    assert few.code == 0 and worst < -0.02 and "warning: after 1 iteration player" in few.err
    assert "warning" not in command("resolve", "turn.run", *PLACE, "-n", "500").err
    assert "warning" not in command("resolve", "turn.run", *PLACE, "-n", "1", "--method", "unsafe").err


def test_holdem_for_machines(turn: rg.Run) -> None:
    answer = command("resolve", "turn.run", *PLACE, "-n", "50", "--player", "0", "--method", "cfr-d", "--json")
    told = json.loads(answer.out)
    assert list(told["players"]) == ["0"] and told["iterations"] == 50 and told["line"] == "check check"
    assert told["players"]["0"]["opponent_after"] <= told["players"]["0"]["opponent_before"] + 1e-3


def test_holdem_mistakes(turn: rg.Run, run: rg.Run) -> None:
    for words, problem in (
        (("turn.run", "--at", "Qp"), "say where the subgame begins with --line ACTIONS and --board CARDS"),
        (("turn.run", "--line", "check check"), "--board is missing"),
        (("turn.run", *PLACE, "--out", "turn.run"), "--out turn.run would replace turn.run"),
        (("turn.run", *PLACE, "--out", "kuhn.run"), "kuhn.run exists: name another file, or add --overwrite"),
        (("turn.run", *PLACE, "--at", "Qp"), "--at is for games that can be listed"),
        (("turn.run", *PLACE, "--method", "reach"), "rg.resolve has reach"),
        (("turn.run", "--line", "check fold", "--board", "Qs Jh 2h 7c 3d"), "possible there"),
        (("turn.run", "--line", "check check", "--board", "Qs Jh 2h 7c"), "a board of 5 cards, got 4"),
        (("turn.run", "--line", "check check", "--board", "As Jh 2h 7c 3d"), "the board begins with QsJh2h7c"),
        (("kuhn.run", "--at", "Qp", "--seconds", "3"), "--seconds is for runs of hold'em"),
        (("kuhn.run", *PLACE), "is not a run of hold'em"),
    ):
        assert problem in command("resolve", *words).refused(), words
