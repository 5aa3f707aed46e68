"""`regretless measure`: exactly, flop by flop, and by a local best response."""

from __future__ import annotations

import dataclasses
import json
from math import isnan
from pathlib import Path

import pytest
from command_line import command
from test_abstract_command import RULES

import regretless as rg
from regretless.apps.commands.summary import facts_of
from regretless.poker import Deck, Limit, PublicGame
from regretless.storage import read_header


def test_a_listed_game_is_measured(tmp_path: Path) -> None:
    path = str(tmp_path / "kuhn.run")
    run = rg.solve("kuhn", iterations=20, measure="never")
    assert not len(run.history["iteration"])
    run.save(path)
    expected = rg.exploitability("kuhn", run.strategy)
    assert json.loads(command("measure", path, "--json").out)["exploitability"] == pytest.approx(expected, rel=1e-12)
    assert "chips a game (exact)" in command("measure", path).out
    for given, sentence in (
        (("--lbr",), "--lbr is for runs of hold'em"),
        (("--flops", "5"), "--flops is for runs with a card abstraction"),
        (("--seed", "5"), "nothing is drawn at random"),
        (("--threads", "2"), "without --threads"),
        (("--boards", "5"), "--boards goes together with --lbr"),
        (("--lbr", "--table", "t.csv"), "--table does not go together with --lbr"),
        (("--lbr", "--flops", "5"), "--flops does not go together with --lbr"),
        (("--lbr", "--device", "cpu"), "--device does not go together with --lbr"),
    ):
        refused = command("measure", path, *given)
        assert refused.code == 2 and sentence in refused.err


def test_a_gpu_that_is_not_there_is_said_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kuhn.run"
    rg.solve("kuhn", iterations=20).save(path)
    missing = "device='cuda' needs an NVIDIA GPU"
    monkeypatch.setattr("regretless.evaluation.device_trees.cuda_available", lambda: missing)
    assert missing in command("measure", path, "--device", "cuda").refused()
    found = [command("measure", path, *words, "--json") for words in ((), ("--device", "cpu"))]
    assert found[0].out == found[1].out and found[0].code == 0
    listed: list[str] = []
    monkeypatch.setattr("regretless.evaluation.responses.as_tree", lambda game: listed.append(game))
    strategy = rg.Strategy.uniform("kuhn")
    for measure in (rg.exploitability, rg.nash_conv, lambda *given, **more: rg.best_response(*given, 0, **more)):
        with pytest.raises(rg.OptionError, match=missing):
            measure("kuhn", strategy, device="cuda")
    assert not listed


def test_another_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.run"
    run = rg.solve("kuhn", iterations=20)
    run.save(path)
    assert "is a run of kuhn, not of" in command("measure", path, "--game", "leduc").refused()
    assert "is a run of kuhn, not of" in command("measure", path, "--game", "hulh").refused()
    assert command("measure", path, "--game", "kuhn").code == 0
    with pytest.raises(rg.OptionError, match="is a run of kuhn, not of"):
        rg.load(path, game="leduc")
    assert isinstance(rg.load(path, game=rg.build(rg.games.Kuhn())), rg.Run)  # a tree is compared, too


def test_a_run_of_a_graph_is_measured_in_the_tree(tmp_path: Path) -> None:
    run = rg.solve("kuhn", rg.FSICFR(), iterations=3)
    run.save(tmp_path / "graph.run")
    found = json.loads(command("measure", tmp_path / "graph.run", "--json").out)["exploitability"]
    assert found == pytest.approx(run.exploitability, rel=1e-12)
    forgetful = rg.solve("dudo:sides=2,recall=1", rg.FSICFR(), iterations=3)
    forgetful.save(tmp_path / "forgetful.run")
    found = json.loads(command("measure", tmp_path / "forgetful.run", "--json").out)["exploitability"]
    assert found == pytest.approx(forgetful.exploitability, rel=1e-12)


