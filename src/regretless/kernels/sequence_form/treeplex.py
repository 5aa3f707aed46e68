"""Sweeps over one player's infosets: values go up from the leaves, plans go down from the root.

A sweep touches every sequence once. Per sequence the regret update moves 24 bytes on the way up (gradient, and regret
read and written) and 40 on the way down (regret, and plan and average read and written), in float64; a predictive
variant 16 more. Strategies are never stored: regrets are matched where they are read.
"""

from __future__ import annotations

import numpy as np

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
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.regret_rules import (
    at_least,
    expectation,
    is_matched,
    predicted,
    share,
    updated,
)
from regretless.kernels.sequence_form.layout import (
    STRIP_ACTIONS,
    STRIP_INFOSET,
    STRIP_INFOSETS,
    STRIP_SEQUENCE,
    STRIP_STRIDE,
)
from regretless.kernels.thread_team import barrier


@inner
def strips_of(form, player):
    """The first strip of a player and the one after its last."""
    return form.block_strips[form.block_first[player]], form.block_strips[form.block_first[player + 1]]


@inner
def strip_update(strip, parent, gradient, regret, guess, step, predictive, smallest):
    """Regret update at the infosets of one strip, and their values added to their parents.

    With σ matched to R, or to the guess of R if predictive (see `regret_rules`), and r(a) = g(a) − Σ σ·g:

        R ← max(discount(R) + r, floor),      guess ← discount'(R) + prediction · r.
    """
    first, infosets = strip[STRIP_SEQUENCE], np.int64(strip[STRIP_INFOSETS])
    stride, actions = strip[STRIP_STRIDE], strip[STRIP_ACTIONS]
    source = guess if predictive else regret
    # Scratch is allocated here, where the compiler sees that nothing else points to it: that lets it vectorise. All of
    # it is allocated in the same way, because every other way is one more function of Numba's to compile.
    value, total, plain = np.empty(infosets), np.empty(infosets), np.empty(infosets)
    for i in range(infosets):
        value[i] = total[i] = plain[i] = 0.0
    for action in range(actions):
        begin = first + action * stride
        worth, summed = gradient[begin : begin + infosets], source[begin : begin + infosets]
        for i in range(infosets):
            positive_part = at_least(summed[i], 0.0)
            value[i] += positive_part * worth[i]
            total[i] += positive_part
            plain[i] += worth[i]
    for i in range(infosets):
        value[i] = expectation(value[i], plain[i], total[i], actions, smallest)
    positive, negative, floor = step[POSITIVE], step[NEGATIVE], step[FLOOR]
    next_positive, next_negative, prediction = step[NEXT_POSITIVE], step[NEXT_NEGATIVE], step[PREDICTION]
    for action in range(actions):
        begin = first + action * stride
        worth, summed = gradient[begin : begin + infosets], regret[begin : begin + infosets]
        for i in range(infosets):
            summed[i] = updated(summed[i], worth[i] - value[i], positive, negative, floor)
        if predictive:
            guessed = guess[begin : begin + infosets]
            for i in range(infosets):
                guessed[i] = predicted(summed[i], worth[i] - value[i], next_positive, next_negative, prediction)
    above = parent[strip[STRIP_INFOSET] : strip[STRIP_INFOSET] + infosets]
    for i in range(infosets):
        gradient[np.uint32(above[i])] += value[i]


@inner
def strip_plan(strip, parent, source, plan, average, decay, weight, smallest):
    """Average the plan that was played, average ← average · decay + weight · plan, and write the next one.

    The next one is matched to `source`: regret, or the guess of it.
    """
    first, infosets = strip[STRIP_SEQUENCE], np.int64(strip[STRIP_INFOSETS])
    stride, actions = strip[STRIP_STRIDE], strip[STRIP_ACTIONS]
    above = parent[strip[STRIP_INFOSET] : strip[STRIP_INFOSET] + infosets]
    total, uniform = np.empty(infosets), np.empty(infosets)
    for i in range(infosets):
        total[i] = 0.0
    for action in range(actions):
        begin = first + action * stride
        summed = source[begin : begin + infosets]
        for i in range(infosets):
            total[i] += at_least(summed[i], 0.0)
    for i in range(infosets):
        matched, part = is_matched(total[i], smallest), share(plan[np.uint32(above[i])], total[i], actions, smallest)
        total[i], uniform[i] = part if matched else 0.0, 0.0 if matched else part
    for action in range(actions):
        begin = first + action * stride
        summed, played = source[begin : begin + infosets], plan[begin : begin + infosets]
        averaged = average[begin : begin + infosets]
        for i in range(infosets):
            averaged[i] = averaged[i] * decay + weight * played[i]
            played[i] = at_least(summed[i], 0.0) * total[i] + uniform[i]


