"""Every ready-made game passes the public conformance test, with golden counts."""

from __future__ import annotations

import pytest

from regretless import games
from regretless.game import Game
from regretless.testing import check_game_conformance

GOLDEN: list[tuple[Game, int, int, int]] = [
    # histories, terminals, infosets
    (games.RockPaperScissors(), 13, 9, 2),
    (games.MatchingPennies(), 7, 4, 2),
    (games.BattleOfTheSexes(), 7, 4, 2),
    (games.Matrix([[1, -1, 0], [2, 0, -3]]), 9, 6, 2),
    (games.Matrix([[[[0, 1], [2, 3]]] * 2] * 3, action_names=["yes", "no"]), 15, 8, 3),
    (games.Blotto(), 463, 441, 2),
    (games.Kuhn(), 58, 30, 12),
    (games.Kuhn(players=3), 617, 312, 48),
    (games.Kuhn(players=4), 7_886, 3_960, 160),
    (games.OneCardPoker(), 1_418, 780, 52),
    (games.Leduc(), 9_457, 5_520, 936),
    (games.Leduc(ranks=3, suits=3), 38_890, 22_968, 2_214),
    (games.Leduc(raises=3), 18_277, 11_100, 1_728),
    (games.Leduc(raises=1), 3_517, 1_860, 384),
    (games.Dudo(sides=4), 8_181, 4_080, 1_024),
    (games.Dudo(sides=4, recall=2), 8_181, 4_080, 148),
    (games.Dudo(dice=(2, 1), sides=3), 27_634, 13_797, 2_304),
    (games.LiarDie(sides=4), 1_873, 624, 140),
    (games.LiarDie(sides=4, recall=2), 1_873, 624, 26),
    (games.LiarsDice(sides=4), 8_181, 4_080, 1_024),
    (games.LiarsDice(sides=5), 51_181, 25_575, 5_120),
    (games.Goofspiel(cards=3), 67, 36, 16),
    (games.Goofspiel(), 1_077, 576, 162),
    (games.Goofspiel(cards=5), 26_931, 14_400, 2_124),
    (games.Goofspiel(hidden=False), 1_077, 576, 322),
    (games.Goofspiel(points="random"), 26_773, 13_824, 3_608),
    (games.Goofspiel(points=(2, 7, 1, 8)), 1_077, 576, 162),
    (games.OshiZumo(), 52_210, 15_548, 30_600),
    (games.OshiZumo(coins=6, size=1), 2_612, 826, 1_496),
    (games.DarkHex(size=2), 441, 216, 70),
    (games.DarkHex(size=2, abrupt=True), 471, 234, 94),
    (games.Sheriff(), 28_085, 16_384, 4_681),
    (games.Sheriff(items=5, bribe=3, rounds=2), 655, 384, 91),
    (games.Battleship(), 3_877, 2_224, 738),
    (games.Battleship(ships=(1, 2), shots=2), 13_685, 9_216, 1_586),
    (games.Bargaining(), 63_272, 58_404, 1_413),
    (games.TinyBridge(abstracted=True), 107_129, 53_340, 1_536),
    (games.LiarsPoker(), 5_485, 2_088, 1_131),
    (games.LiarsPoker(players=3, digits=2), 31_815, 8_520, 5_822),
]

LARGE: list[Game] = [
    games.Kuhn(players=6),
    games.Leduc(players=3),
    games.Leduc(players=4, ranks=13, suits=4),
    games.LiarsDice(dice=5),
    games.Dudo(dice=5),
    games.Dudo(dice=(3, 2), recall=3),
    games.Goofspiel(cards=13),
    games.Goofspiel(cards=13, points="random"),
    games.OshiZumo(coins=50, size=3, min_bid=0, horizon=50),
    games.PhantomTicTacToe(),
    games.PhantomTicTacToe(abrupt=True),
    games.DarkHex(),
    games.DarkHex(size=4, abrupt=True),
    games.Sheriff(items=30, bribe=50, rounds=8),
    games.Battleship(4, (4, 3, 2), shots=10),
    games.Bargaining((3, 2, 2), 10, 10, 0.9, 0.1),
    games.TinyBridge(players=4),
    games.LiarsPoker(digits=6, length=5),
]


@pytest.mark.parametrize(
    ("game", "histories", "terminals", "infosets"),
    [pytest.param(*row, marks=pytest.mark.full if row[1] > 25_000 else ()) for row in GOLDEN],
    ids=repr,
)
def test_game_conforms(game: Game, histories: int, terminals: int, infosets: int) -> None:
    check_game_conformance(game, histories=histories, terminals=terminals, infosets=infosets)


@pytest.mark.parametrize("game", LARGE, ids=repr)
def test_large_game_conforms_where_sampled(game: Game) -> None:
    assert not check_game_conformance(game, max_histories=2_000, playouts=100).exhaustive


def test_every_ready_made_game_is_here() -> None:
    here = {type(game) for game, *_ in GOLDEN} | {type(game) for game in LARGE}
    assert here == {kind for name, kind in games.names().items() if name not in ("openspiel", "fhp", "hulh", "hunl")}


@pytest.mark.parametrize("game", [*(game for game, *_ in GOLDEN), *LARGE], ids=repr)
def test_labels_are_text(game: Game) -> None:
    stack = [game.root()]
    for _ in range(200):
        if not stack:
            break
        state = stack.pop()
        if game.player(state) >= -1:
            for action in game.actions(state):
                assert isinstance(game.action_label(action), str)
                stack.append(game.play(state, action))
        if game.player(state) >= 0:
            assert isinstance(game.infoset_label(game.infoset(state)), str)
