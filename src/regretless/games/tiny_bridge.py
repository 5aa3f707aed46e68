"""Tiny bridge, two suits of four cards: rules, scores and hand buckets as in OpenSpiel (by Edward Lockhart)."""

# What the methods of a game mean is said once, in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from regretless.compiled import compiled
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game

__all__ = ["TinyBridge"]

PASS, DOUBLE, REDOUBLE, DEAL = 0, 7, 8, 9
"""Calls; 1 to 6 are the bids 1H, 1S, 1NT, 2H, 2S, 2NT. Dealing hand h is action DEAL + h."""

CALLS = ("pass", "1H", "1S", "1NT", "2H", "2S", "2NT", "double", "redouble")
CARDS = ("HJ", "HQ", "HK", "HA", "SJ", "SQ", "SK", "SA")
HANDS = tuple(sorted((high, low) for low, high in combinations(range(8), 2)))
"""The 28 hands: (higher card, lower card)."""

BUCKETS = (
    "SAHA", "SJHA SKHA SQHA", "SAHJ SAHK SAHQ", "SJHJ SJHK SJHQ SKHJ SKHK SKHQ SQHJ SQHK SQHQ",
    "HAHK HAHQ", "HKHJ HKHQ", "HAHJ", "HQHJ", "SASK SASQ", "SKSJ SKSQ", "SASJ", "SQSJ",
)  # fmt: skip
"""Hands that the abstracted game does not tell apart: of a single card in a suit only the ace counts, AK is AQ, and
KQ is KJ."""


def _name(hand: int) -> str:
    return "".join(CARDS[card] for card in HANDS[hand])


@cache
def _tricks() -> npt.NDArray[np.int64]:
    """[28, 28, 28, 3, 4] tricks of West and East with all cards known, by the hands of West, North and East, trumps
    (H, S, none) and the seat that leads. Both sides play their best: minimax, whole arrays of deals at a time."""
    number: dict[tuple[int, ...], int] = {hand: index for index, hand in enumerate(HANDS)}
    deals = [
        (*three, tuple(sorted({*range(8)}.difference(*three), reverse=True)))
        for three in product(HANDS, repeat=3)
        if len(set().union(*three)) == 6
    ]
    table = np.zeros((28, 28, 28, 3, 4), np.int64)
    west, north, east = (np.array([number[deal[seat]] for deal in deals]) for seat in range(3))
    hands = np.array(deals)  # [deals, seats, 2]
    for trumps in range(3):
        for leader in range(4):
            table[west, north, east, trumps, leader] = _played_out(hands, trumps, leader)
    return table


