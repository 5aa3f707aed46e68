"""Whole iterations of CFR in sequence form: gradient, update, next player. Nothing here knows a variant by name."""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.sequence_form.gradients import gradient_of, gradient_of_threads
from regretless.kernels.sequence_form.treeplex import update_player, update_player_threads


@kernel
def iterations(form, iterate, steps, learning, alternating, predictive, smallest, threaded):
    """Run one iteration per row of `steps` [n, 8]; players that are not `learning` [P] keep their plans.

    smallest: the least Σ R⁺ that regrets are matched at (see `regret_rules`). `threaded` is True to use as many threads
    as Numba is set to, with the same result to the last bit, or None to use one. None is a type of its own, so the
    compiler drops the branch and never compiles the functions for threads.
    """
    players = learning.shape[0]
    for t in range(steps.shape[0]):
        for player in range(players):
            if learning[player] and not alternating:
                write_gradient(form, player, iterate, threaded)
        for player in range(players):
            if learning[player]:
                if alternating:
                    write_gradient(form, player, iterate, threaded)
                if threaded is None:
                    update_player(form, player, iterate, steps[t], predictive, smallest)
                else:
                    update_player_threads(form, player, iterate, steps[t], predictive, smallest)


@inner
def write_gradient(form, player, iterate, threaded):
    """The gradient of one player against the plans of all others."""
    if threaded is None:
        gradient_of(form, player, iterate.plan, iterate.gradient)
    else:
        gradient_of_threads(form, player, iterate.plan, iterate.gradient)
