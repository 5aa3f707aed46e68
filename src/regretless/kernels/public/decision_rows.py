"""Regret matching on a public tree, sixteen hand classes at a time.

Blocks are action-major and every row is padded with zeros to a multiple of sixteen, so loops have no tails. A strategy
is never stored: regrets are matched where they are read. Numbers are kept as float64, as float32, or as 16-bit integers
with one scale per (node, board); matching needs no scale, since only proportions count.

Arrays are pointers. Rows of reach and of values are `width` apart; `here` and `below` are the indices of the rows of a
node and of its first child.
"""

from __future__ import annotations

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
from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import prefetch
from regretless.kernels.numba_ext.vectors import (
    WIDTH,
    floor,
    load,
    maximum,
    minimum,
    multiply_add,
    splat,
    store,
)
from regretless.kernels.regret_vectors import expectation, predicted, share_constant, share_factor, updated

LARGEST = 32_767
"""What the largest number of a block is written as in 16 bits."""

LEAST = 1e-30
"""A block without a number of this size is written as zeros: its scale would not be a normal float32."""

AHEAD = 1_024
"""Numbers by which loops that read a table in order ask for it ahead, so that they do not wait for memory."""

REGRET_SCALE, AVERAGE_SCALE, GUESS_SCALE = range(3)
"""Rows of `SolveState.scale`."""


@inner
def pass_down(source, first, stride, actions, reach, here, below, width, smallest):
    """reach[child] ← reach · σ, σ matched to `source`."""
    none, even = splat(reach, 0.0), splat(reach, 1.0 / actions)
    least = splat(reach, smallest)
    for k in range(0, stride, WIDTH):
        total = none
        for action in range(actions):
            prefetch(source, first + action * stride + k + AHEAD)
            total = total + maximum(load(source, first + action * stride + k), none)
        played = load(reach, here + k)
        factor = share_factor(played, total, least, none)
        constant = share_constant(played, total, even, least, none)
        for action in range(actions):
            positive = maximum(load(source, first + action * stride + k), none)
            store(reach, below + action * width + k, multiply_add(positive, factor, constant))


@inner
def add_played(average, first, stride, reach, row, step):
    """average ← average · decay + weight · reach, for one action."""
    decay, weight = splat(reach, step[DECAY]), splat(reach, step[WEIGHT])
    for k in range(0, stride, WIDTH):
        prefetch(average, first + k + AHEAD)
        store(average, first + k, multiply_add(weight, load(reach, row + k), load(average, first + k) * decay))


@inner
def expect(source, first, stride, actions, value, here, below, width, smallest):
    """value[node] ← Σ σ · value[child], σ matched to `source`."""
    none, even = splat(value, 0.0), splat(value, 1.0 / actions)
    least = splat(value, smallest)
    for k in range(0, stride, WIDTH):
        total, weighted, plain = none, none, none
        for action in range(actions):
            prefetch(source, first + action * stride + k - AHEAD)
            positive = maximum(load(source, first + action * stride + k), none)
            worth = load(value, below + action * width + k)
            total = total + positive
            weighted = multiply_add(positive, worth, weighted)
            plain = plain + worth
        store(value, here + k, expectation(weighted, plain, total, even, least))


@inner
def learn(regret, first, stride, value, here, child, step):
    """R ← max(discount(R) + r, floor) for one action, r = value[child] − value[node]."""
    positive, negative = splat(value, step[POSITIVE]), splat(value, step[NEGATIVE])
    lowest = splat(value, step[FLOOR])
    for k in range(0, stride, WIDTH):
        gain = load(value, child + k) - load(value, here + k)
        store(regret, first + k, updated(load(regret, first + k), gain, positive, negative, lowest))


@inner
def predict(regret, guess, first, stride, value, here, child, step):
    """guess ← discount'(R) + prediction · r for one action, after `learn`."""
    positive, negative = splat(value, step[NEXT_POSITIVE]), splat(value, step[NEXT_NEGATIVE])
    prediction = splat(value, step[PREDICTION])
    for k in range(0, stride, WIDTH):
        gain = load(value, child + k) - load(value, here + k)
        store(guess, first + k, predicted(load(regret, first + k), gain, positive, negative, prediction))


