"""Dudo: Neller and Hnath, "Approximating Optimal Dudo Play with Fixed-Strategy Iteration CFR" (ACG 2011)."""

# The methods of a game are documented in Game.

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from regretless.compiled import compiled
from regretless.games.claims import ClaimGame, two_hands
from regretless.games.parameters import need_whole

__all__ = ["Dudo"]


@compiled
@dataclass(frozen=True)
class Dudo(ClaimGame):
    """Dudo, one round: raise the claim or say dudo; 1s are wild and claims of them the highest of a quantity.

    More dice than claimed: the challenger loses the difference; as many: one; fewer: the claimant loses the
    difference; a player loses at most the dice that he holds. The payoff is the dice the opponent loses minus
    one's own.

    With recall=m a player remembers only the last m claims, not even whose turn it was to start: both players
    then share their infosets, as in the paper, and the game has imperfect recall. Its states forget as well, so
    that histories which end in the same claims are one position for `rg.FSICFR`. Labels: own dice, then the
    claims: "3", "3 1x2 2x1", "1,6 1x4".
    """

    dice: int | tuple[int, int] = (1, 1)
    sides: int = 6
    recall: int | None = None
    perfect_recall: bool = field(default=True, init=False, repr=False, compare=False)

    challenge = "dudo"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dice", two_hands("Dudo", self.dice))
        self._check_sides("Dudo")
        if self.recall is not None:
            need_whole("Dudo", "last claims", self.recall, least=1, name="recall")
            object.__setattr__(self, "perfect_recall", self.recall >= self._claims)

    @property
    def hands(self) -> tuple[int, int]:
        return self.dice if isinstance(self.dice, tuple) else (self.dice, self.dice)

    @property
    def faces(self) -> tuple[str, ...]:
        return (*(str(face) for face in range(2, self.sides + 1)), "1")

    @cached_property
    def _remembered(self) -> int:
        return self._claims if self.recall is None else self.recall

    def price(self, margin: int, loser: int) -> float:
        return float(min(abs(margin) or 1, self.hands[loser]))

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, hand0, hand1, claims, left = super().play(state, action)
        if not self.perfect_recall:
            kept = self._remembered if mover >= 0 else 1  # the last claim is all that the count needs
            while claims.bit_count() > kept:
                claims &= claims - 1  # forget the lowest, which is the oldest
        return (mover, hand0, hand1, claims, left)

    def remembering(self) -> Dudo:
        return Dudo(self.dice, self.sides)
