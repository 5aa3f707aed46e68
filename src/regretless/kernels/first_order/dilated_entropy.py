"""Smoothed best responses: the sweeps behind every method that uses dilated entropy as its regulariser.

For a player with infosets j, weights β_j > 0 and offsets c_j, the regulariser of a plan x with behaviour σ is

    ψ(x) = Σ_j x(parent of j) · (β_j · Σ_a σ_j(a) ln σ_j(a) + c_j).

max over x of ⟨θ, x⟩ − ψ(x) is found infoset by infoset, from the last to the first (Hoda, Gilpin, Peña & Sandholm 2010,
§3). With θ(a) the entry of an action plus the values of the infosets that follow it,

    σ_j(a) ∝ exp(θ(a) / β_j),        value of j = β_j · ln Σ_a exp(θ(a) / β_j) − c_j.

c_j = 0 leaves the entropy as it is. c_j = β_j ln n_j, with n_j actions, makes uniform play at every infoset the minimum
of ψ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.first_order.exponentials import exp_below, log_above
from regretless.kernels.regret_rules import at_least
from regretless.kernels.sequence_form.layout import (
    STRIP_ACTIONS,
    STRIP_INFOSET,
    STRIP_INFOSETS,
    STRIP_SEQUENCE,
    STRIP_STRIDE,
)

Floats = npt.NDArray[np.float64]


class Entropy(NamedTuple):
    """Dilated entropy of all players; I infosets."""

    weight: Floats  # [I] β
    inverse: Floats  # [I] 1 / β
    offset: Floats  # [I] c


@njit(cache=True, nogil=True, error_model="numpy")
def strip_smooth(strip, parent, theta, scale, entropy, strength):
    """At the infosets of one strip replace θ by exp weights, write 1 / their sum to `scale`, add values to parents.

    The regulariser is `strength` · ψ.

    The behaviour is weight · scale: the sweep that lays down plans then multiplies once per infoset.
    """
    first, infosets = strip[STRIP_SEQUENCE], strip[STRIP_INFOSETS]
    stride, actions, infoset = strip[STRIP_STRIDE], strip[STRIP_ACTIONS], strip[STRIP_INFOSET]
    weight = entropy.weight[infoset : infoset + infosets]
    inverse = entropy.inverse[infoset : infoset + infosets]
    offset = entropy.offset[infoset : infoset + infosets]
    share = scale[infoset : infoset + infosets]
    # Scratch is allocated here, where the compiler sees that nothing else points to it: that lets it vectorise.
    value = np.empty(infosets, np.float64)
    if actions == 1:
        only = theta[first : first + infosets]
        for i in range(infosets):
            value[i] = only[i] - strength * offset[i]
        only[:] = 1.0
        share[:] = 1.0
    elif actions == 2:
        smooth_two(first, stride, theta, weight, inverse, offset, strength, share, value)
    else:
        smooth_many(first, stride, actions, theta, weight, inverse, offset, strength, share, value)
    above = parent[infoset : infoset + infosets]
    for i in range(infosets):
        theta[np.uint32(above[i])] += value[i]


@njit(inline="always")
def smooth_two(first, stride, theta, weight, inverse, offset, strength, share, value):
    """`strip_smooth` where two actions are offered: one exponential is enough. weight … value [infosets].

    Short loops over few arrays: the compiler vectorises only loops whose arrays it can check for overlap.
    """
    infosets = value.shape[0]
    one = theta[first : first + infosets]
    two = theta[first + stride : first + stride + infosets]
    less = np.empty(infosets, np.float64)
    weaker = 1.0 / strength
    for i in range(infosets):
        less[i] = exp_below(-abs(one[i] - two[i]) * weaker * inverse[i])
    for i in range(infosets):
        value[i] = at_least(one[i], two[i]) + strength * (weight[i] * log_above(1.0 + less[i]) - offset[i])
    for i in range(infosets):
        ahead = one[i] >= two[i]
        one[i] = 1.0 if ahead else less[i]
        two[i] = less[i] if ahead else 1.0
    for i in range(infosets):
        share[i] = 1.0 / (1.0 + less[i])


@njit(inline="always")
def smooth_many(first, stride, actions, theta, weight, inverse, offset, strength, share, value):
    """`strip_smooth` where three or more actions are offered; weight … value [infosets]."""
    infosets = value.shape[0]
    top = np.empty(infosets, np.float64)
    total = np.zeros(infosets, np.float64)
    weaker = 1.0 / strength
    top[:] = theta[first : first + infosets]
    for action in range(1, actions):
        begin = first + action * stride
        offered = theta[begin : begin + infosets]
        for i in range(infosets):
            top[i] = at_least(offered[i], top[i])
    for action in range(actions):
        begin = first + action * stride
        offered = theta[begin : begin + infosets]
        for i in range(infosets):
            offered[i] = exp_below((offered[i] - top[i]) * weaker * inverse[i])
            total[i] += offered[i]
    for i in range(infosets):
        share[i] = 1.0 / total[i]
    for i in range(infosets):
        value[i] = top[i] + strength * (weight[i] * log_above(total[i]) - offset[i])


@njit(cache=True, nogil=True, error_model="numpy")
def player_smooth(form, player, theta, scale, entropy, strength):
    """max over a player's plans of ⟨θ, x⟩ − strength · ψ(x); afterwards θ · scale is the behaviour that attains it.

    The entry of the empty sequence holds the value instead.
    """
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    for strip in range(last - 1, first - 1, -1):
        strip_smooth(form.strips[strip], form.parent, theta, scale, entropy, strength)
    return theta[form.sequence_first[player]]


@njit(cache=True, nogil=True, error_model="numpy")
def strip_lay(strip, parent, theta, scale, plan):
    """Lay down the plan of the behaviour θ · scale in one strip."""
    first, infosets = strip[STRIP_SEQUENCE], strip[STRIP_INFOSETS]
    stride, actions, infoset = strip[STRIP_STRIDE], strip[STRIP_ACTIONS], strip[STRIP_INFOSET]
    above = parent[infoset : infoset + infosets]
    reach = np.empty(infosets, np.float64)
    for i in range(infosets):
        reach[i] = plan[np.uint32(above[i])] * scale[infoset + i]
    for action in range(actions):
        begin = first + action * stride
        share, laid = theta[begin : begin + infosets], plan[begin : begin + infosets]
        for i in range(infosets):
            laid[i] = share[i] * reach[i]


@njit(cache=True, nogil=True, error_model="numpy")
def player_lay(form, player, theta, scale, plan):
    """`strip_lay` for all infosets of a player, from the first to the last."""
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    plan[form.sequence_first[player]] = 1.0
    for strip in range(first, last):
        strip_lay(form.strips[strip], form.parent, theta, scale, plan)


@njit(cache=True, nogil=True, error_model="numpy")
def strip_spread(strip, parent, theta, scale, plan, average, decay, weight):
    """Average the plan that was played, average ← average · decay + weight · plan, then lay down that of θ · scale."""
    first, infosets = strip[STRIP_SEQUENCE], strip[STRIP_INFOSETS]
    stride, actions, infoset = strip[STRIP_STRIDE], strip[STRIP_ACTIONS], strip[STRIP_INFOSET]
    above = parent[infoset : infoset + infosets]
    reach = np.empty(infosets, np.float64)
    for i in range(infosets):
        reach[i] = plan[np.uint32(above[i])] * scale[infoset + i]
    for action in range(actions):
        begin = first + action * stride
        share, played = theta[begin : begin + infosets], plan[begin : begin + infosets]
        averaged = average[begin : begin + infosets]
        for i in range(infosets):
            averaged[i] = averaged[i] * decay + weight * played[i]
            played[i] = share[i] * reach[i]


@njit(cache=True, nogil=True, error_model="numpy")
def player_spread(form, player, theta, scale, plan, average, decay, weight):
    """`strip_spread` for all infosets of a player, from the first to the last."""
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    root = form.sequence_first[player]
    average[root] = average[root] * decay + weight
    for strip in range(first, last):
        strip_spread(form.strips[strip], form.parent, theta, scale, plan, average, decay, weight)


@njit(cache=True, nogil=True, error_model="numpy")
def player_entropy(form, player, plan, entropy):
    """ψ of a player's plan."""
    total = 0.0
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    for index in range(first, last):
        strip = form.strips[index]
        for i in range(strip[STRIP_INFOSETS]):
            infoset = strip[STRIP_INFOSET] + i
            reach = plan[form.parent[infoset]]
            total += entropy.offset[infoset] * reach
            for action in range(strip[STRIP_ACTIONS]):
                taken = plan[strip[STRIP_SEQUENCE] + i + action * strip[STRIP_STRIDE]]
                if taken > 0.0:
                    total += entropy.weight[infoset] * taken * np.log(taken / reach)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def response_change(form, player, strategy, plan, entropy, theta, change):
    """How the smoothed best response changes with θ: change ← (∇²ψ)⁻¹ θ at the plan of `strategy`, for one player.

    `theta` is overwritten. With V the change of an infoset's value, dσ(a) = σ(a) (dθ(a) − V) / β.
    """
    strips, parent = form.strips, form.parent
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    for index in range(last - 1, first - 1, -1):
        strip = strips[index]
        for i in range(strip[STRIP_INFOSETS]):
            infoset, begin = strip[STRIP_INFOSET] + i, strip[STRIP_SEQUENCE] + i
            value = 0.0
            for action in range(strip[STRIP_ACTIONS]):
                sequence = begin + action * strip[STRIP_STRIDE]
                value += strategy[sequence] * theta[sequence]
            for action in range(strip[STRIP_ACTIONS]):
                sequence = begin + action * strip[STRIP_STRIDE]
                change[sequence] = strategy[sequence] * (theta[sequence] - value) * entropy.inverse[infoset]
            theta[parent[infoset]] += value
    change[form.sequence_first[player]] = 0.0
    for index in range(first, last):
        strip = strips[index]
        for i in range(strip[STRIP_INFOSETS]):
            above = parent[strip[STRIP_INFOSET] + i]
            for action in range(strip[STRIP_ACTIONS]):
                sequence = strip[STRIP_SEQUENCE] + i + action * strip[STRIP_STRIDE]
                change[sequence] = change[above] * strategy[sequence] + plan[above] * change[sequence]
