"""Outcome sampling (Lanctot, Waugh, Zinkevich & Bowling 2009, §4.1) with baselines (Schmid et al. 2019; by history as
in Davis, Schmid & Bowling 2020): one trajectory for each player, own actions drawn with some exploration."""

from __future__ import annotations

import numpy as np

from regretless.kernels.constants import BASELINE, CHANCE, HISTORY, REGRET, TERMINAL
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.random_streams import STEP, uniform
from regretless.kernels.sampling.infoset_rules import discount_to, mark_sums, pick, write_weights
from regretless.kernels.sampling.listed_steps import (
    draw_chance,
    first_state,
    history_number,
    insert_new_infosets,
    key_words,
    list_actions,
    path_states,
    payoff_of,
    play_action,
    player,
    prefetch_children,
    rules_pointers,
    slot_of,
    write_chance,
)
from regretless.kernels.sampling.trajectories import (
    IMPORTANCE,
    TAKEN,
    TOTAL,
    add_average,
    explore,
    finish_plain,
    plain_choice,
)
from regretless.kernels.sampling.turns import run_turns
from regretless.kernels.sampling.update_log import fits, log_new, log_update
from regretless.kernels.sampling.walk_records import (
    BY_HISTORY,
    BY_INFOSET,
    CHOICE,
    COUNT,
    FIRST,
    FIRST_WORD,
    FRAME,
    LOG_FULL,
    MOVER,
    NO_BASELINE,
    SCRATCH_FULL,
    SECOND_WORD,
    SLOT,
    SUMS,
)


@inner
def walk_once(walk, states, who, learns, step, word):
    """One trajectory for player `who`; returns the histories visited, or which buffer is full."""
    if walk.in_place and walk.options.baseline == NO_BASELINE and not walk.options.fixed:
        return plain_walk(walk, who, learns, step, word)
    return full_walk(walk, states, who, learns, step, word)


@inner
def full_walk(walk, states, who, learns, step, word):
    """A trajectory: down to a terminal, drawn, and back up with estimates."""
    rules, scratch, baseline = walk.rules, walk.scratch, walk.options.baseline
    game, frames, sums = scratch.game, scratch.frames, scratch.sums
    gain, weight = walk.window.gain[step] if learns else 0.0, walk.window.weight[step]
    depth, top, nodes, importance = np.int64(0), np.int64(0), 0, 1.0
    state = first_state(rules)
    mover = player(rules, state)
    while mover != TERMINAL:
        nodes += 1
        word += STEP
        if mover == CHANCE and baseline != BY_HISTORY:
            state = draw_chance(rules, state, uniform(word), game, top)
            mover = player(rules, state)
            continue
        count = list_actions(rules, state, game.moves, top)
        if top + count > scratch.widest or depth == scratch.deepest:
            return SCRATCH_FULL
        if not (walk.in_place or fits(walk.log, 3 * depth + 3, 3 * (top + count))):  # on the way up as well
            return LOG_FULL
        slot, choice, taken, total = choose(
            walk, state, mover, who, depth, top, count, uniform(word), weight * importance
        )  # fmt: skip
        if baseline == NO_BASELINE and mover != who:  # then the value of this history is that of its drawn child
            state = play_action(rules, state, game.moves, top, choice)
            mover = player(rules, state)
            continue
        frame, at = FRAME * depth, SUMS * depth
        frames[frame + SLOT], frames[frame + COUNT], frames[frame + FIRST] = slot, count, top
        frames[frame + CHOICE], frames[frame + MOVER] = choice, mover
        sums[at + IMPORTANCE], sums[at + TAKEN], sums[at + TOTAL] = importance, taken, total
        if baseline == BY_HISTORY:
            states[depth] = state
        importance /= taken
        state = play_action(rules, state, game.moves, top, choice)
        depth += 1
        top += count
        mover = player(rules, state)
    value = payoff_of(rules, state, who, game.payoffs)
    while depth > 0:
        depth -= 1
        value = back_up(walk, states, who, gain, step, depth, value)
    return nodes + 1


@inner
def choose(walk, state, mover, who, depth, top, count, draw, weight):
    """Draw an action and add the others' strategies to their averages.

    Returns the slot, the action, the probability with which it was drawn (1 where it was drawn by the strategy itself),
    and the sum of the weights in scratch.probabilities[top …].
    """
    rules, weights, options = walk.rules, walk.scratch.probabilities, walk.options
    if mover == CHANCE:
        chance = walk.scratch.game.chance
        write_chance(rules, state, chance, top)
        for a in range(top, top + count):
            weights[a] = chance[a]
        return np.int64(-1), pick(weights, top, count, draw), 1.0, 1.0
    if mover == who or not options.fixed:
        slot = slot_of(rules, walk.table, state, mover)
        total = write_weights(walk.values, slot, count, weights, top)
    else:
        slot = slot_of(rules, walk.other_table, state, mover)
        total = write_weights(walk.other_values, slot + count if slot >= 0 else slot, count, weights, top)
    words = key_words(rules, state) if slot < 0 else (np.int64(0), np.int64(0))
    frame = FRAME * depth
    walk.scratch.frames[frame + FIRST_WORD], walk.scratch.frames[frame + SECOND_WORD] = words
    if mover == who:
        choice, taken = explore(weights, top, count, total, draw, options.exploration)
        return slot, choice, taken, total
    choice = pick(weights, top, count, draw * total)
    if not options.fixed:
        add_average(walk, slot, words, mover, top, count, weight / total)
    return slot, choice, 1.0, total


