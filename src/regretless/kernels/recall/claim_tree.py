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

from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.numba_ext.vectors import WIDTH, fused, put, spread, take
from regretless.kernels.recall.claim_response import BY_MEMORY, BY_TREE, bare_opponent, chances_of
from regretless.kernels.recall.claim_rows import (
    add_row,
    add_rows,
    best_rows,
    clear_row,
    copy_row,
    learn_rows,
    match_rows,
    pass_on,
)

WHOLE, GATHER, COLLECT = range(3)
"""Walk all; walk what lies before the frontier and note where it is crossed; walk it with the values found behind."""

LAST, PLACE, CLAIMED, MEMORY, CHOICE, REACH, STEP = range(7)
"""Where a walk is: what a row says of each set on the way, and how many numbers such a row has."""

FRESH = -2


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


class Held(NamedTuple):
    """What a walk works with, as numbers without bookkeeping: regrets, averages and scratch."""

    regret: Any
    average: Any
    reach: Any
    chances: Any
    played: Any
    value: Any
    doubts: Doubts
    claims: int
    hands: int
    own_hands: int


class Spot(NamedTuple):
    """A set that a walk has come to."""

    depth: int
    last: int  # claim, -1 before the first
    place: int  # of its numbers
    mover: int
    own: bool  # whether it is the turn of the player whose walk it is
    higher: int  # claims that can be made
    actions: int  # and a challenge, after the last of them, if there is something to challenge
    reach: int  # where its rows begin: the one of reach …
    chances: int  # … the first of what the other does …
    played: int  # … the first of what own actions are worth …
    value: int  # … and the one of its value


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
def held_of(seat, numbers, scratch):
    """What a walk works with, from the arrays that keep it."""
    (faces, counts), width = seat.ends.shape, seat.doubted.shape[3]
    doubts = Doubts(
        bare(seat.order), bare(seat.ends), bare(seat.doubted), faces, seat.order.shape[1], counts, width
    )  # fmt: skip
    return Held(
        bare(numbers[0]), bare(numbers[1]), bare(scratch.reach), bare(scratch.chances), bare(scratch.played),
        bare(scratch.value), doubts, seat.ahead.shape[2], scratch.reach.shape[1], scratch.value.shape[1],
    )  # fmt: skip


@njit(nogil=True, forceinline=True)
def spot_at(path, depth, mover, who, held):
    """The set that a walk has come to."""
    row, wide = depth * STEP, held.claims + 1
    last, place, reach = path[row + LAST], path[row + PLACE], path[row + REACH]
    higher = held.claims - 1 - last
    return Spot(
        depth, last, place, mover, mover == who, higher, higher + (last >= 0), reach * held.hands,
        depth * wide * held.hands, depth * wide * held.own_hands, depth * held.own_hands,
    )  # fmt: skip


@njit(nogil=True, forceinline=True)
def answered(held, spot, weight, changing):
    """Once it is known what the other does: average it, and write to the value what its challenges are worth."""
    hands, reach, chances = held.hands, held.reach, held.chances
    if changing:
        add_rows(held.average, spot.place, spot.actions, hands, weight, reach, spot.reach, chances, spot.chances)
    clear_row(held.value, spot.value, held.own_hands)
    if spot.last >= 0:
        below = (spot.depth + 1) * hands
        pass_on(reach, spot.reach, hands, chances, spot.chances + spot.higher * hands, below)
        challenged(held.doubts, spot.last, spot.mover, reach, below, held.value, spot.value)


@njit(nogil=True, forceinline=True)
def hand_up(held, spot, changing, path):
    """Own hands learn, or take the best; then what the set is worth goes to the one above, of whose claims it is one.

    The value of the other's sets is the sum of what its claims are worth, and complete already.
    """
    own_hands, above = held.own_hands, spot.depth - 1
    if spot.own and changing:
        learn_rows(held.regret, spot.place, spot.actions, own_hands, held.played, spot.played, held.value, spot.value)
    elif spot.own:
        best_rows(spot.actions, own_hands, held.played, spot.played, held.value, spot.value)
    if above >= 0 and spot.own:  # then the set above is the other's
        add_row(held.value, spot.value, held.value, above * own_hands, own_hands)
    elif above >= 0:
        row = above * (held.claims + 1) + path[above * STEP + CHOICE]
        copy_row(held.value, spot.value, held.played, row * own_hands, own_hands)


