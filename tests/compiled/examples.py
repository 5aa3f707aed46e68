"""Games that use what compiled games may use, and one that is small enough to know by heart."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

import regretless as rg

STEPS = ((1,), (1, 2), (2, 3, 1))
"""A table of rows of different length."""

WEIGHTS = (1, 2, 1)
LOW, HIGH = 0, 1


class Phase(IntEnum):
    ROLL = 0
    BID = 1
    OVER = 2


class Seat(NamedTuple):
    bid: int
    paid: int


class Round(NamedTuple):
    phase: int
    mover: int
    die: int
    seats: tuple[Seat, Seat] = (Seat(0, 0), Seat(0, 0))


class Deck(NamedTuple):
    sides: int


def larger(one: int, other: int, *, by: int = 0) -> bool:
    """Whether one number is larger by more than so much."""
    return one > other + by


class Bidding(rg.Game):
    """What auctions share: a die that one player sees, then a bid each, and the higher bid takes its value."""

    bids: tuple[int, ...]

    def root(self) -> Round:
        return Round(Phase.ROLL, rg.CHANCE, 0)

    def player(self, state: Round) -> int:
        return state.mover

    def options(self, row: int) -> tuple[int, ...]:
        return tuple(bid for bid in self.bids if bid != row)

    def actions(self, state: Round) -> tuple[int, ...] | list[int]:
        return [*self.options(-1)]

    def infoset(self, state: Round) -> tuple[int, int]:
        return (state.mover, state.die if state.mover == 0 else -1)

    @staticmethod
    def seat_after(seat: Seat, bid: int) -> Seat:
        return Seat(bid=bid, paid=seat.paid + bid)


@rg.compiled
@dataclass(frozen=True)
class Auction(Bidding):
    """An auction that tries out most of what may be compiled."""

    sides: int = 3
    bids: tuple[int, ...] = (0, 1, 2)

    @cached_property
    def deck(self) -> Deck:
        return Deck(self.sides)

    @cached_property
    def _steps(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(range(side, 2 * side + 1)) for side in range(self.sides))

    def actions(self, state: Round) -> tuple[int, ...] | list[int]:
        if state.phase == Phase.ROLL:
            return range(10, 10 + self.deck.sides)
        if state.mover == 1:
            return super().actions(state)
        if state.die == 2:
            return [7] + [step + 10 for step in STEPS[-1]] if len(STEPS) > 2 else [0] * 3
        return self._steps[state.die]

    def chance(self, state: Round) -> list[float]:
        first, second, third = self.bids
        total = sum(WEIGHTS[side % 3] for side in range(self.sides)) + 0 * (first + second + third)
        return [WEIGHTS[side % 3] / total for side in range(len(self.actions(state)))]

    def public(self, state: Round) -> bool:
        return False

    def play(self, state: Round, action: int) -> Round:
        low, high = state.seats
        if state.phase == Phase.ROLL:
            return Round(Phase.BID, 0, action - 10)
        if state.mover == 0:
            return Round(Phase.BID, 1, state.die, (self.seat_after(low, action), high))
        return Round(Phase.OVER, rg.TERMINAL, state.die, seats=(low, self.seat_after(high, action)))

    def payoffs(self, state: Round) -> tuple[float, ...]:
        bids = [seat.bid % 5 for seat in state.seats]
        worth = state.die + 1.5
        if bids[LOW] == bids[HIGH]:
            return (0.0,) * 2
        winner = 0 if larger(bids[LOW], bids[HIGH]) else 1
        assert winner in (0, 1), "one of the two wins"
        return tuple([(worth - bids[seat]) * (1 if seat == winner else -1) for seat in range(2)])


@rg.compiled
class Lights(rg.Game):
    """A row of lamps in an array, switched in turn; infosets are all lamps, too long for a pair of numbers."""

    def __init__(self, lamps: int = 3, rounds: int = 4) -> None:
        self.lamps, self.rounds = lamps, rounds

    def root(self) -> tuple[int, np.ndarray]:
        return (0, np.zeros(self.lamps, np.int64))

    def player(self, state: tuple[int, np.ndarray]) -> int:
        return state[0] % 2 if state[0] < self.rounds else rg.TERMINAL

    def actions(self, state: tuple[int, np.ndarray]) -> range:
        return range(self.lamps)

    def play(self, state: tuple[int, np.ndarray], action: int) -> tuple[int, np.ndarray]:
        lamps = state[1].copy()
        lamps[action] += 1 + lamps[action - 1]
        lamps[-1] = lamps[-1] * 4 + action
        return (state[0] + 1, lamps)

    def infoset(self, state: tuple[int, np.ndarray]) -> tuple[int, ...]:
        return (state[0], state[1][0], state[1][1], state[1][2])

    def payoffs(self, state: tuple[int, np.ndarray]) -> list[float]:
        lit = 0
        for lamp in state[1]:
            lit += lamp & 1
        return [lit, -lit]


@rg.compiled
class Bits(rg.Game):
    """A walk through numbers whose answers depend on their bits; it may be as long as one likes."""

    def __init__(self, moves: int = 6, wide: bool = False, odd: int = -1) -> None:
        self.moves, self.shift, self.odd = moves, 40 if wide else 1, odd

    def root(self) -> tuple[int, int]:
        return (0, 1)

    def player(self, state: tuple[int, int]) -> int:
        return rg.TERMINAL if state[0] >= self.moves else state[0] & 1

    def actions(self, state: tuple[int, int]) -> tuple[int, ...]:
        return (0, 1, 2) if state[1] == self.odd else (0, 1)

    def play(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return (state[0] + 1, state[1] << self.shift | action)

    def infoset(self, state: tuple[int, int]) -> int:
        return state[1] if self.odd < 0 else state[1].bit_length()

    def payoffs(self, state: tuple[int, int]) -> tuple[float, float]:
        ones, length = state[1].bit_count(), state[1].bit_length()
        return (float(ones), length - 2.0 * ones)
