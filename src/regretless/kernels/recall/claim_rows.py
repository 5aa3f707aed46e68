"""What is done with rows of hands on the way through a claim tree: strategies, averages, regrets, reach and values.

A row begins at a place in a flat sequence of numbers and is a multiple of sixteen hands long; where a set has a row for
each action, they follow each other.
"""

from __future__ import annotations

from numba import njit

from regretless.kernels.numba_ext.vectors import WIDTH, fused, larger, otherwise, put, ratio, spread, take

SMALLEST = 1e-30


@njit(nogil=True, forceinline=True)
def match_rows(numbers, place, actions, hands, chances, at):
    """Write probabilities [actions, hands] in proportion to numbers, none of which is negative."""
    none, least, even = spread(chances, 0.0), spread(chances, SMALLEST), spread(chances, 1.0 / actions)
    for k in range(0, hands, WIDTH):
        total = none
        for action in range(actions):
            total = total + take(numbers, place + action * hands + k)
        plain, one = otherwise(even, total, least), ratio(spread(chances, 1.0), total, least)
        for action in range(actions):
            put(chances, at + action * hands + k, fused(take(numbers, place + action * hands + k), one, plain))


@njit(nogil=True, forceinline=True)
def add_rows(average, place, actions, hands, weight, reach, at, chances, row):
    """average ← average + weight · reach · σ."""
    for k in range(0, hands, WIDTH):
        here = take(reach, at + k) * spread(reach, weight)
        for action in range(actions):
            to = place + action * hands + k
            put(average, to, fused(here, take(chances, row + action * hands + k), take(average, to)))


@njit(nogil=True, forceinline=True)
def learn_rows(regret, place, actions, hands, played, row, value, to):
    """Write what own hands win by their strategy to value[to …]; R ← max(R + r, 0)."""
    none, least, even = spread(value, 0.0), spread(value, SMALLEST), spread(value, 1.0 / actions)
    for k in range(0, hands, WIDTH):
        total, weighted, plain = none, none, none
        for action in range(actions):
            worth, weight = take(played, row + action * hands + k), take(regret, place + action * hands + k)
            total, plain = total + weight, plain + worth
            weighted = fused(weight, worth, weighted)
        mean = ratio(weighted, total, least) + otherwise(plain * even, total, least)
        put(value, to + k, mean)
        for action in range(actions):
            at = place + action * hands + k
            put(regret, at, larger(take(regret, at) + take(played, row + action * hands + k) - mean, none))


@njit(nogil=True, forceinline=True)
def best_rows(actions, hands, played, row, value, to):
    """Write what own hands win by the best of their actions to value[to …]."""
    for k in range(0, hands, WIDTH):
        best = take(played, row + k)
        for action in range(1, actions):
            best = larger(best, take(played, row + action * hands + k))
        put(value, to + k, best)


@njit(nogil=True, forceinline=True)
def pass_on(reach, at, hands, chances, row, to):
    """Write reach · σ of one action to reach[to …]; whether any hand is left."""
    some = False
    for k in range(0, hands, WIDTH):
        put(reach, to + k, take(reach, at + k) * take(chances, row + k))
    for hand in range(hands):
        some |= reach[to + hand] > SMALLEST
    return some


@njit(nogil=True, forceinline=True)
def add_row(source, at, target, to, hands):
    """target[to …] ← target[to …] + source[at …]."""
    for k in range(0, hands, WIDTH):
        put(target, to + k, take(target, to + k) + take(source, at + k))


@njit(nogil=True, forceinline=True)
def copy_row(source, at, target, to, hands):
    """target[to …] ← source[at …]."""
    for k in range(0, hands, WIDTH):
        put(target, to + k, take(source, at + k))


@njit(nogil=True, forceinline=True)
def clear_row(value, to, hands):
    """value[to …] ← 0."""
    for k in range(0, hands, WIDTH):
        put(value, to + k, spread(value, 0.0))