@inner
def plain_walk(walk, who, learns, step, word):
    """A trajectory without baselines where every infoset has a slot and updates are added directly.

    All but the drawn action are taken to have the value 0, so on the way up only own decisions count: an action drawn
    with probability ξ has the value v / ξ, and the decision σ/ξ · v. Reads regrets where they lie, without scratch.
    """
    rules, game = walk.rules, walk.scratch.game
    none, weight = np.int64(0), walk.window.weight[step]
    depth, nodes, importance = none, 1, 1.0
    state = first_state(rules)
    mover = player(rules, state)
    while mover != TERMINAL:
        nodes += 1
        word += STEP
        if mover == CHANCE:
            state = draw_chance(rules, state, uniform(word), game, none)
        else:
            count, draw = list_actions(rules, state, game.moves, none), uniform(word)
            slot = slot_of(rules, walk.table, state, mover)
            prefetch_children(rules, state)
            choice, inverse = plain_choice(walk, slot, count, mover == who, depth, draw, weight, importance)
            if mover == who:
                importance *= inverse
                depth += 1
            state = play_action(rules, state, game.moves, none, choice)
        mover = player(rules, state)
    value = payoff_of(rules, state, who, game.payoffs)
    finish_plain(walk, depth, value, walk.window.gain[step] if learns else 0.0, step)
    return nodes


@inner
def back_up(walk, states, who, gain, step, depth, value):
    """The estimated value of a history to `who` from that of the child that was drawn.

    v(a) = b(a) + (v(drawn) − b(drawn)) / ξ(drawn) for the drawn action and b(a) for the others; v = Σ σ(a) v(a).
    """
    scratch, options = walk.scratch, walk.options
    frames, probabilities, gains, frame = scratch.frames, scratch.probabilities, scratch.gains, FRAME * depth
    slot, count, first = frames[frame + SLOT], frames[frame + COUNT], frames[frame + FIRST]
    choice, mover = frames[frame + CHOICE], frames[frame + MOVER]
    scale = 1.0 / scratch.sums[SUMS * depth + TOTAL]  # from weights to probabilities
    taken = scratch.sums[SUMS * depth + TAKEN] if mover == who else probabilities[first + choice] * scale
    child = np.int64(-1)
    if options.baseline == BY_HISTORY:
        below = play_action(walk.rules, states[depth], scratch.game.moves, first, np.int64(0))
        child = who * options.histories + history_number(walk.rules, below)
    write_baselines(walk, slot, child, who, first, count)
    gains[first + choice] += (value - gains[first + choice]) / taken
    mean = 0.0
    for a in range(first, first + count):
        mean += probabilities[a] * scale * gains[a]
    if slot < 0 and mover != CHANCE and not walk.in_place:
        words = frames[frame + FIRST_WORD], frames[frame + SECOND_WORD]
        slot = log_new(walk.log, words, mover, count, scratch.game.moves, first)
    if mover == who:
        add_regrets(walk, slot, first, count, mean, gain * scratch.sums[SUMS * depth + IMPORTANCE], step)
    if options.baseline == BY_HISTORY:
        move_history_baseline(walk, child + choice, first, value)
    elif options.baseline == BY_INFOSET and mover != CHANCE:
        move_baseline(walk, slot, BASELINE + who, first, count, choice, value)
    return mean


@inner
def write_baselines(walk, slot, child, who, first, count):
    """gains[first …] ← the baselines of the actions of a history; 0 without any. child: the first child's number."""
    gains = walk.scratch.gains
    for a in range(count):
        if child >= 0:
            gains[first + a] = walk.history_values[child + a]
        elif walk.options.baseline == BY_INFOSET and slot >= 0:
            gains[first + a] = walk.values[slot + (BASELINE + who) * count + a]
        else:
            gains[first + a] = 0.0


@inner
def add_regrets(walk, slot, first, count, mean, scale, step):
    """Add the regrets of an own decision, whose actions have the values gains[first …]."""
    gains = walk.scratch.gains
    for a in range(first, first + count):
        gains[a] -= mean
    if not walk.in_place:
        log_update(walk.log, slot, np.int64(REGRET), count, gains, first, scale)
        return
    if walk.by_sign:
        discount_to(walk.values, slot, count, walk.window, step)
    mark_sums(walk, slot, count)
    for a in range(count):
        walk.target[slot + a] += scale * gains[first + a]


@inner
def move_history_baseline(walk, child, first, value):
    """Move the baseline of a history towards an observed value."""
    if walk.in_place:
        walk.history_values[child] += walk.options.blend * (value - walk.history_values[child])
    else:
        walk.scratch.gains[first] = value
        log_update(walk.log, child, np.int64(HISTORY), np.int64(1), walk.scratch.gains, first, 1.0)


@inner
def move_baseline(walk, slot, kind, first, count, choice, value):
    """Move the baseline of an action of an infoset towards an observed value."""
    gains = walk.scratch.gains
    if walk.in_place:
        kept = slot + kind * count + choice
        walk.values[kept] += walk.options.blend * (value - walk.values[kept])
    else:
        for a in range(first, first + count):
            gains[a] = np.nan
        gains[first + choice] = value
        log_update(walk.log, slot, kind, count, gains, first, 1.0)


@kernel
def outcome(rules, store, others, window, task, options, buffers):
    """Outcome sampling. options: `OutcomeOptions`; the rest as in `walk_external.external`."""
    states = path_states(rules, buffers.scratch)
    return run_turns(
        walk_once, insert_new_infosets, rules_pointers(rules), states, store, others, window, task, options,
        options.blend, buffers,
    )  # fmt: skip
