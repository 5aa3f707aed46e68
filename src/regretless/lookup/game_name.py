"""What runs and tables call a game."""

from __future__ import annotations

from typing import Any

from regretless.problem import opens_itself

__all__ = ["name_of"]


def name_of(game: Any) -> str:
    """What runs and tables call a game: its specification where it has one that can be read back, else its class."""
    source = getattr(game, "source", None)
    if opens_itself(game):
        return str(source or type(game).__name__)
    from regretless.games.registry import spec_of  # all games, which a solve of hold'em does not need

    return spec_of(game) or source or type(game).__name__
