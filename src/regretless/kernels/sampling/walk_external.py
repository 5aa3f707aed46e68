"""External sampling (Lanctot, Waugh, Zinkevich & Bowling 2009, §4.2): chance and the others are drawn, own actions are
all walked; average-strategy sampling (Gibson, Burch, Lanctot & Szafron 2012) walks only some of the own actions."""

from __future__ import annotations

import numpy as np

from regretless.kernels.constants import AVERAGE, CHANCE, REGRET, TERMINAL
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.random_streams import STEP, uniform
from regretless.kernels.sampling.infoset_rules import discount_to, mark_sums, pick, write_weights
from regretless.kernels.sampling.listed_steps import (
    draw_chance,
    first_state,
    insert_new_infosets,
    key_words,
    list_actions,
    path_states,
    payoff_of,
    play_action,
    player,
    rules_pointers,
    slot_of,
)
from regretless.kernels.sampling.turns import run_turns
from regretless.kernels.sampling.update_log import fits, log_new, log_update
from regretless.kernels.sampling.walk_records import (
    CHOICE,
    COUNT,
    FIRST,
    FIRST_WORD,
    FRAME,
    LOG_FULL,
    SCRATCH_FULL,
    SECOND_WORD,
    SLOT,
    SUMS,
)

ONE = np.int64(1)
"""Numba compiles a function anew for every literal that it is called with, but not for a number with a type."""

MEAN, IMPORTANCE, TOTAL = range(3)
"""Sums of an own decision: Σ weight · value so far, the importance of its estimates, and the sum of weights."""


@inner
def walk_once(walk, states, who, learns, step, word):
    """One walk of player `who`; returns the histories visited, or which buffer is full.

    If the player learns, its regrets change; in any case the others' strategies are added to their averages.
    """
    rules, scratch, options = walk.rules, walk.scratch, walk.options
    game, frames, sums = scratch.game, scratch.frames, scratch.sums
    prunes = options.threshold < 0.0 and uniform(word) < options.prune_share
    # Regrets are kept on the scale of the beginning of the window.
    threshold = options.threshold * walk.window.gain[step] if prunes else -np.inf
    gain, weight = walk.window.gain[step] if learns else 0.0, walk.window.weight[step]
    depth, top, nodes, importance = np.int64(0), np.int64(0), 0, 1.0
    state = first_state(rules)
    while True:
        nodes += 1
        mover = player(rules, state)
        if mover == CHANCE:
            word += STEP
            state = draw_chance(rules, state, uniform(word), game, top)
            continue
        value, fresh = 0.0, mover != TERMINAL
        if fresh:
            count = list_actions(rules, state, game.moves, top)
            if top + count > scratch.widest or depth == scratch.deepest:
                return SCRATCH_FULL
            if mover != who:
                word += STEP
                choice = draw_other(walk, state, mover, top, count, uniform(word), weight * importance)
                if choice < 0:
                    return LOG_FULL
                state = play_action(rules, state, game.moves, top, choice)
                continue
            word = enter_decision(walk, state, who, depth, top, count, importance, word)
            states[depth] = state
            depth += 1
            top += count
        else:
            value = payoff_of(rules, state, who, game.payoffs)
        going = False
        while depth > 0 and not going:
            choice = next_action(walk, depth - 1, value, fresh, threshold)
            frame, fresh = FRAME * (depth - 1), False
            if choice < frames[frame + COUNT]:
                importance = sums[SUMS * (depth - 1) + IMPORTANCE]
                if options.epsilon < 1.0:
                    importance /= game.chance[frames[frame + FIRST] + choice]
                top = frames[frame + FIRST] + frames[frame + COUNT]
                state = play_action(rules, states[depth - 1], game.moves, frames[frame + FIRST], choice)
                going = True
            else:
                depth -= 1
                value = sums[SUMS * depth + MEAN] / sums[SUMS * depth + TOTAL]
                if not close_decision(walk, who, depth, value, gain, step):
                    return LOG_FULL
        if not going:
            return nodes


@inner(forceinline=True)
def draw_other(walk, state, mover, top, count, draw, weight):
    """Draw an action of another player and add its strategy to its average; −1 if the log is full."""
    weights, fixed = walk.scratch.probabilities, walk.options.fixed
    slot = slot_of(walk.rules, walk.other_table, state, mover)
    begin = slot + count if fixed and slot >= 0 else slot
    total = write_weights(walk.other_values, begin, count, weights, top)
    choice = pick(weights, top, count, draw * total)
    scale = weight / total
    if fixed:
        return choice
    if walk.in_place:
        mark_sums(walk, slot + count, count)
        for a in range(count):
            walk.target[slot + count + a] += scale * weights[top + a]
        return choice
    if not fits(walk.log, ONE, count):
        return np.int64(-1)
    if slot < 0:
        slot = log_new(walk.log, key_words(walk.rules, state), mover, count, walk.scratch.game.moves, top)
    log_update(walk.log, slot, np.int64(AVERAGE), count, weights, top, scale)
    return choice


