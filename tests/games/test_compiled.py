"""The ready-made games that are compiled: which, and for which parameters their numbers fit into 64 bits.

That both forms agree is part of the conformance test; so is that these games conform.
"""

from __future__ import annotations

import os

import pytest

from regretless import games
from regretless.compiled import compile_game, is_compiled
from regretless.game import Game
from regretless.testing import check_game_conformance

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") == "1", reason="nothing is compiled")

WIDEST: list[Game] = [
    games.Kuhn(players=10),
    games.OneCardPoker(100),
    games.Leduc(players=10),
    games.Leduc(players=10, ranks=13, suits=4),
    games.LiarsDice(dice=5),
    games.Dudo(dice=5),
    games.Dudo(dice=5, recall=3),
    games.LiarDie(sides=12),
    games.LiarDie(sides=30, recall=2),
    games.Goofspiel(cards=13),
    games.Goofspiel(cards=13, points="random"),
    games.Goofspiel(cards=10, hidden=False, points="random"),
    games.OshiZumo(coins=15),
    games.PhantomTicTacToe(),
    games.DarkHex(size=4),
    games.Sheriff(items=100, bribe=30, rounds=10),
    games.Battleship(4, (4, 3, 3, 2), shots=11),
    games.Bargaining((3, 2, 2), 10, 10, 0.9, 0.1),
    games.TinyBridge(players=4),
    games.LiarsPoker(digits=6, length=5),
]


@pytest.mark.parametrize("game", WIDEST, ids=repr)
def test_the_compiled_game_agrees(game: Game) -> None:
    assert is_compiled(game)
    assert compile_game(game).game == game
    check_game_conformance(game, max_histories=1_000, playouts=50)


def test_every_game_of_numbers_is_compiled() -> None:
    tables = (games.Matrix, games.Blotto, games.RockPaperScissors, games.MatchingPennies, games.BattleOfTheSexes)
    for name, kind in games.names().items():
        if name not in ("openspiel", "fhp", "hulh", "hunl"):
            assert ("_compiled" in vars(kind)) == (kind not in tables), name
