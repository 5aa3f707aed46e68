"""CFR+ and best replies on all sets of rising claims, with vectors of hands: dice games where everybody remembers.

What is public in such a game is the set of claims made so far: they only rise, so C claims make 2^C sets, and one way
leads to each. What is private is a hand of dice, and a challenge depends on it only through how many dice count for the
claim. So all sets are walked depth first, with the reach of the other's hands on the way down and the value of every
own hand on the way up. Numbers lie in the order of that walk: action by action, a row of hands for each, filled up
with zeros to a multiple of sixteen.

A set that no hand of the other comes to is left out with all that is above it: no regret changes there by CFR+, which
neither fades regret nor lets it fall below zero, and nothing is added to the average. After some iterations that is
most of the tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.claim_response import BY_MEMORY, BY_TREE, bare_opponent, chances_of
from regretless.kernels.memory import bare
from regretless.kernels.vectors import WIDTH, fused, larger, otherwise, put, ratio, spread, take

WHOLE, GATHER, COLLECT = range(3)
"""Walk all; walk what lies before the frontier and note where it is crossed; walk it with the values found behind."""

LAST, PLACE, CLAIMED, MEMORY, CHOICE, REACH = range(6)
"""Where a walk is."""

FRESH = -2
SMALLEST = 1e-30


class Seat(NamedTuple):
    """A round as the player sees it whose walk it is; C claims, R own hands, H of the other, rows filled up."""

    who: int
    ahead: npt.NDArray[np.int64]  # [C + 1, 2, C] numbers from a set (last claim + 1, mover) to each that follows
    order: npt.NDArray[np.int64]  # [faces, H] the other's hands by how many of their dice count for a face …
    ends: npt.NDArray[np.int64]  # [faces, their dice + 1] … and where those with so many end
    doubted: npt.NDArray[Any]  # [C, 2, their dice + 1, R] chips if a claim is challenged, by mover and their dice
    odds: npt.NDArray[Any]  # [H] of the other's hands


class Scratch(NamedTuple):
    """Of a walk; D ≥ C + 2 sets deep."""

    reach: npt.NDArray[Any]  # [D, H] of the other's hands
    chances: npt.NDArray[Any]  # [D, C + 1, H] what the other does
    played: npt.NDArray[Any]  # [D, C + 1, R] chips by own action
    value: npt.NDArray[Any]  # [D, R] chips
    path: npt.NDArray[np.int64]  # [D, 6] last claim, place of the numbers, set, memory, choice, row of reach


class Frontier(NamedTuple):
    """Sets from which on others walk; T of them."""

    claim: int  # the first claim that lies behind it
    start: npt.NDArray[np.int64]  # [T, 5] last claim, place of the numbers, set, memory, mover
    reach: npt.NDArray[Any]  # [T, H]
    value: npt.NDArray[Any]  # [T, R]


class Doubts(NamedTuple):
    """What a walk holds of a seat to weigh challenges, as numbers without bookkeeping."""

    order: Any
    ends: Any
    chips: Any
    faces: int
    hands: int
    counts: int
    width: int


@njit(nogil=True)
def challenged(doubts, last, mover, reach, at, value, to):
    """Write to value[to …] what a challenge of the last claim is worth to each own hand; reach[at …] of the other's."""
    order, ends, chips, width = doubts.order, doubts.ends, doubts.chips, doubts.width
    face, row = last % doubts.faces, (last * 2 + mover) * doubts.counts * width
    for k in range(0, width, WIDTH):
        put(value, to + k, spread(value, 0.0))
    begin = 0
    for count in range(doubts.counts):
        end, total = ends[face * doubts.counts + count], reach[at] - reach[at]
        for number in range(begin, end):
            total += reach[at + order[face * doubts.hands + number]]
        begin = end
        many = spread(value, total)
        for k in range(0, width, WIDTH):
            put(value, to + k, fused(many, take(chips, row + count * width + k), take(value, to + k)))


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


