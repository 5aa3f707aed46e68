"""Runs of networks on hold'em at the command line, at a table and in ACPC matches."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from command_line import command
from network_runs import CASES, NetworkRun
from test_acpc_matches import check_log, matched, playing, states

import regretless as rg
from regretless.apps.acpc.agents import NamedAgent, StrategyAgent, find_agent
from regretless.apps.play.board_opponent import BoardOpponent
from regretless.apps.play.table import Table
from regretless.apps.views.holdem_nodes import view_of
from test_solver import assert_equal_state

pytest.importorskip("torch")


@pytest.fixture(scope="module", params=CASES)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> NetworkRun:
    return NetworkRun(*request.param, tmp_path_factory.mktemp("networks"))


def test_show_prints_the_strategy_of_networks(made: NetworkRun) -> None:
    told = command("show", made.path)
    assert told.code == 0 and "the beginning, player 0" in told.out, told.err
    assert "cards are dealt on demand" in told.out and "infosets visited" not in told.out
    later = command("show", made.path, made.line, "--board", made.board)
    assert later.code == 0 and made.board.replace(" ", "") in later.out, later.err
    node = made.strategy.at(made.line, made.board)
    assert all(action in later.out for action in node.actions)
    written = json.loads(command("show", made.path, made.line, "--board", made.board, "--json").out)
    hands = written["hands"]
    for hand in (node.names[0], node.names[-1]):
        assert hands[hand] == pytest.approx(node[hand])
    assert "cards" in command("show", made.path, made.line, "--board", "9s").refused()
    some = command("show", made.path, made.line, "--board", made.board, "--range", "AA", "--hands", "--json")
    assert json.loads(some.out)["hands"] == {name: held for name, held in hands.items() if name[::2] == "AA"}


def test_a_subgame_of_networks_is_solved_again(made: NetworkRun, tmp_path: Path) -> None:
    if "small" not in made.path.name:
        pytest.skip("networks are asked on all boards below, which takes minutes with all cards")
    out = tmp_path / "resolved.run"
    told = command("resolve", made.path, "--line", made.line, "--board", made.board, "-n", 2, "-o", out)
    assert told.code == 0 and "margins of 28 hands" in told.out, told.err
    assert command("show", out).code == 0
    assert "a spot begins where cards" in command("resolve", made.path, "--line", "call", "--board", "9s").refused()


def test_grids_and_views_have_the_numbers_of_the_strategy(made: NetworkRun) -> None:
    view, node = view_of(made.strategy, made.line, made.board, "strategy"), made.strategy.at(made.line, made.board)
    assert view.node.names == node.names and np.array_equal(view.node.probabilities, node.probabilities)
    assert np.allclose(node.probabilities.sum(1), 1)
    assert view_of(made.strategy, made.line, made.board, "weight").values is not None


def test_play_at_the_command_line(made: NetworkRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 40))
    told = command("play", made.path, "--hands", 2, "--seed", 1)
    assert told.code == 0 and re.findall(r"Hand \d+", told.out) == ["Hand 1", "Hand 2"], told.err
    assert told.out.count("the strategy with your cards") == 2
    assert "mistakes" not in told.out  # networks store no values of actions


def test_a_table_gives_the_advice_of_networks(made: NetworkRun) -> None:
    table = Table(BoardOpponent(made.strategy), seat="alternate", seed=3, hands=4)
    while not table.over:
        while table.turn:
            choice = table.advice()
            assert choice is not None and sum(choice.probabilities) == pytest.approx(1, abs=1e-5)
            table.act(choice.chosen)
        table.deal()
    assert table.score.hands == 4


def test_an_acpc_match_of_networks(made: NetworkRun, tmp_path: Path) -> None:
    agent = find_agent(str(made.path), None, 1)
    assert isinstance(agent, StrategyAgent)
    log = tmp_path / "match.log"
    standing = matched(made.game, [playing(agent), playing(NamedAgent("random", made.game, 2))], log, hands=6, seed=3)
    check_log(log, standing)
    assert standing.hands == 6 and standing.corrected == [0, 0] and len(states(log)) == 6


TINY = {
    "deep-cfr": "deep-cfr:traversals=2,steps=2,batch=8,widths=8,capacity=2000,strategy_steps=2,listed=no",
    "nfsp": "nfsp:plays=8,every=8,batch=8,widths=8,response_capacity=500,average_capacity=500,listed=no",
}


@pytest.mark.parametrize(
    ("game", "method"), [("hulh", "deep-cfr"), ("hulh", "nfsp"), pytest.param("fhp", "nfsp", marks=pytest.mark.full)]
)
def test_a_run_goes_on_and_only_with_its_own_game(game: str, method: str, tmp_path: Path) -> None:
    halves, whole = tmp_path / "halves.run", tmp_path / "whole.run"
    order = ("--threads", 1, "--seed", 3, "-a", TINY[method])
    drawn = command("solve", game, *order, "-n", 1, "--out", halves, "--plot", tmp_path / "loss.png")
    assert drawn.code == 0 and (tmp_path / "loss.png").exists(), drawn.err
    other = "fhp" if game == "hulh" else "hulh"
    for wrong in (other, "kuhn"):
        refused = command("solve", wrong, "--resume", "-n", 2, "--out", halves).refused()
        assert f"is a run of {game}, and {wrong} is another game" in refused
    again = command("solve", game, *order, "--resume", "-n", 2, "--out", halves)
    assert again.code == 0 and "going on from iteration 1" in again.out, again.err
    assert "nothing to do" in command("solve", game, "--resume", "-n", 2, "--out", halves).out
    assert command("solve", game, *order, "-n", 2, "--out", whole).code == 0
    assert_equal_state(rg.load(halves), rg.load(whole))


def test_a_compact_run_is_shown_and_not_resumed(tmp_path: Path) -> None:
    whole, small = tmp_path / "whole.run", tmp_path / "small.run"
    order = ("--threads", 1, "--seed", 3, "-a", TINY["deep-cfr"].replace("2000", "20000"), "-n", 1)
    assert command("solve", "hulh", *order, "--out", whole).code == 0
    written = command("show", whole, "--compact", small)
    assert written.code == 0 and "bytes" in written.out, written.err
    assert 5 * small.stat().st_size < whole.stat().st_size
    assert command("show", small, "raise call", "--board", "Qs Jh 2h").code == 0
    assert "the average strategy only" in command("show", small, "--current").refused()
    assert "is a compact run" in command("solve", "hulh", "--resume", "-n", 2, "--out", small).refused()
