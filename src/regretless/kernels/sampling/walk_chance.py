"""Chance sampling (Zinkevich et al. 2007, §4) and public chance sampling (Johanson, Bard, Lanctot, Gibson & Bowling
2012): everybody's actions are all walked; chance is drawn, always or only where all players see what it does."""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.constants import CHANCE, TERMINAL
from regretless.kernels.numba_ext.atomics import beyond
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.random_streams import STEP, mixed, stream, uniform
from regretless.kernels.sampling.infoset_rules import (
    AT,
    AVERAGE,
    CHOICE,
    COUNT,
    DEALT,
    FIRST_WORD,
    FRAME,
    LOG_FULL,
    MEAN,
    MOVER,
    OWN,
    PLACE,
    REGRET,
    REST,
    SCRATCH_FULL,
    SECOND_WORD,
    SUMS,
    bare_scratch,
    bare_window,
    match,
    move_on,
)
from regretless.kernels.sampling.listed_steps import (
    bare_rules,
    bare_table,
    begin,
    deal,
    in_public,
    locate,
    name,
    odds_of,
    offer,
    player,
    settle,
    take,
    worth,
)
from regretless.kernels.sampling.thread_team import bare_team
from regretless.kernels.sampling.turns import SOME_NEW, bare_sums, end_turn, report
from regretless.kernels.sampling.update_log import ALL, bare_log, has_room, log_of, note


@njit(nogil=True, forceinline=True)
def walk(held, who, step, word, adds, options, states, scratch, log):
    """One walk of player `who` over all actions; the histories visited, or what there was no room for.

    adds: whether it adds what it finds to sums, or writes it down.
    """
    rules, table, values, into, window = held
    frames, sums, moves, chances = scratch.frames, scratch.sums, scratch.moves, scratch.chances
    only_public, threshold, prune_share = options
    prunes = threshold < 0.0 and uniform(word) < prune_share
    threshold *= window.gain[step]  # regrets are kept on the scale of the window's beginning
    depth, top, nodes, dealt, own, rest = 0, 0, 0, 0, 1.0, 1.0
    state = begin(rules)
    while True:
        nodes += 1
        mover = player(rules, state)
        if mover == CHANCE and not (only_public and not in_public(rules, state)):
            # A walk has one shuffled deck: whatever was done before, the n-th drawn move of chance has the same draw.
            dealt += 1
            draw = uniform(mixed(word + STEP * np.uint64(dealt)))
            state = deal(rules, state, draw, moves, scratch.odds, top)
            continue
        won = 0.0
        fresh = mover != TERMINAL
        if fresh:
            count = offer(rules, state, moves, top)
            if top + count > scratch.widest or depth == scratch.deepest:
                return SCRATCH_FULL
            frame, total = FRAME * depth, SUMS * depth
            if mover == CHANCE:
                odds_of(rules, state, scratch.odds, top)
                for a in range(top, top + count):
                    chances[a] = scratch.odds[a]
                frames[frame + PLACE] = -1
            else:
                place = locate(rules, table, state, mover)
                match(values, place, count, chances, top)
                frames[frame + PLACE] = place
                if place < 0:
                    frames[frame + FIRST_WORD], frames[frame + SECOND_WORD] = name(rules, state)
            frames[frame + COUNT], frames[frame + AT] = count, top
            frames[frame + CHOICE], frames[frame + MOVER], frames[frame + DEALT] = -1, mover, dealt
            sums[total + MEAN], sums[total + OWN], sums[total + REST] = 0.0, own, rest
            states[depth] = state
            depth += 1
            top += count
        else:
            won = worth(rules, state, who, scratch.purse)
        going = False
        while depth > 0 and not going:
            choice = next_action(values, scratch, depth - 1, who, won, fresh, threshold if prunes else -np.inf)
            fresh = False
            frame, total = FRAME * (depth - 1), SUMS * (depth - 1)
            count, at, mover = frames[frame + COUNT], frames[frame + AT], frames[frame + MOVER]
            if choice < count:
                own, rest = sums[total + OWN], sums[total + REST]
                if mover == who:
                    own *= chances[at + choice]
                else:
                    rest *= chances[at + choice]
                top, dealt = at + count, frames[frame + DEALT]
                state = take(rules, states[depth - 1], moves, at, choice)
                going = True
            else:
                won = sums[total + MEAN]
                depth -= 1
                if mover == who and not close(scratch, depth, won, step, window, adds, into, log, who):
                    return LOG_FULL
        if not going:
            return nodes


