"""What hands win from ranges if no more bets are made: showdowns over all boards to come."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from regretless.kernels.cards.range_showdowns import add_showdowns, opposing_weights
from regretless.poker.cards.deck import STANDARD, Deck
from regretless.poker.cards.evaluator import strengths
from regretless.poker.preflop.all_in_table import BOARDS, all_in_table, class_of_hands

__all__ = ["EnumeratedRunouts", "HandCards", "Runouts", "Shares", "runouts_on"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

MOST_RUNOUTS = 20_000
"""Boards to come that are all enumerated; if there are more, this many are drawn."""

LANES = 16
"""Ranges of one sweep: more do not fit into the caches of a processor."""


class HandCards:
    """The hands of a deck."""

    def __init__(self, deck: Deck, size: int) -> None:
        self.deck, self.cards = deck, deck.hands(size).astype(np.int64)

    def opposing(self, ranges: Floats) -> Floats:
        """[n, hands] the weight of the hands of each range [n, hands] that share no card with a hand."""
        out = np.empty(ranges.shape)
        opposing_weights(self.cards, self.deck.size, np.ascontiguousarray(ranges), out)
        return out

    def free(self, board: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        """[hands] whether a hand holds no card of a board."""
        return np.asarray(~np.isin(self.cards, board).any(axis=1))


class Shares(NamedTuple):
    """How showdowns end: shares of the opposing weight, over all boards to come; 0 where no hand can oppose."""

    won: Floats  # [n, hands]
    tied: Floats  # [n, hands]
    lost: Floats  # [n, hands]


class Runouts(Protocol):
    """The boards that complete a board."""

    exact: bool
    """Whether shares are exact for any range, so that they may count as winnings and not only guide choices."""

    def shares(self, ranges: Floats) -> Shares:
        """Every hand against each of the ranges [n, hands]."""


class EnumeratedRunouts:
    """Boards to come, one by one."""

    def __init__(self, hands: HandCards, boards: list[tuple[int, ...]], exact: bool) -> None:
        self.hands, self.exact = hands, exact
        found = np.stack([strengths(hands.deck, board, hands.cards) for board in boards])  # [boards, hands]
        self.order = np.argsort(found, axis=1, kind="stable").astype(np.int32)
        self.strength = np.take_along_axis(found, self.order, axis=1)
        # Hands that hold a card of the board have the strength −1: they go to the end.
        blocked = (self.strength < 0).sum(axis=1)
        for row, count in enumerate(blocked.tolist()):
            self.order[row] = np.roll(np.where(self.strength[row] < 0, -1, self.order[row]), -count)
            self.strength[row] = np.roll(self.strength[row], -count)

    def shares(self, ranges: Floats) -> Shares:
        """Every hand against each range."""
        parts = [self._sums(ranges[at : at + LANES]) for at in range(0, len(ranges), LANES)]
        won, not_lost, met = (np.concatenate(part) for part in zip(*parts, strict=True))
        return _shares(won, not_lost - won, met)

    def net(self, ranges: Floats) -> Floats:
        """[n, hands] the weight that each hand beats less the weight that beats it, summed over the boards."""
        found = []
        for at in range(0, len(ranges), LANES):
            won, not_lost, met = self._sums(ranges[at : at + LANES])
            found.append(won + not_lost - met)
        return np.concatenate(found)

    def _sums(self, ranges: Floats) -> tuple[Floats, Floats, Floats]:
        lanes = np.ascontiguousarray(ranges.T)
        sums = np.zeros((3, *lanes.shape))
        add_showdowns(self.order, self.strength, self.hands.cards, self.hands.deck.size, lanes, *sums)
        return sums[0].T, sums[1].T, sums[2].T


class PreflopRunouts:
    """All boards of hold'em before the flop, from the stored table of all-ins of the 169 classes of hands.

    The shares are exact if equal hands up to suits have the same weight in a range; otherwise weights are averaged over
    a class.
    """

    exact = False

    def __init__(self) -> None:
        table, self.classes = all_in_table(), class_of_hands()
        size = np.bincount(self.classes)
        per_pair = 1.0 / (size[:, None] * size * float(BOARDS))
        self.won, self.tied, self.met = table.wins * per_pair, table.draws * per_pair, table.pairs * BOARDS * per_pair

    def shares(self, ranges: Floats) -> Shares:
        """Every hand against each range."""
        by_class = np.stack([np.bincount(self.classes, weights) for weights in ranges]).astype(np.float64)
        won, tied, met = (by_class @ table.T for table in (self.won, self.tied, self.met))
        return Shares(*(share[:, self.classes] for share in _shares(won, tied, met)))


def _shares(won: Floats, tied: Floats, met: Floats) -> Shares:
    divisor = np.where(met > 0, met, np.inf)
    won, tied = np.clip(won / divisor, 0, 1), np.clip(tied / divisor, 0, 1)
    return Shares(won, tied, np.where(met > 0, np.maximum(1 - won - tied, 0), 0))


def runouts_on(hands: HandCards, board: tuple[int, ...], to_come: int) -> Runouts:
    """The boards with `to_come` more cards."""
    if hands.deck == STANDARD and hands.cards.shape[1] == 2 and not board and to_come == 5:
        return PreflopRunouts()
    left = [card for card in range(hands.deck.size) if card not in board]
    if comb(len(left), to_come) <= MOST_RUNOUTS:
        return EnumeratedRunouts(hands, [(*board, *more) for more in combinations(left, to_come)], exact=True)
    draw = np.random.default_rng(list(board))
    drawn = [draw.choice(left, to_come, replace=False).tolist() for _ in range(MOST_RUNOUTS)]
    return EnumeratedRunouts(hands, [(*board, *more) for more in drawn], exact=False)
