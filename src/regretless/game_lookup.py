"""Games by what people call them: a name with parameters, a class in a file, or a file that describes one."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from regretless.game import Game, found_as

__all__ = ["find_game"]


def find_game(spec: str) -> Game:
    """The game of a name such as "leduc:ranks=5" or "mygame.py:Guess", or in a file.

    Files are Gambit's (mygame.efg), spots of hold'em (spot.toml) and definitions of the Annual Computer Poker
    Competition (holdem.game).
    """
    name = spec.strip()
    path = Path(name).expanduser()
    if name.lower().endswith(".efg"):
        from regretless.formats.gambit import read_efg

        return found_as(read_efg(path), name)
    if name.lower().endswith(".toml"):
        from regretless.poker.formats.spot_files import read_spot

        return found_as(cast(Game, read_spot(path)), name)
    if name.lower().endswith(".game"):
        from regretless.poker.formats.acpc_games import read_public_game

        return found_as(cast(Game, read_public_game(path)), name)
    from regretless.games import by_name

    return by_name(spec)
