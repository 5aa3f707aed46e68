"""Sweeps over one player's infosets: values travel up from the leaves, plans travel down from the root.

A sweep touches every sequence once. Per sequence the regret update moves 24 bytes on the way up (gradient, and regret
read and written) and 40 on the way down (regret, and plan and average read and written), in float64; a predictive
variant 16 more. Strategies are never stored: they are regrets, normalised where they are used.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

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
from regretless.kernels.regret_rules import at_least, discounted
from regretless.kernels.sequence_form.layout import (
    STRIP_ACTIONS,
    STRIP_INFOSET,
    STRIP_INFOSETS,
    STRIP_SEQUENCE,
    STRIP_STRIDE,
)


@njit(cache=True, nogil=True, error_model="numpy")
def strip_update(strip, parent, gradient, regret, guess, step, predictive, smallest):
    """Regret update at the infosets of one strip, and their values added to their parents.

    With σ ∝ max(R, 0), or ∝ max(guess, 0) if predictive, and r(a) = g(a) − Σ σ·g:

        R ← max(discount(R) + r, floor),      guess ← discount'(R) + prediction · r.

    A total under `smallest`, the least normal number, counts as none, and σ is then uniform.
    """
    first, infosets = strip[STRIP_SEQUENCE], strip[STRIP_INFOSETS]
    stride, actions = strip[STRIP_STRIDE], strip[STRIP_ACTIONS]
    source = guess if predictive else regret
    # Scratch is allocated here, where the compiler sees that nothing else points to it: that lets it vectorise.
    value = np.zeros(infosets, np.float64)
    total = np.zeros(infosets, np.float64)
    plain = np.zeros(infosets, np.float64)
    for action in range(actions):
        begin = first + action * stride
        worth, summed = gradient[begin : begin + infosets], source[begin : begin + infosets]
        for i in range(infosets):
            share = at_least(summed[i], 0.0)
            value[i] += share * worth[i]
            total[i] += share
            plain[i] += worth[i]
    for i in range(infosets):
        value[i] = value[i] / total[i] if total[i] >= smallest else plain[i] / actions
    positive, negative, floor = step[POSITIVE], step[NEGATIVE], step[FLOOR]
    next_positive, next_negative, prediction = step[NEXT_POSITIVE], step[NEXT_NEGATIVE], step[PREDICTION]
    for action in range(actions):
        begin = first + action * stride
        worth, summed = gradient[begin : begin + infosets], regret[begin : begin + infosets]
        for i in range(infosets):
            summed[i] = at_least(discounted(summed[i], positive, negative) + (worth[i] - value[i]), floor)
        if predictive:
            hoped = guess[begin : begin + infosets]
            for i in range(infosets):
                hoped[i] = discounted(summed[i], next_positive, next_negative) + prediction * (worth[i] - value[i])
    above = parent[strip[STRIP_INFOSET] : strip[STRIP_INFOSET] + infosets]
    for i in range(infosets):
        gradient[np.uint32(above[i])] += value[i]


@njit(cache=True, nogil=True, error_model="numpy")
def strip_plan(strip, parent, source, plan, average, decay, weight, smallest):
    """Average the plan that was played, average ← average · decay + weight · plan, and lay down the next one.

    The next one plays in proportion to the positive part of `source`: regret, or the guess of it.
    """
    first, infosets = strip[STRIP_SEQUENCE], strip[STRIP_INFOSETS]
    stride, actions = strip[STRIP_STRIDE], strip[STRIP_ACTIONS]
    above = parent[strip[STRIP_INFOSET] : strip[STRIP_INFOSET] + infosets]
    total = np.zeros(infosets, np.float64)
    uniform = np.empty(infosets, np.float64)
    for action in range(actions):
        begin = first + action * stride
        summed = source[begin : begin + infosets]
        for i in range(infosets):
            total[i] += at_least(summed[i], 0.0)
    for i in range(infosets):
        reach = plan[np.uint32(above[i])]
        some = total[i] >= smallest
        uniform[i] = 0.0 if some else reach / actions
        total[i] = reach / total[i] if some else 0.0
    for action in range(actions):
        begin = first + action * stride
        summed, played = source[begin : begin + infosets], plan[begin : begin + infosets]
        averaged = average[begin : begin + infosets]
        for i in range(infosets):
            averaged[i] = averaged[i] * decay + weight * played[i]
            played[i] = at_least(summed[i], 0.0) * total[i] + uniform[i]


@njit(cache=True, nogil=True, error_model="numpy")
def player_update(form, player, iterate, step, predictive, smallest):
    """One player's whole update, given its gradient: regrets bottom-up, then plans and their average top-down."""
    strips, parent = form.strips, form.parent
    gradient, regret, guess = iterate.gradient, iterate.regret, iterate.guess
    plan, average = iterate.plan, iterate.average
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    for strip in range(last - 1, first - 1, -1):
        strip_update(strips[strip], parent, gradient, regret, guess, step, predictive, smallest)
    root = form.sequence_first[player]
    decay, weight = step[DECAY], step[WEIGHT]
    average[root] = average[root] * decay + weight
    source = guess if predictive else regret
    for strip in range(first, last):
        strip_plan(strips[strip], parent, source, plan, average, decay, weight, smallest)