@njit(nogil=True, forceinline=True)
def challenge_highest(held, spot, choice, reach):
    """Claim what only can be challenged."""
    claim, below = held.claims - 1, spot.value + held.own_hands
    if spot.own:
        to = spot.played + choice * held.own_hands
        challenged(held.doubts, claim, 1 - spot.mover, held.reach, reach, held.played, to)
    else:
        challenged(held.doubts, claim, 1 - spot.mover, held.reach, reach, held.value, below)
        add_row(held.value, below, held.value, spot.value, held.own_hands)


@njit(nogil=True, forceinline=True)
def step_down(path, row, claim, ahead, memory):
    """Note where a walk comes to by a claim: its numbers lie so far ahead, and the other's memory is that."""
    below = row + STEP
    path[below + LAST], path[below + CHOICE] = claim, FRESH
    path[below + PLACE] = path[row + PLACE] + ahead
    path[below + CLAIMED] = path[row + CLAIMED] | 1 << claim
    path[below + MEMORY] = memory


@njit(nogil=True, forceinline=True)
def collect(held, spot, choice, found, at):
    """Take what a claim is worth from found[at …]."""
    if spot.own:
        copy_row(found, at, held.played, spot.played + choice * held.own_hands, held.own_hands)
    else:
        add_row(found, at, held.value, spot.value, held.own_hands)


@njit(nogil=True, cache=True)
def walk(seat, numbers, opponent, scratch, start, weight, learning, phase, frontier):
    """Walk all sets from one on, whose reach is scratch.reach[0]; scratch.value[0] is what own hands win, in chips.

    numbers: regrets and averages. start: a row as in `Frontier.start`. If learning, regrets of the own hands and
    averages of the other's are changed, these with so much weight; else the own hands do what is best against the
    opponent. Returns how many sets were visited, and how often the frontier was crossed.
    """
    held, other, hands = held_of(seat, numbers, scratch), bare_opponent(opponent), scratch.reach.shape[1]
    path, changing, first_mover = bare(scratch.path), learning and phase != GATHER, start[4]
    scratch.path[0, :4] = start[:4]
    path[CHOICE], path[REACH] = FRESH, 0
    depth, visited, crossed = 0, 0, 0
    while depth >= 0:
        spot = spot_at(path, depth, (first_mover + depth) & 1, seat.who, held)
        row = depth * STEP
        if path[row + CHOICE] == FRESH:
            path[row + CHOICE] = -1
            visited += 1
            if spot.own and spot.last >= 0:
                to = spot.played + spot.higher * held.own_hands
                challenged(held.doubts, spot.last, spot.mover, held.reach, spot.reach, held.played, to)
            elif not spot.own:
                if opponent.kind == BY_TREE:
                    source = held.regret if learning else held.average
                    match_rows(source, spot.place, spot.actions, hands, held.chances, spot.chances)
                else:
                    memory, claimed = path[row + MEMORY], path[row + CLAIMED]
                    chances_of(other, memory, claimed, spot.mover, spot.actions, held.chances, spot.chances, hands)
                answered(held, spot, weight, changing)
        path[row + CHOICE] += 1
        choice, below = path[row + CHOICE], depth + 1
        if choice == spot.higher:
            hand_up(held, spot, changing, path)
            depth -= 1
            continue
        path[row + STEP + REACH] = path[row + REACH] if spot.own else below
        reach = path[row + STEP + REACH] * hands
        chances = spot.chances + choice * hands
        if not spot.own and not pass_on(held.reach, spot.reach, hands, held.chances, chances, reach):
            continue
        claim = spot.last + 1 + choice
        if claim == held.claims - 1:
            challenge_highest(held, spot, choice, reach)
            continue
        memory = opponent.child[path[row + MEMORY], claim] if opponent.kind == BY_MEMORY else 0
        step_down(path, row, claim, seat.ahead[spot.last + 1, spot.mover, claim], memory)
        if phase == WHOLE or claim < frontier.claim:
            depth = below
            continue
        if phase == GATHER:
            frontier.start[crossed, :4] = scratch.path[below, :4]
            frontier.start[crossed, 4] = 1 - spot.mover
            copy_row(held.reach, reach, bare(frontier.reach), crossed * hands, hands)
        else:
            collect(held, spot, choice, bare(frontier.value), crossed * held.own_hands)
        crossed += 1
    return visited, crossed
