"""Operations on rows of hands in a claim tree: strategies, averages, regrets, reach and values.

A row begins at an index of a flat array and is a multiple of sixteen hands long. The rows of a set's actions follow
each other.
"""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import smallest_normal
from regretless.kernels.numba_ext.vectors import WIDTH, load, maximum, multiply_add, splat, store
from regretless.kernels.regret_vectors import expectation, share_constant, share_factor

LEAST_REACH = 1e-30
"""A set that no hand reaches with more than this is not walked."""


@inner
def match_rows(numbers, first, actions, hands, probabilities, at):
    """Write probabilities [actions, hands] in proportion to numbers, none of which is negative."""
    none, smallest = splat(probabilities, 0.0), splat(probabilities, smallest_normal(probabilities))
    one, even = splat(probabilities, 1.0), splat(probabilities, 1.0 / actions)
    for k in range(0, hands, WIDTH):
        total = none
        for action in range(actions):
            total = total + load(numbers, first + action * hands + k)
        factor = share_factor(one, total, smallest, none)
        constant = share_constant(one, total, even, smallest, none)
        for action in range(actions):
            number = load(numbers, first + action * hands + k)
            store(probabilities, at + action * hands + k, multiply_add(number, factor, constant))


@inner
def add_rows(average, first, actions, hands, weight, reach, at, probabilities, row):
    """average ← average + weight · reach · σ."""
    for k in range(0, hands, WIDTH):
        here = load(reach, at + k) * splat(reach, weight)
        for action in range(actions):
            to = first + action * hands + k
            store(average, to, multiply_add(here, load(probabilities, row + action * hands + k), load(average, to)))


@inner
def learn_rows(regret, first, actions, hands, played, row, value, to):
    """Write the value of the strategy for own hands to value[to …]; R ← max(R + r, 0)."""
    none, smallest = splat(value, 0.0), splat(value, smallest_normal(value))
    even = splat(value, 1.0 / actions)
    for k in range(0, hands, WIDTH):
        total, weighted, plain = none, none, none
        for action in range(actions):
            worth, positive = load(played, row + action * hands + k), load(regret, first + action * hands + k)
            total, plain = total + positive, plain + worth
            weighted = multiply_add(positive, worth, weighted)
        mean = expectation(weighted, plain, total, even, smallest)
        store(value, to + k, mean)
        for action in range(actions):
            at = first + action * hands + k
            store(regret, at, maximum(load(regret, at) + load(played, row + action * hands + k) - mean, none))


@inner
def best_rows(actions, hands, played, row, value, to):
    """Write the value of the best action for own hands to value[to …]."""
    for k in range(0, hands, WIDTH):
        best = load(played, row + k)
        for action in range(1, actions):
            best = maximum(best, load(played, row + action * hands + k))
        store(value, to + k, best)


@inner
def pass_on(reach, at, hands, probabilities, row, to):
    """Write reach · σ of one action to reach[to …]; returns whether any hand is left."""
    some = False
    for k in range(0, hands, WIDTH):
        store(reach, to + k, load(reach, at + k) * load(probabilities, row + k))
    for hand in range(hands):
        some |= reach[to + hand] > LEAST_REACH
    return some


@inner
def add_row(source, at, target, to, hands):
    """target[to …] ← target[to …] + source[at …]."""
    for k in range(0, hands, WIDTH):
        store(target, to + k, load(target, to + k) + load(source, at + k))


@inner
def copy_row(source, at, target, to, hands):
    """target[to …] ← source[at …]."""
    for k in range(0, hands, WIDTH):
        store(target, to + k, load(source, at + k))


@inner
def clear_row(value, to, hands):
    """value[to …] ← 0."""
    for k in range(0, hands, WIDTH):
        store(value, to + k, splat(value, 0.0))
