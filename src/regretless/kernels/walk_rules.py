"""What every sampled walk does at an infoset: match regrets, draw, write updates down or carry them out.

The numbers of an infoset with A actions lie together in `values`: from its place on A regrets, then A sums of the
average strategy, then (with infoset baselines) A values for each player; where old regret fades by its sign, one
number before the place says at which step of the present window it was last brought up to date.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.memory import bare
from regretless.kernels.rules import at_least

REGRET, AVERAGE, BASELINE, HISTORY = 0, 1, 2, 15
"""Kinds of numbers: at an infoset the k-th run of as many as it has actions; BASELINE + p is what actions are worth to
player p. HISTORY is a number that belongs to a history instead."""

LEARNS, SHOWS = 1, 2
"""What a player who walks does it for: its own regrets, or only so that the others' strategies are counted."""

KINDS = 16
"""What codes are multiplied by to make room for the kind: 4 bits."""


class Window(NamedTuple):
    """The numbers of a variant over a stretch of iterations; W steps, step 0 is the state before the first."""

    gain: npt.NDArray[np.float64]  # [W + 1] what a regret of each step counts, where all regret fades alike
    positive: npt.NDArray[np.float64]  # [W + 1] log of what positive regret has been multiplied by since step 0
    negative: npt.NDArray[np.float64]  # [W + 1] the same for negative regret
    weight: npt.NDArray[np.float64]  # [W + 1] what a strategy of each step counts in the average


class Log(NamedTuple):
    """Updates that wait: what to do with which infoset, and the numbers to add."""

    codes: npt.NDArray[np.int64]  # [entries · 2] KINDS · (place, or −1 − newcomer) + kind; number of actions
    deltas: npt.NDArray[np.float64]  # the numbers of all entries, one after the other
    names: npt.NDArray[np.int64]  # [newcomers · 5] two words, owner, number of actions, where the actions begin
    moves: npt.NDArray[np.int64]  # the actions of all newcomers
    fill: npt.NDArray[np.int64]  # [4] how much of each of the above is in use
    entries: int  # room for entries, and for newcomers
    numbers: int  # room for their numbers, and for actions


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

SCRATCH_FULL, LOG_FULL, TABLE_FULL = -1, -2, -3
"""What a walk returns that could not be finished: it is to be walked again with more room."""


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


@njit(nogil=True)
def bare_log(log):
    """The log as a walk holds it."""
    return Log(
        bare(log.codes), bare(log.deltas), bare(log.names), bare(log.moves), bare(log.fill), log.entries, log.numbers
    )


@njit(nogil=True, forceinline=True)
def forget(log):
    """Empty a log."""
    for k in range(4):
        log.fill[k] = 0


@njit(nogil=True, forceinline=True)
def move_on(span, players):
    """From one player's turn to the next, and after the last player's to the next iteration."""
    span[2] += 1
    if span[2] == players:
        span[2] = 0
        span[0] += 1


@njit(nogil=True, forceinline=True)
def has_room(log, entries, numbers):
    """Whether so many more entries with so many numbers, and as many actions, fit."""
    fill = log.fill
    enough = fill[0] + entries <= log.entries and fill[1] + numbers <= log.numbers
    return enough and fill[2] + entries <= log.entries and fill[3] + numbers <= log.numbers


@njit(nogil=True, forceinline=True)
def note(log, place, kind, count, deltas, at, scale, first_word, second_word, mover, moves, moves_at):
    """Write an update down where there is room: `count` numbers of `deltas` from `at` on, times `scale`."""
    fill = log.fill
    where = place
    if place < 0:
        newcomer = fill[2]
        log.names[5 * newcomer + 0] = first_word
        log.names[5 * newcomer + 1] = second_word
        log.names[5 * newcomer + 2] = mover
        log.names[5 * newcomer + 3] = count
        log.names[5 * newcomer + 4] = fill[3]
        for a in range(count):
            log.moves[fill[3] + a] = moves[moves_at + a]
        fill[2] += 1
        fill[3] += count
        where = -1 - newcomer
    log.codes[2 * fill[0]] = KINDS * where + kind
    log.codes[2 * fill[0] + 1] = count
    for a in range(count):
        log.deltas[fill[1] + a] = scale * deltas[at + a]
    fill[0] += 1
    fill[1] += count


@njit(nogil=True, cache=True)
def carry_out(log, values, memory, window, step, fades, blend, share, shares):
    """Add what a log holds to infosets that have a place, in the order of the log; of `shares` threads this is one.

    Every infoset belongs to one thread, so the numbers do not depend on how many threads there are. Baselines move by
    the part `blend` towards what was seen; NaN where nothing was.
    """
    at = 0
    for entry in range(log.fill[0]):
        code, count = log.codes[2 * entry], log.codes[2 * entry + 1]
        place, kind = code >> 4, code & 15
        if place >= 0 and (shares == 1 or (place >> 4) % shares == share):
            if kind == HISTORY:
                memory[place] += blend * (log.deltas[at] - memory[place])
            elif kind >= BASELINE:
                for a in range(place + kind * count, place + (kind + 1) * count):
                    seen = log.deltas[at + a - place - kind * count]
                    if seen == seen:
                        values[a] += blend * (seen - values[a])
            else:
                if fades and kind == REGRET:
                    bring_up(values, place, count, window, step)
                for a in range(count):
                    values[place + kind * count + a] += log.deltas[at + a]
        at += count
