"""Liar Die: Neller and Lanctot, "An Introduction to Counterfactual Regret Minimization" (2013), §5."""

# The methods of a game are documented in Game.

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from regretless.compiled import compiled
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games.parameters import need_whole

__all__ = ["LiarDie"]

DOUBT, ACCEPT = 0, 1


@compiled
@dataclass(frozen=True)
class LiarDie(Game):
    """Liar Die: roll a die in secret and claim more than was last accepted; the other player doubts or accepts.

    Doubt ends the game: the claimer wins 1 if the roll is at least the claim and loses 1 if not. A player who accepts
    takes the die, rolls it again and claims in turn. The highest claim must be doubted. Player 0 begins.

    With recall=m a player who is asked remembers the last m claims, one who claims the last m − 1 (at least the one
    to be beaten) and the present roll, and both players share their infosets. Since the die is rolled again, recall=2
    loses nothing.

    Labels are what a player has seen, own rolls before a stroke: "3/?" to claim with a roll of 3, "4?" to be asked
    whether one believes 4, "3/4 5 2/?" to claim with a 2 after 5 was accepted. A state is the integers (mover, claimer,
    claims, rolls of player 0, rolls of player 1): claims is a bit mask, rolls are digits. Actions: doubt, accept, the
    claims, the rolls.
    """

    sides: int = 6
    recall: int | None = None
    perfect_recall: bool = field(default=True, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        need_whole("LiarDie", "sides", self.sides, least=2, most=1_000)
        if self.recall is not None:
            need_whole("LiarDie", "last claims", self.recall, least=1, name="recall")
            object.__setattr__(self, "perfect_recall", False)

    def remembering(self) -> LiarDie:
        return LiarDie(self.sides)

    @cached_property
    def _asked(self) -> int:
        """How many claims a player remembers who is asked."""
        return self.sides if self.recall is None else self.recall

    @cached_property
    def _claiming(self) -> int:
        """How many claims a player remembers who claims."""
        return max(self._asked - 1, 1)

    @cached_property
    def _options(self) -> tuple[tuple[int, ...], ...]:
        """What may be claimed after claim number c is entry c."""
        return tuple(tuple(range(ACCEPT + 1 + last, ACCEPT + 1 + self.sides)) for last in range(self.sides))

    @cached_property
    def _rolls(self) -> tuple[int, ...]:
        return tuple(range(self.sides + 2, 2 * self.sides + 2))

    @cached_property
    def _answers(self) -> tuple[tuple[int, ...], ...]:
        """What may be answered to any claim, and to the highest."""
        return ((DOUBT, ACCEPT), (DOUBT,))

    def root(self) -> tuple[int, ...]:
        return (CHANCE, 0, 0, 0, 0)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, claimer, claims, _, _ = state
        if mover == CHANCE:
            return self._rolls
        if mover == claimer:
            return self._options[claims.bit_length()]
        return self._answers[1 if claims.bit_length() == self.sides else 0]

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, claimer, claims, rolls0, rolls1 = state
        if mover == CHANCE:
            roll = action - self.sides - 1
            if claimer == 0:
                return (0, 0, claims, rolls0 * (self.sides + 1) + roll, rolls1)
            return (1, 1, claims, rolls0, rolls1 * (self.sides + 1) + roll)
        if mover == claimer:
            claims |= 1 << (action - ACCEPT - 1)
            return (1 - claimer, claimer, self._kept(claims, self._asked), rolls0, rolls1)
        if action == DOUBT:
            return (TERMINAL, claimer, self._kept(claims, 1), rolls0, rolls1)
        if self.perfect_recall:
            return (CHANCE, 1 - claimer, claims, rolls0, rolls1)
        return (CHANCE, 1 - claimer, self._kept(claims, self._claiming), 0, 0)

    def _kept(self, claims: int, last: int) -> int:
        """The last claims, which are the highest; all of them where nothing is forgotten."""
        if not self.perfect_recall:
            while claims.bit_count() > last:
                claims &= claims - 1
        return claims

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int]:
        mover, claimer, claims, rolls0, rolls1 = state
        asked = 1 if mover != claimer else 0
        own = rolls0 if mover == 0 else rolls1
        return (own, 2 * claims + asked)

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        _, claimer, claims, rolls0, rolls1 = state
        roll = (rolls1 if claimer else rolls0) % (self.sides + 1)
        honest = roll >= claims.bit_length()
        return (1.0, -1.0) if honest == (claimer == 0) else (-1.0, 1.0)

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        own, seen = infoset
        claims, asked = seen >> 1, seen & 1
        said = [str(number + 1) for number in range(claims.bit_length()) if claims >> number & 1]
        rolls: list[int] = []
        while own:
            own, roll = divmod(own, self.sides + 1)
            rolls.insert(0, roll)
        if asked:
            said[-1] += "?"
        else:
            said.append("?")
        if self.perfect_recall:  # own claims are every other one, and the last but one of a player who is asked
            first = (len(said) - 1 - asked) % 2
            for number, roll in enumerate(rolls):
                said[first + 2 * number] = f"{roll}/{said[first + 2 * number]}"
        elif rolls:
            said[-1] = f"{rolls[-1]}/?"
        return " ".join(said)

    def action_label(self, action: int) -> str:
        if action <= ACCEPT:
            return ("doubt", "accept")[action]
        return str(action - ACCEPT) if action <= self.sides + 1 else f"roll {action - self.sides - 1}"