def test_a_game_that_was_not_listed_is_measured_on_the_listed_one(tmp_path: Path) -> None:
    path = str(tmp_path / "dudo.run")
    run = rg.solve("dudo:sides=2", rg.MCCFR(listed=False), iterations=200, measure="never")
    run.save(path)
    found = json.loads(command("measure", path, "--json").out)["exploitability"]
    assert found == pytest.approx(rg.exploitability("dudo:sides=2", run.strategy), rel=1e-12) and found > 0


def test_the_summary_of_a_run_that_was_not_measured_says_how_to(tmp_path: Path) -> None:
    rules = Limit(streets=2, bets=2, caps=1, blinds=(1, 2))
    for cards, how in ((1, "measure RUN"), (4, "measure RUN --flops 20")):
        game = PublicGame(Deck("TJQKA", "sh"), 2, (cards,), rules)
        game = dataclasses.replace(game, abstraction=rg.poker.abstract(game, buckets=2))
        method = rg.MCCFR(sampling="public-chance")
        rows = dict(facts_of(rg.solve(game, method, iterations=1, measure="never")))
        assert rows["exploitability"] == f"not measured while solving: regretless {how}" and "value" not in rows
        assert "chips per game" in dict(facts_of(rg.solve(game, method, iterations=1)))["exploitability"]


def network_run(path: Path, streets: int) -> rg.Run:
    """Networks of a small hold'em after one iteration, also in a file."""
    pytest.importorskip("torch")
    betting = Limit(streets=streets, bets=(2,) * streets, caps=1, blinds=(1, 2))
    game = PublicGame(Deck("JQKA", "sh"), 2, (1,) * (streets - 1), betting, big_blind=2)
    method = rg.DeepCFR(traversals=50, steps=5, batch=32, widths=(8,), strategy_steps=5, listed=False)
    run = rg.solve(game, method, iterations=1)
    run.save(path)
    return run


def test_networks_are_measured(tmp_path: Path) -> None:
    run = network_run(tmp_path / "one.run", streets=1)
    assert isnan(run.history["exploitability"][-1])
    found = json.loads(command("measure", tmp_path / "one.run", "--json").out)["exploitability"]
    assert found == pytest.approx(rg.exploitability(run.problem, run.strategy), rel=1e-6) and found > 0
    told = command("measure", tmp_path / "one.run")
    assert told.code == 0 and "not measured" not in told.out


def test_small_hold_em_is_measured_flop_by_flop_too(tmp_path: Path) -> None:
    """Although it fits into memory hand by hand: the tables of a measurement are by flop."""
    path, table = tmp_path / "two.run", tmp_path / "flops.csv"
    network_run(path, streets=2)
    told = command("measure", path, "--table", table, "--threads", 1)
    assert told.code == 0 and "(exact, 4 flops)" in told.out and "4 flops written" in told.out, told.err
    assert table.read_text().startswith("flop,deals,weight,seen,best_response_0")


@pytest.mark.full
def test_buckets_of_small_hold_em_are_measured_flop_by_flop_too(tmp_path: Path) -> None:
    path, rules = tmp_path / "two.run", Limit(streets=2, bets=2, caps=1, blinds=(1, 2))
    game = PublicGame(Deck("JQKA", "sh"), 2, (1,), rules)
    game = dataclasses.replace(game, abstraction=rg.poker.abstract(game, buckets=2))
    rg.solve(game, rg.MCCFR(sampling="public-chance"), iterations=1, measure="never").save(path)
    game.abstraction.save(tmp_path / "two.abs")
    told = command("measure", path)
    assert told.code == 0 and "flops)" in told.out, told.err


