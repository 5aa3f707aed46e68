"""Regret matching on a public tree, sixteen hand classes at a time.

Blocks are action-major and every row is filled up with zeros to a multiple of sixteen, so loops have no tails. A
strategy is never stored: it is regrets, normalised where they are used. Numbers are kept as float64, as float32, or as
16-bit integers with one scale per (node, board); matching needs no scale, since only proportions count.
"""

from __future__ import annotations

from numba import njit

from regretless.kernels.constants import (
    DECAY,
    FLOOR,
    NEGATIVE,
    NEXT_NEGATIVE,
    NEXT_POSITIVE,
    POSITIVE,
    PREDICTION,
    WEIGHT,
)
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.numba_ext.vectors import (
    WIDTH,
    by_sign,
    fused,
    larger,
    otherwise,
    put,
    ratio,
    rounded_down,
    smaller,
    spread,
    take,
)
from regretless.kernels.public.layout import INNER

LARGEST = 32_767
"""What the largest number of a block is written as in 16 bits."""

LEAST = 1e-30
"""A block without a number of this size is written as zeros: its scale would be no ordinary float32."""


@njit(**INNER)
def pass_down(source, place, stride, actions, reach, row, child_row, smallest):
    """reach[child] ← reach · σ with σ ∝ max(source, 0), uniform where nothing is positive."""
    numbers, rows, width = bare(source), bare(reach), reach.shape[1]
    none, least, even = spread(rows, 0.0), spread(rows, smallest), spread(rows, 1.0 / actions)
    for k in range(0, stride, WIDTH):
        total = none
        for action in range(actions):
            total = total + larger(take(numbers, place + action * stride + k), none)
        here = take(rows, row * width + k)
        share, plain = ratio(here, total, least), otherwise(here * even, total, least)
        for action in range(actions):
            positive = larger(take(numbers, place + action * stride + k), none)
            put(rows, (child_row + action) * width + k, fused(positive, share, plain))


@njit(**INNER)
def add_played(average, place, stride, reach, row, step):
    """average ← average · decay + weight · reach, for one action."""
    numbers, rows, width = bare(average), bare(reach), reach.shape[1]
    decay, weight = spread(rows, step[DECAY]), spread(rows, step[WEIGHT])
    for k in range(0, stride, WIDTH):
        put(numbers, place + k, fused(weight, take(rows, row * width + k), take(numbers, place + k) * decay))


@njit(**INNER)
def expect(source, place, stride, actions, value, node, child, smallest):
    """value[node] ← Σ σ · value[child], σ as in `pass_down`."""
    numbers, rows, width = bare(source), bare(value), value.shape[1]
    none, least, even = spread(rows, 0.0), spread(rows, smallest), spread(rows, 1.0 / actions)
    for k in range(0, stride, WIDTH):
        total, weighted, plain = none, none, none
        for action in range(actions):
            positive = larger(take(numbers, place + action * stride + k), none)
            worth = take(rows, (child + action) * width + k)
            total = total + positive
            weighted = fused(positive, worth, weighted)
            plain = plain + worth
        put(rows, node * width + k, ratio(weighted, total, least) + otherwise(plain * even, total, least))


@njit(**INNER)
def learn(regret, place, stride, value, node, child, step):
    """R ← max(discount(R) + r, floor) for one action, r = value[child] − value[node]."""
    numbers, rows, width = bare(regret), bare(value), value.shape[1]
    positive, negative = spread(rows, step[POSITIVE]), spread(rows, step[NEGATIVE])
    floor = spread(rows, step[FLOOR])
    for k in range(0, stride, WIDTH):
        missed = take(rows, child * width + k) - take(rows, node * width + k)
        old = take(numbers, place + k)
        put(numbers, place + k, larger(fused(old, by_sign(old, positive, negative), missed), floor))


@njit(**INNER)
def foresee(regret, place, guess, guess_place, stride, value, node, child, step):
    """guess ← discount'(R) + prediction · r for one action, after `learn`."""
    numbers, hoped, rows, width = bare(regret), bare(guess), bare(value), value.shape[1]
    positive, negative = spread(rows, step[NEXT_POSITIVE]), spread(rows, step[NEXT_NEGATIVE])
    prediction = spread(rows, step[PREDICTION])
    for k in range(0, stride, WIDTH):
        missed = take(rows, child * width + k) - take(rows, node * width + k)
        now = take(numbers, place + k)
        put(hoped, guess_place + k, fused(prediction, missed, now * by_sign(now, positive, negative)))


