"""What every sampled walk does at an infoset: match regrets, draw, let old regret fade.

The numbers of an infoset with A actions lie together in `values`: from its place on A regrets, then A sums of the
average strategy, then (with infoset baselines) A values for each player; where old regret fades by its sign, one
number before the place says at which step of the present window it was last brought up to date.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.regret_rules import at_least

REGRET, AVERAGE, BASELINE, HISTORY = 0, 1, 2, 15
"""Kinds of numbers: at an infoset the k-th run of as many as it has actions; BASELINE + p is what actions are worth to
player p. HISTORY is a number that belongs to a history instead."""

LEARNS, SHOWS = 1, 2
"""What a player who walks does it for: its own regrets, or only so that the others' strategies are counted."""


class Window(NamedTuple):
    """The numbers of a variant over a stretch of iterations; W steps, step 0 is the state before the first."""

    gain: npt.NDArray[np.float64]  # [W + 1] what a regret of each step counts, where all regret fades alike
    positive: npt.NDArray[np.float64]  # [W + 1] log of what positive regret has been multiplied by since step 0
    negative: npt.NDArray[np.float64]  # [W + 1] the same for negative regret
    weight: npt.NDArray[np.float64]  # [W + 1] what a strategy of each step counts in the average


class Scratch(NamedTuple):
    """Room for one walk: D decisions deep, B actions of all of them together."""

    frames: npt.NDArray[np.int64]  # [D · 8] columns PLACE … DEALT
    sums: npt.NDArray[np.float64]  # [D · 4] columns MEAN … REST
    moves: npt.NDArray[np.int64]  # [B] actions on offer
    odds: npt.NDArray[np.float64]  # [B] probabilities of chance, or of walking an own action
    chances: npt.NDArray[np.float64]  # [B] strategies
    gains: npt.NDArray[np.float64]  # [B] what each action was worth
    purse: npt.NDArray[np.float64]  # [P] payoffs
    deepest: int  # D
    widest: int  # B


PLACE, COUNT, AT, CHOICE, FIRST_WORD, SECOND_WORD, MOVER, DEALT = range(8)
MEAN, WEIGHT, OWN, REST = range(4)
FRAME, SUMS = 8, 4

SCRATCH_FULL, LOG_FULL, TABLE_FULL, MENUS_FULL = -1, -2, -3, -4
"""What a walk returns that could not be finished: it is to be walked again with more room. A full table is found when
all walks of a turn are done: then what they logged waits for room, and for menus alone only what is for newcomers."""


@njit(nogil=True, forceinline=True)
def weigh(values, place, count, weights, at):
    """Write what an infoset's actions weigh to `weights` from `at` on and return the total; probability is weight /
    total.

    Weights are positive regrets; all are 1 where there are none, or where the infoset has no place.
    """
    total = 0.0
    if place >= 0:
        for a in range(count):
            regret = at_least(values[place + a], 0.0)
            weights[at + a] = regret
            total += regret
    if total > 0.0:
        return total
    for a in range(count):
        weights[at + a] = 1.0
    return float(count)


@njit(nogil=True, forceinline=True)
def match(values, place, count, chances, at):
    """Write the strategy that regrets call for to `chances` from `at` on; uniform for an infoset without a place."""
    scale = 1.0 / weigh(values, place, count, chances, at)
    for a in range(count):
        chances[at + a] *= scale


@njit(nogil=True, forceinline=True)
def pick(weights, at, count, draw):
    """The action that a draw in [0, total of the weights) falls on."""
    choice = 0
    draw -= weights[at]
    while draw >= 0.0 and choice < count - 1:
        choice += 1
        draw -= weights[at + choice]
    while weights[at + choice] == 0.0 and choice > 0:  # rounding must not take an action that is never taken
        choice -= 1
    return choice


@njit(nogil=True, forceinline=True)
def bring_up(values, place, count, window, step):
    """Let old regret fade up to `step`; discounts go by the sign of the regret before anything is added."""
    before = int(values[place - 1])
    if before != step:
        positive = np.exp(window.positive[step] - window.positive[before])
        negative = np.exp(window.negative[step] - window.negative[before])
        for a in range(count):
            regret = values[place + a]
            values[place + a] = regret * (positive if regret > 0 else negative)
        values[place - 1] = step


@njit(nogil=True)
def bare_scratch(scratch):
    """The scratch as a walk holds it; what a game writes to stays as it is, since a game looks how long it is."""
    return Scratch(
        bare(scratch.frames), bare(scratch.sums), scratch.moves, scratch.odds, bare(scratch.chances),
        bare(scratch.gains), scratch.purse, scratch.deepest, scratch.widest,
    )  # fmt: skip


@njit(nogil=True)
def bare_window(window):
    """The window as a walk holds it."""
    return Window(bare(window.gain), bare(window.positive), bare(window.negative), bare(window.weight))


@njit(nogil=True, forceinline=True)
def move_on(span, players):
    """From one player's turn to the next, and after the last player's to the next iteration."""
    span[2] += 1
    if span[2] == players:
        span[2] = 0
        span[0] += 1
