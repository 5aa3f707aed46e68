"""Ready-made games: each a small frozen class of rules and labels, also found by name.

>>> from regretless import games
>>> games.Kuhn(players=3) == games.by_name("kuhn:players=3")
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regretless.lazy_names import on_demand
from regretless.problem import found, known_games

if TYPE_CHECKING:
    from regretless.games.bargaining import Bargaining
    from regretless.games.battleship import Battleship
    from regretless.games.blotto import Blotto
    from regretless.games.dark_hex import DarkHex
    from regretless.games.dudo import Dudo
    from regretless.games.goofspiel import Goofspiel
    from regretless.games.kuhn import Kuhn
    from regretless.games.leduc import Leduc
    from regretless.games.liar_die import LiarDie
    from regretless.games.liars_dice import LiarsDice
    from regretless.games.liars_poker import LiarsPoker
    from regretless.games.matrix import BattleOfTheSexes, MatchingPennies, Matrix, RockPaperScissors
    from regretless.games.one_card_poker import OneCardPoker
    from regretless.games.openspiel import OpenSpiel
    from regretless.games.oshi_zumo import OshiZumo
    from regretless.games.phantom_ttt import PhantomTicTacToe
    from regretless.games.registry import spec_of
    from regretless.games.sheriff import Sheriff
    from regretless.games.tiny_bridge import TinyBridge

__all__ = [
    "Bargaining",
    "BattleOfTheSexes",
    "Battleship",
    "Blotto",
    "DarkHex",
    "Dudo",
    "Goofspiel",
    "Kuhn",
    "Leduc",
    "LiarDie",
    "LiarsDice",
    "LiarsPoker",
    "MatchingPennies",
    "Matrix",
    "OneCardPoker",
    "OpenSpiel",
    "OshiZumo",
    "PhantomTicTacToe",
    "RockPaperScissors",
    "Sheriff",
    "TinyBridge",
    "by_name",
    "names",
    "spec_of",
]


def by_name(spec: str) -> Any:
    """The game that a spec describes: a name with parameters, a class in a file, or a file that describes a game.

    >>> by_name("leduc:ranks=5")
    Leduc(players=2, ranks=5, suits=2, raises=2)
    >>> by_name("liars_dice:dice=2x1,sides=3")
    LiarsDice(dice=(2, 1), sides=3)
    """
    return found(spec)


def names() -> dict[str, Any]:
    """Every game by its name; the first line of a class's documentation describes it."""
    return known_games()


_HOMES = {
    "Bargaining": "bargaining",
    "Battleship": "battleship",
    "Blotto": "blotto",
    "DarkHex": "dark_hex",
    "Dudo": "dudo",
    "Goofspiel": "goofspiel",
    "Kuhn": "kuhn",
    "Leduc": "leduc",
    "LiarDie": "liar_die",
    "LiarsDice": "liars_dice",
    "LiarsPoker": "liars_poker",
    "BattleOfTheSexes": "matrix",
    "MatchingPennies": "matrix",
    "Matrix": "matrix",
    "RockPaperScissors": "matrix",
    "OneCardPoker": "one_card_poker",
    "OshiZumo": "oshi_zumo",
    "PhantomTicTacToe": "phantom_ttt",
    "spec_of": "registry",
    "Sheriff": "sheriff",
    "TinyBridge": "tiny_bridge",
    "OpenSpiel": "openspiel",
}

if not TYPE_CHECKING:  # type checkers know the names above alone
    __getattr__ = on_demand("regretless.games", _HOMES)
