"""Runs with a card abstraction, and runs of networks, in the explorer and at the table."""

from __future__ import annotations

import dataclasses
import io
import shutil
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import page_reading
import pytest

import regretless as rg
from regretless.apps.cli import main
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.languages.choice import Language
from regretless.apps.play.board_opponent import BoardOpponent
from regretless.apps.play.table import Table
from regretless.apps.views.holdem_nodes import view_of
from regretless.errors import OptionError
from regretless.games import registry
from regretless.poker import Deck, Limit, PublicGame, abstract

PLAIN = PublicGame(Deck("9TJQKA", "sh"), 2, (3,), Limit(streets=2, bets=2, caps=1, blinds=(1, 2)))
GAME = "small"
"""The name of the game with its abstraction, while these tests run."""


def small(abstraction: str = "") -> PublicGame:
    """The game of these tests, made from the file of its abstraction."""
    return dataclasses.replace(PLAIN, abstraction=rg.poker.load_abstraction(abstraction))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run and its abstraction."""
    where = tmp_path_factory.mktemp("buckets")
    made = abstract(PLAIN, buckets=(8, 12), seed=1)
    made.save(where / "small.abs")
    method = rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR, boards=2)
    run = rg.solve(dataclasses.replace(PLAIN, abstraction=made), method, iterations=3, seed=1)
    run.save(where / "small.run")
    return where


@pytest.fixture
def named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What names the game at the command line."""
    monkeypatch.chdir(folder)
    monkeypatch.setitem(registry.LAZY, GAME, lambda: small)
    return f"{GAME}:abstraction=small.abs"


@pytest.mark.full
def test_pages_of_such_a_run(named: str, tmp_path: Path) -> None:
    explorer = Explorer(["small.run"], game=named)
    page = page_reading.get(explorer, "/strategy")
    assert page.status == 200 and "small blind" in page.text
    later = page_reading.get(explorer, "/strategy", line="call check", board="9sThJh")
    assert later.status == 200 and "9s" in later.text
    cards = page_reading.get(explorer, "/strategy", line="call check", board="9sThJh", runouts=1)
    assert cards.status == 200
    wrong = page_reading.get(explorer, "/strategy", what="ev")
    assert wrong.status == 422 and "not computed for a strategy by buckets" in wrong.text
    for address in ("/compare", "/best-response", "/convergence", "/play"):
        assert page_reading.get(explorer, address).status == 200, address
    assert page_reading.get(Explorer(["small.run"]), "/strategy").status == 200  # its abstraction is beside it
    alone = shutil.copy("small.run", tmp_path)
    without = page_reading.get(Explorer([alone]), "/strategy")
    assert without.status == 422 and "solved with a card abstraction" in without.text


@pytest.mark.full
def test_the_abstraction_of_a_run_is_found_in_another_folder_of_the_explorer(named: str, tmp_path: Path) -> None:
    """As after a solve that the explorer saved: the run names the file of its abstraction without a folder."""
    for name in ("runs", "cards"):
        (tmp_path / name).mkdir()
    run: Any = rg.load("small.run", game=named)
    dataclasses.replace(run, game=named).save(tmp_path / "runs" / "saved.run")
    abstract(PLAIN, buckets=(8, 12), seed=2).save(tmp_path / "cards" / "another.abs")
    shutil.copy("small.abs", tmp_path / "cards" / "small.abs")
    with pytest.MonkeyPatch.context() as elsewhere:
        elsewhere.chdir(tmp_path)
        assert page_reading.get(Explorer(["runs"]), "/strategy").status == 422
        page = page_reading.get(Explorer(["runs", "cards"]), "/strategy")
        assert page.status == 200 and "small blind" in page.text


def test_the_best_response_page_of_networks_says_how_to_measure_them(tmp_path: Path) -> None:
    method = rg.SD_CFR.replace(traversals=5, steps=1, batch=8, widths=(4,), listed=False)
    rg.solve(PLAIN, method, iterations=1, threads=1).save(tmp_path / "networks.run")
    for language, words in ((Language.en, "Networks store no values of hands"), (Language.zh, "网络不存储手牌的值")):
        page = page_reading.get(Explorer([str(tmp_path / "networks.run")], language=language), "/best-response")
        assert page.status == 200 and words in page.text and "run.strategy, flops=20)" in page.text
        assert "card abstraction" not in page.text and "牌面抽象" not in page.text


@pytest.mark.full
def test_views_agree_with_the_strategy(folder: Path) -> None:
    game = dataclasses.replace(PLAIN, abstraction=rg.poker.load_abstraction(folder / "small.abs"))
    strategy: Any = rg.load(folder / "small.run", game=game).strategy  # type: ignore[union-attr]
    view = view_of(strategy, "call check", "9sThJh", "strategy")
    expected = strategy.at("call check", "9sThJh")
    assert view.node.names == expected.names and (view.node.probabilities == expected.probabilities).all()
    assert view_of(strategy, "call check", "", "weight").example_cards  # an example board
    assert view_of(strategy, "call check", "9sThJh", "equity").values is not None
    with pytest.raises(OptionError, match="the hand is over there"):
        view_of(strategy, "fold", "", "strategy")
    table = Table(BoardOpponent(strategy), seat="alternate", seed=3, hands=6)
    while table.turn:
        choice = table.advice()
        assert choice is not None and sum(choice.probabilities) == pytest.approx(1) and choice.values is None
        table.act(choice.chosen)
        table.deal()
    assert table.score.hands == 6 and table.score.cost is None


@pytest.mark.full
def test_the_commands(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(*words: str, typed: str = "", code: int = 0) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        out = io.StringIO()
        with redirect_stdout(out), pytest.raises(SystemExit) as ended:
            main(list(words))
        assert (ended.value.code or 0) == code
        return out.getvalue()

    assert "main action of each class" in said("show", "small.run", "--game", named)
    told = said("show", "small.run", "call check", "--board", "9s Th Jh", "--game", named)
    assert "call check on 9sThJh, player 1" in told
    played = said("play", "small.run", "--game", named, "--hands", "2", "--seed", "1", typed="1\n" * 20)
    assert "Hand 2" in played and "same deals" in played
    alone = str(shutil.copy("small.run", tmp_path))  # without the abstraction beside it
    said("play", alone, "--hands", "1", code=2)
