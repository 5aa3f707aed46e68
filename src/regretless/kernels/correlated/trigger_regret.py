"""Trigger regret: one player's update, and the play that leaves no regret about any trigger (Farina, Celli, Marchesi &
Gatti 2022).

A *trigger* is a sequence σ = (I, a) (or, for the coarse kind, an infoset I). A player who deviates there follows
recommendations until a is recommended at I (or until I is reached), and from I on plays a plan y_σ of its own. There
is one regret minimiser for the plan of each trigger, and one that mixes triggers with probabilities λ. The next play
is a fixed point of the mixture, x = Σ λ_σ φ_σ(x), found from the root down: at an infoset I' with parent p,

    x[a'] (Λ + λ_a') = b[a'] + Σ_a λ_a x[a] y_a[a'],         Λ = Σ λ_σ over the triggers on the way to p,
                                                            b[a'] = Σ λ_σ x[σ] y_σ[a'] over the triggers above I',

the stationary distribution of a small Markov chain. Where that is not unique, the chain begins at the last play, and
the distribution that it ends in is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.constants import (
    FLOOR,
    NEGATIVE,
    NEXT_NEGATIVE,
    NEXT_POSITIVE,
    POSITIVE,
    PREDICTION,
)
from regretless.kernels.correlated.correlated_play import follow_values
from regretless.kernels.regret_rules import at_least, discounted

Floats = npt.NDArray[np.float64]

LEAST = 1e-18
"""Probabilities below this are taken as zero: numbers that fade away for ever would end up subnormal, which is slow."""

RETURN = 1e-12
"""How often, relative to its other moves, the Markov chain returns to the last play: this makes its end unique."""


class TriggerArrays(NamedTuple):
    """Where the minimisers stand; K triggers, E entries of their deviation plans, N slots."""

    entry: npt.NDArray[np.int64]  # [K] first entry of each trigger
    regret: Floats  # [E] of deviation plans, chips
    guess: Floats  # [E] what predictive variants expect it to be next; [0] for the others
    mix_regret: Floats  # [K] of not having deviated at a trigger, chips
    mix_guess: Floats  # [K] or [0]
    mix: Floats  # [K] λ, sums to one over the triggers of a player
    behaviour: Floats  # [N] action probabilities of the play
    reach: Floats  # [N] the plan of the play


@njit(cache=True, nogil=True, error_model="numpy")
def match_slots(source, begin, count, smallest, out, first):
    """out[first …] ← probabilities in proportion to the positive part of source[begin …], uniform where none is."""
    total = 0.0
    for j in range(count):
        total += at_least(source[begin + j], 0.0)
    for j in range(count):
        out[first + j] = at_least(source[begin + j], 0.0) / total if total >= smallest else 1.0 / count


@njit(inline="always")
def update_regret(regret, guess, k, gain, step, predictive):
    """R ← max(discount(R) + r, floor), and the guess of the next one."""
    regret[k] = at_least(discounted(regret[k], step[POSITIVE], step[NEGATIVE]) + gain, step[FLOOR])
    if predictive:
        ahead = discounted(regret[k], step[NEXT_POSITIVE], step[NEXT_NEGATIVE])
        guess[k] = ahead + step[PREDICTION] * gain


@njit(cache=True, nogil=True, error_model="numpy")
def update_deviation(subtrees, top, entry, values, triggers, step, predictive, smallest):
    """CFR on the deviation plan of one trigger at infoset `top`; returns what the plan was worth.

    values [slots of the subtree] is the gradient of the trigger, used up as scratch.
    """
    regret, guess = triggers.regret, triggers.guess
    source = guess if predictive else regret
    first, count, parent = subtrees.begin, subtrees.actions, subtrees.parent
    base = first[top]
    value = 0.0
    for i in range(subtrees.last[top] - 1, top - 1, -1):
        begin, actions = first[i] - base, count[i]
        value = total = plain = 0.0
        for slot in range(begin, begin + actions):
            share = at_least(source[entry + slot], 0.0)
            value += share * values[slot]
            total += share
            plain += values[slot]
        value = value / total if total >= smallest else plain / actions
        for slot in range(begin, begin + actions):
            update_regret(regret, guess, entry + slot, values[slot] - value, step, predictive)
        if i > top:
            values[parent[i] - base] += value
    return value


@njit(cache=True, nogil=True, error_model="numpy")
def update_triggers(subtrees, player, coarse, offered, triggers, step, predictive, smallest):
    """All regrets of a player: of every deviation plan, and of the mixture of triggers. offered [N] is the gradient."""
    first, last = subtrees.player_first[player], subtrees.player_first[player + 1]
    if first == last:
        return
    worth = triggers.reach * offered
    sequence_value, infoset_value = np.empty_like(worth), np.empty(subtrees.infoset.shape[0])
    follow_values(subtrees, first, last, worth, sequence_value, infoset_value)
    gains, values = np.zeros(triggers.mix.shape[0]), np.empty_like(worth)
    lasting = step[POSITIVE] == 1.0 and step[NEGATIVE] == 1.0  # regret that nothing is added to stays as it is
    expected = 0.0
    for i in range(first, last):
        begin, end = subtrees.begin[i], subtrees.end[i]
        for action in range(1 if coarse else subtrees.actions[i]):
            k = i if coarse else begin + action
            followed = infoset_value[i] if coarse else sequence_value[k]
            scale = reach_above(subtrees, triggers, i) if coarse else triggers.reach[k]
            entry, value = triggers.entry[k], 0.0
            if scale == 0.0 and lasting:
                if predictive:
                    triggers.guess[entry : entry + end - begin] = triggers.regret[entry : entry + end - begin]
            else:
                for slot in range(begin, end):
                    values[slot - begin] = offered[slot] * scale
                value = update_deviation(subtrees, i, entry, values, triggers, step, predictive, smallest)
            gains[k] = value - followed
            expected += triggers.mix[k] * gains[k]
    begin, end = (first, last) if coarse else (subtrees.begin[first], subtrees.end[last - 1])
    for k in range(begin, end):
        update_regret(triggers.mix_regret, triggers.mix_guess, k, gains[k] - expected, step, predictive)
    source = triggers.mix_guess if predictive else triggers.mix_regret
    match_slots(source, begin, end - begin, smallest, triggers.mix, begin)


@njit(cache=True, nogil=True, error_model="numpy")
def reach_above(subtrees, triggers, i):
    """The player's own probability of reaching an infoset."""
    return 1.0 if subtrees.parent[i] < 0 else triggers.reach[subtrees.parent[i]]


