"""CFR+ and best responses on all sets of rising claims, with vectors of hands: dice games with perfect recall.

What is public in such a game is the set of claims made so far. Claims only rise, so C claims make 2^C sets, and each
set is reached in one way. What is private is a hand of dice, and a challenge depends on it only through the number of
dice that count for the claim. So all sets are walked depth first, with the reach of the other player's hands on the way
down and the value of every own hand on the way up. Numbers lie in the order of that walk: action by action, a row of
hands for each, padded with zeros to a multiple of sixteen.

A set that no hand of the other player reaches is skipped with all sets above it: CFR+ neither discounts regret nor lets
it fall below zero, so no regret changes there, and nothing is added to the average. After some iterations that is most
of the tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import pointer
from regretless.kernels.numba_ext.vectors import WIDTH, load, multiply_add, splat, store
from regretless.kernels.recall.claim_response import BY_MEMORY, BY_TREE, opponent_pointers, write_strategy
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
"""Phases of a walk: walk all sets; walk the sets before the frontier and record the sets behind it; walk them again
with the values found behind it."""

LAST, FIRST, CLAIMED, MEMORY, CHOICE, REACH, RECORD = range(7)
"""Columns of a walk's path, one record for each set on it, and the length of a record: last claim, where the numbers of
the set begin, set of claims, memory, current choice, row of reach."""

FRESH = -2
"""The choice at a set that has just been entered."""


class Seat(NamedTuple):
    """A round as the walking player sees it; C claims, R own hands, H of the other player, rows padded."""

    who: int
    ahead: npt.NDArray[np.int64]  # [C + 1, 2, C] numbers from a set (last claim + 1, mover) to each that follows
    order: npt.NDArray[np.int64]  # [faces, H] the other's hands by how many of their dice count for a face …
    ends: npt.NDArray[np.int64]  # [faces, their dice + 1] … and where those with each number of dice end
    doubted: npt.NDArray[Any]  # [C, 2, their dice + 1, R] chips if a claim is challenged, by mover and their dice
    chance: npt.NDArray[Any]  # [H] probabilities of the other's hands


class Scratch(NamedTuple):
    """Scratch of a walk; D ≥ C + 2 sets deep."""

    reach: npt.NDArray[Any]  # [D, H] of the other's hands
    probabilities: npt.NDArray[Any]  # [D, C + 1, H] the other's strategy
    played: npt.NDArray[Any]  # [D, C + 1, R] chips by own action
    value: npt.NDArray[Any]  # [D, R] chips
    path: npt.NDArray[np.int64]  # [D, 6] columns LAST … REACH


class Frontier(NamedTuple):
    """Sets whose subtrees other threads walk; T of them."""

    claim: int  # the first claim that lies behind it
    start: npt.NDArray[np.int64]  # [T, 5] columns LAST … MEMORY, and the mover
    reach: npt.NDArray[Any]  # [T, H]
    value: npt.NDArray[Any]  # [T, R]


class Doubts(NamedTuple):
    """What a walk needs to evaluate challenges, as pointers and sizes."""

    order: Any
    ends: Any
    chips: Any
    faces: int
    hands: int
    counts: int
    width: int


class Buffers(NamedTuple):
    """Regrets, averages and scratch of a walk, as pointers and sizes."""

    regret: Any
    average: Any
    reach: Any
    probabilities: Any
    played: Any
    value: Any
    doubts: Doubts
    claims: int
    hands: int
    own_hands: int


class ClaimSet(NamedTuple):
    """The set that a walk is at."""

    depth: int
    last: int  # claim, -1 before the first
    first: int  # where its numbers begin
    mover: int
    own: bool  # whether the walking player moves
    higher: int  # claims that can be made
    actions: int  # the same, and a challenge after the last of them if there is a claim to challenge
    reach: int  # where its rows begin: of reach …
    probabilities: int  # … of the other's strategy …
    played: int  # … of the values of own actions …
    value: int  # … and of its value


@inner
def challenged(doubts, last, mover, reach, at, value, to):
    """Write to value[to …] the value of a challenge of the last claim for each own hand; reach[at …] of the other's."""
    order, ends, chips, width = doubts.order, doubts.ends, doubts.chips, doubts.width
    face, row = last % doubts.faces, (last * 2 + mover) * doubts.counts * width
    clear_row(value, to, width)
    begin = 0
    for count in range(doubts.counts):
        end, total = ends[face * doubts.counts + count], reach[at] - reach[at]
        for number in range(begin, end):
            total += reach[at + order[face * doubts.hands + number]]
        begin = end
        many = splat(value, total)
        for k in range(0, width, WIDTH):
            store(value, to + k, multiply_add(many, load(chips, row + count * width + k), load(value, to + k)))