@inner(forceinline=True)
def enter_decision(walk, state, who, depth, top, count, importance, word):
    """Write an own decision to the path; returns the word of the stream after the draws that this takes."""
    scratch, options = walk.scratch, walk.options
    frames, sums, frame, at = scratch.frames, scratch.sums, FRAME * depth, SUMS * depth
    slot = slot_of(walk.rules, walk.table, state, who)
    frames[frame + SLOT], frames[frame + COUNT] = slot, count
    frames[frame + FIRST], frames[frame + CHOICE] = top, -1
    if slot < 0:
        frames[frame + FIRST_WORD], frames[frame + SECOND_WORD] = key_words(walk.rules, state)
    sums[at + MEAN], sums[at + IMPORTANCE] = 0.0, importance
    sums[at + TOTAL] = write_weights(walk.values, slot, count, scratch.probabilities, top)
    if options.epsilon < 1.0:
        word = draw_own(walk.values, slot, count, scratch.game.chance, top, options, word)
    return word


@inner(forceinline=True)
def next_action(walk, depth, value, fresh, threshold):
    """Add the value of the walked action to a decision; returns the next action, or their number after the last."""
    scratch = walk.scratch
    frames, gains, chance = scratch.frames, scratch.gains, scratch.game.chance
    frame, samples = FRAME * depth, walk.options.epsilon < 1.0
    slot, count, first = frames[frame + SLOT], frames[frame + COUNT], frames[frame + FIRST]
    choice = frames[frame + CHOICE]
    if not fresh:
        if samples:
            value /= chance[first + choice]
        gains[first + choice] = value
        scratch.sums[SUMS * depth + MEAN] += scratch.probabilities[first + choice] * value
    choice += 1
    while choice < count and (
        (samples and chance[first + choice] == 0.0) or (slot >= 0 and walk.values[slot + choice] < threshold)
    ):
        gains[first + choice] = 0.0 if samples else np.nan
        choice += 1
    frames[frame + CHOICE] = choice
    return choice


@inner(forceinline=True)
def close_decision(walk, who, depth, value, gain, step):
    """Add the regrets of an own decision whose actions are all walked; False if the log is full."""
    frames, gains, frame = walk.scratch.frames, walk.scratch.gains, FRAME * depth
    slot, count, first = frames[frame + SLOT], frames[frame + COUNT], frames[frame + FIRST]
    for a in range(first, first + count):
        gains[a] = gains[a] - value if gains[a] == gains[a] else 0.0
    scale = gain * walk.scratch.sums[SUMS * depth + IMPORTANCE]
    if walk.in_place:
        if walk.by_sign:
            discount_to(walk.values, slot, count, walk.window, step)
        mark_sums(walk, slot, count)
        for a in range(count):
            walk.target[slot + a] += scale * gains[first + a]
        return True
    if not fits(walk.log, ONE, count):
        return False
    if slot < 0:
        words = frames[frame + FIRST_WORD], frames[frame + SECOND_WORD]
        slot = log_new(walk.log, words, who, count, walk.scratch.game.moves, first)
    log_update(walk.log, slot, np.int64(REGRET), count, gains, first, scale)
    return True


@inner(forceinline=True)
def draw_own(values, slot, count, chance, at, options, word):
    """Draw which own actions to walk: writes the probability of each that is drawn, and 0 for the others.

    ρ(a) = max(ε, (β + τ · s(a)) / (β + Σ s)), at most 1; s is the average strategy's sum.
    """
    total = 0.0
    if slot >= 0:
        for a in range(count):
            total += values[slot + count + a]
    for a in range(count):
        mine = values[slot + count + a] if slot >= 0 else 0.0
        walked = (options.beta + options.tau * mine) / (options.beta + total) if options.beta + total > 0.0 else 1.0
        walked = min(max(walked, options.epsilon), 1.0)
        word += STEP
        chance[at + a] = walked if uniform(word) < walked else 0.0
    return word


@kernel
def external(rules, store, others, window, task, options, buffers):
    """External sampling, as `walk_records.Task` says. options: `ExternalOptions`.

    others: the store by which the other players play; the same as `store` unless they are fixed. All threads of a team
    call this, each with a span of its own. Returns the histories that this thread visited and 0, or which buffer or
    table must grow before the span can be finished.
    """
    states = path_states(rules, buffers.scratch)
    return run_turns(
        walk_once, insert_new_infosets, rules_pointers(rules), states, store, others, window, task, options, 0.0,
        buffers,
    )  # fmt: skip