@inner
def update_player(form, player, iterate, step, predictive, smallest):
    """One player's whole update, given its gradient: regrets bottom-up, then plans and their average top-down."""
    strips, parent = form.strips, form.parent
    gradient, regret, guess = iterate.gradient, iterate.regret, iterate.guess
    plan, average = iterate.plan, iterate.average
    first, last = strips_of(form, player)
    for strip in range(last - 1, first - 1, -1):
        strip_update(strips[strip], parent, gradient, regret, guess, step, predictive, smallest)
    root = form.sequence_first[player]
    decay, weight = step[DECAY], step[WEIGHT]
    average[root] = average[root] * decay + weight
    source = guess if predictive else regret
    for strip in range(first, last):
        strip_plan(strips[strip], parent, source, plan, average, decay, weight, smallest)


@kernel
def player_update(form, player, iterate, step, predictive, smallest):
    """`update_player` for callers in Python."""
    update_player(form, player, iterate, step, predictive, smallest)


@inner
def update_player_team(form, player, iterate, step, predictive, smallest, team):
    """`update_player`, the strips of each block shared among the threads of a team.

    Strips of one block have no parent in common, so it makes no difference which thread takes which. On the way down a
    thread takes the same strips as on the way up: their regrets are its own, and the blocks need no barrier in between.
    """
    strips, parent = form.strips, form.parent
    gradient, regret, guess = iterate.gradient, iterate.regret, iterate.guess
    plan, average = iterate.plan, iterate.average
    root, decay, weight = form.sequence_first[player], step[DECAY], step[WEIGHT]
    top, end = form.block_first[player], form.block_first[player + 1]
    for block in range(end - 1, top - 1, -1):
        first, last = share_of_strips(form, block, team)
        for strip in range(first, last):
            strip_update(strips[strip], parent, gradient, regret, guess, step, predictive, smallest)
        if block > top:
            barrier(team)
    if team.number == 0:
        average[root] = average[root] * decay + weight
    source = guess if predictive else regret
    for block in range(top, end):
        first, last = share_of_strips(form, block, team)
        for strip in range(first, last):
            strip_plan(strips[strip], parent, source, plan, average, decay, weight, smallest)
        barrier(team)


@inner
def share_of_strips(form, block, team):
    """The strips of a block that this thread takes."""
    start, stop = np.int64(form.block_strips[block]), np.int64(form.block_strips[block + 1])
    count = stop - start
    return start + count * team.number // team.size, start + count * (team.number + 1) // team.size


@inner
def strip_best(strip, parent, gradient):
    """The best value at each infoset of a strip, added to its parent."""
    first, infosets, stride = strip[STRIP_SEQUENCE], np.int64(strip[STRIP_INFOSETS]), strip[STRIP_STRIDE]
    value = np.empty(infosets)
    offered = gradient[first : first + infosets]
    for i in range(infosets):  # assigning the slice would compile Numba's functions of text, for the text of an error
        value[i] = offered[i]
    for action in range(1, strip[STRIP_ACTIONS]):
        begin = first + action * stride
        offered = gradient[begin : begin + infosets]
        for i in range(infosets):
            value[i] = at_least(offered[i], value[i])
    above = parent[strip[STRIP_INFOSET] : strip[STRIP_INFOSET] + infosets]
    for i in range(infosets):
        gradient[np.uint32(above[i])] += value[i]


@inner
def best_values(form, player, gradient):
    """Best-response value of a player whose terminal gradient is given; afterwards every sequence has its value."""
    first, last = strips_of(form, player)
    for strip in range(last - 1, first - 1, -1):
        strip_best(form.strips[strip], form.parent, gradient)
    return gradient[form.sequence_first[player]]


@kernel
def player_best(form, player, gradient):
    """`best_values` for callers in Python."""
    return best_values(form, player, gradient)


@kernel
def lay_plan(form, strategy, plan):
    """plan[s] ← the product of own probabilities along s, for every player; empty sequences keep their value."""
    for index in range(form.strips.shape[0]):
        strip = form.strips[index]
        for i in range(strip[STRIP_INFOSETS]):
            reach = plan[form.parent[strip[STRIP_INFOSET] + i]]
            for action in range(strip[STRIP_ACTIONS]):
                sequence = strip[STRIP_SEQUENCE] + i + action * strip[STRIP_STRIDE]
                plan[sequence] = reach * strategy[sequence]


@kernel
def pure_plan(form, player, gradient, strategy, plan):
    """The best response to the values of `player_best`, as strategy and plan; ties go to the first action."""
    for index in range(*strips_of(form, player)):
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


@kernel
def player_expected(form, player, strategy, gradient):
    """The value of the player's strategy, given its terminal gradient; afterwards every sequence has its value."""
    first, last = strips_of(form, player)
    for index in range(last - 1, first - 1, -1):
        strip = form.strips[index]
        for i in range(strip[STRIP_INFOSETS]):
            value = 0.0
            for action in range(strip[STRIP_ACTIONS]):
                sequence = strip[STRIP_SEQUENCE] + i + action * strip[STRIP_STRIDE]
                value += strategy[sequence] * gradient[sequence]
            gradient[form.parent[strip[STRIP_INFOSET] + i]] += value
    return gradient[form.sequence_first[player]]
