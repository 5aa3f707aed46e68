"""Sweeps over one player's infosets: values travel up from the leaves, plans travel down from the root.

A sweep touches every sequence once. Per sequence the regret update moves about 40 bytes up (gradient, strategy and
regret) and 40 down (strategy, plan and average), in float64.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from regretless.kernels.layout import (
    DECAY,
    FLOOR,
    NEGATIVE,
    NEXT_NEGATIVE,
    NEXT_POSITIVE,
    POSITIVE,
    PREDICTION,
    STRIP_ACTIONS,
    STRIP_INFOSET,
    STRIP_INFOSETS,
    STRIP_SEQUENCE,
    STRIP_STRIDE,
    WEIGHT,
)
from regretless.kernels.rules import at_least, discounted


@njit(cache=True, nogil=True, error_model="numpy")
def strip_update(strip, parent, gradient, strategy, regret, step, smallest):
    """Regret update at the infosets of one strip, their next strategy, and their values added to their parents.

    With r(a) = g(a) − Σ σ·g:   R ← max(discount(R) + r, floor),   σ ∝ max(discount'(R) + prediction · r, 0).
    A total under `smallest`, the least normal number, counts as none.
    """
    first, infosets, stride, actions = (
        strip[STRIP_SEQUENCE],
        strip[STRIP_INFOSETS],
        strip[STRIP_STRIDE],
        strip[STRIP_ACTIONS],
    )
    positive, negative, floor = step[POSITIVE], step[NEGATIVE], step[FLOOR]
    next_positive, next_negative, prediction = step[NEXT_POSITIVE], step[NEXT_NEGATIVE], step[PREDICTION]
    # Scratch is allocated here, where the compiler sees that nothing else points to it: that is what lets it vectorise.
    value = np.zeros(infosets, np.float64)
    total = np.zeros(infosets, np.float64)
    for action in range(actions):
        begin = first + action * stride
        worth, chosen = gradient[begin : begin + infosets], strategy[begin : begin + infosets]
        for i in range(infosets):
            value[i] += chosen[i] * worth[i]
    for action in range(actions):
        begin = first + action * stride
        worth, chosen = gradient[begin : begin + infosets], strategy[begin : begin + infosets]
        summed = regret[begin : begin + infosets]
        for i in range(infosets):
            new = worth[i] - value[i]
            kept = at_least(discounted(summed[i], positive, negative) + new, floor)
            hoped = at_least(discounted(kept, next_positive, next_negative) + prediction * new, 0.0)
            summed[i] = kept
            chosen[i] = hoped
            total[i] += hoped
    above = parent[strip[STRIP_INFOSET] : strip[STRIP_INFOSET] + infosets]
    for i in range(infosets):
        gradient[np.uint32(above[i])] += value[i]
    uniform = 1.0 / actions
    for i in range(infosets):
        some = total[i] >= smallest
        value[i] = 0.0 if some else uniform
        total[i] = 1.0 / total[i] if some else 0.0
    for action in range(actions):
        begin = first + action * stride
        chosen = strategy[begin : begin + infosets]
        for i in range(infosets):
            chosen[i] = chosen[i] * total[i] + value[i]


@njit(cache=True, nogil=True, error_model="numpy")
def strip_plan(strip, parent, strategy, plan, average, decay, weight):
    """Average the plan that was played, average ← average · decay + weight · plan, and lay down the next one."""
    first, infosets, stride = strip[STRIP_SEQUENCE], strip[STRIP_INFOSETS], strip[STRIP_STRIDE]
    above = parent[strip[STRIP_INFOSET] : strip[STRIP_INFOSET] + infosets]
    reach = np.empty(infosets, np.float64)
    for i in range(infosets):
        reach[i] = plan[np.uint32(above[i])]
    for action in range(strip[STRIP_ACTIONS]):
        begin = first + action * stride
        chosen, played = strategy[begin : begin + infosets], plan[begin : begin + infosets]
        summed = average[begin : begin + infosets]
        for i in range(infosets):
            summed[i] = summed[i] * decay + weight * played[i]
            played[i] = reach[i] * chosen[i]


@njit(cache=True, nogil=True, error_model="numpy")
def player_update(form, player, iterate, step, smallest):
    """One player's whole update, given its gradient: regrets bottom-up, then plans and their average top-down."""
    strips, parent = form.strips, form.parent
    gradient, strategy, regret, plan, average = (
        iterate.gradient,
        iterate.strategy,
        iterate.regret,
        iterate.plan,
        iterate.average,
    )
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    for strip in range(last - 1, first - 1, -1):
        strip_update(strips[strip], parent, gradient, strategy, regret, step, smallest)
    root = form.sequence_first[player]
    decay, weight = step[DECAY], step[WEIGHT]
    average[root] = average[root] * decay + weight
    for strip in range(first, last):
        strip_plan(strips[strip], parent, strategy, plan, average, decay, weight)


@njit(cache=True, nogil=True, error_model="numpy", parallel=True)
def player_update_threads(form, player, iterate, step, smallest):
    """`player_update`, the strips of each block shared among threads."""
    strips, parent, block_strips = form.strips, form.parent, form.block_strips
    gradient, strategy, regret, plan, average = (
        iterate.gradient,
        iterate.strategy,
        iterate.regret,
        iterate.plan,
        iterate.average,
    )
    first, last = form.block_first[player], form.block_first[player + 1]
    for block in range(last - 1, first - 1, -1):
        for strip in prange(block_strips[block], block_strips[block + 1]):
            strip_update(strips[strip], parent, gradient, strategy, regret, step, smallest)
    root = form.sequence_first[player]
    decay, weight = step[DECAY], step[WEIGHT]
    average[root] = average[root] * decay + weight
    for block in range(first, last):
        for strip in prange(block_strips[block], block_strips[block + 1]):
            strip_plan(strips[strip], parent, strategy, plan, average, decay, weight)


@njit(cache=True, nogil=True, error_model="numpy")
def strip_best(strip, parent, gradient):
    """The best value at each infoset of a strip, added to its parent."""
    first, infosets, stride = strip[STRIP_SEQUENCE], strip[STRIP_INFOSETS], strip[STRIP_STRIDE]
    value = np.empty(infosets, np.float64)
    value[:] = gradient[first : first + infosets]
    for action in range(1, strip[STRIP_ACTIONS]):
        begin = first + action * stride
        offered = gradient[begin : begin + infosets]
        for i in range(infosets):
            value[i] = at_least(offered[i], value[i])
    above = parent[strip[STRIP_INFOSET] : strip[STRIP_INFOSET] + infosets]
    for i in range(infosets):
        gradient[np.uint32(above[i])] += value[i]


@njit(cache=True, nogil=True, error_model="numpy")
def player_best(form, player, gradient):
    """Best-response value of a player whose terminal gradient is given; afterwards every sequence has its value."""
    strips, parent = form.strips, form.parent
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    for strip in range(last - 1, first - 1, -1):
        strip_best(strips[strip], parent, gradient)
    return gradient[form.sequence_first[player]]


@njit(cache=True, nogil=True, error_model="numpy")
def lay_plan(form, strategy, plan):
    """plan[s] ← the product of own probabilities along s, for every player; empty sequences keep what they hold."""
    for index in range(form.strips.shape[0]):
        strip = form.strips[index]
        for i in range(strip[STRIP_INFOSETS]):
            reach = plan[form.parent[strip[STRIP_INFOSET] + i]]
            for action in range(strip[STRIP_ACTIONS]):
                sequence = strip[STRIP_SEQUENCE] + i + action * strip[STRIP_STRIDE]
                plan[sequence] = reach * strategy[sequence]


@njit(cache=True, nogil=True, error_model="numpy")
def pure_plan(form, player, gradient, strategy, plan):
    """The best response that the values of `player_best` show, as strategy and plan; ties go to the first action."""
    for index in range(form.block_strips[form.block_first[player]], form.block_strips[form.block_first[player + 1]]):
        strip = form.strips[index]
        for i in range(strip[STRIP_INFOSETS]):
            reach = plan[form.parent[strip[STRIP_INFOSET] + i]]
            first = strip[STRIP_SEQUENCE] + i
            best = first
            for action in range(1, strip[STRIP_ACTIONS]):
                sequence = first + action * strip[STRIP_STRIDE]
                if gradient[sequence] > gradient[best]:
                    best = sequence
            for action in range(strip[STRIP_ACTIONS]):
                sequence = first + action * strip[STRIP_STRIDE]
                strategy[sequence] = 1.0 if sequence == best else 0.0
                plan[sequence] = reach * strategy[sequence]