@njit(cache=True, nogil=True, error_model="numpy", parallel=True)
def player_update_threads(form, player, iterate, step, predictive, smallest):
    """`player_update`, the strips of each block shared among threads."""
    strips, parent, block_strips = form.strips, form.parent, form.block_strips
    gradient, regret, guess = iterate.gradient, iterate.regret, iterate.guess
    plan, average = iterate.plan, iterate.average
    first, last = form.block_first[player], form.block_first[player + 1]
    for block in range(last - 1, first - 1, -1):
        for strip in prange(block_strips[block], block_strips[block + 1]):
            strip_update(strips[strip], parent, gradient, regret, guess, step, predictive, smallest)
    root = form.sequence_first[player]
    decay, weight = step[DECAY], step[WEIGHT]
    average[root] = average[root] * decay + weight
    source = guess if predictive else regret
    for block in range(first, last):
        for strip in prange(block_strips[block], block_strips[block + 1]):
            strip_plan(strips[strip], parent, source, plan, average, decay, weight, smallest)


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


@njit(cache=True, nogil=True, error_model="numpy")
def match_regrets(form, player, source, strategy, smallest):
    """strategy ∝ max(source, 0) at every infoset of a player, uniform where nothing is positive."""
    for index in range(form.block_strips[form.block_first[player]], form.block_strips[form.block_first[player + 1]]):
        strip = form.strips[index]
        actions, stride = strip[STRIP_ACTIONS], strip[STRIP_STRIDE]
        for first in range(strip[STRIP_SEQUENCE], strip[STRIP_SEQUENCE] + strip[STRIP_INFOSETS]):
            total = 0.0
            for action in range(actions):
                total += at_least(source[first + action * stride], 0.0)
            for action in range(actions):
                share = at_least(source[first + action * stride], 0.0)
                strategy[first + action * stride] = share / total if total >= smallest else 1.0 / actions


@njit(cache=True, nogil=True, error_model="numpy")
def player_expected(form, player, strategy, gradient):
    """The value of the player's strategy, given its terminal gradient; afterwards every sequence has its value."""
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    for index in range(last - 1, first - 1, -1):
        strip = form.strips[index]
        for i in range(strip[STRIP_INFOSETS]):
            value = 0.0
            for action in range(strip[STRIP_ACTIONS]):
                sequence = strip[STRIP_SEQUENCE] + i + action * strip[STRIP_STRIDE]
                value += strategy[sequence] * gradient[sequence]
            gradient[form.parent[strip[STRIP_INFOSET] + i]] += value
    return gradient[form.sequence_first[player]]