@njit(**INNER)
def add_up(value, node, child, actions, stride):
    """value[node] ← the sum of the children's values, where the other player decides."""
    rows, width = bare(value), value.shape[1]
    for k in range(0, stride, WIDTH):
        total = take(rows, child * width + k)
        for action in range(1, actions):
            total = total + take(rows, (child + action) * width + k)
        put(rows, node * width + k, total)


@njit(**INNER)
def best_of(value, node, child, actions, stride):
    """value[node] ← the largest of the children's values."""
    rows, width = bare(value), value.shape[1]
    for k in range(0, stride, WIDTH):
        best = take(rows, child * width + k)
        for action in range(1, actions):
            best = larger(take(rows, (child + action) * width + k), best)
        put(rows, node * width + k, best)


@njit(**INNER)
def decode(block, place, count, scale, out):
    """out ← 16-bit numbers times their scale."""
    numbers, decoded = bare(block), bare(out)
    times = spread(decoded, scale)
    for k in range(0, count, WIDTH):
        put(decoded, k, take(numbers, place + k) * times)


@njit(**INNER)
def encode(numbers, block, place, count, phase):
    """Write numbers as 16 bits of their largest; returns the scale.

    What rounding loses differs from place to place and, by `phase` [16], from iteration to iteration, so that small
    additions are not lost every time: a number is rounded up about as often as its fraction says (a Weyl sequence as
    dither).
    """
    plain, coded, turns = bare(numbers), bare(block), bare(phase)
    most = spread(plain, 0.0)
    for k in range(0, count, WIDTH):
        number = take(plain, k)
        most = larger(larger(number, spread(plain, 0.0) - number), most)
    put(turns, WIDTH, most)
    largest = turns[WIDTH]
    for k in range(WIDTH + 1, 2 * WIDTH):
        largest = max(largest, turns[k])
    factor = spread(plain, LARGEST / largest if largest >= LEAST else 0.0)
    dither, golden, top = take(turns, 0), spread(plain, 0.6180339887498949), spread(plain, LARGEST)
    for k in range(0, count, WIDTH):
        put(coded, place + k, smaller(rounded_down(fused(take(plain, k), factor, dither)), top))
        dither = dither + golden
        dither = dither - rounded_down(dither)
    return largest / LARGEST if largest >= LEAST else 0.0


@njit(**INNER)
def average_block(average, scale, at, place, stride, actions, reach, row, work, step):
    """Add what is played at a node, rows `row` … of reach, to the average."""
    if scale is None:
        for action in range(actions):
            add_played(average, place + action * stride, stride, reach, row + action, step)
    else:
        decode(average, place, actions * stride, scale[1, at], work.block)
        for action in range(actions):
            add_played(work.block, action * stride, stride, reach, row + action, step)
        scale[1, at] = encode(work.block, average, place, actions * stride, work.phase)


@njit(**INNER)
def learn_block(regret, guess, scale, at, place, stride, actions, value, node, child, work, step):
    """Update the regrets of a node, from its children's values and its own."""
    if scale is None:
        for action in range(actions):
            begin = place + action * stride
            learn(regret, begin, stride, value, node, child + action, step)
            if guess.size > 0:
                foresee(regret, begin, guess, begin, stride, value, node, child + action, step)
    else:
        decode(regret, place, actions * stride, scale[0, at], work.block)
        for action in range(actions):
            begin = action * stride
            learn(work.block, begin, stride, value, node, child + action, step)
            if guess.size > 0:
                foresee(work.block, begin, work.hoped, begin, stride, value, node, child + action, step)
        scale[0, at] = encode(work.block, regret, place, actions * stride, work.phase)
        if guess.size > 0:
            scale[2, at] = encode(work.hoped, guess, place, actions * stride, work.phase)


@njit(**INNER)
def held_still(locked, at):
    """Whether the strategy of a block is locked."""
    return locked.size > 0 and locked[at]