@njit(cache=True, nogil=True, error_model="numpy")
def push_deviation(subtrees, top, entry, weight, source, smallest, plan, inflow):
    """inflow[s] += weight · y[s] at the infosets from `top` on, y the deviation plan whose regrets begin at `entry`.

    plan [slots of the subtree] is scratch.
    """
    base = subtrees.begin[top]
    for i in range(top, subtrees.last[top]):
        begin, actions = subtrees.begin[i] - base, subtrees.actions[i]
        match_slots(source, entry + begin, actions, smallest, plan, begin)
        above = weight if i == top else plan[subtrees.parent[i] - base]
        for slot in range(begin, begin + actions):
            plan[slot] *= above
            inflow[base + slot] += plan[slot]


@njit(cache=True, nogil=True, error_model="numpy")
def stationary(rates, count, shares):
    """shares [count] ← the stationary distribution of a Markov chain with a state 0 besides, by elimination without
    subtractions (Grassmann, Taksar & Heyman 1985). rates [count + 1, count + 1] is used up; every state leads to 0."""
    for k in range(count, 0, -1):
        out = 0.0
        for j in range(k):
            out += rates[k, j]
        for i in range(k):
            rates[i, k] /= out
            for j in range(k):
                if j != i:
                    rates[i, j] += rates[i, k] * rates[k, j]
    total = 0.0
    for k in range(1, count + 1):
        shares[k - 1] = rates[0, k]
        for i in range(1, k):
            shares[k - 1] += shares[i - 1] * rates[i, k]
        total += shares[k - 1]
    for k in range(count):
        shares[k] /= total


