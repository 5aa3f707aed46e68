"""Runs of hold'em: only the boards that are shown are read, grids agree with the strategy, and hands can be played."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import page_reading
import pytest

import regretless as rg
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.play.holdem_play import HoldemGame, HoldemOpponent
from regretless.apps.play.table import Table
from regretless.apps.views import holdem_nodes as holdem
from regretless.apps.views.holdem_boards import ordered_board
from regretless.apps.views.holdem_nodes import affordable, node_without_ev, view_of
from regretless.apps.views.library import Library
from regretless.poker import Deck, Limit, PublicGame, Spot
from regretless.poker.tree.board_lookup import find_board


@cache
def leduc_run() -> rg.Run:
    rules = Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1)
    return rg.solve(PublicGame(Deck("JQK", "sh"), 1, (1,), rules), rg.CFR_PLUS, iterations=300)  # type: ignore[arg-type]


@cache
def river_run() -> rg.Run:
    """Two short decks' worth of hands on a turn, so that there is a board to pick."""
    spot = Spot(
        board="Qs Jh 2h 7c", ranges=("QQ,AK,JTs", "77,AQ,T9s,KTs"), pot=100, stack=100, sizes="bet 75%, raise 3x"
    )
    return rg.solve(spot, rg.CFR_PLUS, iterations=20)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("holdem")
    out = []
    for name, run in (("leduc.run", leduc_run()), ("river.run", river_run())):
        run.save(folder / name)
        out.append(str(folder / name))
    return out


def get(explorer: Explorer, **query: Any) -> tuple[int, str]:
    page = page_reading.get(explorer, "/strategy", **query)
    return page.status, page.text


def test_a_node_is_the_strategy_s(runs: list[str]) -> None:
    strategy: Any = river_run().strategy
    view = view_of(strategy, "check", "", "strategy")
    expected = strategy.at("check")
    assert view.node.names == expected.names
    assert np.allclose(view.node.probabilities, expected.probabilities)
    assert [step.name for step in view.path] == ["check"]
    assert view.next[0].line == "check check"
    assert "in position" in view.summary
    (combo, *_) = view.combos("77")
    at = expected.names.index(combo.name)
    assert combo.probabilities == pytest.approx(tuple(expected.probabilities[at]))
    assert combo.ev == pytest.approx(expected.ev[at])
    assert view.combos("32o") == []


def test_boards_of_later_streets(runs: list[str]) -> None:
    strategy: Any = river_run().strategy
    assert view_of(strategy, "check check", "", "strategy").board_cards == 5  # some river
    view = view_of(strategy, "check check", "Qs Jh 2h 7c Ah", "equity")
    assert view.node.board == "QsJh2h7cAh"
    assert view.values is not None
    assert np.nanmax(view.values) <= 1
    assert view_of(strategy, "", "Qs Jh 2h 7c Ah", "weight").node.board == "QsJh2h7c"  # the river is kept for later
    assert view_of(strategy, "check check", "Qs Jh 2h 7c", "ev").node.board == "QsJh2h7c2c"  # and made up where missing
    with pytest.raises(rg.OptionError, match="the board begins with QsJh2h7c"):
        view_of(strategy, "check check", "As Ah Ad Ac Ks", "strategy")
    assert ordered_board(strategy, ["7c", "Ah", "2h", "Jh", "Qs"], "QsJh2h7c2c") == "QsJh2h7cAh"


