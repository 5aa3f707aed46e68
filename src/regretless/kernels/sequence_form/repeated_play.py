"""Regret matching on a one-shot game by playing it: sample actions, see what each alternative would have won."""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.regret_rules import at_least


@njit(cache=True, nogil=True)
def next_uniform(state):
    """A number in [0, 1) from a one-word random state [1] uint64 (Steele, Lea & Flood 2014, SplitMix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True)
def play_rounds(payoffs, stride, first, learning, regret, strategy, average, joint, action, state, rounds):
    """Play `rounds` rounds: draw everybody's action, add regrets, match them.

    payoffs [P, joint actions]; stride [P] of a player's action among joint actions; first [P + 1] where a player's
    actions begin in regret, strategy, average [actions of all players]; joint [joint actions] counts; action [P]
    scratch.
    """
    players = learning.shape[0]
    for _ in range(rounds):
        cell = 0
        for p in range(players):
            draw = next_uniform(state)
            choice = first[p + 1] - first[p] - 1
            for a in range(choice):
                draw -= strategy[first[p] + a]
                if draw < 0:
                    choice = a
                    break
            action[p] = choice
            cell += choice * stride[p]
        joint[cell] += 1
        for p in range(players):
            for a in range(first[p], first[p + 1]):
                average[a] += strategy[a]
            if not learning[p]:
                continue
            base = cell - action[p] * stride[p]
            won = payoffs[p, cell]
            total = 0.0
            for a in range(first[p + 1] - first[p]):
                regret[first[p] + a] += payoffs[p, base + a * stride[p]] - won
                total += at_least(regret[first[p] + a], 0.0)
            for a in range(first[p], first[p + 1]):
                strategy[a] = at_least(regret[a], 0.0) / total if total > 0 else 1.0 / (first[p + 1] - first[p])
