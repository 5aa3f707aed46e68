"""Sums over correlated play, and what the best deviations from it gain.

Play is a mixture of profiles xᵗ with weights wᵗ: a mediator draws t and recommends each player moves by its part of xᵗ.
With gᵗ the gradient of a player against the others' parts, the gains of all deviations are functions of two sums,

    worth[s]      = Σ wᵗ xᵗ[s] gᵗ[s]           what following is worth, by the last own sequence s of the game
    trigger[σ, s] = Σ wᵗ xᵗ[σ] gᵗ[s]           what s is worth where σ = (I, a) is recommended; s at I or below

so memory does not grow with the number of profiles. A sum over the actions a of I gives trigger[I, s], for a player
who deviates before the recommendation at I is seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.regret_rules import at_least

Floats = npt.NDArray[np.float64]


class PlayArrays(NamedTuple):
    """The sums over play; P players, N slots, E entries of `Subtrees`."""

    weight: Floats  # [1] sum of the weights
    value: Floats  # [P] weighted sum of what players win, chips
    worth: Floats  # [N] chips
    trigger: Floats  # [E] chips


class Gains(NamedTuple):
    """What the best deviations gain in chips per game, at each place where they can begin."""

    whole: Floats  # [P] one plan instead of all recommendations
    infoset: Floats  # [I] from an infoset on, decided before the recommendation there is seen
    sequence: Floats  # [N] from an infoset on, decided when that action is recommended


@njit(cache=True, nogil=True, error_model="numpy")
def add_profile(form, subtrees, plan, gradient, decay, weight, play):
    """Add one profile to the sums after `decay`. plan [S]; gradient [S] of every player against it, terminals only."""
    players = subtrees.player_first.shape[0] - 1
    play.weight[0] = play.weight[0] * decay + weight
    for player in range(players):
        won = 0.0
        for s in range(form.sequence_first[player], form.sequence_first[player + 1]):
            won += plan[s] * gradient[s]
        play.value[player] = play.value[player] * decay + weight * won
    offered = np.empty(subtrees.sequence.shape[0])
    for slot in range(offered.shape[0]):
        s = subtrees.sequence[slot]
        offered[slot] = gradient[s]
        play.worth[slot] = play.worth[slot] * decay + weight * plan[s] * gradient[s]
    for i in range(subtrees.infoset.shape[0]):
        begin, size = subtrees.begin[i], subtrees.end[i] - subtrees.begin[i]
        for action in range(subtrees.actions[i]):
            first = subtrees.entry[i] + action * size
            total = play.trigger[first : first + size]
            scale = weight * plan[subtrees.sequence[begin + action]]
            if scale == 0.0 and decay == 1.0:
                continue
            for j in range(size):
                total[j] = total[j] * decay + scale * offered[begin + j]


@njit(cache=True, nogil=True, error_model="numpy")
def follow_values(subtrees, first, last, slot_worth, sequence_value, infoset_value):
    """Values of following recommendations: from each slot on, and from each infoset first … last on."""
    for i in range(first, last):
        for slot in range(subtrees.begin[i], subtrees.begin[i] + subtrees.actions[i]):
            sequence_value[slot] = slot_worth[slot]
    for i in range(last - 1, first - 1, -1):
        total = 0.0
        for slot in range(subtrees.begin[i], subtrees.begin[i] + subtrees.actions[i]):
            total += sequence_value[slot]
        infoset_value[i] = total
        if subtrees.parent[i] >= 0:
            sequence_value[subtrees.parent[i]] += total


@njit(cache=True, nogil=True, error_model="numpy")
def best_below(subtrees, top, offered):
    """The value of the best plan from infoset `top` on. offered [slots of its subtree] is used up as scratch."""
    base = subtrees.begin[top]
    best = 0.0
    for i in range(subtrees.last[top] - 1, top - 1, -1):
        begin = subtrees.begin[i] - base
        best = offered[begin]
        for slot in range(begin + 1, begin + subtrees.actions[i]):
            best = at_least(offered[slot], best)
        if i > top:
            offered[subtrees.parent[i] - base] += best
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def deviation_gains(subtrees, play, gains):
    """Fill `gains` with what the best deviation gains at every place where one can begin."""
    players = subtrees.player_first.shape[0] - 1
    slots = subtrees.sequence.shape[0]
    sequence_value, infoset_value = np.empty(slots), np.empty(subtrees.infoset.shape[0])
    offered, together = np.empty(slots), np.empty(slots)
    for player in range(players):
        first, last = subtrees.player_first[player], subtrees.player_first[player + 1]
        follow_values(subtrees, first, last, play.worth, sequence_value, infoset_value)
        gains.whole[player] = 0.0
        for i in range(first, last):
            size = subtrees.end[i] - subtrees.begin[i]
            together[:size] = 0.0
            for action in range(subtrees.actions[i]):
                entry = subtrees.entry[i] + action * size
                for j in range(size):
                    offered[j] = play.trigger[entry + j]
                    together[j] += offered[j]
                slot = subtrees.begin[i] + action
                gains.sequence[slot] = (best_below(subtrees, i, offered) - sequence_value[slot]) / play.weight[0]
            gains.infoset[i] = (best_below(subtrees, i, together) - infoset_value[i]) / play.weight[0]
            if subtrees.parent[i] < 0:
                gains.whole[player] += gains.infoset[i]
