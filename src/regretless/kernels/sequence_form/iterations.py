"""Whole iterations of CFR in sequence form: gradient, update, next player. Nothing here knows a variant by name."""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.sequence_form.gradients import gradient_of, gradient_of_team
from regretless.kernels.sequence_form.treeplex import update_player, update_player_team
from regretless.kernels.thread_team import barrier


@kernel
def iterations(form, iterate, steps, learning, alternating, predictive, smallest, team):
    """Run one iteration per row of `steps` [n, 8]; players that are not `learning` [P] keep their plans.

    smallest: the least Σ R⁺ that regrets are matched at (see `regret_rules`). `team` is the `Team` of this thread, and
    then each of its threads makes this call, with the same result to the last bit; or None on one thread. None is a
    type of its own, so the compiler drops the branch and never compiles the functions for teams.
    """
    players = learning.shape[0]
    for t in range(steps.shape[0]):
        if not alternating:
            for player in range(players):
                if learning[player]:
                    write_gradient(form, player, iterate, team)
        for player in range(players):
            if learning[player]:
                if alternating:
                    write_gradient(form, player, iterate, team)
                if team is None:
                    update_player(form, player, iterate, steps[t], predictive, smallest)
                else:
                    update_player_team(form, player, iterate, steps[t], predictive, smallest, team)


@inner
def write_gradient(form, player, iterate, team):
    """The gradient of one player against the plans of all others; complete when it returns."""
    if team is None:
        gradient_of(form, player, iterate.plan, iterate.gradient)
    else:
        gradient_of_team(form, player, iterate.plan, iterate.gradient, team)
        barrier(team)