@inner
def buffers_of(seat, numbers, scratch):
    """The arrays of a walk as pointers."""
    (faces, counts), width = seat.ends.shape, seat.doubted.shape[3]
    order, ends, doubted = pointer(seat.order), pointer(seat.ends), pointer(seat.doubted)
    doubts = Doubts(order, ends, doubted, faces, seat.order.shape[1], counts, width)
    return Buffers(
        pointer(numbers[0]), pointer(numbers[1]), pointer(scratch.reach), pointer(scratch.probabilities),
        pointer(scratch.played), pointer(scratch.value), doubts, seat.ahead.shape[2], scratch.reach.shape[1],
        scratch.value.shape[1],
    )  # fmt: skip


@inner
def set_at(path, depth, mover, who, buffers):
    """The set at some depth of a path."""
    record, wide = depth * RECORD, buffers.claims + 1
    last, first, reach = path[record + LAST], path[record + FIRST], path[record + REACH]
    higher = buffers.claims - 1 - last
    return ClaimSet(
        depth, last, first, mover, mover == who, higher, higher + (last >= 0), reach * buffers.hands,
        depth * wide * buffers.hands, depth * wide * buffers.own_hands, depth * buffers.own_hands,
    )  # fmt: skip


@inner
def enter_set(buffers, opponent, here, path, weight, learning, changing):
    """First visit of a set: the value of an own challenge; or the other's strategy, its average and its challenges."""
    hands, reach, probabilities = buffers.hands, buffers.reach, buffers.probabilities
    if here.own:
        if here.last >= 0:
            to = here.played + here.higher * buffers.own_hands
            challenged(buffers.doubts, here.last, here.mover, reach, here.reach, buffers.played, to)
        return
    if opponent.kind == BY_TREE:
        source = buffers.regret if learning else buffers.average
        match_rows(source, here.first, here.actions, hands, probabilities, here.probabilities)
    else:
        memory, claimed = path[here.depth * RECORD + MEMORY], path[here.depth * RECORD + CLAIMED]
        write_strategy(opponent, memory, claimed, here.mover, here.actions, probabilities, here.probabilities, hands)
    if changing:
        add_rows(
            buffers.average, here.first, here.actions, hands, weight, reach, here.reach, probabilities,
            here.probabilities,
        )  # fmt: skip
    clear_row(buffers.value, here.value, buffers.own_hands)
    if here.last >= 0:
        below = (here.depth + 1) * hands
        pass_on(reach, here.reach, hands, probabilities, here.probabilities + here.higher * hands, below)
        challenged(buffers.doubts, here.last, here.mover, reach, below, buffers.value, here.value)


@inner
def leave_set(buffers, here, changing, path):
    """Update own regrets, or take the best action; then add the value of the set to the set above.

    The value of the other's sets is the sum of the values of its claims, and complete already.
    """
    own_hands, above, value = buffers.own_hands, here.depth - 1, buffers.value
    if here.own and changing:
        learn_rows(
            buffers.regret, here.first, here.actions, own_hands, buffers.played, here.played, value, here.value
        )  # fmt: skip
    elif here.own:
        best_rows(here.actions, own_hands, buffers.played, here.played, value, here.value)
    if above >= 0 and here.own:  # then the set above is the other's
        add_row(value, here.value, value, above * own_hands, own_hands)
    elif above >= 0:
        row = above * (buffers.claims + 1) + path[above * RECORD + CHOICE]
        copy_row(value, here.value, buffers.played, row * own_hands, own_hands)