@njit(cache=True, nogil=True, error_model="numpy")
def settle_infoset(subtrees, i, reach, passing, inflow, triggers, source, smallest, rates, shares):
    """The behaviour at one infoset that its triggers leave as it is. passing is Λ, inflow [N] is b."""
    begin, actions = subtrees.begin[i], subtrees.actions[i]
    size = subtrees.end[i] - begin
    leaving = passing
    for action in range(actions):
        leaving += triggers.mix[begin + action]
    back = at_least(RETURN * leaving, 1e-290)
    for action in range(actions):
        rates[0, action + 1] = inflow[begin + action] / reach + back * triggers.behaviour[begin + action]
        match_slots(source, triggers.entry[begin] + action * size, actions, smallest, shares, 0)
        rates[action + 1, 0] = passing + back
        for other in range(actions):
            rates[action + 1, other + 1] = triggers.mix[begin + action] * shares[other]
    stationary(rates, actions, shares)
    for action in range(actions):
        triggers.behaviour[begin + action] = shares[action] if shares[action] >= LEAST else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def settle_coarse(subtrees, i, reach, passing, inflow, triggers):
    """The behaviour at one infoset under coarse triggers: b in proportion; passing counts the infoset's own trigger."""
    begin, actions = subtrees.begin[i], subtrees.actions[i]
    back = at_least(RETURN * passing, 1e-290)
    total = 0.0
    for slot in range(begin, begin + actions):
        triggers.behaviour[slot] = inflow[slot] / reach + back * triggers.behaviour[slot]
        total += triggers.behaviour[slot]
    for slot in range(begin, begin + actions):
        share = triggers.behaviour[slot] / total
        triggers.behaviour[slot] = share if share >= LEAST else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def settle_player(subtrees, player, coarse, triggers, predictive, smallest, widest):
    """The next play of a player, from the root down. widest: the most actions of any infoset."""
    source = triggers.guess if predictive else triggers.regret
    slots = subtrees.sequence.shape[0]
    inflow, passing = np.zeros(slots), np.zeros(slots)  # passing: Σ λ of the triggers up to and with this sequence
    plan, rates, shares = np.empty(slots), np.empty((widest + 1, widest + 1)), np.empty(widest)
    for i in range(subtrees.player_first[player], subtrees.player_first[player + 1]):
        begin, actions = subtrees.begin[i], subtrees.actions[i]
        above = subtrees.parent[i]
        reach = 1.0 if above < 0 else triggers.reach[above]
        passed = 0.0 if above < 0 else passing[above]
        if coarse:
            passed += triggers.mix[i]
            if triggers.mix[i] * reach > 0:
                push_deviation(subtrees, i, triggers.entry[i], triggers.mix[i] * reach, source, smallest, plan, inflow)
        if reach > 0:
            if coarse:
                settle_coarse(subtrees, i, reach, passed, inflow, triggers)
            else:
                settle_infoset(subtrees, i, reach, passed, inflow, triggers, source, smallest, rates, shares)
        for action in range(actions):
            slot = begin + action
            triggers.reach[slot] = reach * triggers.behaviour[slot]
            passing[slot] = passed if coarse else passed + triggers.mix[slot]
            weight = 0.0 if coarse else triggers.mix[slot] * triggers.reach[slot]
            if weight > 0:
                entry = triggers.entry[slot]
                push_deviation(subtrees, i, entry, weight, source, smallest, plan, inflow)