def test_a_lean_node_is_the_node_without_expectations(runs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for run in (leduc_run(), river_run()):
        strategy: Any = run.strategy
        for line in ("", "check", "check check", "check check / check"):
            node = strategy.node(line)
            full = view_of(strategy, line, "", "strategy").node
            street = int(strategy.tree.betting_tree.street[node])
            board = find_board(strategy.tree, street, strategy.tree.game.deck.cards(full.board))
            short = node_without_ev(strategy, node, board)
            assert short.names == full.names
            assert np.allclose(short.weight, full.weight, atol=1e-6)
            assert np.allclose(short.opposing, full.opposing, rtol=1e-4, atol=1e-5)
            assert short.frequencies == pytest.approx(full.frequencies, abs=1e-4)
            assert np.isnan(short.ev).all()


def test_only_the_boards_that_are_shown_are_read(runs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdem, "MOST_NUMBERS", 0)  # as if it were gigabytes
    strategy: Any = Library(runs).load(1).stored_strategy("average")
    missing = strategy.arrays.missing["average"]
    boards = len(missing)
    view_of(strategy, "check", "", "strategy")
    assert missing.sum() == boards - 1
    view_of(strategy, "check check", "Qs Jh 2h 7c Ah", "strategy")
    assert missing.sum() == boards - 2
    with pytest.raises(rg.OptionError, match="choose a node of a later street"):
        view_of(strategy, "", "", "ev")
    assert missing.sum() == boards - 2
    assert not affordable(strategy, find_board(strategy.tree, 0, None))


def test_pages(runs: list[str]) -> None:
    explorer = Explorer(runs, patience=300)
    status, page = get(explorer, run=1, line="check", hand="AQs")
    assert status == 200
    assert page.count("data-class=") == 5  # 77, AQs, AQo, T9s and KTs
    assert page.count("data-hand=") == 3  # the queen of spades is on the board
    for what in ("ev", "equity", "weight"):
        status, page = get(explorer, run=1, line="check check", what=what)
        assert status == 200 and "shade" in page
    status, page = get(explorer, run=1, line="check check", card=["Qs", "Jh", "2h", "7c", "Ah"], before="QsJh2h7c2c")
    assert status == 200 and 'value="QsJh2h7cAh"' in page
    assert page.count('type="checkbox"') == 52
    for wrong in ({"board": "xx"}, {"line": "jump"}, {"line": "check check", "card": ["Qs"]}):
        status, page = get(explorer, run=1, **wrong)
        assert status == 422 and 'class="problem"' in page and "hand-grid" in page
    status, page = get(explorer, run=0, line="check check", board="Ks")
    assert status == 200 and page.count("data-class=") == 3
    for path in ("/best-response", "/compare"):
        assert page_reading.get(explorer, path, run=1).status == 200


def test_deals_are_as_likely_as_the_ranges_say() -> None:
    game = HoldemGame(river_run().problem)  # type: ignore[arg-type]
    first = np.array(game.chance(game.root()))
    assert first.sum() == pytest.approx(1)
    mine, theirs = game.rules.hand_weights()
    pairs = [
        (a, b)
        for a in np.flatnonzero(mine)
        for b in np.flatnonzero(theirs)
        if not set(game.deals[a]) & set(game.deals[b])
    ]
    for hand in np.flatnonzero(mine)[:5]:
        assert first[hand] == pytest.approx(sum(a == hand for a, _ in pairs) / len(pairs))
    state = game.play(game.root(), int(np.flatnonzero(mine)[0]))
    assert np.array(game.chance(state)).sum() == pytest.approx(1)
    assert game.player(state) == rg.CHANCE


def test_hands_of_holdem_are_played(runs: list[str]) -> None:
    for number in (0, 1):
        opponent = Library(runs).load(number).opponent()
        table = Table(opponent, seat="alternate", seed=5, hands=12)
        random = np.random.default_rng(1)
        while not table.over:
            while table.turn is not None:
                table.act(int(random.integers(len(table.turn.actions))))
            table.deal()
        assert table.score.cost is not None and table.score.cost >= 0
        assert all(view.own for view in table.results[-1].views.values())


def test_payoffs_are_those_of_leduc() -> None:
    """The public tree of Leduc and the game of the library pay the same for the same cards and moves."""
    game, leduc = HoldemGame(leduc_run().problem), rg.games.Leduc()  # type: ignore[arg-type]
    opponent = HoldemOpponent(leduc_run().strategy)  # type: ignore[arg-type]
    table = Table(opponent, seat="alternate", seed=9, hands=40)
    random = np.random.default_rng(3)
    while not table.over:
        while table.turn is not None:
            table.act(int(random.integers(len(table.turn.actions))))
        table.deal()
    words = {"check": "call", "bet": "raise"}
    for result in table.results:
        state = leduc.root()
        for move in result.moves:
            label = words.get(move.label, move.label)
            action = next(a for a in leduc.actions(state) if leduc.action_label(a) == label)
            state = leduc.play(state, action)
        assert leduc.player(state) == rg.TERMINAL
        assert leduc.payoffs(state)[result.seat] == pytest.approx(result.won)
    assert game.infoset_view("AsKh | QsJh2h | raise call / bet 50").moves == ("raise", "call", "bet 50")


def test_labels_of_a_damaged_run_are_text(runs: list[str], tmp_path: Path) -> None:
    path = tmp_path / "damaged.run"
    whole = bytearray(Path(runs[1]).read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    path.write_bytes(bytes(whole))
    explorer = Explorer([str(path)], patience=300)
    statuses = {get(explorer, run=0, line=line)[0] for line in ("", "check", "check check")}
    assert statuses <= {200, 422}
    text = get(explorer, run=0)[1]
    assert str(tmp_path) not in re.sub(r"<[^>]*>", "", text)


# -- what a reader must be told ---------------------------------------------------------------------------------------


@cache
def odd_run() -> rg.Run:
    """A turn on which player 0 always bets: what follows a check is never played. One river node is locked."""
    spot = Spot("Qs Jh 2h 7c", ("QQ,AK", "77,AQ"), pot=100, stack=100, sizes="bet 75%")
    locked = spot.lock("", {"bet 75": 1}).lock("bet 75 call / check", {"check": 1}, "Qs Jh 2h 7c Ah")
    return rg.solve(locked, rg.CFR_PLUS, iterations=20)  # type: ignore[arg-type]


def test_nodes_that_play_never_reaches_are_marked(tmp_path: Path) -> None:
    strategy: Any = odd_run().strategy
    assert view_of(strategy, "bet 75", "", "strategy").warnings == []
    assert not view_of(strategy, "check", "", "strategy").reached
    odd_run().save(tmp_path / "odd.run")
    explorer = Explorer([str(tmp_path / "odd.run")], patience=300)
    assert "Play never comes here" not in get(explorer, run=0, line="bet 75")[1]
    for what in ("strategy", "ev", "equity", "weight"):
        status, page = get(explorer, run=0, line="check", what=what)
        assert status == 200 and "Play never comes here" in page, what


def test_locked_nodes_are_marked(tmp_path: Path) -> None:
    strategy: Any = odd_run().strategy
    assert view_of(strategy, "", "", "strategy").locked
    assert not view_of(strategy, "bet 75", "", "strategy").locked
    river = "bet 75 call / check"
    assert view_of(strategy, river, "QsJh2h7cAh", "strategy").locked
    assert not view_of(strategy, river, "QsJh2h7cAc", "strategy").locked
    odd_run().save(tmp_path / "odd.run")
    explorer = Explorer([str(tmp_path / "odd.run")], patience=300)
    assert "This node is locked" in get(explorer, run=0)[1]
    assert "This node is locked" not in get(explorer, run=0, line="bet 75")[1]


@pytest.mark.parametrize("board", ["3d", "Qs Jh 2h 7c 3d", "2h Jh Qs 7c 3D", "qsjh2h7c3d"])
def test_a_board_is_typed_whole_or_without_its_first_cards(runs: list[str], board: str) -> None:
    strategy: Any = river_run().strategy
    view = view_of(strategy, "check check", board, "strategy")
    assert (view.node.board, view.example_cards) == ("QsJh2h7c3d", "")


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ("Qs", "the board begins with QsJh2h7c"),
        ("Qs 3d", "type it whole, QsJh2h7c first, or only the cards that come after it"),
        ("3d 4d", "the board begins with QsJh2h7c"),
        ("QsJh2h7c3d4d", "at most 5 cards"),
        ("3d 3d", "3d is twice"),
        ("3x", "is no card"),
    ],
)
def test_a_board_that_cannot_be_is_refused(runs: list[str], board: str, said: str) -> None:
    strategy: Any = river_run().strategy
    with pytest.raises(rg.OptionError, match=said):
        view_of(strategy, "check check", board, "strategy")


def test_a_card_that_was_not_asked_for_is_called_an_example(runs: list[str]) -> None:
    strategy: Any = river_run().strategy
    view = view_of(strategy, "check check", "", "strategy")
    assert view.node.board.endswith(view.example_cards) and len(view.example_cards) == 2
    explorer = Explorer(runs, patience=300)
    assert "The last card is an example" in get(explorer, run=1, line="check check")[1]
    status, page = get(explorer, run=1, line="check check", board="3d")
    assert status == 200 and 'value="QsJh2h7c3d"' in page and "is an example" not in page
