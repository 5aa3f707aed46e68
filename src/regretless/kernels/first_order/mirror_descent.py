"""Whole iterations of mirror descent in sequence form; optimism, magnets and averages are numbers of its step table.

Dilated entropy is a Legendre function, so mirror descent is a sum in the dual space: with θ the gradient of ψ at the
iterate and g the gradient of the payoff, a proximal step is θ ← θ + η g, followed by a smoothed best response to θ (see
`dilated_entropy`). An iteration of a player is

    θ ← keep · θ + rate · g,        x ← argmax ⟨θ + ahead · g, x⟩ − ψ(x).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.first_order.dilated_entropy import player_smooth, player_spread
from regretless.kernels.sequence_form.gradients import player_gradient

Floats = npt.NDArray[np.float64]

KEEP, RATE, AHEAD, MIRROR_DECAY, MIRROR_WEIGHT = range(5)
"""Columns of the table of steps: the three factors above, and how the average decays before the plan is added."""


class MirrorState(NamedTuple):
    """Where mirror descent stands; S sequences, I infosets."""

    dual: Floats  # [S] θ: the gradient of the regulariser at the iterate
    plan: Floats  # [S] the plan in play
    average: Floats  # [S] weighted sum of plans
    gradient: Floats  # [S] scratch: the gradient, then θ, then exp weights of the next plan
    scale: Floats  # [I] scratch: 1 / sums of exp weights


@njit(cache=True, nogil=True, error_model="numpy")
def mirror_step(form, player, state, entropy, step):
    """The step of one player, given its gradient."""
    first, last = form.sequence_first[player], form.sequence_first[player + 1]
    keep, rate, ahead = step[KEEP], step[RATE], step[AHEAD]
    dual, gradient = state.dual[first:last], state.gradient[first:last]
    for i in range(last - first):
        theta = keep * dual[i] + rate * gradient[i]
        gradient[i] = theta + ahead * gradient[i]
        dual[i] = theta
    player_smooth(form, player, state.gradient, state.scale, entropy, 1.0)
    player_spread(
        form, player, state.gradient, state.scale, state.plan, state.average, step[MIRROR_DECAY], step[MIRROR_WEIGHT]
    )


@njit(cache=True, nogil=True, error_model="numpy")
def mirror_iterations(form, state, entropy, steps, learning, alternating):
    """Run one iteration per row of `steps` [n, 5]; players that are not `learning` [P] keep their plans."""
    players = learning.shape[0]
    for t in range(steps.shape[0]):
        for player in range(players):
            if learning[player] and not alternating:
                player_gradient(form, player, state.plan, state.gradient)
        for player in range(players):
            if learning[player]:
                if alternating:
                    player_gradient(form, player, state.plan, state.gradient)
                mirror_step(form, player, state, entropy, steps[t])