@njit(nogil=True, forceinline=True)
def next_action(values, scratch, depth, who, won, fresh, threshold):
    """Hand what the last action was worth to a decision; which action is next, or their number if all are done."""
    frames, sums, chances, gains = scratch.frames, scratch.sums, scratch.chances, scratch.gains
    frame, total = FRAME * depth, SUMS * depth
    place, count, at = frames[frame + PLACE], frames[frame + COUNT], frames[frame + AT]
    mine, choice = frames[frame + MOVER] == who, frames[frame + CHOICE]
    if not fresh:
        gains[at + choice] = won
        sums[total + MEAN] += chances[at + choice] * won
    choice += 1
    while choice < count:
        chance = chances[at + choice]
        idle = not mine and chance == 0.0 and sums[total + OWN] == 0.0
        gone = mine and chance == 0.0 and sums[total + REST] == 0.0
        pruned = mine and place >= 0 and values[place + choice] < threshold
        if not (idle or gone or pruned):
            break
        gains[at + choice] = np.nan if pruned else 0.0
        choice += 1
    frames[frame + CHOICE] = choice
    return choice


@njit(nogil=True, forceinline=True)
def close(scratch, depth, won, step, window, adds, into, log, who):
    """Add the regrets and the strategy of an own decision to sums or write them down; False if there is no room."""
    frames, sums, chances, gains = scratch.frames, scratch.sums, scratch.chances, scratch.gains
    frame, total = FRAME * depth, SUMS * depth
    place, count, at = frames[frame + PLACE], frames[frame + COUNT], frames[frame + AT]
    if not (adds or has_room(log, 2, 2 * count)):
        return False
    first, second = frames[frame + FIRST_WORD], frames[frame + SECOND_WORD]
    for a in range(count):
        gains[at + a] = gains[at + a] - won if gains[at + a] == gains[at + a] else 0.0
    moves = scratch.moves
    scale, weight = window.gain[step] * sums[total + REST], window.weight[step] * sums[total + OWN]
    if adds:
        for a in range(count):
            into[place + a] += scale * gains[at + a]
            into[place + count + a] += weight * chances[at + a]
        return True
    note(log, place, REGRET, count, gains, at, scale, first, second, who, moves, at)
    note(log, place, AVERAGE, count, chances, at, weight, first, second, who, moves, at)
    return True


@njit(cache=True, nogil=True)
def every_action(
    rules, table, values, memory, window, learning, span, cuts, seed, origin, flags, options, scratch, log, sums, team
):
    """Iterations span[0] … span[1] − 1 of (public) chance sampling from player span[2] on; span is moved on.

    options: whether only public chance is drawn, pruning threshold, share of walks that prune. The rest as in
    `external`, but a walk may meet an own infoset several times and never changes values at once.
    """
    players, lanes = learning.shape[0], cuts.shape[0] - 1
    states = [begin(rules)] * scratch.deepest
    rules_held, own, numbers, factors = bare_rules(rules), bare_table(table), bare(values), bare_window(window)
    room, logs, adding, mates = bare_scratch(scratch), bare_log(log), bare_sums(sums), bare_team(team)
    notes, waits = log_of(logs, team.number), flags[2] and not flags[1]
    nodes = 0
    while span[0] < span[1]:
        iteration, who = span[0], span[2]
        step = iteration - origin
        if learning[who]:
            seen, status, left = 0, 0, ALL
            for lane in range(mates.number, lanes, mates.size):
                into = beyond(adding.numbers, lane * adding.size)
                held = rules_held, own, numbers, into, factors
                for number in range(cuts[lane], cuts[lane + 1]):
                    if status == 0:
                        word = stream(seed, iteration, who, number)
                        met = walk(held, who, step, word, adding.lanes > 0, options, states, room, notes)
                        status, seen = min(met, 0), seen + met
            if waits:
                status = report(notes, mates, status)
                if status == SOME_NEW:
                    status, left = settle(table, values, logs, mates, numbers, numbers, factors, step, flags[0], 0.0)
            if status < 0:
                span[3] = seen
                return nodes, status
            if waits:
                end_turn(numbers, numbers, factors, step, flags[0], 0.0, logs, adding, mates, left)
            nodes += seen
        move_on(span, players)
    return nodes, 0
