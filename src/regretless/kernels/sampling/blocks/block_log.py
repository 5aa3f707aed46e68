"""Records of the decisions of a block of walks, and logs of them by shard.

A record is a code (slot, number of actions, chosen action) and two numbers. An own decision adds the first to all
regrets but that of the chosen action, and the second to that one. A decision of another player adds its strategy times
the first number to its average. The strategy itself is not recorded: it is computed again from the regrets when the
record is applied, because in a turn only the regrets of the player who walks change, and only after all walks.

Each thread writes a log for each thread of the team, with the infosets that belong to that one (`update_log`). So no
thread reads records that are not its own. A single thread adds averages at once, and logs only regrets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import prefetch
from regretless.kernels.numba_ext.short_rows import LANES, add_row, add_to_row, positive_row
from regretless.kernels.sampling.infoset_rules import discount_to
from regretless.kernels.sampling.update_log import CYCLE_BITS, FILL, RUN_BITS

SLOT_SHIFT, COUNT_SHIFT, FIELD = 16, 8, 255
"""A code is slot << 16 | number of actions << 8 | chosen action, or what kind of average is added."""

UNIFORM, MATCHED = 254, 255
"""In place of a chosen action: the average of an infoset whose strategy is uniform, or matches its regrets."""

NUMBERS = 3
"""Numbers of an own record in a block: while its walk goes on the importance of its estimates, the probability of the
drawn action and the strategy's; then what it adds, in the first two."""

AHEAD = 8
"""Infosets are prefetched this many records before their turn."""


class Block(NamedTuple):
    """A block of up to K walks, up to D decisions deep, as one thread walks them."""

    words: npt.NDArray[np.uint64]  # [K] first word of each walk's stream
    states: npt.NDArray[np.int64]  # [K] current history
    importances: npt.NDArray[np.float64]  # [K] 1 / the product of the probabilities of drawn own actions
    active: npt.NDArray[np.int64]  # [K] the walks that have not ended
    own_depth: npt.NDArray[np.int64]  # [K] own decisions so far
    own_codes: npt.NDArray[np.int64]  # [K · D]
    own_numbers: npt.NDArray[np.float64]  # [K · D · NUMBERS]
    other_depth: npt.NDArray[np.int64]  # [K] decisions of others so far
    other_codes: npt.NDArray[np.int64]  # [K · D]
    other_scales: npt.NDArray[np.float64]  # [K · D]
    explored: npt.NDArray[np.float64]  # [most actions + 1] ε / number of actions
    size: int  # K
    deepest: int  # D


class BlockLog(NamedTuple):
    """Logs of T threads, each with a shard for each of the T threads; C records fit a shard."""

    codes: npt.NDArray[np.int64]  # [T · T · C]
    numbers: npt.NDArray[np.float64]  # [T · T · C · 2]
    fill: npt.NDArray[np.int64]  # [T · T · FILL] records of a shard, in the first of its numbers
    capacity: int  # C


@inner(forceinline=True)
def code_of(slot, count, choice):
    """The code of a record."""
    return (slot << SLOT_SHIFT) | (count << COUNT_SHIFT) | choice


@inner
def record_block(block, values, log, walks, number, shards):
    """Log the records of the first `walks` walks of a block, in their order; `number` is this thread of `shards`."""
    for i in range(walks):
        first = block.deepest * i
        for at in range(first, first + block.own_depth[i]):
            numbers = block.own_numbers[NUMBERS * at], block.own_numbers[NUMBERS * at + 1]
            append(log, block.own_codes[at], numbers, number, shards)
        for at in range(first, first + block.other_depth[i]):
            if shards == 1:
                add_average(values, block.other_codes[at], block.other_scales[at])
            else:
                append(log, block.other_codes[at], (block.other_scales[at], 0.0), number, shards)


@inner(forceinline=True)
def append(log, code, numbers, number, shards):
    """Append a record to the shard of its infoset."""
    shard = number * shards
    if shards > 1:
        shard += (((code >> SLOT_SHIFT) >> RUN_BITS) & ((1 << CYCLE_BITS) - 1)) * shards >> CYCLE_BITS
    record = shard * log.capacity + log.fill[FILL * shard]
    log.codes[record] = code
    log.numbers[2 * record], log.numbers[2 * record + 1] = numbers
    log.fill[FILL * shard] += 1


@inner
def apply_shards(log, values, window, step, by_sign, number, shards):
    """Apply what all threads logged for the infosets of thread `number`, in the order of the walks."""
    for thread in range(shards):
        shard = thread * shards + number
        first, last = shard * log.capacity, shard * log.capacity + log.fill[FILL * shard]
        for record in range(first, last):
            if record + AHEAD < last:
                prefetch(values, log.codes[record + AHEAD] >> SLOT_SHIFT)
            code = log.codes[record]
            if code & FIELD >= UNIFORM:
                add_average(values, code, log.numbers[2 * record])
            else:
                add_regrets(values, code, log.numbers[2 * record], log.numbers[2 * record + 1], window, step, by_sign)
        log.fill[FILL * shard] = 0


@inner(forceinline=True)
def add_regrets(values, code, others, chosen, window, step, by_sign):
    """Add to the regrets of an infoset: `chosen` to that of the chosen action, `others` to all others."""
    slot, count, choice = code >> SLOT_SHIFT, (code >> COUNT_SHIFT) & FIELD, code & FIELD
    if by_sign:
        discount_to(values, slot, count, window, step)
    for a in range(0, count, LANES):
        add_to_row(values, slot + a, count - a, others, choice - a, chosen)


@inner(forceinline=True)
def add_average(values, code, scale):
    """Add the strategy of an infoset times `scale`, a multiple of 1 / Σ R⁺, to its average."""
    slot, count = code >> SLOT_SHIFT, (code >> COUNT_SHIFT) & FIELD
    for a in range(0, count, LANES):
        if code & FIELD == MATCHED:
            add_row(values, slot + count + a, count - a, scale, positive_row(values, slot + a, count - a))
        else:
            add_to_row(values, slot + count + a, count - a, scale, np.int64(-1), 0.0)
