"""Liar's dice with the rules of OpenSpiel's `liars_dice`."""

# The methods of a game are documented in Game.

from __future__ import annotations

from dataclasses import dataclass

from regretless.compiled import compiled
from regretless.games.claims import ClaimGame, two_hands

__all__ = ["LiarsDice"]


@compiled
@dataclass(frozen=True)
class LiarsDice(ClaimGame):
    """Liar's dice: raise the claim or call the liar; the highest face is wild, the loser pays 1.

    Claims rise by (quantity, face). Labels: own dice, then the claims: "3", "3 1x2 2x5", "2,6 1x4".
    """

    dice: int | tuple[int, int] = (1, 1)
    sides: int = 6

    challenge = "liar"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dice", two_hands("Liar's dice", self.dice))
        self._check_sides("Liar's dice")

    @property
    def hands(self) -> tuple[int, int]:
        return self.dice if isinstance(self.dice, tuple) else (self.dice, self.dice)

    @property
    def faces(self) -> tuple[str, ...]:
        return tuple(str(face) for face in range(1, self.sides + 1))

    def price(self, margin: int, loser: int) -> float:
        return 1.0
