"""Single trajectories of outcome sampling: drawing actions with exploration, and the updates that need no baseline."""

from __future__ import annotations

import numpy as np

from regretless.kernels.constants import AVERAGE
from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import smallest_normal
from regretless.kernels.regret_rules import at_least, is_matched, probability
from regretless.kernels.sampling.infoset_rules import discount_to, mark_sums, pick
from regretless.kernels.sampling.update_log import log_new, log_update
from regretless.kernels.sampling.walk_records import CHOICE, COUNT, FRAME, SLOT, SUMS

IMPORTANCE, TAKEN, TOTAL = range(3)
"""Sums of a decision: the importance of its estimates, the probability with which its action was drawn, the sum of
weights."""

INVERSE, RATIO = 1, 2
"""In place of the last two on a plain trajectory: 1 / ξ and σ / ξ of the drawn action."""


@inner(forceinline=True)
def explored_action(draw, exploration, count):
    """The action of a draw below ε, which is uniform."""
    return min(int(draw / exploration * count), count - 1)


@inner(forceinline=True)
def explore(weights, top, count, total, draw, exploration):
    """An own action drawn from ε · uniform + (1 − ε) · σ, and its probability."""
    if draw < exploration:
        choice = explored_action(draw, exploration, count)
    else:
        choice = pick(weights, top, count, (draw - exploration) * rest_of(exploration) * total)
    return choice, exploration / count + (1.0 - exploration) * weights[top + choice] / total


@inner(forceinline=True)
def rest_of(exploration):
    """1 / (1 − ε), which maps the draws from ε on to [0, 1)."""
    return 1.0 / (1.0 - exploration) if exploration < 1.0 else 0.0


@inner(forceinline=True)
def add_average(walk, slot, words, mover, top, count, scale):
    """Add the strategy of another player, scratch.probabilities[top …], to its average."""
    weights = walk.scratch.probabilities
    if walk.in_place:
        mark_sums(walk, slot + count, count)
        for a in range(count):
            walk.target[slot + count + a] += scale * weights[top + a]
        return
    if slot < 0:
        slot = log_new(walk.log, words, mover, count, walk.scratch.game.moves, top)
    log_update(walk.log, slot, np.int64(AVERAGE), count, weights, top, scale)


@inner(forceinline=True)
def plain_choice(walk, slot, count, own, depth, draw, weight, importance):
    """Draw an action on a plain trajectory; returns it and 1 / ξ.

    An own decision is written to the path; another player's strategy is added to its average.
    """
    values, exploration = walk.values, walk.options.exploration
    total, smallest = 0.0, smallest_normal(values)
    for a in range(count):
        total += at_least(values[slot + a], 0.0)
    if not own:
        matched = is_matched(total, smallest)
        scale = weight * importance / (total if matched else count)
        mark_sums(walk, slot + count, count)
        for a in range(count):
            walk.target[slot + count + a] += scale * (at_least(values[slot + a], 0.0) if matched else 1.0)
        return pick_regret(values, slot, count, draw, total), 1.0
    if draw < exploration:
        choice = explored_action(draw, exploration, count)
    else:
        choice = pick_regret(values, slot, count, (draw - exploration) * rest_of(exploration), total)
    mine = probability(at_least(values[slot + choice], 0.0), total, count, smallest)
    inverse = 1.0 / (exploration / count + (1.0 - exploration) * mine)
    frames, sums, frame, at = walk.scratch.frames, walk.scratch.sums, FRAME * depth, SUMS * depth
    frames[frame + SLOT], frames[frame + COUNT], frames[frame + CHOICE] = slot, count, choice
    sums[at + IMPORTANCE], sums[at + INVERSE], sums[at + RATIO] = importance, inverse, mine * inverse
    return choice, inverse


@inner(forceinline=True)
def pick_regret(values, slot, count, draw, total):
    """The action that a draw in [0, 1) falls on, in proportion to R⁺, whose sum is `total`."""
    if not is_matched(total, smallest_normal(values)):
        return min(int(draw * count), count - 1)
    choice, left = 0, draw * total - at_least(values[slot], 0.0)
    while left >= 0.0 and choice < count - 1:
        choice += 1
        left -= at_least(values[slot + choice], 0.0)
    while choice > 0 and values[slot + choice] <= 0.0:  # rounding must not choose an action of probability 0
        choice -= 1
    return choice


@inner(forceinline=True)
def finish_plain(walk, depth, value, gain, step):
    """Back up a plain trajectory from its terminal value: regrets of the own decisions on the path."""
    frames, sums = walk.scratch.frames, walk.scratch.sums
    while depth > 0:
        depth -= 1
        frame, at = FRAME * depth, SUMS * depth
        slot, count, choice = frames[frame + SLOT], frames[frame + COUNT], frames[frame + CHOICE]
        scale = gain * sums[at + IMPORTANCE] * value
        value *= sums[at + RATIO]
        if walk.by_sign:
            discount_to(walk.values, slot, count, walk.window, step)
        mark_sums(walk, slot, count)
        for a in range(count):
            walk.target[slot + a] -= scale * sums[at + RATIO]
        walk.target[slot + choice] += scale * sums[at + INVERSE]
