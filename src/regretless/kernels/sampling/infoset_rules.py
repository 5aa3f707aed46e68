"""What every sampled walk does at an infoset: match regrets, draw an action, discount old regret."""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import smallest_normal
from regretless.kernels.regret_rules import at_least, discounted, is_matched

MARK_BITS = 6
"""A mark stands for a run of 64 sums of a lane."""


@inner(forceinline=True)
def write_weights(values, slot, count, weights, at):
    """Write weights proportional to the strategy of an infoset to weights[at …]; returns their sum.

    The weights are R⁺; all are 1 where regrets are not matched, or where the infoset has no slot yet.
    """
    total = 0.0
    if slot >= 0:
        for a in range(count):
            positive = at_least(values[slot + a], 0.0)
            weights[at + a] = positive
            total += positive
    if is_matched(total, smallest_normal(values)):
        return total
    for a in range(count):
        weights[at + a] = 1.0
    return float(count)


@inner(forceinline=True)
def write_strategy(values, slot, count, probabilities, at):
    """Write the strategy of an infoset to probabilities[at …]."""
    scale = 1.0 / write_weights(values, slot, count, probabilities, at)
    for a in range(count):
        probabilities[at + a] *= scale


@inner(forceinline=True)
def pick(weights, at, count, draw):
    """The action that a draw in [0, sum of the weights) falls on."""
    choice = 0
    draw -= weights[at]
    while draw >= 0.0 and choice < count - 1:
        choice += 1
        draw -= weights[at + choice]
    while weights[at + choice] == 0.0 and choice > 0:  # rounding must not choose an action of weight 0
        choice -= 1
    return choice


@inner(forceinline=True)
def mark_sums(walk, first, count):
    """Mark the runs of a lane's sums that an update of `count` numbers from `first` on is added to."""
    last = (first + count - 1) >> MARK_BITS
    walk.marks[first >> MARK_BITS] = 1
    walk.marks[last] = 1
    if count > 1 << MARK_BITS:
        for run in range(first >> MARK_BITS, last):
            walk.marks[run] = 1


@inner(forceinline=True)
def discount_to(values, slot, count, window, step):
    """Discount the regrets of an infoset up to `step`, by their sign before anything is added."""
    before = int(values[slot - 1])
    if before != step:
        positive = np.exp(window.positive[step] - window.positive[before])
        negative = np.exp(window.negative[step] - window.negative[before])
        for a in range(count):
            values[slot + a] = discounted(values[slot + a], positive, negative)
        values[slot - 1] = step


@kernel
def end_window(values, slots, counts, by_sign, window, step, regret_scale, average_scale):
    """Bring every infoset to the scale of the next window. slots, counts [I]; step: the last one of this window."""
    for i in range(slots.shape[0]):
        slot, count = slots[i], counts[i]
        if by_sign:
            discount_to(values, slot, count, window, step)
            values[slot - 1] = 0.0
        else:
            for a in range(count):
                values[slot + a] *= regret_scale
        for a in range(count, 2 * count):
            values[slot + a] *= average_scale
