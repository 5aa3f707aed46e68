"""A block of walks of outcome sampling: all make one move after the other until each has come to its end.

Draws and arithmetic are those of `walk_outcome.full_walk` without baselines. Between two moves of a walk the others
move, which hides the time that loading the next history takes; and no branch depends on a drawn number.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.constants import CHANCE, TERMINAL
from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import prefetch, smallest_normal
from regretless.kernels.numba_ext.short_rows import (
    LANES,
    highest_bit,
    positive_bits,
    positive_row,
    subtract_in_order,
    sum_in_order,
)
from regretless.kernels.random_streams import STEP, stream, uniform
from regretless.kernels.regret_rules import at_least, is_matched
from regretless.kernels.sampling.blocks.block_log import MATCHED, NUMBERS, UNIFORM, code_of
from regretless.kernels.sampling.listed_steps import CHILDREN, FIRST_CHILD, INDEX, MOVER
from regretless.kernels.sampling.trajectories import rest_of


@inner
def start_block(block, walks, seed, iteration, who, first):
    """Put the walks first, first + 1, … of a player's turn at the root."""
    for i in range(walks):
        block.words[i] = stream(seed, iteration, who, first + i)
        block.states[i], block.importances[i], block.active[i] = 0, 1.0, i
        block.own_depth[i], block.other_depth[i] = 0, 0


@inner
def walk_block(rules, values, block, walks, who, gain, weight, exploration):
    """Walk all walks of a block to their ends; returns the histories visited.

    gain: the weight of a regret in this iteration; weight: that of a strategy in the average.
    """
    node, nodes, active, drawn = rules.node, 0, walks, np.uint64(0)
    while active > 0:
        nodes += active
        drawn += STEP
        left = np.int64(0)
        for k in range(active):
            i = block.active[k]
            at = 4 * block.states[i]
            mover, index = np.int64(node[at + MOVER]), np.int64(node[at + INDEX])
            child, count = np.int64(node[at + FIRST_CHILD]), np.int64(node[at + CHILDREN])
            if mover == TERMINAL:
                back_up(block, i, gain, rules.payoff[rules.players * index + who])
                continue
            draw = uniform(block.words[i] + drawn)
            if mover == CHANCE:
                child = chance_child(rules, child, count, draw)
            elif mover == who:
                child += own_choice(values, block, i, index, count, draw, exploration)
            else:
                child += other_choice(values, block, i, index, count, draw, weight)
            prefetch(node, 4 * child)
            block.states[i] = child
            block.active[left] = i
            left += 1
        active = left
    return nodes


@inner(forceinline=True)
def chance_child(rules, first, count, draw):
    """The child that chance moves to (`listed_steps.draw_chance`)."""
    scaled = draw * count
    child = np.int64(scaled)
    rest = scaled - child
    child += first
    alias = np.int64(rules.alias[child])
    return child if rest < rules.keep[child] else alias


@inner(forceinline=True)
def choose(values, slot, count, draw, explored):
    """The action that a draw in [0, 1) falls on, whether regrets are matched, and Σ R⁺.

    Actions are drawn in proportion to R⁺, uniformly if `explored` or if regrets are not matched. Rounding must not
    choose an action of weight 0: then the last one before it with a weight is taken.
    """
    total, left = 0.0, 0.0
    passed, bits = np.int64(0), np.int64(0)
    if count <= LANES:
        row = positive_row(values, slot, count)
        total = sum_in_order(total, row)
        left, passed = subtract_in_order(draw * total, row)
        bits = positive_bits(row)
    else:
        for a in range(0, count, LANES):
            total = sum_in_order(total, positive_row(values, slot + a, count - a))
        left = draw * total
        for a in range(0, count, LANES):
            row = positive_row(values, slot + a, count - a)
            left, more = subtract_in_order(left, row)
            passed += more
            bits |= positive_bits(row) << a
    matched = is_matched(total, smallest_normal(values))
    uniformly = min(np.int64(draw * count), count - 1)
    by_weight = highest_bit((bits | 1) & ((np.int64(2) << min(passed, count - 1)) - 1))
    choice = by_weight if matched else uniformly
    choice = uniformly if explored else choice
    return choice, matched, total


@inner(forceinline=True)
def own_choice(values, block, i, slot, count, draw, exploration):
    """Draw an own action of walk i with exploration and record the decision; returns the action."""
    explored = draw < exploration
    beyond = draw - exploration
    draw = draw if explored else beyond
    divisor = exploration if explored else 1.0  # a division in only one of two cases would become a branch
    factor = 1.0 if explored else rest_of(exploration)
    choice, matched, total = choose(values, slot, count, draw / divisor * factor, explored)
    positive = at_least(values[slot + choice], 0.0)
    positive = positive if matched else 1.0
    total = total if matched else float(count)
    taken = block.explored[count] + (1.0 - exploration) * positive / total
    record, importance = block.deepest * i + block.own_depth[i], block.importances[i]
    block.own_codes[record] = code_of(slot, count, choice)
    block.own_numbers[NUMBERS * record] = importance
    block.own_numbers[NUMBERS * record + 1] = taken
    block.own_numbers[NUMBERS * record + 2] = positive * (1.0 / total)
    block.own_depth[i] += 1
    block.importances[i] = importance / taken
    return choice


@inner(forceinline=True)
def other_choice(values, block, i, slot, count, draw, weight):
    """Draw an action of another player on walk i and record the decision; returns the action."""
    choice, matched, total = choose(values, slot, count, draw, False)
    record = block.deepest * i + block.other_depth[i]
    block.other_codes[record] = code_of(slot, count, MATCHED if matched else UNIFORM)
    block.other_scales[record] = weight * block.importances[i] / (total if matched else float(count))
    block.other_depth[i] += 1
    return choice


@inner(forceinline=True)
def back_up(block, i, gain, value):
    """Write what each own decision of walk i adds to its regrets, from the value of its terminal.

    The drawn action is worth v / ξ, all others 0, the decision σ/ξ · v.
    """
    first = block.deepest * i
    for record in range(first + block.own_depth[i] - 1, first - 1, -1):
        at = NUMBERS * record
        chosen, scale = value / block.own_numbers[at + 1], gain * block.own_numbers[at]
        value = block.own_numbers[at + 2] * chosen
        block.own_numbers[at], block.own_numbers[at + 1] = scale * (0.0 - value), scale * (chosen - value)