@pytest.mark.full
def test_networks_are_measured_flop_by_flop(tmp_path: Path) -> None:
    run, path = network_run(tmp_path / "two.run", streets=2), tmp_path / "two.run"
    found = json.loads(command("measure", path, "--flops", "3", "--seed", "4", "--json").out)
    expected = rg.exploitability(run.problem, run.strategy, flops=3, seed=4)
    assert found["exploitability"] == pytest.approx(float(expected), rel=1e-5) and not found["exact"]
    exact = json.loads(command("measure", path, "--json").out)
    assert exact["exact"]
    assert exact["exploitability"] == pytest.approx(rg.exploitability(run.problem, run.strategy), rel=1e-4)
    assert "add --flops N" in command("measure", path, "--seed", "4").refused()


@pytest.mark.full
def test_a_run_with_an_abstraction_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.game").write_text(RULES)
    assert command("abstract", "small.game", "-o", "a.abs", "--buckets", "4", "-q").code == 0
    game = "small.game:abstraction=a.abs"
    solved = command("solve", game, "-a", "mccfr:sampling=public-chance,boards=2", "-n", "5", "-o", "a.run", "-q")
    assert solved.code == 0, solved.err
    resumed = command("solve", game, "-n", "7", "-o", "a.run", "-q", "--resume")
    assert resumed.code == 0, resumed.err
    assert read_header("a.run")["iterations"] == 7
    exact = json.loads(command("measure", "a.run", "--game", game, "--checkpoint", "a.flops", "--json").out)
    assert exact["exact"] and Path("a.flops").exists()
    told = command("measure", "a.run", "--game", game, "--values", "--table", "flops.csv")
    assert told.code == 0 and "the value of the game is between" in " ".join(told.out.split()), told.err
    assert Path("flops.csv").read_text().startswith("flop,deals,weight,seen,value_0")
    part = json.loads(command("measure", "a.run", "--game", game, "--flops", "20", "--json").out)
    assert part["low"] < exact["exploitability"] < part["high"]
    bound = json.loads(command("measure", "a.run", "--game", game, "--lbr", "--boards", "30", "--json").out)
    assert 0 < bound["mean"] < exact["exploitability"] and bound["boards"] == 30
    told = command("measure", "a.run", "--game", game, "--lbr", "--boards", "3", "--first-street", "2")
    assert told.code == 0 and "exploitable by at least" in told.out
    assert command("measure", "a.run", "--game", game, "--lbr", "--first-street", "9").code == 2


@pytest.mark.full
def test_runs_with_an_abstraction_are_resumed_and_find_their_buckets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.game").write_text(RULES)
    assert command("abstract", "small.game", "-o", "a.abs", "--buckets", "4", "-q").code == 0
    game, method = "small.game:abstraction=a.abs", "mccfr:sampling=public-chance,boards=2"
    for dtype in ("float32", "int16"):
        words = ("solve", game, "-o", f"{dtype}.run", "-q")
        assert command(*words, "-a", method, "-n", "5", "--dtype", dtype).code == 0
        resumed = command(*words, "-n", "8", "--resume")
        assert resumed.code == 0, resumed.err
        loaded = rg.load(f"{dtype}.run")
        assert isinstance(loaded, rg.Run) and loaded.iterations == 8
        assert "next:" in command("show", f"{dtype}.run").out
    assert command("abstract", "small.game", "-o", "b.abs", "--buckets", "5", "-q").code == 0
    other = command("solve", "small.game:abstraction=b.abs", "-o", "int16.run", "-n", "9", "--resume", "-q")
    assert other.code == 2 and "needs its abstraction" in other.err
    Path("a.abs").rename("moved.abs")  # beside the run any name will do
    assert command("show", "int16.run").code == 0
    Path("elsewhere").mkdir()
    Path("moved.abs").rename("elsewhere/moved.abs")
    lost = command("show", "int16.run")
    assert lost.code == 2 and "which is neither 'a.abs' nor an .abs file in '.'" in lost.err
    assert command("show", "int16.run", "--game", "small.game:abstraction=elsewhere/moved.abs").code == 0
    assert command("solve", "small.game:abstraction=none.abs", "-n", "1").code == 2
