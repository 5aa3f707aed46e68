"""The value of a profile of plans to every player, and the value of a best response to it."""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.sequence_form.gradients import gradient_of
from regretless.kernels.sequence_form.treeplex import best_values


@inner
def inner_product(one, other):
    """Σ one · other, in four sums side by side: a single one would wait for each addition to finish."""
    a = b = c = d = 0.0
    whole = one.shape[0] // 4 * 4
    for i in range(0, whole, 4):
        a += one[i] * other[i]
        b += one[i + 1] * other[i + 1]
        c += one[i + 2] * other[i + 2]
        d += one[i + 3] * other[i + 3]
    for i in range(whole, one.shape[0]):
        a += one[i] * other[i]
    return (a + b) + (c + d)


@kernel
def profile_gaps(form, plan, asked, gradient, values, best):
    """values [P] and best [P] of the players `asked` [P]; plan [S] need not be normalised, gradient [S] is scratch."""
    players = asked.shape[0]
    for player in range(players):
        if not asked[player]:
            continue
        scale = 1.0
        for other in range(players):
            if other != player:
                scale /= plan[form.sequence_first[other]]
        gradient_of(form, player, plan, gradient)
        first, last = form.sequence_first[player], form.sequence_first[player + 1]
        values[player] = inner_product(plan[first:last], gradient[first:last]) / plan[first] * scale
        best[player] = best_values(form, player, gradient) * scale
