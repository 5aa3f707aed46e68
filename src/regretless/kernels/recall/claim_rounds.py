"""Rounds of Dudo where players remember the last m claims: a memory is public, a hand of dice is private.

A *memory* is the last m claims, rising; memories are numbered so that a claim always leads to a later one. Either
player may be to move at a memory of m claims, so a position is a memory and a mover. A player's update draws a hand of
the other player and covers all own hands at once (fixed-strategy iteration: one sweep down for reach, one up for values
and regrets). It costs positions × actions × own hands, however many sequences of claims lead to a position.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DECAY, FLOOR, NEGATIVE, POSITIVE, WEIGHT
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import pointers, smallest_normal
from regretless.kernels.regret_rules import at_least, is_matched, probability, share, updated


class Memories(NamedTuple):
    """What is public; M memories, C claims."""

    last: npt.NDArray[np.int32]  # [M] the last claim, −1 at the beginning
    child: npt.NDArray[np.int32]  # [M, C] the memory after a claim
    full: npt.NDArray[np.bool_]  # [M] whether it holds m claims, so that either player may be to move
    mover: npt.NDArray[np.int8]  # [M] who moves at a memory that is not full


class Side(NamedTuple):
    """The strategy of a player (or of both, where they hold equally many dice); R hands."""

    first: npt.NDArray[np.int64]  # [M] where the numbers of a memory begin: [actions, R], the challenge last
    regret: npt.NDArray[np.float32]
    average: npt.NDArray[np.float32]


class Sweep(NamedTuple):
    """Scratch of an update; R own hands."""

    others: npt.NDArray[np.float64]  # [2 · M] reach of the other player's drawn hand
    own: npt.NDArray[np.float64]  # [2 · M · R] reach by own hand
    value: npt.NDArray[np.float64]  # [2 · M · R] chips to the player whose update it is
    probabilities: npt.NDArray[np.float64]  # [(C + 1) · R] at the current memory
    total: npt.NDArray[np.float64]  # [R]
    doubted: npt.NDArray[np.float64]  # [R] chips for a challenge


@inner
def match_hands(numbers, first, actions, hands, probabilities, total):
    """probabilities [actions, R] ← the numbers of a memory matched, for all hands."""
    smallest = smallest_normal(numbers)
    for r in range(hands):
        total[r] = 0.0
    for a in range(actions):
        for r in range(hands):
            positive = at_least(np.float64(numbers[first + a * hands + r]), 0.0)
            probabilities[a * hands + r] = positive
            total[r] += positive
    for r in range(hands):
        total[r] = share(1.0, total[r], actions, smallest) if is_matched(total[r], smallest) else 0.0  # then uniform
    even = 1.0 / actions
    for a in range(actions):
        for r in range(hands):
            probabilities[a * hands + r] = probabilities[a * hands + r] * total[r] if total[r] > 0.0 else even


@inner
def match_hand(numbers, first, actions, hands, hand, probabilities):
    """probabilities [actions] ← the numbers of a memory matched, for one hand."""
    total, smallest = 0.0, smallest_normal(numbers)
    for a in range(actions):
        positive = at_least(np.float64(numbers[first + a * hands + hand]), 0.0)
        probabilities[a] = positive
        total += positive
    for a in range(actions):
        probabilities[a] = probability(probabilities[a], total, actions, smallest)


class Layout(NamedTuple):
    """`Memories` as pointers, with their sizes."""

    last: Any
    child: Any
    full: Any
    mover: Any
    memories: int  # M
    claims: int  # C


@inner
def layout_of(memories):
    """Memories as the sweeps use them."""
    last, child, full, mover = pointers(memories)
    return Layout(last, child, full, mover, len(memories.last), memories.child.shape[1])


@inner
def moves_at(layout, memory, mover):
    """Whether a player may be to move at a memory."""
    return layout.full[memory] or layout.mover[memory] == mover


@inner
def position_after(layout, memory, claim, mover):
    """The position after a claim of the mover."""
    return 2 * layout.child[memory * layout.claims + claim] + 1 - mover


@inner
def reach_down(layout, mine, theirs, who, hand, sweep, step):
    """Reach of all positions, from the first memory on; own strategies are added to the average.

    mine, theirs: a side and its number of hands. Player 0 moves at the first memory.
    """
    (side, hands), (other_side, their_hands) = mine, theirs
    others, own, probabilities = sweep.others, sweep.own, sweep.probabilities
    for position in range(2 * layout.memories):
        others[position] = 1.0 if position == 0 else 0.0
    for number in range(2 * layout.memories * hands):
        own[number] = 1.0 if number < hands else 0.0
    for memory in range(layout.memories):
        last = layout.last[memory]
        higher = layout.claims - 1 - last
        actions = higher + (last >= 0)
        for mover in range(2):
            if not moves_at(layout, memory, mover):
                continue
            position = 2 * memory + mover
            reach, here = others[position], position * hands
            if mover == who:
                first = side.first[memory]
                match_hands(side.regret, first, actions, hands, probabilities, sweep.total)
                average_hands(side.average, first, actions, hands, own, here, probabilities, step)
                for a in range(higher):
                    child = position_after(layout, memory, last + 1 + a, mover)
                    others[child] += reach
                    for r in range(hands):
                        own[child * hands + r] += own[here + r] * probabilities[a * hands + r]
            else:
                match_hand(other_side.regret, other_side.first[memory], actions, their_hands, hand, probabilities)
                for a in range(higher):
                    child = position_after(layout, memory, last + 1 + a, mover)
                    others[child] += reach * probabilities[a]
                    for r in range(hands):
                        own[child * hands + r] += own[here + r]


@inner
def average_hands(average, first, actions, hands, own, here, probabilities, step):
    """average ← average · decay + weight · reach · σ, for all own hands at a memory."""
    decay, weight = step[DECAY], step[WEIGHT]
    for a in range(actions):
        for r in range(hands):
            at = a * hands + r
            average[first + at] = decay * average[first + at] + weight * own[here + r] * probabilities[at]


@inner
def value_up(layout, mine, theirs, who, hand, matches, challenge, sweep, by_average, step):
    """Values of all positions, from the last memory back; unless `by_average`, own regrets are updated.

    matches: own [faces, R] and the other's [faces] dice that count for a claim of each face; challenge
    [C, dice + 1, 2] chips to `who` when a claim is challenged, by the number of dice that count and by challenger.
    The other player's position at a memory comes first: where both share a strategy, own regrets change after it.
    """
    (side, hands), (other_side, their_hands) = mine, theirs
    numbers = side.average if by_average else side.regret
    their_numbers = other_side.average if by_average else other_side.regret
    value, probabilities, doubted = sweep.value, sweep.probabilities, sweep.doubted
    own_dice, their_dice = matches
    faces = len(their_dice)
    for memory in range(layout.memories - 1, -1, -1):
        last = layout.last[memory]
        higher = layout.claims - 1 - last
        actions = higher + (last >= 0)
        first, face = side.first[memory], last % faces
        for turn in range(2):
            mover = 1 - who if turn == 0 else who
            if not moves_at(layout, memory, mover):
                continue
            here, own = (2 * memory + mover) * hands, mover == who
            if own:
                match_hands(numbers, first, actions, hands, probabilities, sweep.total)
            else:
                match_hand(their_numbers, other_side.first[memory], actions, their_hands, hand, probabilities)
            value_of_claims(layout, memory, mover, own, hands, value, probabilities)
            if last >= 0:
                for r in range(hands):
                    doubted[r] = challenge[last, own_dice[face, r] + their_dice[face], mover]
                    value[here + r] += probabilities[higher * hands + r if own else higher] * doubted[r]
            if own and not by_average:
                update_regrets(layout, side.regret, first, memory, mover, hands, sweep, step)


@inner
def value_of_claims(layout, memory, mover, own, hands, value, probabilities):
    """value ← Σ σ · value of the positions after all claims at a position."""
    here, last = (2 * memory + mover) * hands, layout.last[memory]
    for r in range(hands):
        value[here + r] = 0.0
    for a in range(layout.claims - 1 - last):
        below = position_after(layout, memory, last + 1 + a, mover) * hands
        if own:
            for r in range(hands):
                value[here + r] += probabilities[a * hands + r] * value[below + r]
        else:
            chosen = probabilities[a]
            for r in range(hands):
                value[here + r] += chosen * value[below + r]


@inner
def update_regrets(layout, regret, first, memory, mover, hands, sweep, step):
    """Regret update of all own hands at a memory, once its value is known."""
    value, last = sweep.value, layout.last[memory]
    higher, position = layout.claims - 1 - last, 2 * memory + mover
    reach, here = sweep.others[position], position * hands
    for a in range(higher):
        below = position_after(layout, memory, last + 1 + a, mover) * hands
        for r in range(hands):
            learn(regret, first + a * hands + r, reach * (value[below + r] - value[here + r]), step)
    if last >= 0:
        for r in range(hands):
            learn(regret, first + higher * hands + r, reach * (sweep.doubted[r] - value[here + r]), step)


@inner(forceinline=True)
def learn(regret, at, gain, step):
    """The regret update, computed in double precision."""
    regret[at] = updated(np.float64(regret[at]), gain, step[POSITIVE], step[NEGATIVE], step[FLOOR])


@kernel
def update(memories, mine, theirs, who, hand, matches, challenge, sweep, step):
    """One update of player `who` against a drawn hand of the other."""
    layout, scratch, own, other = layout_of(memories), pointers(sweep), pointers(mine), pointers(theirs)
    reach_down(layout, own, other, who, hand, scratch, step)
    value_up(layout, own, other, who, hand, matches, challenge, scratch, False, step)


@kernel
def average_values(memories, mine, theirs, who, hand, matches, challenge, sweep, step):
    """[R] chips that each own hand wins by the average strategies against a hand of the other."""
    layout, scratch, own, other = layout_of(memories), pointers(sweep), pointers(mine), pointers(theirs)
    value_up(layout, own, other, who, hand, matches, challenge, scratch, True, step)
    return sweep.value[: mine[1]].copy()
