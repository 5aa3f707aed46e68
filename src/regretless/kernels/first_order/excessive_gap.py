"""Whole steps of the excessive gap technique in sequence form (Nesterov 2005; Hoda, Gilpin, Peña & Sandholm 2010).

s_p(x, μ) = max over own plans z of ⟨g_p(x), z⟩ − μ ψ_p(z) is what player p wins by a smoothed best response to the
others' plan x; g_p is the gradient of p's payoff. The excessive gap condition is s_0(x_1, μ_0) + s_1(x_0, μ_1) ≤ 0.
Where it holds, NashConv is at most μ_0 max ψ_0 + μ_1 max ψ_1. A step shrinks one μ and keeps the condition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.first_order.dilated_entropy import player_lay, player_smooth
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.layout import (
    STRIP_ACTIONS,
    STRIP_INFOSET,
    STRIP_INFOSETS,
    STRIP_SEQUENCE,
    STRIP_STRIDE,
)

Floats = npt.NDArray[np.float64]


class GapState(NamedTuple):
    """Where the excessive gap technique stands; S sequences. The pair of plans is the solution so far."""

    plan: Floats  # [S]
    gradient: Floats  # [S] of each player at the other's plan, chips
    smoothing: Floats  # [2] μ of each player


class GapBuffers(NamedTuple):
    """Scratch of a step; S sequences, I infosets."""

    theta: Floats  # [S] what a smoothed best response is computed from, then its exp weights
    scale: Floats  # [I] 1 / their sums
    answer: Floats  # [S] a smoothed best response as a plan
    product: Floats  # [S] the gradient at `answer`


@njit(cache=True, nogil=True, error_model="numpy")
def strip_mix(strip, parent, theta, scale, plan, mixed, share):
    """Lay down the plan of the behaviour θ · scale, and mixed ← (1 − share) · mixed + share · plan, in one strip."""
    first, infosets = strip[STRIP_SEQUENCE], strip[STRIP_INFOSETS]
    stride, actions, infoset = strip[STRIP_STRIDE], strip[STRIP_ACTIONS], strip[STRIP_INFOSET]
    above = parent[infoset : infoset + infosets]
    reach = np.empty(infosets, np.float64)
    for i in range(infosets):
        reach[i] = plan[np.uint32(above[i])] * scale[infoset + i]
    for action in range(actions):
        begin = first + action * stride
        taken, laid = theta[begin : begin + infosets], plan[begin : begin + infosets]
        blend = mixed[begin : begin + infosets]
        for i in range(infosets):
            laid[i] = taken[i] * reach[i]
            blend[i] = (1.0 - share) * blend[i] + share * laid[i]


@njit(cache=True, nogil=True, error_model="numpy")
def player_mix(form, player, theta, scale, plan, mixed, share):
    """`strip_mix` for all infosets of a player, from the first to the last."""
    first = form.block_strips[form.block_first[player]]
    last = form.block_strips[form.block_first[player + 1]]
    plan[form.sequence_first[player]] = 1.0
    for strip in range(first, last):
        strip_mix(form.strips[strip], form.parent, theta, scale, plan, mixed, share)


@njit(cache=True, nogil=True, error_model="numpy")
def smoothed_value(form, player, entropy, gradient, smoothing, buffers):
    """s_p(x, μ) of a player whose gradient at x is given; its behaviour is theta · scale of the buffers."""
    first, last = form.sequence_first[player], form.sequence_first[player + 1]
    buffers.theta[first:last] = gradient[first:last]
    return player_smooth(form, player, buffers.theta, buffers.scale, entropy, smoothing)


@njit(cache=True, nogil=True, error_model="numpy")
def gap_step(form, entropy, state, buffers, player, tau):
    """The step that shrinks the μ of `player`.

    With x the player's plan, y the other's, τ the step, and Q the smoothed best response,

        x̂ = (1 − τ) x + τ Q(g(y) / μ),   y' = Q(g(x̂) / μ_other),   x' = Q(g(y) / μ + τ / ((1 − τ) μ) · g(y')),
        x ← (1 − τ) x + τ x',            y ← (1 − τ) y + τ y',       μ ← (1 − τ) μ.

    g is linear: g(x̂) comes from g(x), which is known, and g(Q(g(y) / μ)).
    """
    other, mu = 1 - player, state.smoothing[player]
    plan, gradient = state.plan, state.gradient
    theta, scale, answer, product = buffers.theta, buffers.scale, buffers.answer, buffers.product
    keep, ahead = 1.0 - tau, tau / (1.0 - tau)
    smoothed_value(form, player, entropy, gradient, mu, buffers)
    player_lay(form, player, theta, scale, answer)
    player_gradient(form, other, answer, product)
    first, last = form.sequence_first[other], form.sequence_first[other + 1]
    own, found, shifted = gradient[first:last], product[first:last], theta[first:last]
    for i in range(last - first):
        shifted[i] = keep * own[i] + tau * found[i]
    player_smooth(form, other, theta, scale, entropy, state.smoothing[other])
    player_mix(form, other, theta, scale, answer, plan, tau)
    player_gradient(form, player, answer, product)
    first, last = form.sequence_first[player], form.sequence_first[player + 1]
    own, found, shifted = gradient[first:last], product[first:last], theta[first:last]
    for i in range(last - first):
        shifted[i] = own[i] + ahead * found[i]
        own[i] = keep * own[i] + tau * found[i]
    player_smooth(form, player, theta, scale, entropy, mu)
    player_mix(form, player, theta, scale, answer, plan, tau)
    player_gradient(form, other, plan, gradient)
    state.smoothing[player] = mu * keep


@njit(cache=True, nogil=True, error_model="numpy")
def excess(form, entropy, state, buffers):
    """s_0 + s_1: the excessive gap condition holds where it is not positive."""
    total = 0.0
    for player in range(2):
        total += smoothed_value(form, player, entropy, state.gradient, state.smoothing[player], buffers)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def copy_state(source, target):
    """Overwrite one state with another."""
    target.plan[:] = source.plan
    target.gradient[:] = source.gradient
    target.smoothing[:] = source.smoothing


@njit(cache=True, nogil=True, error_model="numpy")
def gap_iterations(form, entropy, state, saved, buffers, step, since, count):
    """`count` steps, each for the player with the larger μ; step [1] is τ, since [1] counts steps after `saved`.

    The condition is checked after every step at first, and at most every sixteenth once τ is small. Where it is broken,
    `state` goes back to `saved`, the last that kept it, and τ is halved.
    """
    for _ in range(count):
        player = 0 if state.smoothing[0] >= state.smoothing[1] else 1
        gap_step(form, entropy, state, buffers, player, step[0])
        since[0] += 1
        if since[0] >= min(16, int(1.0 / (16.0 * step[0]))):
            since[0] = 0
            if excess(form, entropy, state, buffers) <= 0.0:
                copy_state(state, saved)
            else:
                copy_state(saved, state)
                step[0] *= 0.5
