"""Goofspiel, the game of pure strategy: Ross, "Goofspiel" (1971); rules and payoffs as in OpenSpiel."""

# The methods of a game are documented in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from regretless.compiled import compiled
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games.parameters import need_whole

__all__ = ["Goofspiel"]

ORDERS = ("descending", "ascending", "random")


@compiled
@dataclass(frozen=True)
class Goofspiel(Game):
    """Goofspiel: both bid a card from 1 to n for each prize, the higher card takes it, more points win 1.

    Equal bids discard the prize; the last cards are played by themselves. Prizes come in the order of
    `points`: "descending", "ascending", "random" (chance turns the next one up) or a tuple of their values.
    With hidden=True only who won a prize is seen, not the other's bid.

    Labels: the player, then prize:bid and how it went (+ won, - lost, = equal) for each round, then the prize
    to bid for: "P0 4", "P1 4:3+ 3:1- 2"; with open bids "P1 4:3/2 3:1/4 2", own bid first.
    """

    cards: int = 4
    hidden: bool = True
    points: str | tuple[int, ...] = "descending"

    def __post_init__(self) -> None:
        need_whole("Goofspiel", "cards", self.cards, least=2, most=13)
        if not isinstance(self.hidden, bool):
            raise OptionError(f"Goofspiel needs hidden to be True or False, got hidden={self.hidden!r}")
        if isinstance(self.points, str):
            if self.points not in ORDERS:
                raise OptionError(
                    f"Goofspiel knows the point orders {', '.join(ORDERS)} or a tuple of values, "
                    f"got points={self.points!r}"
                )
            return
        object.__setattr__(self, "points", tuple(self.points))
        if len(self.points) != self.cards or not all(isinstance(prize, int) and prize > 0 for prize in self.points):
            raise OptionError(
                f"Goofspiel with {self.cards} cards needs {self.cards} whole prizes above 0, got points={self.points}"
            )

    # A state is the integers (mover, prize, deck, hand0, hand1, bid, lead, view0, view1, turned): the prize up
    # for bids; bit masks of the prizes chance may still turn up and of the cards in hand; player 0's bid, which
    # player 1 does not see; player 0's points minus player 1's; what each player has seen of the bids, as the
    # digits of a number that starts with 2 or 3, so that it names the player too; and the prizes that chance
    # has turned up, digits again. An infoset is the pair (view, turned).

    @cached_property
    def _prizes(self) -> tuple[int, ...]:
        """The prizes in their order, or, where chance orders them, nothing."""
        if isinstance(self.points, tuple):
            return self.points
        rising = tuple(range(1, self.cards + 1))
        return {"ascending": rising, "descending": rising[::-1], "random": ()}[self.points]

    @cached_property
    def _ordered(self) -> bool:
        return self.points != "random"

    @cached_property
    def _radix(self) -> int:
        return 3 * (self.cards + 1) if self.hidden else (self.cards + 1) ** 2

    @cached_property
    def _cards_of(self) -> tuple[tuple[int, ...], ...]:
        """The cards of each hand, by its bit mask."""
        ranks = range(1, self.cards + 1)
        return tuple(tuple(card for card in ranks if hand >> card & 1) for hand in range(2 << self.cards))

    def root(self) -> tuple[int, ...]:
        hand = (2 << self.cards) - 2
        if self._ordered:
            return (0, self._prizes[0], 0, hand, hand, 0, 0, 2, 3, 0)
        return (CHANCE, 0, hand, hand, hand, 0, 0, 2, 3, 0)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def public(self, state: tuple[int, ...]) -> bool:
        return state[0] == CHANCE

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover = state[0]
        if mover == CHANCE:
            return tuple([self.cards + prize for prize in self._cards_of[state[2]]])
        return self._cards_of[state[3 + mover]]

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, prize, deck, hand0, hand1, bid, lead, view0, view1, turned = state
        if mover == 0:
            return (1, prize, deck, hand0, hand1, action, lead, view0, view1, turned)
        if mover == CHANCE:
            prize = action - self.cards
            turned = turned * (self.cards + 1) + prize
            return (0, prize, deck ^ 1 << prize, hand0, hand1, 0, lead, view0, view1, turned)
        gain = (bid > action) - (bid < action)
        lead += gain * prize
        hand0 ^= 1 << bid
        hand1 ^= 1 << action
        if hand0 & (hand0 - 1) == 0:  # one card left: it goes against the other's last
            prize = self._prizes[-1] if self._ordered else deck.bit_length() - 1
            lead += ((hand0 > hand1) - (hand0 < hand1)) * prize
            return (TERMINAL, 0, 0, 0, 0, 0, lead, 0, 0, 0)
        radix = self._radix
        if self.hidden:
            view0 = view0 * radix + 3 * bid + 1 + gain
            view1 = view1 * radix + 3 * action + 1 - gain
        else:
            view0 = view0 * radix + bid * (self.cards + 1) + action
            view1 = view1 * radix + action * (self.cards + 1) + bid
        if self._ordered:
            return (0, self._prizes[-hand0.bit_count()], 0, hand0, hand1, 0, lead, view0, view1, 0)
        return (CHANCE, 0, deck, hand0, hand1, 0, lead, view0, view1, turned)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int]:
        return (state[7 + state[0]], state[9])

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        lead = state[6]
        return (1.0, -1.0) if lead > 0 else (-1.0, 1.0) if lead < 0 else (0.0, 0.0)

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        (who, *bids), radix = _digits(infoset[0], self._radix), self.cards + 1
        prizes = self._prizes if self._ordered else _digits(infoset[1], radix)
        words = [f"P{who - 2}"]
        for prize, digit in zip(prizes, bids, strict=False):
            if self.hidden:
                words.append(f"{prize}:{digit // 3}{'-=+'[digit % 3]}")
            else:
                words.append("{}:{}/{}".format(prize, *divmod(digit, radix)))
        return " ".join([*words, str(prizes[len(bids)])])

    def action_label(self, action: int) -> str:
        return str(action) if action <= self.cards else f"prize {action - self.cards}"


def _digits(number: int, radix: int) -> tuple[int, ...]:
    digits = []
    while number:
        number, digit = divmod(number, radix)
        digits.append(digit)
    return tuple(reversed(digits))
