"""OpenSpiel's games as ours."""

from __future__ import annotations

import pickle
import sys

import pytest

from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL
from regretless.games.openspiel import OpenSpiel
from regretless.linter import check_game

pytestmark = pytest.mark.peer
pyspiel = pytest.importorskip("pyspiel")


@pytest.mark.parametrize(
    ("name", "players", "histories", "infosets"),
    [
        ("kuhn_poker", 2, 58, 12),
        ("kuhn_poker(players=3)", 3, 617, 48),
        ("leduc_poker", 2, 9_457, 936),
        ("goofspiel(imp_info=True,num_cards=4,points_order=descending)", 2, 1_077, 162),
        ("matrix_rps", 2, 13, 2),
        ("tiny_hanabi", 2, 55, 8),
        ("nim(pile_sizes=2;2)", 2, 33, 19),
        ("pig(winscore=3,horizon=4)", 2, None, None),
    ],
)
def test_games_of_many_kinds_pass_the_linter(
    name: str, players: int, histories: int | None, infosets: int | None
) -> None:
    report = check_game(OpenSpiel(name))
    assert report.ok and report.exact, str(report)
    assert report.players == players
    if histories is not None:
        assert (report.histories, report.infosets) == (histories, infosets)


def test_a_play_of_kuhn_by_hand() -> None:
    game = OpenSpiel("kuhn_poker")
    state = game.root()
    assert game.player(state) == CHANCE
    assert [game.action_label(action) for action in game.actions(state)] == ["Deal:0", "Deal:1", "Deal:2"]
    assert game.chance(state) == [pytest.approx(1 / 3)] * 3
    for choice in (2, 0, 0, 1, 1):  # deal 2, deal 0, pass, bet, call
        before = str(state)
        after = game.play(state, game.actions(state)[choice])
        assert str(state) == before
        state = after
    assert game.player(state) == TERMINAL
    assert game.payoffs(state) == [2.0, -2.0]


def test_game_and_moves_are_values() -> None:
    game = OpenSpiel("leduc_poker")
    again = pickle.loads(pickle.dumps(game))
    assert game == again and hash(game) == hash(again) and game != OpenSpiel("kuhn_poker")
    assert repr(game) == "OpenSpiel(name='leduc_poker')" and again.players == 2


def test_equal_moves_have_equal_names() -> None:
    game = OpenSpiel("turn_based_simultaneous_game(game=oshi_zumo(coins=2))")
    first = game.actions(game.root())
    second = game.actions(game.play(game.root(), first[0]))
    assert [move.number for move in first] == [move.number for move in second]
    assert first != second and {game.action_label(move) for move in first}.isdisjoint(
        game.action_label(move) for move in second
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("leduc_pokr", "OpenSpiel has no game 'leduc_pokr': did you mean 'leduc_poker'?"),
        ("kuhn_poker(cards=3)", "cannot load 'kuhn_poker(cards=3)': Unknown parameter 'cards'"),
        ("kuhn_poker(players=99)", "cannot load 'kuhn_poker(players=99)': "),
        ("kuhn_poker(players=", "cannot load 'kuhn_poker(players=': Missing closing bracket"),
        ("mfg_crowd_modelling", "is a mean-field game"),
        ("bridge_uncontested_bidding", "draws chance inside the game"),
        ("phantom_go", "has no information_state_string"),
    ],
)
def test_wrong_names_end_in_one_sentence(name: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OptionError) as caught:
        OpenSpiel(name)
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""


def test_without_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(OptionError, match=r"pip install regretless\[openspiel\]"):
        OpenSpiel("kuhn_poker")
