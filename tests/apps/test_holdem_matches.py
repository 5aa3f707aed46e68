"""`regretless match` of hold'em: with all hands, with abstractions that differ, with networks, and on boards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command
from test_abstract_command import RULES

import regretless as rg
from conftest import INTERPRETED

pytestmark = [
    pytest.mark.usefixtures("empty_folder"),
    pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled"),
]

RIVER = """
board = "Qs Jh 2h 7c 3d"
ranges = ["QQ+,AK,JTs", "JJ-99,AQ,KQs,T9s"]
pot = 100
stack = 200
big_blind = 2
sizes = "bet 50%, raise 2.5x"
"""


def test_runs_with_all_hands_are_compared_exactly() -> None:
    Path("river.toml").write_text(RIVER)
    for iterations, name in ((200, "strong.run"), (1, "early.run")):
        assert command("solve", "river.toml", "-n", iterations, "--out", name, "-q").code == 0
    game = rg.poker.read_spot("river.toml")
    strong, early = (rg.load(name) for name in ("strong.run", "early.run"))
    assert isinstance(strong, rg.Run) and isinstance(early, rg.Run)
    exact = rg.match(game, strong.strategy, early.strategy)
    told = json.loads(command("match", "river.toml", "strong.run", "early.run", "--json").out)
    assert told["exact"] and told["mean"] == exact.mean and told["by_seat"] == list(exact.by_seat)
    assert told["mbb"] == told["mbb_low"] == pytest.approx(500 * exact.mean)
    assert sum(told["by_seat"]) / 2 == pytest.approx(told["mean"]) and told["by_seat"][0] != told["by_seat"][1]
    back = json.loads(command("match", "river.toml", "early.run", "strong.run", "--json").out)
    assert back["by_seat"] == pytest.approx([-won for won in reversed(told["by_seat"])], rel=1e-5)  # float32
    said = command("match", "river.toml", "strong.run", "early.run")
    assert str(exact) in " ".join(said.out.split()) and "mbb/g" in said.out and said.err == ""


@pytest.fixture
def buckets(empty_folder: Path) -> str:
    """Two runs of a small game with different abstractions, in fine.run and coarse.run."""
    Path("small.game").write_text(RULES)
    for name, count, iterations in (("fine", 6, 60), ("coarse", 2, 2)):
        assert command("abstract", "small.game", "-o", f"{name}.abs", "--buckets", count, "-q").code == 0
        words = ("solve", f"small.game:abstraction={name}.abs", "-a", "mccfr:sampling=public-chance,boards=2")
        assert command(*words, "-n", iterations, "-o", f"{name}.run", "-q").code == 0
    return "small.game"


@pytest.mark.full
def test_runs_with_different_abstractions(buckets: str) -> None:
    exact = json.loads(command("match", buckets, "fine.run", "coarse.run", "--json").out)
    assert exact["exact"] and exact["mean"] > 0
    words = ("match", buckets, "fine.run", "coarse.run", "--boards", 40)
    played = json.loads(command(*words, "--seed", 4, "--json").out)
    assert played["all_hands"] and played["hands"] == 40 and played["low"] < exact["mean"] < played["high"]
    assert (
        played["mbb"] == pytest.approx(100 * played["mean"]) and played["mbb_low"] < played["mbb"] < played["mbb_high"]
    )
    again = json.loads(command(*words, "--seed", 4, "--threads", 1, "--json").out)
    assert again["mean"] == pytest.approx(played["mean"], abs=1e-12)
    assert json.loads(command(*words, "--seed", 5, "--json").out)["mean"] != played["mean"]
    told = command(*words)
    assert told.code == 0 and "40 boards played in both seats with all hands" in " ".join(told.out.split())
    assert "--ray divides the boards" in command("match", buckets, "fine.run", "coarse.run", "--ray").refused()


@pytest.mark.full
def test_an_abstraction_that_was_moved(buckets: str) -> None:
    expected = json.loads(command("match", buckets, "fine.run", "coarse.run", "--json").out)["mean"]
    Path("elsewhere").mkdir()
    Path("fine.abs").rename("elsewhere/moved.abs")
    refused = command("match", buckets, "fine.run", "coarse.run").refused()
    assert "fine.run was solved with a card abstraction that is not found" in refused
    named = command("match", f"{buckets}:abstraction=elsewhere/moved.abs", "fine.run", "coarse.run", "--json")
    assert named.code == 0 and json.loads(named.out)["mean"] == expected


@pytest.mark.full
def test_all_hands_against_buckets(buckets: str) -> None:
    """Both orders give one result with the signs changed: a public strategy asks the other one hand by hand."""
    assert command("solve", buckets, "-n", 20, "-o", "hands.run", "-q").code == 0
    one = json.loads(command("match", buckets, "hands.run", "coarse.run", "--json").out)
    other = json.loads(command("match", buckets, "coarse.run", "hands.run", "--json").out)
    assert one["exact"] and one["mean"] > 0 and other["mean"] == pytest.approx(-one["mean"], abs=1e-5)
    refused = command("match", buckets, "coarse.run", "hands.run", "--boards", 5).refused()
    assert "hands.run is solved with all hands" in refused


@pytest.mark.full
def test_networks_against_buckets(buckets: str) -> None:
    pytest.importorskip("torch")
    method = rg.DeepCFR(traversals=100, steps=20, batch=128, widths=(8,), strategy_steps=60, listed=False)
    rg.solve(buckets, method, iterations=1, measure="never", seed=2).save("networks.run")
    words = ("match", buckets, "fine.run", "networks.run")
    exact = json.loads(command(*words, "--json").out)
    played = json.loads(command(*words, "--boards", 40, "--json").out)
    assert exact["exact"] and exact["mean"] > 0 and played["low"] < exact["mean"] < played["high"]
    refused = command(*words, "--boards", 40, "--ray").refused()
    assert "networks.run is a run of networks, which play boards on one machine" in refused


def test_strategies_by_name_play_and_are_measured() -> None:
    Path("small.game").write_text(RULES.replace("numRanks = 6", "numRanks = 4").replace("0 3 1", "0 1 1"))
    game = rg.games.by_name("small.game")
    call, mixed = rg.poker.card_blind(game, call=1), rg.poker.card_blind(game, fold=1, call=1, raise_=1)
    told = json.loads(command("match", "small.game", "random", "always-call", "--json").out)
    assert told["exact"] and told["mean"] == rg.match(game, mixed, call).mean
    told = json.loads(command("match", "small.game", "always-raise", "always-fold", "--boards", 3, "--json").out)
    assert told["hands"] == 3 and told["mean"] > 0
    told = json.loads(command("measure", "always-call", "--game", "small.game", "--json").out)
    assert told["exploitability"] == pytest.approx(float(rg.exploitability(game, call)))
    assert "local best response" in command("measure", "random", "--game", "small.game", "--lbr", "--boards", 3).out
    for words, said in (
        (
            ("measure", "always-call"),
            "always-call needs the game that it plays: add --game hulh, hunl, fhp",
        ),
        (("measure", "always-call", "--game", "kuhn"), "always-call plays hold'em such as hulh, hunl or fhp, and"),
        (("match", "kuhn", "always-call", "random"), "always-call plays hold'em such as hulh, hunl or fhp, and kuhn"),
    ):
        refused = command(*words)
        assert refused.code == 2 and said in refused.err
