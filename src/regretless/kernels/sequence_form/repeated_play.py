"""Regret matching on a one-shot game by playing it: sample actions, compare them with every alternative."""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import smallest_normal
from regretless.kernels.random_streams import STEP, uniform
from regretless.kernels.regret_rules import at_least, probability


@inner
def drawn_action(strategy, first, last, state):
    """The action, counted from `first`, that the next draw of a random state [1] falls on."""
    state[0] += STEP
    draw = uniform(state[0])
    for action in range(first, last - 1):
        draw -= strategy[action]
        if draw < 0:
            return action - first
    return last - 1 - first


@kernel
def play_rounds(payoffs, stride, first, learning, regret, strategy, average, joint, action, state, rounds):
    """Play `rounds` rounds: draw all actions, add regrets, match them.

    payoffs [P, joint actions]; stride [P] of a player's action among joint actions; first [P + 1] where a player's
    actions begin in regret, strategy, average [actions of all players]; joint [joint actions] counts; action [P]
    scratch; state [1] uint64 of the random stream.
    """
    players, smallest = learning.shape[0], smallest_normal(regret)
    for _ in range(rounds):
        cell = 0
        for p in range(players):
            action[p] = drawn_action(strategy, first[p], first[p + 1], state)
            cell += action[p] * stride[p]
        joint[cell] += 1
        for p in range(players):
            for a in range(first[p], first[p + 1]):
                average[a] += strategy[a]
            if not learning[p]:
                continue
            base = cell - action[p] * stride[p]
            won = payoffs[p, cell]
            total, actions = 0.0, first[p + 1] - first[p]
            for a in range(actions):
                regret[first[p] + a] += payoffs[p, base + a * stride[p]] - won
                total += at_least(regret[first[p] + a], 0.0)
            for a in range(first[p], first[p + 1]):
                strategy[a] = probability(at_least(regret[a], 0.0), total, actions, smallest)
