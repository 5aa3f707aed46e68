"""Chance sampling (Zinkevich et al. 2007, §4) and public chance sampling (Johanson, Bard, Lanctot, Gibson & Bowling
2012): all players' actions are walked; chance is drawn, always or only where all players see its move."""

from __future__ import annotations

import numpy as np

from regretless.kernels.constants import AVERAGE, CHANCE, REGRET, TERMINAL
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.random_streams import STEP, mixed, uniform
from regretless.kernels.sampling.infoset_rules import mark_sums, write_strategy
from regretless.kernels.sampling.listed_steps import (
    draw_chance,
    first_state,
    insert_new_infosets,
    is_public,
    key_words,
    list_actions,
    path_states,
    payoff_of,
    play_action,
    player,
    rules_pointers,
    slot_of,
    write_chance,
)
from regretless.kernels.sampling.turns import run_turns
from regretless.kernels.sampling.update_log import fits, log_new, log_update
from regretless.kernels.sampling.walk_records import (
    CHOICE,
    COUNT,
    DRAWN,
    FIRST,
    FIRST_WORD,
    FRAME,
    LOG_FULL,
    MOVER,
    SCRATCH_FULL,
    SECOND_WORD,
    SLOT,
    SUMS,
)

MEAN, OWN, OTHERS = range(3)
"""Sums of a decision: Σ σ · value so far, the reach of the walking player, and that of all others."""


@inner
def walk_once(walk, states, who, learns, step, word):
    """One walk of player `who` over all actions; returns the histories visited, or which buffer is full."""
    rules, scratch, options = walk.rules, walk.scratch, walk.options
    game, frames, sums = scratch.game, scratch.frames, scratch.sums
    prunes = options.threshold < 0.0 and uniform(word) < options.prune_share
    # Regrets are kept on the scale of the beginning of the window.
    threshold = options.threshold * walk.window.gain[step] if prunes else -np.inf
    depth, top, nodes, drawn, own, others = np.int64(0), np.int64(0), 0, 0, 1.0, 1.0
    state = first_state(rules)
    while True:
        nodes += 1
        mover = player(rules, state)
        if mover == CHANCE and not (options.public_only and not is_public(rules, state)):
            # A walk has one shuffled deck: the n-th chance move on any path has the same draw.
            drawn += 1
            state = draw_chance(rules, state, uniform(mixed(word + STEP * np.uint64(drawn))), game, top)
            continue
        value, fresh = 0.0, mover != TERMINAL
        if fresh:
            count = list_actions(rules, state, game.moves, top)
            if top + count > scratch.widest or depth == scratch.deepest:
                return SCRATCH_FULL
            enter_history(walk, state, mover, depth, top, count)
            frames[FRAME * depth + DRAWN] = drawn
            sums[SUMS * depth + MEAN], sums[SUMS * depth + OWN], sums[SUMS * depth + OTHERS] = 0.0, own, others
            states[depth] = state
            depth += 1
            top += count
        else:
            value = payoff_of(rules, state, who, game.payoffs)
        going = False
        while depth > 0 and not going:
            choice = next_action(walk, depth - 1, who, value, fresh, threshold)
            frame, at, fresh = FRAME * (depth - 1), SUMS * (depth - 1), False
            count, first, mover = frames[frame + COUNT], frames[frame + FIRST], frames[frame + MOVER]
            if choice < count:
                own, others = sums[at + OWN], sums[at + OTHERS]
                if mover == who:
                    own *= scratch.probabilities[first + choice]
                else:
                    others *= scratch.probabilities[first + choice]
                top, drawn = first + count, frames[frame + DRAWN]
                state = play_action(rules, states[depth - 1], game.moves, first, choice)
                going = True
            else:
                value = sums[at + MEAN]
                depth -= 1
                if mover == who and not close_decision(walk, who, depth, value, step):
                    return LOG_FULL
        if not going:
            return nodes


