"""Histories, chance, payoffs and infosets compared with OpenSpiel's, history by history."""

from __future__ import annotations

from typing import Any

import pytest
from walk import assert_same

from regretless import games
from regretless.game import CHANCE, TERMINAL, Game

pyspiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


class Spiel(Game):
    """The barest view of a turn-based OpenSpiel game."""

    def __init__(self, name: str) -> None:
        loaded = pyspiel.load_game(name)
        if loaded.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            loaded = pyspiel.convert_to_turn_based(loaded)
        self.loaded = loaded
        self.players = loaded.num_players()

    def __repr__(self) -> str:
        return str(self.loaded)

    def root(self) -> Any:
        return self.loaded.new_initial_state()

    def player(self, state: Any) -> int:
        mover: int = state.current_player()
        return mover if mover >= CHANCE else TERMINAL

    def actions(self, state: Any) -> list[int]:
        legal: list[int] = state.legal_actions()
        return legal

    def chance(self, state: Any) -> list[float]:
        return [probability for _, probability in state.chance_outcomes()]

    def play(self, state: Any, action: int) -> Any:
        return state.child(action)

    def infoset(self, state: Any) -> str:
        text: str = state.information_state_string()
        return text

    def payoffs(self, state: Any) -> list[float]:
        returns: list[float] = state.returns()
        return returns


class SpielDarkHex(Spiel):
    """OpenSpiel's dark hex without the number of all moves made, which its players are told and ours are not."""

    def infoset(self, state: Any) -> str:
        *board, _, tried = super().infoset(state).split("\n")
        return "\n".join([*board, tried])


GOOFSPIEL = "goofspiel(imp_info=True,players=2,num_cards={},points_order={})"


@pytest.mark.parametrize(
    ("game", "name", "histories"),
    [
        (games.Kuhn(), "kuhn_poker", 58),
        (games.Kuhn(players=3), "kuhn_poker(players=3)", 617),
        (games.Kuhn(players=4), "kuhn_poker(players=4)", 7_886),
        (games.Leduc(), "leduc_poker", 9_457),
        (games.LiarsDice(sides=4), "liars_dice(dice_sides=4)", 8_181),
        (games.LiarsDice(dice=2, sides=2), "liars_dice(numdice=2,dice_sides=2)", 8_191),
        (games.Goofspiel(cards=3), GOOFSPIEL.format(3, "descending"), 67),
        (games.Goofspiel(cards=4), GOOFSPIEL.format(4, "descending"), 1_077),
        (games.Goofspiel(cards=5), GOOFSPIEL.format(5, "descending"), 26_931),
        (games.Goofspiel(points="ascending"), GOOFSPIEL.format(4, "ascending"), 1_077),
        (games.Goofspiel(points="random"), GOOFSPIEL.format(4, "random"), 26_773),
        (games.OshiZumo(coins=6, size=1), "oshi_zumo(coins=6,size=1,min_bid=1)", 2_612),
        (games.OshiZumo(coins=6, size=2, min_bid=2), "oshi_zumo(coins=6,size=2,min_bid=2)", 211),
        (
            games.OshiZumo(coins=3, size=1, min_bid=0, horizon=4),
            "oshi_zumo(coins=3,size=1,min_bid=0,horizon=4)",
            2_046,
        ),
    ],
    ids=repr,
)
def test_the_whole_tree_is_openspiels(game: Game, name: str, histories: int) -> None:
    assert assert_same(game, Spiel(name))[0] == histories


@pytest.mark.parametrize(
    ("game", "name", "histories", "infosets"),
    [
        (games.DarkHex(2), "dark_hex(num_rows=2,num_cols=2)", 441, 70),
        (games.DarkHex(2, abrupt=True), "dark_hex(num_rows=2,num_cols=2,gameversion=adh)", 471, 94),
        (games.DarkHex((2, 3)), "dark_hex(num_rows=2,num_cols=3)", 104_229, 2_508),
    ],
    ids=repr,
)
def test_dark_hex_is_openspiels(game: Game, name: str, histories: int, infosets: int) -> None:
    assert assert_same(game, SpielDarkHex(name)) == (histories, infosets)


@pytest.mark.parametrize(
    ("game", "twin"),
    [
        (games.PhantomTicTacToe(), Spiel("phantom_ttt")),
        (games.PhantomTicTacToe(abrupt=True), Spiel("phantom_ttt(gameversion=abrupt)")),
        (games.DarkHex(), SpielDarkHex("dark_hex")),
        (games.DarkHex(abrupt=True), SpielDarkHex("dark_hex(gameversion=adh)")),
        (games.DarkHex(4), SpielDarkHex("dark_hex(num_rows=4,num_cols=4)")),
    ],
    ids=repr,
)
def test_hidden_boards_are_openspiels_in_sampled_plays(game: Game, twin: Game) -> None:
    assert assert_same(game, twin, plays=500)[0] > 5_000


def test_three_player_leduc_is_openspiels_on_sampled_deals() -> None:
    assert assert_same(games.Leduc(players=3), Spiel("leduc_poker(players=3)"), deals=2)[0] > 15_000


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "name", "histories", "infosets"),
    [
        (games.Leduc(players=3), "leduc_poker(players=3)", 1_831_601, 25_800),
        (games.LiarsDice(), "liars_dice", 294_883, 24_576),
    ],
    ids=repr,
)
def test_the_whole_large_tree_is_openspiels(game: Game, name: str, histories: int, infosets: int) -> None:
    assert assert_same(game, Spiel(name)) == (histories, infosets)