def _played_out(hands: npt.NDArray[np.int64], trumps: int, leader: int) -> npt.NDArray[np.int64]:
    """[deals] tricks of seats 0 and 2. In two tricks each seat chooses once: which of its two cards it plays first."""
    deals = len(hands)
    order = [(leader + turn) % 4 for turn in range(4)]
    result: npt.NDArray[np.int64] = np.zeros((deals, 2, 2, 2, 2), np.int64)  # by choices in order of play
    legal: npt.NDArray[np.bool_] = np.ones((deals, 2, 2, 2, 2), bool)
    for choices in np.ndindex(2, 2, 2, 2):
        first = np.stack([hands[:, seat, choice] for seat, choice in zip(order, choices, strict=True)], axis=1)
        second = np.stack([hands[:, seat, 1 - choice] for seat, choice in zip(order, choices, strict=True)], axis=1)
        led = first[:, :1] // 4
        follows = (first[:, 1:] // 4 == led) | (second[:, 1:] // 4 != led)
        legal[(slice(None), *choices)] = follows.all(axis=1)
        winner = _winner(first, trumps)
        again = np.take_along_axis(second, (winner[:, None] + np.arange(4)) % 4, axis=1)
        last = (winner + _winner(again, trumps)) % 4
        seats = np.array(order)
        result[(slice(None), *choices)] = (seats[winner] % 2 == 0).astype(int) + (seats[last] % 2 == 0)
    for turn in (3, 2, 1, 0):
        best, worst = (np.maximum, -1) if order[turn] % 2 == 0 else (np.minimum, 3)
        result = best.reduce(np.where(legal, result, worst), axis=turn + 1)
        legal = np.asarray(legal.any(axis=turn + 1))
    return result


def _winner(cards: npt.NDArray[np.int64], trumps: int) -> npt.NDArray[np.int64]:
    """[deals] who of four wins a trick, by order of play: the highest trump, else the highest card of the suit led."""
    suits = cards // 4
    strength = np.where(suits == trumps, 8, np.where(suits == suits[:, :1], 4, 0)) + cards % 4
    return np.asarray(np.argmax(strength, axis=1))


def _score(bid: int, tricks: npt.NDArray[np.int64], factor: int) -> npt.NDArray[np.int64]:
    """What the side of the last bidder scores: 10 a trick, 10 more for a contract of two, 5 more without trumps;
    −20 for each trick short of it."""
    level = 1 + (bid - 1) // 3
    made = 10 * tricks + 10 * (level == 2) + 5 * (bid == 6)
    return np.asarray(factor * np.where(tricks < level, 20 * (tricks - level), made))


@compiled
@dataclass(frozen=True)
class TinyBridge(Game):
    """Tiny bridge: two cards each of eight, a real auction, and the play replaced by its result with open cards.

    With four players West, North, East and South bid in turn; West and East play against North and South, with doubles
    and redoubles. With two, only West and East bid, and both win the mean score over the others' hands: a game of
    pure cooperation. With abstracted=True (two players) the 28 hands are told apart as 12 buckets only. As in
    OpenSpiel, the last bidder is declarer, and the seat before it leads.

    Labels: the own cards (or bucket), then all calls: "SAHK", "SAHK pass 1H". Calls are pass, 1H, 1S, 1NT, 2H, 2S, 2NT,
    double and redouble.
    """

    players: int = 2
    abstracted: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.players, bool) or self.players not in (2, 4):
            raise OptionError(f"Tiny bridge is for 2 or 4 players, got players={self.players!r}")
        if not isinstance(self.abstracted, bool):
            raise OptionError(f"Tiny bridge needs abstracted to be True or False, got abstracted={self.abstracted!r}")
        if self.abstracted and self.players == 4:
            raise OptionError("Tiny bridge is abstracted for 2 players only, got players=4 and abstracted=True")

    # A state is the integers (mover, cards, dealt, line, passes, bid, bidder, doubled): the hands, 5 bits each; the
    # number of hands dealt; the auction; passes since the last other call; the last bid (0 for none) and who made it;
    # 0, 1 or 2 for a double and a redouble. Bids and their doubles can only come in one order, 18 calls, so the auction
    # is a number of 18 digits to base 5: 0 for a call that was not made, else one more than the passes before it.

    @cached_property
    def _bucket(self) -> tuple[int, ...]:
        """[28] what a player knows of its own hand."""
        if not self.abstracted:
            return tuple(range(28))
        return tuple(next(i for i, bucket in enumerate(BUCKETS) if _name(hand) in bucket.split()) for hand in range(28))

    @cached_property
    def _scores(self) -> npt.NDArray[np.int64]:
        """[28, 28, 28, 6, 4] score of West and East where a bid is the last and made by a seat, not doubled."""
        tricks, scores = _tricks(), np.zeros((28, 28, 28, 6, 4), np.int64)
        for bid in range(1, 7):
            for bidder in range(4):
                won = tricks[..., (bid - 1) % 3, (bidder + 3) % 4]
                mine = _score(bid, won, 1) if bidder % 2 == 0 else -_score(bid, 2 - won, 1)
                scores[..., bid - 1, bidder] = mine
        return scores

    @cached_property
    def _mean_scores(self) -> npt.NDArray[np.float64]:
        """[28, 28, 6, 2] the mean over the hands of North and South, by the hands of West and East."""
        held = [len(set().union(*three)) == 6 for three in product(HANDS, repeat=3)]
        possible = np.array(held).reshape(28, 28, 28)
        scores = self._scores[..., [0, 2]] * possible[..., None, None]
        return np.asarray(scores.sum(axis=1) / 6.0)

    def _hand(self, cards: int, player: int) -> int:
        return cards >> 5 * player & 31

    def _free(self, hand: int, cards: int, dealt: int) -> bool:
        """Whether no card of a hand has been dealt."""
        for player in range(dealt):
            held = self._hand(cards, player)
            for mine in range(2):
                for other in range(2):
                    if HANDS[hand][mine] == HANDS[held][other]:
                        return False
        return True

    def root(self) -> tuple[int, ...]:
        return (CHANCE, 0, 0, 0, 0, 0, -1, 0)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, cards, dealt, _, _, bid, bidder, doubled = state
        if mover == CHANCE:
            return tuple([DEAL + hand for hand in range(28) if self._free(hand, cards, dealt)])
        other = self.players == 4 and bid > 0 and (mover - bidder) % 2 == 1
        own = self.players == 4 and bid > 0 and (mover - bidder) % 2 == 0
        return tuple(
            [
                call
                for call in range(9)
                if call == PASS
                or (bid < call < DOUBLE)
                or (call == DOUBLE and other and doubled == 0)
                or (call == REDOUBLE and own and doubled == 1)
            ]
        )

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, cards, dealt, line, passes, bid, bidder, doubled = state
        players = self.players
        if mover == CHANCE:
            cards |= (action - DEAL) << 5 * dealt
            return (CHANCE if dealt + 1 < players else 0, cards, dealt + 1, 0, 0, 0, -1, 0)
        following = (mover + 1) % players
        if action == PASS:
            passes += 1
            over = passes == (players if bid == 0 else players - 1)
            return (TERMINAL if over else following, cards, dealt, line, passes, bid, bidder, doubled)
        if action < DOUBLE:
            bid, bidder, doubled = action, mover, 0
        else:
            doubled += 1
        line += (passes + 1) * 5 ** (3 * (bid - 1) + doubled)
        return (following, cards, dealt, line, 0, bid, bidder, doubled)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int]:
        mover, cards, _, line, passes, _, _, _ = state
        return (self._bucket[self._hand(cards, mover)], 4 * line + passes)

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, ...]:
        _, cards, _, _, _, bid, bidder, doubled = state
        score = 0.0
        if bid > 0 and self.players == 2:
            score = self._mean_scores[self._hand(cards, 0), self._hand(cards, 1), bid - 1, bidder]
        elif bid > 0:
            west, north, east = self._hand(cards, 0), self._hand(cards, 1), self._hand(cards, 2)
            score = 1.0 * self._scores[west, north, east, bid - 1, bidder] * (1 << doubled)
        return tuple([score if self.players == 2 or player % 2 == 0 else -score for player in range(self.players)])

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        own, (line, passes) = infoset[0], divmod(infoset[1], 4)
        words = [BUCKETS[own].replace(" ", "/") if self.abstracted else _name(own)]
        for bid in range(1, 7):
            for call in (bid, DOUBLE, REDOUBLE):
                line, digit = divmod(line, 5)
                words += ["pass"] * (digit - 1) + [CALLS[call]] if digit else []
        return " ".join([*words, *["pass"] * passes])

    def action_label(self, action: int) -> str:
        return CALLS[action] if action < DEAL else _name(action - DEAL)
