"""Dice games of rising claims: the rules that Dudo and liar's dice share."""

# The methods of a game are documented in Game.

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game, shortened
from regretless.games.parameters import in_digits, need_whole

__all__ = ["ClaimGame", "two_hands"]

MOST_CLAIMS = 1_000
"""All dice times all faces; what may follow each claim is a table with half the square of this number."""


def two_hands(game: str, dice: object) -> tuple[int, int]:
    """How many dice each player holds; one number stands for both."""
    pair = (dice, dice) if isinstance(dice, int) else dice
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise OptionError(f"{game} needs one number of dice for each of two players, got dice={shortened(dice)}")
    first, second = pair
    for held in (first, second):
        if not isinstance(held, int) or isinstance(held, bool) or held < 1:
            raise OptionError(f"{game} needs at least 1 die for each player, got dice={shortened(dice)}")
    return first, second


class ClaimGame(Game):
    """Two players roll in secret and claim in turn how many of all the dice show a face, each above the last.

    Instead of claiming, a player may challenge the last claim, which ends the round. Faces are numbered so
    that claims rise by (quantity, face) and the last face, the wild one, counts for every claim.

    Labels: own dice, then the claims: "3", "3 1x2 2x5", "2,6 1x4". A state is the integers (mover, hand0,
    hand1, claims, left): a hand holds for each face a run of bits that counts it, claims is a bit mask (they
    only rise), left counts the dice still to roll and at the end is the player who challenged. An infoset is
    the pair (hand, claims). Actions: the claims from 0, the challenge, the rolls.
    """

    sides: int

    @property
    @abstractmethod
    def hands(self) -> tuple[int, int]:
        """How many dice each player holds."""

    @property
    @abstractmethod
    def faces(self) -> tuple[str, ...]:
        """How each face is written, in the order of claims; the last one is wild."""

    @property
    @abstractmethod
    def challenge(self) -> str:
        """The name of the action that challenges the last claim."""

    @abstractmethod
    def price(self, margin: int, loser: int) -> float:
        """What a challenge costs its loser; margin is how many dice there are above the quantity claimed."""

    @cached_property
    def _dice(self) -> int:
        return sum(self.hands)

    @cached_property
    def _claims(self) -> int:
        return self._dice * self.sides

    @cached_property
    def _options(self) -> tuple[tuple[int, ...], ...]:
        """What may be done after claim number c is entry c + 1; at first there is nothing to challenge."""
        count = self._claims
        return (tuple(range(count)), *(tuple(range(last, count + 1)) for last in range(1, count + 1)))

    @cached_property
    def _rolls(self) -> tuple[int, ...]:
        return tuple(range(self._claims + 1, self._claims + 1 + self.sides))

    @cached_property
    def _bits(self) -> int:
        return self._dice.bit_length()

    @cached_property
    def _faces(self) -> tuple[str, ...]:
        return self.faces

    @cached_property
    def _claim_labels(self) -> tuple[str, ...]:
        return tuple(f"{quantity + 1}x{face}" for quantity in range(self._dice) for face in self.faces)

    def root(self) -> tuple[int, ...]:
        return (CHANCE, 0, 0, 0, self._dice)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return self._rolls if state[0] == CHANCE else self._options[state[3].bit_length()]

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, hand0, hand1, claims, left = state
        if left:
            die = 1 << self._bits * (action - self._claims - 1)
            mover = CHANCE if left > 1 else 0
            if left > self.hands[1]:
                return (mover, hand0 + die, hand1, 0, left - 1)
            return (mover, hand0, hand1 + die, 0, left - 1)
        if action == self._claims:
            return (TERMINAL, hand0, hand1, claims, mover)
        return (1 - mover, hand0, hand1, claims | 1 << action, 0)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int]:
        return (state[1 + state[0]], state[3])

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        _, hand0, hand1, claims, challenger = state
        quantity, face = divmod(claims.bit_length() - 1, self.sides)
        dice, bits = hand0 + hand1, self._bits
        wild = dice >> bits * (self.sides - 1)
        count = wild if face == self.sides - 1 else wild + (dice >> bits * face & (1 << bits) - 1)
        margin = count - quantity - 1
        loser = challenger if margin >= 0 else 1 - challenger
        price = self.price(margin, loser)
        return (price, -price) if loser else (-price, price)

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        (hand, claims), bits = infoset, self._bits
        dice = [face for place, face in enumerate(self._faces) for _ in range(hand >> bits * place & (1 << bits) - 1)]
        claimed = [self.action_label(claim) for claim in range(claims.bit_length()) if claims >> claim & 1]
        return " ".join([",".join(sorted(dice, key=int)), *claimed])

    def action_label(self, action: int) -> str:
        if action < self._claims:
            return self._claim_labels[action]
        return self.challenge if action == self._claims else f"roll {self.faces[action - self._claims - 1]}"

    def _check_sides(self, game: str) -> None:
        need_whole(game, "sides", self.sides, least=2, most=MOST_CLAIMS)
        if self._claims > MOST_CLAIMS:
            raise OptionError(
                f"{game} takes at most {MOST_CLAIMS:,} claims, got {in_digits(self._dice)} dice of {self.sides} sides"
            )
