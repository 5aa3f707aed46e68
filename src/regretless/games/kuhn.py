"""Kuhn poker: Kuhn, "A simplified two-person poker" (1950); for more players as in OpenSpiel."""

# The methods of a game are documented in Game.

from __future__ import annotations

from dataclasses import dataclass

from regretless.compiled import compiled
from regretless.games.one_card_poker import OneBetPoker
from regretless.games.parameters import need_whole

__all__ = ["Kuhn"]


@compiled
@dataclass(frozen=True)
class Kuhn(OneBetPoker):
    """Kuhn poker: one card each of players + 1, ante 1, and a single bet of 1 to pass, make, call or fold.

    Labels: the mover's card and what has been done, "K", "Qp", "Jpb"; actions 'pass' and 'bet', which are
    also fold and call.
    """

    players: int = 2

    def __post_init__(self) -> None:
        need_whole("Kuhn", "players", self.players, least=2, most=10)

    @property
    def cards(self) -> int:
        return self.players + 1
