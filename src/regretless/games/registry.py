"""Games by name: "leduc", "leduc:ranks=5,suits=2", "dudo:dice=2x1", "mygame.py:Guess:sides=4".

A spec is a name, or FILE.py:CLASS, or MODULE:CLASS; then, after a colon, the parameters of the class as
`key=value` or, for parameters without a default, by position ("openspiel:leduc_poker"). Values are written
as in Python; 2x1 is short for (2,1).
"""

from __future__ import annotations

import dataclasses
import importlib
import typing
from typing import Any

from regretless.errors import OptionError, suggest
from regretless.game import Game, found_as, on_public_tree
from regretless.games.blotto import Blotto
from regretless.games.dark_hex import DarkHex
from regretless.games.dudo import Dudo
from regretless.games.goofspiel import Goofspiel
from regretless.games.kuhn import Kuhn
from regretless.games.leduc import Leduc
from regretless.games.liar_die import LiarDie
from regretless.games.liars_dice import LiarsDice
from regretless.games.loading import game_class, load_file, load_module
from regretless.games.matrix import BattleOfTheSexes, MatchingPennies, Matrix, RockPaperScissors
from regretless.games.one_card_poker import OneCardPoker
from regretless.games.oshi_zumo import OshiZumo
from regretless.games.phantom_ttt import PhantomTicTacToe
from regretless.games.spelling import construct, written

__all__ = ["by_name", "names", "spec_of"]

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
}

ON_DEMAND = {
    "openspiel": ("regretless.games.openspiel", "OpenSpiel"),
    "fhp": ("regretless.poker.games", "FlopHoldem"),
}
"""Games whose module is imported only when they are asked for."""


def names() -> dict[str, type[Game]]:
    """Every ready-made game by its name; the first line of a class's documentation describes it."""
    return GAMES | {name: _on_demand(name) for name in ON_DEMAND}


def by_name(spec: str) -> Game:
    """The game that a spec describes.

    >>> by_name("leduc:ranks=5")
    Leduc(players=2, ranks=5, suits=2, raises=2)
    >>> by_name("liars_dice:dice=2x1,sides=3")
    LiarsDice(dice=(2, 1), sides=3)
    """
    head, _, rest = spec.strip().partition(":")
    if head in GAMES:
        return construct(GAMES[head], head, rest)
    if head in ON_DEMAND:
        return construct(_on_demand(head), head, rest)
    known = [*GAMES, *ON_DEMAND]
    class_name, _, parameters = rest.partition(":")
    if head.endswith(".py") or "/" in head or "\\" in head:
        module = load_file(head)
    elif head and class_name.isidentifier():
        module = load_module(head, known)
    else:
        raise OptionError(f"there is no game named {head!r}: {suggest(head, known)}")
    return found_as(construct(game_class(module, head, class_name), f"{head}:{class_name}", parameters), spec.strip())


def spec_of(game: Game) -> str | None:
    """The shortest spec that `by_name` reads as this very game, or None for a game that is not ready-made.

    >>> spec_of(Leduc(ranks=5)), spec_of(Kuhn()), spec_of(Matrix([[1, -1], [-1, 1]]))
    ('leduc:ranks=5', 'kuhn', 'matrix:((1,-1),(-1,1))')
    """
    kind = type(game)
    places = {(kind.__module__, kind.__qualname__): name for name, kind in GAMES.items()}
    places |= {place: name for name, place in ON_DEMAND.items()}
    name = places.get((kind.__module__, kind.__qualname__))
    if name is None:
        return None
    if on_public_tree(game):
        return game.source  # hold'em, whose constructor takes less than its fields
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


def _on_demand(name: str) -> type[Game]:
    module, class_name = ON_DEMAND[name]
    kind: type[Game] = getattr(importlib.import_module(module), class_name)
    return kind
