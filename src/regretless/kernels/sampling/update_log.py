"""Updates that wait: a walk writes down what it found, and when all walks of a turn are done it is carried out.

Every thread has a log of its own. Logs are carried out one after the other, in the order of the walks, and each infoset
belongs to one thread, so the numbers depend neither on how many threads there are nor on their timing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.numba_ext.atomics import beyond, fetch
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.sampling.infoset_rules import BASELINE, HISTORY, REGRET, bring_up

KINDS = 16
"""What codes are multiplied by to make room for the kind: 4 bits."""

NAME, PLACED = 6, 5
"""Numbers that name a newcomer: two words, owner, number of actions, where the actions begin; and the last one is the
place that it is given."""

ALL, OLD, NEW = range(3)
"""Which entries of a log to carry out: those of infosets that had a place when the turn began, of newcomers, or all."""

ENTRIES, NUMBERS, NEWCOMERS, MOVES = range(4)
FILL = 16
"""Numbers kept for `fill`, of which four are used: threads write to their own all the time and share no cache line."""

LONG, AHEAD = 4_096, 12
"""A log with more entries than the first outlives the cache: infosets are fetched so many entries ahead."""

OWN_RUN, CYCLE = 6, 10
"""Places are dealt out to threads in runs of 64 numbers, and the runs of a cycle of 1,024 in equal parts."""


class Log(NamedTuple):
    """What to do with which infoset, and the numbers to add; of one thread, or of T threads one after the other."""

    codes: npt.NDArray[np.int64]  # [T, entries · 2] KINDS · (place, or −1 − newcomer) + kind; number of actions
    deltas: npt.NDArray[np.float64]  # [T, numbers] the numbers of all entries, one after the other
    names: npt.NDArray[np.int64]  # [T, entries · NAME] newcomers
    moves: npt.NDArray[np.int64]  # [T, numbers] the actions of all newcomers
    fill: npt.NDArray[np.int64]  # [T, FILL] how many of each of the above there are: ENTRIES … MOVES
    entries: int  # room for entries, and for newcomers
    numbers: int  # room for their numbers, and for actions


@njit(nogil=True)
def bare_log(log):
    """The logs as walks hold them."""
    return Log(
        bare(log.codes), bare(log.deltas), bare(log.names), bare(log.moves), bare(log.fill), log.entries, log.numbers
    )


@njit(nogil=True, forceinline=True)
def log_of(logs, number):
    """The log of one thread, of bare ones."""
    entries, numbers = logs.entries, logs.numbers
    return Log(
        beyond(logs.codes, number * 2 * entries), beyond(logs.deltas, number * numbers),
        beyond(logs.names, number * NAME * entries), beyond(logs.moves, number * numbers),
        beyond(logs.fill, number * FILL), entries, numbers,
    )  # fmt: skip


@njit(nogil=True, forceinline=True)
def forget(log):
    """Empty a log."""
    for k in range(4):
        log.fill[k] = 0


@njit(nogil=True, forceinline=True)
def has_room(log, entries, numbers):
    """Whether so many more entries with so many numbers, and as many actions, fit."""
    fill = log.fill
    enough = fill[ENTRIES] + entries <= log.entries and fill[NUMBERS] + numbers <= log.numbers
    return enough and fill[NEWCOMERS] + entries <= log.entries and fill[MOVES] + numbers <= log.numbers


@njit(nogil=True, forceinline=True)
def note(log, place, kind, count, deltas, at, scale, first_word, second_word, mover, moves, moves_at):
    """Write an update down where there is room: `count` numbers of `deltas` from `at` on, times `scale`."""
    fill = log.fill
    where = place
    if place < 0:
        newcomer = fill[NEWCOMERS]
        log.names[NAME * newcomer + 0] = first_word
        log.names[NAME * newcomer + 1] = second_word
        log.names[NAME * newcomer + 2] = mover
        log.names[NAME * newcomer + 3] = count
        log.names[NAME * newcomer + 4] = fill[MOVES]
        for a in range(count):
            log.moves[fill[MOVES] + a] = moves[moves_at + a]
        fill[NEWCOMERS] += 1
        fill[MOVES] += count
        where = -1 - newcomer
    log.codes[2 * fill[ENTRIES]] = KINDS * where + kind
    log.codes[2 * fill[ENTRIES] + 1] = count
    for a in range(count):
        log.deltas[fill[NUMBERS] + a] = scale * deltas[at + a]
    fill[ENTRIES] += 1
    fill[NUMBERS] += count


@njit(nogil=True, forceinline=True)
def is_mine(place, share, shares):
    """Whether a place belongs to this one of so many threads."""
    return shares == 1 or ((place >> OWN_RUN) & ((1 << CYCLE) - 1)) * shares >> CYCLE == share


@njit(nogil=True, forceinline=True)
def place_in(log, code, which):
    """The place that an entry is for, or −1 if it is none of those to carry out."""
    place = code >> 4
    if which != ALL and (place < 0) == (which == OLD):
        return np.int64(-1)
    return place if place >= 0 else log.names[NAME * (-1 - place) + PLACED]


@njit(nogil=True, cache=True)
def carry_out(log, values, memory, window, step, fades, blend, share, shares, which):
    """Add what a log holds to infosets, in the order of the log; of `shares` threads this is one.

    Baselines move by the part `blend` towards what was seen; NaN where nothing was. Newcomers must have been placed,
    unless only OLD entries are carried out.
    """
    at, entries = 0, log.fill[ENTRIES]
    for entry in range(entries):
        if entries > LONG and entry + AHEAD < entries:
            coming = 2 * (entry + AHEAD)
            place, kind = place_in(log, log.codes[coming], which), log.codes[coming] & (KINDS - 1)
            if kind != HISTORY and place >= 0 and is_mine(place, share, shares):
                fetch(values, place + kind * log.codes[coming + 1])
        code, count = log.codes[2 * entry], log.codes[2 * entry + 1]
        place, kind = place_in(log, code, which), code & (KINDS - 1)
        if place >= 0 and is_mine(place, share, shares):
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
