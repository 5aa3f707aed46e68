"""Sweeps for players who err: at every infoset they take a random action with probability ε, instead of their aim.

The aims σ are learned, and the perturbed strategy (1 − ε) · σ + ε · uniform is played (Farina, Kroer & Sandholm 2017,
§4: regret minimisation over a simplex without its corners). The sweeps of `treeplex` are used as they are, but each
infoset has a *landing* entry behind the sequences, which takes the place of its parent: gradient and aim are [S + I].
Between two strips the landing entries are mixed with the uniform part and added to the parent.
"""

from __future__ import annotations

from regretless.kernels.constants import DECAY, WEIGHT
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.sequence_form.layout import (
    STRIP_ACTIONS,
    STRIP_INFOSET,
    STRIP_INFOSETS,
    STRIP_SEQUENCE,
    STRIP_STRIDE,
)
from regretless.kernels.sequence_form.treeplex import strip_best, strip_plan, strip_update, strips_of


@inner
def pass_up(strip, parent, landing, gradient, epsilon):
    """gradient[parent] += (1 − ε) · gradient[landing] + ε · the mean over actions, for the infosets of a strip."""
    actions, stride = strip[STRIP_ACTIONS], strip[STRIP_STRIDE]
    for i in range(strip[STRIP_INFOSETS]):
        infoset = strip[STRIP_INFOSET] + i
        total = 0.0
        for action in range(actions):
            total += gradient[strip[STRIP_SEQUENCE] + i + action * stride]
        gradient[parent[infoset]] += (1.0 - epsilon) * gradient[landing[infoset]] + epsilon * total / actions


@inner
def pass_down(strip, landing, aim, plan, epsilon):
    """plan ← (1 − ε) · aim + ε · reach / actions, for the sequences of a strip."""
    actions, stride = strip[STRIP_ACTIONS], strip[STRIP_STRIDE]
    for i in range(strip[STRIP_INFOSETS]):
        slip = epsilon * aim[landing[strip[STRIP_INFOSET] + i]] / actions
        for action in range(actions):
            sequence = strip[STRIP_SEQUENCE] + i + action * stride
            plan[sequence] = (1.0 - epsilon) * aim[sequence] + slip


@inner
def clear_landing(strip, landing, gradient):
    """gradient[landing] ← 0 for the infosets of a strip."""
    for infoset in range(strip[STRIP_INFOSET], strip[STRIP_INFOSET] + strip[STRIP_INFOSETS]):
        gradient[landing[infoset]] = 0.0


@kernel
def erring_update(form, player, iterate, landing, aim, step, predictive, smallest, epsilon):
    """`player_update` for a player who errs: iterate.plan is what is played, `aim` and the average what is meant.

    Both are weighted by the reach that is played: aim[s] = plan[parent of s's infoset] · σ(s).
    """
    strips, parent, gradient = form.strips, form.parent, iterate.gradient
    first, last = strips_of(form, player)
    for index in range(last - 1, first - 1, -1):
        strip = strips[index]
        clear_landing(strip, landing, gradient)
        strip_update(strip, landing, gradient, iterate.regret, iterate.guess, step, predictive, smallest)
        pass_up(strip, parent, landing, gradient, epsilon)
    root = form.sequence_first[player]
    decay, weight = step[DECAY], step[WEIGHT]
    iterate.average[root] = iterate.average[root] * decay + weight
    source = iterate.guess if predictive else iterate.regret
    for index in range(first, last):
        strip = strips[index]
        for infoset in range(strip[STRIP_INFOSET], strip[STRIP_INFOSET] + strip[STRIP_INFOSETS]):
            aim[landing[infoset]] = iterate.plan[parent[infoset]]
        strip_plan(strip, landing, source, aim, iterate.average, decay, weight, smallest)
        pass_down(strip, landing, aim, iterate.plan, epsilon)


@kernel
def erring_best(form, player, landing, gradient, epsilon):
    """The best-response value of a player who errs, given its terminal gradient [S + I]."""
    first, last = strips_of(form, player)
    for index in range(last - 1, first - 1, -1):
        strip = form.strips[index]
        clear_landing(strip, landing, gradient)
        strip_best(strip, landing, gradient)
        pass_up(strip, form.parent, landing, gradient, epsilon)
    return gradient[form.sequence_first[player]]
