"""Whole iterations of CFR in sequence form: gradient, update, next player. Nothing here knows a variant by name."""

from __future__ import annotations

from numba import njit

from regretless.kernels.sequence_form.gradients import player_gradient, player_gradient_threads
from regretless.kernels.sequence_form.treeplex import player_update, player_update_threads


@njit(cache=True, nogil=True, error_model="numpy")
def iterations(form, iterate, steps, learning, alternating, predictive, smallest, threaded):
    """Run one iteration per row of `steps` [n, 8]; players that are not `learning` [P] keep their plans.

    `threaded` is True to run on as many threads as numba is set to, with the same numbers to the last bit, or None
    not to: None is a type of its own, so the compiler drops the branch and never compiles what it leads to.
    """
    players = learning.shape[0]
    for t in range(steps.shape[0]):
        for player in range(players):
            if learning[player] and not alternating:
                gradient_of(form, player, iterate, threaded)
        for player in range(players):
            if learning[player]:
                if alternating:
                    gradient_of(form, player, iterate, threaded)
                if threaded is None:
                    player_update(form, player, iterate, steps[t], predictive, smallest)
                else:
                    player_update_threads(form, player, iterate, steps[t], predictive, smallest)


@njit(cache=True, nogil=True, error_model="numpy")
def gradient_of(form, player, iterate, threaded):
    """The gradient of one player against everybody's plans."""
    if threaded is None:
        player_gradient(form, player, iterate.plan, iterate.gradient)
    else:
        player_gradient_threads(form, player, iterate.plan, iterate.gradient)
