"""Regret matching on a public tree, a row of hand classes at a time.

Rows are action-major, so every loop here runs over neighbouring numbers. Numbers are kept as float64, as float32, or as
16-bit integers with one scale per (node, board); matching regrets needs no scale, since only their proportions count.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.layout import DECAY, FLOOR, NEGATIVE, NEXT_NEGATIVE, NEXT_POSITIVE, POSITIVE, PREDICTION, WEIGHT
from regretless.kernels.rules import at_least, discounted

LARGEST = 32_767
"""What the largest number of a block is written as in 16 bits."""


@njit(cache=True, nogil=True, error_model="numpy")
def match(source, place, classes, actions, play, slot, total, smallest):
    """play[action, class] ∝ max(source, 0), uniform where nothing is positive; total [2, classes] is scratch."""
    zero, one = total.dtype.type(0), total.dtype.type(1)
    least, even = total.dtype.type(smallest), total.dtype.type(1.0 / actions)
    summed, plain = total[0, :classes], total[1, :classes]
    summed[:] = zero
    for action in range(actions):
        block = source[place + action * classes : place + (action + 1) * classes]
        for k in range(classes):
            summed[k] += at_least(total.dtype.type(block[k]), zero)
    for k in range(classes):
        some = summed[k] >= least
        plain[k] = zero if some else even
        summed[k] = one / summed[k] if some else zero
    for action in range(actions):
        block = source[place + action * classes : place + (action + 1) * classes]
        out = play[slot + action]
        for k in range(classes):
            out[k] = at_least(total.dtype.type(block[k]), zero) * summed[k] + plain[k]


@njit(cache=True, nogil=True, error_model="numpy")
def multiply(reach, play, out, classes):
    """out ← reach · play."""
    for k in range(classes):
        out[k] = reach[k] * play[k]


@njit(cache=True, nogil=True, error_model="numpy")
def spread_average(average, place, classes, played, step):
    """average ← average · decay + weight · played, for one action."""
    decay, weight = played.dtype.type(step[DECAY]), played.dtype.type(step[WEIGHT])
    block = average[place : place + classes]
    for k in range(classes):
        block[k] = block[k] * decay + weight * played[k]


@njit(cache=True, nogil=True, error_model="numpy")
def expected(play, slot, value, child, actions, classes, out):
    """out ← Σ over actions of play · value."""
    zero = out.dtype.type(0)
    out[:classes] = zero
    for action in range(actions):
        share, worth = play[slot + action], value[child + action]
        for k in range(classes):
            out[k] += share[k] * worth[k]


@njit(cache=True, nogil=True, error_model="numpy")
def learn(regret, guess, place, classes, worth, value, step):
    """R ← max(discount(R) + r, floor) and, if predictive, guess ← discount'(R) + prediction · r, for one action."""
    number = value.dtype.type
    positive, negative, floor = number(step[POSITIVE]), number(step[NEGATIVE]), number(step[FLOOR])
    block = regret[place : place + classes]
    for k in range(classes):
        block[k] = at_least(discounted(block[k], positive, negative) + (worth[k] - value[k]), floor)
    if guess is not None:
        later, sooner = number(step[NEXT_POSITIVE]), number(step[NEXT_NEGATIVE])
        prediction = number(step[PREDICTION])
        hoped = guess[place : place + classes]
        for k in range(classes):
            hoped[k] = discounted(block[k], later, sooner) + prediction * (worth[k] - value[k])


@njit(cache=True, nogil=True, error_model="numpy")
def decode(block, scale, out):
    """out ← 16-bit numbers times their scale."""
    for k in range(block.size):
        out[k] = block[k] * scale


@njit(cache=True, nogil=True, error_model="numpy")
def encode(numbers, block, phase):
    """Write numbers as 16 bits of their largest; returns the scale.

    What is lost in rounding differs from place to place and, by `phase`, from iteration to iteration, so that small
    additions are not lost every time: rounding up happens as often as the fraction says (a Weyl sequence as dither).
    """
    number = numbers.dtype.type
    largest = number(0)
    for k in range(block.size):
        largest = at_least(abs(numbers[k]), largest)
    factor = number(LARGEST / largest) if largest > 0 else number(0)
    golden, start, one = number(0.6180339887498949), number(phase), number(1)
    for k in range(block.size):
        turn = number(k & 1023) * golden + start
        dither = turn - np.floor(turn)
        scaled = np.floor(numbers[k] * factor + dither * (one if factor > 0 else number(0)))
        block[k] = np.int16(scaled if scaled < LARGEST else number(LARGEST))
    return largest / LARGEST


@njit(cache=True, nogil=True, error_model="numpy")
def average_block(average, scale, at, place, classes, actions, reach, row, work, step):
    """Add what is played at a node, rows `row` … of reach, to the average."""
    if scale is None:
        for action in range(actions):
            spread_average(average, place + action * classes, classes, reach[row + action], step)
    else:
        block = average[place : place + actions * classes]
        decode(block, scale[1, at], work.block)
        for action in range(actions):
            spread_average(work.block, action * classes, classes, reach[row + action], step)
        scale[1, at] = encode(work.block, block, work.phase[0])


@njit(cache=True, nogil=True, error_model="numpy")
def learn_block(regret, guess, scale, at, place, classes, actions, value, child, here, work, step):
    """Update the regrets of a node, from its children's values and its own."""
    if scale is None:
        for action in range(actions):
            learn(regret, guess, place + action * classes, classes, value[child + action], here, step)
    else:
        block = regret[place : place + actions * classes]
        decode(block, scale[0, at], work.block)
        if guess is None:
            for action in range(actions):
                learn(work.block, None, action * classes, classes, value[child + action], here, step)
        else:
            for action in range(actions):
                learn(work.block, work.hoped, action * classes, classes, value[child + action], here, step)
            scale[2, at] = encode(work.hoped, guess[place : place + actions * classes], work.phase[0])
        scale[0, at] = encode(work.block, block, work.phase[0])


@njit(cache=True, nogil=True, error_model="numpy")
def held_still(locked, at):
    """Whether the strategy of a block is locked."""
    if locked is None:
        return False
    return locked[at]
