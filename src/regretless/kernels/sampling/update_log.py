"""Logs of updates: a walk writes its updates down, and when all walks of a turn are done they are applied.

Every thread has a log of its own. Logs are applied one after the other, in the order of the walks, and each infoset
belongs to one thread, so the result depends neither on the number of threads nor on their timing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import BASELINE, HISTORY, REGRET
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import offset, pointers, prefetch
from regretless.kernels.numba_ext.short_rows import LANES, add_numbers
from regretless.kernels.sampling.infoset_rules import discount_to

KINDS = 16
"""Codes are KINDS · slot + kind: the kind has four bits."""

KEY_WORD, KEY_OWNER, KEY_COUNT, KEY_MOVES, KEY_SLOT, KEY = 0, 2, 3, 4, 5, 6
"""Columns of a new infoset's key: two words, owner, number of actions, where the actions begin, the slot that it is
given; and the number of columns."""

ALL, OLD, NEW = range(3)
"""Which entries of a log to apply: all, those of infosets that had a slot when the turn began, or those of new ones."""

ENTRIES, NUMBERS, NEW_INFOSETS, MOVES = range(4)
"""Columns of a log's `fill`."""

FILL = 16
"""Numbers reserved for `fill`: threads write to their own all the time and must not share a cache line."""

LONG, AHEAD = 4_096, 12
"""A log with more than LONG entries does not fit the cache: infosets are prefetched AHEAD entries before their turn."""

RUN_BITS, CYCLE_BITS = 6, 10
"""Slots are assigned to threads in runs of 64 numbers; the runs of a cycle of 1,024 are divided into equal parts."""


class Log(NamedTuple):
    """Updates of infosets; of one thread, or of T threads one after the other."""

    codes: npt.NDArray[np.int64]  # [T, entries · 2] KINDS · (slot, or −1 − new infoset) + kind; number of actions
    deltas: npt.NDArray[np.float64]  # [T, numbers] the numbers of all entries, one after the other
    keys: npt.NDArray[np.int64]  # [T, entries · KEY] new infosets
    moves: npt.NDArray[np.int64]  # [T, numbers] the actions of all new infosets
    fill: npt.NDArray[np.int64]  # [T, FILL] how many of each of the above are in use: ENTRIES … MOVES
    entries: int  # capacity for entries, and for new infosets
    numbers: int  # capacity for their numbers, and for actions


@inner(forceinline=True)
def thread_log(logs, number):
    """The log of one thread, of pointers to all."""
    entries, numbers = logs.entries, logs.numbers
    return Log(
        offset(logs.codes, number * 2 * entries), offset(logs.deltas, number * numbers),
        offset(logs.keys, number * KEY * entries), offset(logs.moves, number * numbers),
        offset(logs.fill, number * FILL), entries, numbers,
    )  # fmt: skip


@inner(forceinline=True)
def clear_log(log):
    """Empty a log."""
    for k in range(4):
        log.fill[k] = 0


@inner(forceinline=True)
def fits(log, entries, numbers):
    """Whether the log has capacity for more entries, with this many numbers and actions together."""
    fill = log.fill
    enough = fill[ENTRIES] + entries <= log.entries and fill[NUMBERS] + numbers <= log.numbers
    return enough and fill[NEW_INFOSETS] + entries <= log.entries and fill[MOVES] + numbers <= log.numbers


@inner(forceinline=True)
def log_update(log, slot, kind, count, deltas, at, scale):
    """Append an update of an infoset with a slot: `count` numbers of `deltas` from `at` on, times `scale`."""
    entry, first = log.fill[ENTRIES], log.fill[NUMBERS]
    log.codes[2 * entry] = KINDS * slot + kind
    log.codes[2 * entry + 1] = count
    for a in range(count):
        log.deltas[first + a] = scale * deltas[at + a]
    log.fill[ENTRIES] = entry + 1
    log.fill[NUMBERS] = first + count


@inner(forceinline=True)
def log_new(log, words, mover, count, moves, at):
    """Append a new infoset with its key and actions; returns what stands for its slot in `log_update`."""
    number, first = log.fill[NEW_INFOSETS], log.fill[MOVES]
    key = KEY * number
    log.keys[key + KEY_WORD], log.keys[key + KEY_WORD + 1] = words
    log.keys[key + KEY_OWNER], log.keys[key + KEY_COUNT], log.keys[key + KEY_MOVES] = mover, count, first
    for a in range(count):
        log.moves[first + a] = moves[at + a]
    log.fill[NEW_INFOSETS] = number + 1
    log.fill[MOVES] = first + count
    return -1 - number


@inner(forceinline=True)
def is_mine(slot, share, shares):
    """Whether a slot belongs to this thread of `shares`."""
    return shares == 1 or ((slot >> RUN_BITS) & ((1 << CYCLE_BITS) - 1)) * shares >> CYCLE_BITS == share


@inner(forceinline=True)
def entry_slot(log, code, which):
    """The slot that an entry is for, or −1 if it is not to be applied."""
    slot = code >> 4
    if which != ALL and (slot < 0) == (which == OLD):
        return np.int64(-1)
    return slot if slot >= 0 else log.keys[KEY * (-1 - slot) + KEY_SLOT]


class LogTarget(NamedTuple):
    """What logs are applied to."""

    values: npt.NDArray[np.floating]
    history_values: npt.NDArray[np.float64]
    blend: float  # how far baselines move towards an observed value


@inner
def apply_entries(log, target, window, step, by_sign, share, shares, which):
    """Add the entries of a log to infosets, in the order of the log; this is one thread of `shares`.

    Baselines move by the part `blend` towards the observed values, of which NaN are none. New infosets must have a
    slot, unless only OLD entries are applied.
    """
    values, memory, blend = target.values, target.history_values, target.blend
    at, entries = 0, log.fill[ENTRIES]
    for entry in range(entries):
        if entries > LONG and entry + AHEAD < entries:
            coming = 2 * (entry + AHEAD)
            slot, kind = entry_slot(log, log.codes[coming], which), log.codes[coming] & (KINDS - 1)
            if kind != HISTORY and slot >= 0 and is_mine(slot, share, shares):
                prefetch(values, slot + kind * log.codes[coming + 1])
        code, count = log.codes[2 * entry], log.codes[2 * entry + 1]
        slot, kind = entry_slot(log, code, which), code & (KINDS - 1)
        if slot >= 0 and is_mine(slot, share, shares):
            if kind == HISTORY:
                memory[slot] += blend * (log.deltas[at] - memory[slot])
            elif kind >= BASELINE:
                for a in range(slot + kind * count, slot + (kind + 1) * count):
                    observed = log.deltas[at + a - slot - kind * count]
                    if observed == observed:
                        values[a] += blend * (observed - values[a])
            else:
                if by_sign and kind == REGRET:
                    discount_to(values, slot, count, window, step)
                for a in range(0, count, LANES):
                    add_numbers(values, slot + kind * count + a, count - a, log.deltas, at + a)
        at += count


@kernel
def apply_log(log, target, window, step, by_sign, which):
    """`apply_entries` of one thread, for callers in Python."""
    apply_entries(pointers(log), pointers(target), pointers(window), step, by_sign, np.int64(0), np.int64(1), which)