@inner(forceinline=True)
def enter_history(walk, state, mover, depth, top, count):
    """Write a history to the path, with the strategy of its mover or the probabilities of chance."""
    scratch, frame = walk.scratch, FRAME * depth
    frames, probabilities = scratch.frames, scratch.probabilities
    if mover == CHANCE:
        write_chance(walk.rules, state, scratch.game.chance, top)
        for a in range(top, top + count):
            probabilities[a] = scratch.game.chance[a]
        frames[frame + SLOT] = -1
    else:
        slot = slot_of(walk.rules, walk.table, state, mover)
        write_strategy(walk.values, slot, count, probabilities, top)
        frames[frame + SLOT] = slot
        if slot < 0:
            frames[frame + FIRST_WORD], frames[frame + SECOND_WORD] = key_words(walk.rules, state)
    frames[frame + COUNT], frames[frame + FIRST] = count, top
    frames[frame + CHOICE], frames[frame + MOVER] = -1, mover


@inner(forceinline=True)
def next_action(walk, depth, who, value, fresh, threshold):
    """Add the value of the walked action to a history; returns the next action, or their number after the last."""
    frames, sums, gains = walk.scratch.frames, walk.scratch.sums, walk.scratch.gains
    probabilities, frame, at = walk.scratch.probabilities, FRAME * depth, SUMS * depth
    slot, count, first = frames[frame + SLOT], frames[frame + COUNT], frames[frame + FIRST]
    own, choice = frames[frame + MOVER] == who, frames[frame + CHOICE]
    if not fresh:
        gains[first + choice] = value
        sums[at + MEAN] += probabilities[first + choice] * value
    choice += 1
    while choice < count:
        never = probabilities[first + choice] == 0.0
        idle = not own and never and sums[at + OWN] == 0.0
        gone = own and never and sums[at + OTHERS] == 0.0
        pruned = own and slot >= 0 and walk.values[slot + choice] < threshold
        if not (idle or gone or pruned):
            break
        gains[first + choice] = np.nan if pruned else 0.0
        choice += 1
    frames[frame + CHOICE] = choice
    return choice


@inner(forceinline=True)
def close_decision(walk, who, depth, value, step):
    """Add the regrets and the strategy of an own decision; False if the log is full."""
    scratch, frame, at = walk.scratch, FRAME * depth, SUMS * depth
    frames, probabilities, gains = scratch.frames, scratch.probabilities, scratch.gains
    slot, count, first = frames[frame + SLOT], frames[frame + COUNT], frames[frame + FIRST]
    if not (walk.in_place or fits(walk.log, np.int64(2), 2 * count)):
        return False
    for a in range(first, first + count):
        gains[a] = gains[a] - value if gains[a] == gains[a] else 0.0
    scale = walk.window.gain[step] * scratch.sums[at + OTHERS]
    weight = walk.window.weight[step] * scratch.sums[at + OWN]
    if walk.in_place:
        mark_sums(walk, slot, 2 * count)
        for a in range(count):
            walk.target[slot + a] += scale * gains[first + a]
            walk.target[slot + count + a] += weight * probabilities[first + a]
        return True
    if slot < 0:
        words = frames[frame + FIRST_WORD], frames[frame + SECOND_WORD]
        slot = log_new(walk.log, words, who, count, scratch.game.moves, first)
    log_update(walk.log, slot, np.int64(REGRET), count, gains, first, scale)
    log_update(walk.log, slot, np.int64(AVERAGE), count, probabilities, first, weight)
    return True


@kernel
def every_action(rules, store, others, window, task, options, buffers):
    """(Public) chance sampling. options: `ChanceOptions`; the rest as in `walk_external.external`.

    A walk may visit an own infoset several times, so it never updates values directly.
    """
    states = path_states(rules, buffers.scratch)
    return run_turns(
        walk_once, insert_new_infosets, rules_pointers(rules), states, store, others, window, task, options, 0.0,
        buffers,
    )  # fmt: skip
