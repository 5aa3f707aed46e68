"""Games by what people call them: a name with parameters, a class in a file, or a file that describes one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from regretless.errors import OptionError
from regretless.game import Game, found_as
from regretless.games.registry import add_game, by_name, is_known, names
from regretless.games.spelling import construct
from regretless.lookup.plugins import all_plugins, plugin
from regretless.problem import opens_itself

__all__ = ["find_game", "game_names"]

FILE_WITH_BUCKETS = re.compile(r"(.+\.(?:game|toml)):abstraction=(.+)", re.IGNORECASE)


def _flop_holdem() -> type[Any]:
    from regretless.poker.games import FlopHoldem

    return FlopHoldem


def _limit_holdem() -> type[Any]:
    from regretless.poker.whole_games import LimitHoldem

    return LimitHoldem


def _no_limit_holdem() -> type[Any]:
    from regretless.poker.whole_games import Holdem

    return Holdem


add_game("fhp", _flop_holdem)
add_game("hulh", _limit_holdem)
add_game("hunl", _no_limit_holdem)


def find_game(spec: str) -> Any:
    """The game of a name such as "leduc:ranks=5" or "mygame.py:Guess", or in a file.

    Files are Gambit's (mygame.efg), spots of hold'em (spot.toml) and definitions of the Annual Computer Poker
    Competition (holdem.game). The last two take a card abstraction in a file: "holdem.game:abstraction=a.abs".
    Installed packages add names through the entry points `regretless.games`.
    """
    name = spec.strip()
    if with_buckets := FILE_WITH_BUCKETS.fullmatch(name):
        return found_as(_abstracted(*with_buckets.groups()), name)
    path, (head, _, parameters) = Path(name).expanduser(), name.partition(":")
    ending = "" if parameters and is_known(head) else path.suffix.lower()  # a parameter may be a file
    if ending == ".efg":
        from regretless.formats.gambit import read_efg

        return found_as(read_efg(path), name)
    if ending == ".toml":
        from regretless.poker.formats.spot_files import read_spot

        return found_as(read_spot(path), name)
    if ending == ".game":
        from regretless.poker.formats.acpc_games import read_public_game

        return found_as(read_public_game(path), name)
    if not is_known(head) and (added := plugin("regretless.games", head)) is not None:
        return found_as(_made(head, added, parameters), name)
    return by_name(spec)


def _abstracted(file: str, abstraction: str) -> Any:
    """A game of hold'em in a file, with a card abstraction in another one."""
    from regretless.poker.abstraction.bucketed_tree import with_abstraction
    from regretless.poker.whole_games import opened_abstraction

    used = opened_abstraction(abstraction)
    game = find_game(file)
    assert used is not None
    used.check_game(game)
    return with_abstraction(game, used)


def _made(name: str, added: Any, parameters: str) -> Any:
    """A game of another package: a class is constructed with the parameters, an object is taken as it is."""
    if isinstance(added, type) and issubclass(added, Game):
        return construct(added, name, parameters)
    game = added(**{}) if callable(added) and not isinstance(added, Game) and not opens_itself(added) else added
    if parameters:
        raise OptionError(f"the game {name!r} takes no parameters, got {parameters!r}")
    if not isinstance(game, Game) and not opens_itself(game):
        raise OptionError(f"the entry point of {name!r} is no game: {game!r} of type {type(game).__name__}")
    return game


def game_names() -> dict[str, Any]:
    """Every game by its name, ready-made or of an installed package."""
    return {**names(), **all_plugins("regretless.games")}
