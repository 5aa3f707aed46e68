"""Whole iterations of CFR in sequence form: gradient, update, next player. Nothing here knows a variant by name."""

from __future__ import annotations

from numba import njit

from regretless.kernels.products import player_gradient, player_gradient_threads
from regretless.kernels.treeplex import player_update, player_update_threads


@njit(cache=True, nogil=True, error_model="numpy")
def iterations(form, iterate, steps, learning, alternating, predictive, smallest):
    """Run one iteration per row of `steps` [n, 8]; players that are not `learning` [P] keep their plans."""
    players = learning.shape[0]
    for t in range(steps.shape[0]):
        if not alternating:
            for player in range(players):
                if learning[player]:
                    player_gradient(form, player, iterate.plan, iterate.gradient)
        for player in range(players):
            if learning[player]:
                if alternating:
                    player_gradient(form, player, iterate.plan, iterate.gradient)
                player_update(form, player, iterate, steps[t], predictive, smallest)


@njit(cache=True, nogil=True, error_model="numpy")
def iterations_threads(form, iterate, steps, learning, alternating, predictive, smallest):
    """`iterations` on as many threads as numba is set to; the same numbers to the last bit."""
    players = learning.shape[0]
    for t in range(steps.shape[0]):
        if not alternating:
            for player in range(players):
                if learning[player]:
                    player_gradient_threads(form, player, iterate.plan, iterate.gradient)
        for player in range(players):
            if learning[player]:
                if alternating:
                    player_gradient_threads(form, player, iterate.plan, iterate.gradient)
                player_update_threads(form, player, iterate, steps[t], predictive, smallest)
