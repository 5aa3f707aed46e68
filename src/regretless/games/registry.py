"""Games by name: "leduc", "leduc:ranks=5,suits=2", "dudo:dice=2x1", "mygame.py:Guess:sides=4".

A spec is a name, or FILE.py:CLASS, or MODULE:CLASS; then, after a colon, the parameters of the class as
`key=value` or, for parameters without a default, by position ("openspiel:leduc_poker"). Values are written
as in Python; 2x1 is short for (2,1).
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from typing import Any

from regretless.errors import OptionError, suggest
from regretless.game import Game, found_as
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
from regretless.games.loading import game_class, load_file, load_module
from regretless.games.matrix import BattleOfTheSexes, MatchingPennies, Matrix, RockPaperScissors
from regretless.games.not_offered import why_not
from regretless.games.one_card_poker import OneCardPoker
from regretless.games.oshi_zumo import OshiZumo
from regretless.games.phantom_ttt import PhantomTicTacToe
from regretless.games.sheriff import Sheriff
from regretless.games.spelling import HOLDEM_WORDS, construct, why_no_holdem, written
from regretless.games.tiny_bridge import TinyBridge
from regretless.problem import opens_itself

__all__ = ["add_game", "by_name", "is_known", "names", "spec_of"]

GAMES: dict[str, type[Game]] = {
    "rps": RockPaperScissors,
    "matching_pennies": MatchingPennies,
    "battle_of_the_sexes": BattleOfTheSexes,
    "matrix": Matrix,
    "blotto": Blotto,
    "kuhn": Kuhn,
    "one_card_poker": OneCardPoker,
    "leduc": Leduc,
    "dudo": Dudo,
    "liars_dice": LiarsDice,
    "liar_die": LiarDie,
    "goofspiel": Goofspiel,
    "oshi_zumo": OshiZumo,
    "phantom_ttt": PhantomTicTacToe,
    "dark_hex": DarkHex,
    "sheriff": Sheriff,
    "battleship": Battleship,
    "bargaining": Bargaining,
    "tiny_bridge": TinyBridge,
    "liars_poker": LiarsPoker,
}


def _openspiel() -> type[Game]:
    from regretless.games.openspiel import OpenSpiel

    return OpenSpiel


LAZY: dict[str, Callable[[], type[Any]]] = {"openspiel": _openspiel}
"""Games whose module is imported only when they are asked for; `add_game` adds one."""


def add_game(name: str, load: Callable[[], type[Any]]) -> None:
    """Make a game known by name; its class is loaded when it is asked for."""
    LAZY[name] = load


def is_known(name: str) -> bool:
    """Whether a ready-made game has this name."""
    return name in GAMES or name in LAZY


def names() -> dict[str, type[Game]]:
    """Every ready-made game by its name; the first line of a class's documentation describes it."""
    return GAMES | {name: load() for name, load in LAZY.items()}


def by_name(spec: str) -> Game:
    """The ready-made game, or the class in a Python file or module, that a spec describes."""
    head, _, rest = spec.strip().partition(":")
    if head in GAMES:
        return construct(GAMES[head], head, rest)
    if head in LAZY:
        return construct(LAZY[head](), head, rest)
    if sentence := why_not(head):
        raise OptionError(sentence)
    known = [*GAMES, *LAZY]
    class_name, _, parameters = rest.partition(":")
    if head.endswith(".py") or "/" in head or "\\" in head:
        module = load_file(head)
    elif head and class_name.isidentifier():
        module = load_module(head, known)
    elif head.lower() in HOLDEM_WORDS:
        raise OptionError(why_no_holdem(head, rest))
    else:
        raise OptionError(f"there is no game named {head!r}: {suggest(head, known)}")
    game = construct(game_class(module, head, class_name), f"{head}:{class_name}", parameters)
    found_as(game, spec.strip())
    return game


def spec_of(game: Game) -> str | None:
    """The shortest spec that `by_name` reads as this very game, or None for a game that is not ready-made.

    >>> spec_of(Leduc(ranks=5)), spec_of(Kuhn()), spec_of(Matrix([[1, -1], [-1, 1]]))
    ('leduc:ranks=5', 'kuhn', 'matrix:((1,-1),(-1,1))')
    """
    if opens_itself(game):
        return game.source  # hold'em, whose constructor takes less than its fields
    kind = type(game)
    name = next((name for name, known in GAMES.items() if known is kind), None)
    if name is None and kind.__module__ == "regretless.games.openspiel":
        name = "openspiel"
    if name is None:
        return None
    fields = [field for field in dataclasses.fields(typing.cast(Any, game)) if field.init]
    given = {field.name: getattr(game, field.name) for field in fields}
    words = []
    for field in fields:
        if field.default is dataclasses.MISSING:
            words.append(written(given[field.name]))
            continue
        others = {key: value for key, value in given.items() if key != field.name}
        try:
            superfluous = kind(**others) == game
        except OptionError:
            superfluous = False
        if superfluous:
            given = others
        else:
            words.append(f"{field.name}={written(given[field.name])}")
    return f"{name}:{','.join(words)}" if words else name
