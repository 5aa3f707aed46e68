"""Rounds of Dudo where players remember the last m claims: what is public is a memory, what is private a hand of dice.

A *memory* is the last m claims, rising; memories are numbered so that a claim always leads to a later one. Both players
may be asked at a memory of m claims, so a position is a memory and who is to move. A player's update draws the hand of
the other and goes over all own hands at once (fixed-strategy iteration: one sweep down for reach, one up for values and
regrets), so it costs positions × actions × own hands, however many ways of claiming lead to a position.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.constants import DECAY, FLOOR, NEGATIVE, POSITIVE, WEIGHT
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.regret_rules import at_least


class Memories(NamedTuple):
    """What is public; M memories, C claims."""

    last: npt.NDArray[np.int32]  # [M] the last claim, −1 at the beginning
    child: npt.NDArray[np.int32]  # [M, C] the memory after a claim
    full: npt.NDArray[np.bool_]  # [M] whether it holds m claims, so that either player may be asked
    mover: npt.NDArray[np.int8]  # [M] who is asked at a memory that is not full


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
    chances: npt.NDArray[np.float64]  # [(C + 1) · R] probabilities at the present memory
    total: npt.NDArray[np.float64]  # [R]
    doubted: npt.NDArray[np.float64]  # [R] what a challenge wins


@njit(nogil=True, forceinline=True)
def match_hands(numbers, first, actions, hands, chances, total):
    """Probabilities [actions, R] in proportion to the positive numbers of a memory; uniform where there are none."""
    for r in range(hands):
        total[r] = 0.0
    for a in range(actions):
        for r in range(hands):
            weight = at_least(np.float64(numbers[first + a * hands + r]), 0.0)
            chances[a * hands + r] = weight
            total[r] += weight
    evenly = 1.0 / actions
    for r in range(hands):
        total[r] = 1.0 / total[r] if total[r] > 0.0 else 0.0
    for a in range(actions):
        for r in range(hands):
            chances[a * hands + r] = chances[a * hands + r] * total[r] if total[r] > 0.0 else evenly


@njit(nogil=True, forceinline=True)
def match_hand(numbers, first, actions, hands, hand, chances):
    """The same for one hand: probabilities in chances[:actions]."""
    total = 0.0
    for a in range(actions):
        weight = at_least(np.float64(numbers[first + a * hands + hand]), 0.0)
        chances[a] = weight
        total += weight
    for a in range(actions):
        chances[a] = chances[a] / total if total > 0.0 else 1.0 / actions


@njit(nogil=True, cache=True)
def reach_down(memories, mine, theirs, who, hand, sweep, step):
    """Reach of all positions, from the first memory on; own strategies join the average.

    mine, theirs: a side and how many hands it has. The first memory is asked of player 0, who begins.
    """
    last_claim, child_of, full, asked = memories.last, memories.child, memories.full, memories.mover
    (side, hands), (other_side, their_hands) = mine, theirs
    first_of, regret, average = side.first, bare(side.regret), bare(side.average)
    their_first, their_regret = other_side.first, bare(other_side.regret)
    others, chances, total = sweep.others, bare(sweep.chances), bare(sweep.total)
    claims, decay, weight = child_of.shape[1], step[DECAY], step[WEIGHT]
    sweep.others[:] = 0.0
    sweep.own[:] = 0.0
    sweep.others[0] = 1.0
    sweep.own[:hands] = 1.0
    own = bare(sweep.own)
    for memory in range(last_claim.shape[0]):
        last = last_claim[memory]
        higher = claims - 1 - last
        actions = higher + (last >= 0)
        for mover in range(2):
            if not full[memory] and asked[memory] != mover:
                continue
            position = 2 * memory + mover
            reach, here = others[position], position * hands
            if mover == who:
                first = first_of[memory]
                match_hands(regret, first, actions, hands, chances, total)
                for a in range(actions):
                    for r in range(hands):
                        at = a * hands + r
                        average[first + at] = decay * average[first + at] + weight * own[here + r] * chances[at]
                for a in range(higher):
                    child = 2 * child_of[memory, last + 1 + a] + 1 - mover
                    others[child] += reach
                    for r in range(hands):
                        own[child * hands + r] += own[here + r] * chances[a * hands + r]
            else:
                match_hand(their_regret, their_first[memory], actions, their_hands, hand, chances)
                for a in range(higher):
                    child = 2 * child_of[memory, last + 1 + a] + 1 - mover
                    others[child] += reach * chances[a]
                    for r in range(hands):
                        own[child * hands + r] += own[here + r]


@njit(nogil=True, cache=True)
def value_up(memories, mine, theirs, who, hand, matches, challenge, sweep, by_average, step):
    """Values of all positions, from the last memory back; unless `by_average`, own regrets are updated.

    matches: own [faces, R] and the other's [faces] dice that count for a claim of each face; challenge
    [C, dice + 1, 2] chips to `who` when a claim is challenged with so many dice there, by who challenges.
    The other player's position at a memory comes first: where both share a strategy, own regrets change after it.
    """
    last_claim, child_of, full, asked = memories.last, memories.child, memories.full, memories.mover
    (side, hands), (other_side, their_hands) = mine, theirs
    first_of, regret, their_first = side.first, bare(side.regret), other_side.first
    numbers = bare(side.average) if by_average else regret
    their_numbers = bare(other_side.average) if by_average else bare(other_side.regret)
    value, chances, total = bare(sweep.value), bare(sweep.chances), bare(sweep.total)
    doubted, others = bare(sweep.doubted), sweep.others
    matching, met = matches
    claims, faces = child_of.shape[1], met.shape[0]
    positive, negative, floor = step[POSITIVE], step[NEGATIVE], step[FLOOR]
    for memory in range(last_claim.shape[0] - 1, -1, -1):
        last = last_claim[memory]
        higher = claims - 1 - last
        actions = higher + (last >= 0)
        first = first_of[memory]
        for turn in range(2):
            mover = 1 - who if turn == 0 else who
            if not full[memory] and asked[memory] != mover:
                continue
            position = 2 * memory + mover
            here, own = position * hands, mover == who
            if own:
                match_hands(numbers, first, actions, hands, chances, total)
            else:
                match_hand(their_numbers, their_first[memory], actions, their_hands, hand, chances)
            for r in range(hands):
                value[here + r] = 0.0
            for a in range(higher):
                there = (2 * child_of[memory, last + 1 + a] + 1 - mover) * hands
                if own:
                    for r in range(hands):
                        value[here + r] += chances[a * hands + r] * value[there + r]
                else:
                    chance = chances[a]
                    for r in range(hands):
                        value[here + r] += chance * value[there + r]
            if last >= 0:
                face = last % faces
                for r in range(hands):
                    doubted[r] = challenge[last, matching[face, r] + met[face], mover]
                    value[here + r] += chances[higher * hands + r if own else higher] * doubted[r]
            if not own or by_average:
                continue
            reach = others[position]
            for a in range(higher):
                there = (2 * child_of[memory, last + 1 + a] + 1 - mover) * hands
                at = first + a * hands
                for r in range(hands):
                    old = np.float64(regret[at + r])
                    kept = old * (positive if old > 0.0 else negative)
                    regret[at + r] = at_least(kept + reach * (value[there + r] - value[here + r]), floor)
            if last >= 0:
                at = first + higher * hands
                for r in range(hands):
                    old = np.float64(regret[at + r])
                    kept = old * (positive if old > 0.0 else negative)
                    regret[at + r] = at_least(kept + reach * (doubted[r] - value[here + r]), floor)


@njit(nogil=True, cache=True)
def update(memories, mine, theirs, who, hand, matches, challenge, sweep, step):
    """One update of player `who` against a drawn hand of the other."""
    reach_down(memories, mine, theirs, who, hand, sweep, step)
    value_up(memories, mine, theirs, who, hand, matches, challenge, sweep, False, step)


@njit(nogil=True, cache=True)
def average_values(memories, mine, theirs, who, hand, matches, challenge, sweep, step):
    """[R] what each own hand wins by the average strategies against a hand of the other."""
    value_up(memories, mine, theirs, who, hand, matches, challenge, sweep, True, step)
    return sweep.value[: mine[1]].copy()