@njit(nogil=True, cache=True)
def walk(seat, numbers, opponent, scratch, start, weight, learning, phase, frontier):
    """Walk all sets from one on, whose reach is scratch.reach[0]; scratch.value[0] is what own hands win, in chips.

    numbers: regrets and averages. start: a row as in `Frontier.start`. If learning, regrets of the own hands and
    averages of the other's are changed, these with so much weight; else the own hands do what is best against the
    opponent. Returns how many sets were visited, and how often the frontier was crossed.
    """
    own_hands, hands = scratch.value.shape[1], scratch.reach.shape[1]
    claims, wide = seat.ahead.shape[2], seat.ahead.shape[2] + 1
    regret, average, other = bare(numbers[0]), bare(numbers[1]), bare_opponent(opponent)
    reach, chances = bare(scratch.reach), bare(scratch.chances)
    played, value = bare(scratch.played), bare(scratch.value)
    behind, found = bare(frontier.reach), bare(frontier.value)
    (faces, counts), width = seat.ends.shape, seat.doubted.shape[3]
    doubts = Doubts(
        bare(seat.order), bare(seat.ends), bare(seat.doubted), faces, seat.order.shape[1], counts, width
    )  # fmt: skip
    path, changing, first_mover = scratch.path, learning and phase != GATHER, start[4]
    path[0, :4] = start[:4]
    path[0, CHOICE], path[0, REACH] = FRESH, 0
    depth, visited, crossed = 0, 0, 0
    while depth >= 0:
        last, place, mover = path[depth, LAST], path[depth, PLACE], (first_mover + depth) & 1
        at, row, own_row = path[depth, REACH] * hands, depth * wide * hands, depth * wide * own_hands
        worth, higher, own = depth * own_hands, claims - 1 - last, mover == seat.who
        actions, below = higher + (last >= 0), depth + 1
        if path[depth, CHOICE] == FRESH:
            path[depth, CHOICE] = -1
            visited += 1
            if own and last >= 0:
                challenged(doubts, last, mover, reach, at, played, own_row + higher * own_hands)
            elif not own:
                if opponent.kind == BY_TREE:
                    match_rows(regret if learning else average, place, actions, hands, chances, row)
                else:
                    chances_of(other, path[depth, MEMORY], path[depth, CLAIMED], mover, actions, chances, row, hands)
                if changing:
                    add_rows(average, place, actions, hands, weight, reach, at, chances, row)
                clear_row(value, worth, own_hands)
                if last >= 0:
                    pass_on(reach, at, hands, chances, row + higher * hands, below * hands)
                    challenged(doubts, last, mover, reach, below * hands, value, worth)
        path[depth, CHOICE] += 1
        choice = path[depth, CHOICE]
        if choice == higher:
            if own and changing:
                learn_rows(regret, place, actions, own_hands, played, own_row, value, worth)
            elif own:
                best_rows(actions, own_hands, played, own_row, value, worth)
            depth -= 1
            if depth >= 0 and own:  # then the set above is the other's
                add_row(value, worth, value, worth - own_hands, own_hands)
            elif depth >= 0:
                copy_row(value, worth, played, (depth * wide + path[depth, CHOICE]) * own_hands, own_hands)
            continue
        path[below, REACH] = path[depth, REACH]
        if not own:
            path[below, REACH] = below
            if not pass_on(reach, at, hands, chances, row + choice * hands, below * hands):
                continue
        claim, at = last + 1 + choice, path[below, REACH] * hands
        if claim == claims - 1:  # nothing can be done but challenge it
            if own:
                challenged(doubts, claim, 1 - mover, reach, at, played, own_row + choice * own_hands)
            else:
                challenged(doubts, claim, 1 - mover, reach, at, value, below * own_hands)
                add_row(value, below * own_hands, value, worth, own_hands)
            continue
        path[below, LAST], path[below, CHOICE] = claim, FRESH
        path[below, PLACE] = place + seat.ahead[last + 1, mover, claim]
        path[below, CLAIMED] = path[depth, CLAIMED] | 1 << claim
        path[below, MEMORY] = opponent.child[path[depth, MEMORY], claim] if opponent.kind == BY_MEMORY else 0
        if phase == WHOLE or claim < frontier.claim:
            depth = below
            continue
        if phase == GATHER:
            frontier.start[crossed, :4] = path[below, :4]
            frontier.start[crossed, 4] = 1 - mover
            copy_row(reach, at, behind, crossed * hands, hands)
        elif own:
            copy_row(found, crossed * own_hands, played, own_row + choice * own_hands, own_hands)
        else:
            add_row(found, crossed * own_hands, value, worth, own_hands)
        crossed += 1
    return visited, crossed
