"""Liar's poker: rules as in OpenSpiel, except that the digit 0 counts."""

# What the methods of a game mean is said once, in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, factorial, prod

from regretless.compiled import compiled
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games.parameters import need_whole

__all__ = ["LiarsPoker"]

WORDS = 5
"""Numbers of 64 bits that the history of bids is kept in."""

MOST_HANDS = 100_000


@compiled
@dataclass(frozen=True)
class LiarsPoker(Game):
    """Liar's poker: each holds a number of `length` digits, and all bid in turn how often a digit occurs in them.

    Digits are 1 to `digits`, a tenth one is 0. A bid must be above the last one: a higher digit, or more of any.
    Instead of bidding a player may challenge. When all others have challenged, the bidder may bid once more (a rebid),
    or challenge too, which has the digits counted. After a rebid they are counted once all others challenge again. A
    bid that holds wins 1 from each of the others, else the bidder pays 1 to each.

    Labels: the player, the own digits, then bids, count x digit, and c for a challenge: "P0 13", "P1 22 1x3 c 2x1".
    """

    players: int = 2
    digits: int = 3
    length: int = 1

    def __post_init__(self) -> None:
        need_whole("Liar's poker", "players", self.players, least=2, most=10)
        need_whole("Liar's poker", "digits", self.digits, least=1, most=10)
        need_whole("Liar's poker", "digits in each number", self.length, least=1, most=10, name="length")
        hands = comb(self.length + self.digits - 1, self.length)
        if hands > MOST_HANDS or hands**self.players >= 2**62 or self._bids > WORDS * self._bids_in_word:
            raise OptionError(
                f"Liar's poker with players={self.players}, digits={self.digits} and length={self.length} has "
                f"{self._bids} bids and {hands:,} different hands, too many for 64-bit numbers: make one smaller"
            )

    # A state is the integers (mover, hands, dealt, bid, bidder, challenges, rebid) and the words of the history: the
    # hands by number, as digits; how many are dealt; the last bid, or −1, and who made it; challenges since; whether it
    # is a rebid. The history has one digit for each possible bid: 0 if it was not made, else one more than the
    # challenges before it. Actions are to challenge, the bids, and the hands that chance deals.

    @cached_property
    def _bids(self) -> int:
        return self.players * self.length * self.digits

    @cached_property
    def _bids_in_word(self) -> int:
        """Digits to base players + 1 that fit into 62 bits."""
        count = 0
        while (self.players + 1) ** (count + 1) < 2**62:
            count += 1
        return count

    @cached_property
    def _held(self) -> tuple[tuple[int, ...], ...]:
        """[hands, digits] how often each digit occurs in each hand."""
        hands = combinations_with_replacement(range(self.digits), self.length)
        return tuple(tuple(hand.count(digit) for digit in range(self.digits)) for hand in hands)

    @cached_property
    def _count(self) -> int:
        return len(self._held)

    @cached_property
    def _probability(self) -> tuple[float, ...]:
        """[hands] of being dealt, each digit alike."""
        orders = [factorial(self.length) // prod(map(factorial, held)) for held in self._held]
        return tuple(count / self.digits**self.length for count in orders)

    def _hand(self, hands: int, player: int) -> int:
        for _ in range(self.players - 1 - player):
            hands //= self._count
        return hands % self._count

    def root(self) -> tuple[int, ...]:
        return (CHANCE, 0, 0, -1, -1, 0, 0, 0, 0, 0, 0, 0)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, bid, bidder, rebid = state[0], state[3], state[4], state[6]
        if mover == CHANCE:
            return tuple([1 + self._bids + hand for hand in range(self._count)])
        last = self._bids if mover != bidder or rebid == 0 else -1
        return tuple([call for call in range(1 + self._bids) if (call == 0 and bid >= 0) or bid + 1 < call <= last])

    def chance(self, state: tuple[int, ...]) -> list[float]:
        return list(self._probability)

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, hands, dealt, bid, bidder, challenges, rebid, w0, w1, w2, w3, w4 = state
        players = self.players
        if mover == CHANCE:
            hands = hands * self._count + action - 1 - self._bids
            return (CHANCE if dealt + 1 < players else 0, hands, dealt + 1, -1, -1, 0, 0, 0, 0, 0, 0, 0)
        following = (mover + 1) % players
        if action == 0:
            challenges += 1
            counted = challenges == (players - 1 if rebid else players)
            mover = TERMINAL if counted else following
            return (mover, hands, dealt, bid, bidder, challenges, rebid, w0, w1, w2, w3, w4)
        rebid, bid, bidder = int(mover == bidder), action - 1, mover
        word, place = divmod(bid, self._bids_in_word)
        digit = (challenges + 1) * (players + 1) ** place
        w0 += digit * (word == 0)
        w1 += digit * (word == 1)
        w2 += digit * (word == 2)
        w3 += digit * (word == 3)
        w4 += digit * (word == 4)
        return (following, hands, dealt, bid, bidder, 0, rebid, w0, w1, w2, w3, w4)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, hands, _, _, _, challenges, _, w0, w1, w2, w3, w4 = state
        return (self._hand(hands, mover) * self.players + challenges, w0, w1, w2, w3, w4)

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, ...]:
        _, hands, _, bid, bidder, _, _, _, _, _, _, _ = state
        count, digit = bid // self.digits + 1, bid % self.digits
        found = 0
        for player in range(self.players):
            found += self._held[self._hand(hands, player)][digit]
        won = 1.0 if found >= count else -1.0
        return tuple([won * (self.players - 1) if player == bidder else -won for player in range(self.players)])

    def infoset_label(self, infoset: tuple[int, ...]) -> str:
        hand, challenges = divmod(infoset[0], self.players)
        digits = [self._digit(digit) * count for digit, count in enumerate(self._held[hand])]
        calls = []
        for bid in range(self._bids):
            word, place = divmod(bid, self._bids_in_word)
            before = infoset[1 + word] // (self.players + 1) ** place % (self.players + 1)
            calls += ["c"] * (before - 1) + [self.action_label(bid + 1)] if before else []
        calls += ["c"] * challenges
        return " ".join([f"P{len(calls) % self.players}", "".join(digits), *calls])

    def action_label(self, action: int) -> str:
        if action == 0:
            return "challenge"
        if action > self._bids:
            held = self._held[action - 1 - self._bids]
            return "".join(self._digit(digit) * count for digit, count in enumerate(held))
        count, digit = divmod(action - 1, self.digits)
        return f"{count + 1}x{self._digit(digit)}"

    def _digit(self, digit: int) -> str:
        return str((digit + 1) % 10)