@inner
def add_up(value, here, below, width, actions, stride):
    """value[node] ← the sum of the children's values, where the other player decides."""
    for k in range(0, stride, WIDTH):
        total = load(value, below + k)
        for action in range(1, actions):
            total = total + load(value, below + action * width + k)
        store(value, here + k, total)


@inner
def best_of(value, here, below, width, actions, stride):
    """value[node] ← the largest of the children's values."""
    for k in range(0, stride, WIDTH):
        best = load(value, below + k)
        for action in range(1, actions):
            best = maximum(load(value, below + action * width + k), best)
        store(value, here + k, best)


@inner
def decode(block, first, count, scale, out):
    """out ← 16-bit numbers times their scale."""
    times = splat(out, scale)
    for k in range(0, count, WIDTH):
        prefetch(block, first + k + AHEAD)
        store(out, k, load(block, first + k) * times)


@inner
def encode(numbers, block, first, count, phase):
    """Write numbers as 16 bits of their largest; returns the scale.

    The rounding error differs from number to number and, by `phase` [16], from iteration to iteration, so that small
    additions are not lost every time: a number is rounded up about as often as its fraction says (a Weyl sequence as
    dither).
    """
    none = splat(numbers, 0.0)
    most = none
    for k in range(0, count, WIDTH):
        number = load(numbers, k)
        most = maximum(maximum(number, none - number), most)
    store(phase, WIDTH, most)
    largest = phase[WIDTH]
    for k in range(WIDTH + 1, 2 * WIDTH):
        largest = max(largest, phase[k])
    factor = splat(numbers, LARGEST / largest if largest >= LEAST else 0.0)
    dither, golden, top = load(phase, 0), splat(numbers, 0.6180339887498949), splat(numbers, LARGEST)
    for k in range(0, count, WIDTH):
        store(block, first + k, minimum(floor(multiply_add(load(numbers, k), factor, dither)), top))
        dither = dither + golden
        dither = dither - floor(dither)
    return largest / LARGEST if largest >= LEAST else 0.0


@inner
def average_block(state, scale, scratch, at, first, stride, actions, reach, row, width, step):
    """Add what is played at a node, the rows of reach from `row` on, to the average.

    scale: that of the state, as an argument of its own: the compiler then drops the branch for the other type.
    """
    if scale is None:
        for action in range(actions):
            add_played(state.average, first + action * stride, stride, reach, row + action * width, step)
    else:
        decode(state.average, first, actions * stride, scale[AVERAGE_SCALE, at], scratch.block)
        for action in range(actions):
            add_played(scratch.block, action * stride, stride, reach, row + action * width, step)
        scale[AVERAGE_SCALE, at] = encode(scratch.block, state.average, first, actions * stride, scratch.phase)


@inner
def learn_block(state, scale, scratch, at, first, stride, actions, value, here, below, width, step):
    """Update the regrets of a node, from its children's values and its own."""
    if scale is None:
        for action in range(actions):
            begin, child = first + action * stride, below + action * width
            learn(state.regret, begin, stride, value, here, child, step)
            if state.predictive:
                predict(state.regret, state.guess, begin, stride, value, here, child, step)
    else:
        decode(state.regret, first, actions * stride, scale[REGRET_SCALE, at], scratch.block)
        for action in range(actions):
            begin, child = action * stride, below + action * width
            learn(scratch.block, begin, stride, value, here, child, step)
            if state.predictive:
                predict(scratch.block, scratch.guess, begin, stride, value, here, child, step)
        scale[REGRET_SCALE, at] = encode(scratch.block, state.regret, first, actions * stride, scratch.phase)
        if state.predictive:
            scale[GUESS_SCALE, at] = encode(scratch.guess, state.guess, first, actions * stride, scratch.phase)


@inner
def is_locked(state, at):
    """Whether the strategy of a block is locked."""
    return state.has_locks and state.locked[at]