@inner
def challenge_highest(buffers, here, choice, reach):
    """The value of the highest claim, which the next player can only challenge."""
    claim, below = buffers.claims - 1, here.value + buffers.own_hands
    if here.own:
        to = here.played + choice * buffers.own_hands
        challenged(buffers.doubts, claim, 1 - here.mover, buffers.reach, reach, buffers.played, to)
    else:
        challenged(buffers.doubts, claim, 1 - here.mover, buffers.reach, reach, buffers.value, below)
        add_row(buffers.value, below, buffers.value, here.value, buffers.own_hands)


@inner
def step_down(path, record, claim, ahead, memory):
    """Write the record of the set after a claim: its numbers lie `ahead` further on, the other remembers `memory`."""
    below = record + RECORD
    path[below + LAST], path[below + CHOICE] = claim, FRESH
    path[below + FIRST] = path[record + FIRST] + ahead
    path[below + CLAIMED] = path[record + CLAIMED] | 1 << claim
    path[below + MEMORY] = memory


@inner
def cross_frontier(buffers, here, choice, frontier, crossed, path, gathers, reach):
    """Record a set behind the frontier, or take its value from there."""
    hands, own_hands = buffers.hands, buffers.own_hands
    if gathers:
        for column in range(4):
            frontier.start[crossed, column] = path[(here.depth + 1) * RECORD + column]
        frontier.start[crossed, 4] = 1 - here.mover
        copy_row(buffers.reach, reach, pointer(frontier.reach), crossed * hands, hands)
    elif here.own:
        to = here.played + choice * own_hands
        copy_row(pointer(frontier.value), crossed * own_hands, buffers.played, to, own_hands)
    else:
        add_row(pointer(frontier.value), crossed * own_hands, buffers.value, here.value, own_hands)


@kernel
def walk(seat, numbers, opponent, scratch, start, weight, learning, phase, frontier):
    """Walk all sets from one on, whose reach is scratch.reach[0]; scratch.value[0] is what own hands win, in chips.

    numbers: regrets and averages. start: a row as in `Frontier.start`. If learning, regrets of the own hands and
    averages of the other's change, the latter with this weight; else the own hands play a best response to the
    opponent. Returns the number of sets visited, and how often the frontier was crossed.
    """
    buffers, other, hands = buffers_of(seat, numbers, scratch), opponent_pointers(opponent), scratch.reach.shape[1]
    path, changing, first_mover = pointer(scratch.path), learning and phase != GATHER, start[4]
    for column in range(4):
        path[column] = start[column]
    path[CHOICE], path[REACH] = FRESH, 0
    depth, visited, crossed = 0, 0, 0
    while depth >= 0:
        here = set_at(path, depth, (first_mover + depth) & 1, seat.who, buffers)
        record = depth * RECORD
        if path[record + CHOICE] == FRESH:
            path[record + CHOICE] = -1
            visited += 1
            enter_set(buffers, other, here, path, weight, learning, changing)
        path[record + CHOICE] += 1
        choice = path[record + CHOICE]
        if choice == here.higher:
            leave_set(buffers, here, changing, path)
            depth -= 1
            continue
        path[record + RECORD + REACH] = path[record + REACH] if here.own else depth + 1
        reach = path[record + RECORD + REACH] * hands
        row = here.probabilities + choice * hands
        if not here.own and not pass_on(buffers.reach, here.reach, hands, buffers.probabilities, row, reach):
            continue
        claim = here.last + 1 + choice
        if claim == buffers.claims - 1:
            challenge_highest(buffers, here, choice, reach)
            continue
        memory = opponent.child[path[record + MEMORY], claim] if opponent.kind == BY_MEMORY else 0
        step_down(path, record, claim, seat.ahead[here.last + 1, here.mover, claim], memory)
        if phase == WHOLE or claim < frontier.claim:
            depth += 1
        else:
            cross_frontier(buffers, here, choice, frontier, crossed, path, phase == GATHER, reach)
            crossed += 1
    return visited, crossed
