"""Games by what people call them: a name with parameters, a class in a file, a Gambit file."""

from __future__ import annotations

from pathlib import Path

from regretless.game import Game, found_as

__all__ = ["find_game"]


def find_game(spec: str) -> Game:
    """The game of a name such as "leduc:ranks=5" or "mygame.py:Guess", or in a Gambit file "mygame.efg"."""
    if spec.strip().lower().endswith(".efg"):
        from regretless.formats.gambit import read_efg

        return found_as(read_efg(Path(spec.strip()).expanduser()), spec.strip())
    if spec.strip().lower().endswith(".toml"):
        from regretless.poker.spot_files import read_spot

        return read_spot(Path(spec.strip()).expanduser())  # type: ignore[return-value]
    from regretless.games import by_name

    return by_name(spec)
