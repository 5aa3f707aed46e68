"""Outcome sampling (Lanctot, Waugh, Zinkevich & Bowling 2009, §4.1) with baselines (Schmid et al. 2019; by history as
in Davis, Schmid & Bowling 2020): one trajectory for each player, own actions drawn with some exploration."""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.constants import CHANCE, TERMINAL
from regretless.kernels.numba_ext.atomics import beyond
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.random_streams import STEP, stream, uniform
from regretless.kernels.regret_rules import at_least
from regretless.kernels.sampling.infoset_rules import (
    AT,
    AVERAGE,
    BASELINE,
    CHOICE,
    COUNT,
    FIRST_WORD,
    FRAME,
    HISTORY,
    LEARNS,
    LOG_FULL,
    MOVER,
    OWN,
    PLACE,
    REGRET,
    REST,
    SCRATCH_FULL,
    SECOND_WORD,
    SUMS,
    WEIGHT,
    bare_scratch,
    bare_window,
    bring_up,
    move_on,
    pick,
    weigh,
)
from regretless.kernels.sampling.listed_steps import (
    bare_rules,
    bare_table,
    begin,
    deal,
    echo,
    foresee,
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

NO_BASELINE, BY_INFOSET, BY_HISTORY = 0, 1, 2


@njit(nogil=True, forceinline=True)
def walk(held, who, learns, step, word, flags, options, states, scratch, log):
    """One trajectory for player `who`: down to an end, drawn, and back up with estimates; the histories visited."""
    rules, table, values, into, _, window, others, their_values = held
    frames, sums, moves = scratch.frames, scratch.sums, scratch.moves
    odds, chances = scratch.odds, scratch.chances
    at_once = flags[1]
    explored, baseline, fixed = options[0], options[2], options[4]
    gain, weight = window.gain[step] if learns else 0.0, window.weight[step]
    unexplored = 1.0 / (1.0 - explored) if explored < 1.0 else 0.0
    depth, top, nodes, importance = 0, 0, 0, 1.0
    state = begin(rules)
    mover = player(rules, state)
    while mover != TERMINAL:
        nodes += 1
        if mover == CHANCE and baseline != BY_HISTORY:
            word += STEP
            state = deal(rules, state, uniform(word), moves, odds, top)
            mover = player(rules, state)
            continue
        count = offer(rules, state, moves, top)
        if top + count > scratch.widest or depth == scratch.deepest:
            return SCRATCH_FULL
        if not (at_once or has_room(log, 3 * depth + 3, 3 * (top + count))):  # on the way up as well
            return LOG_FULL
        frame = FRAME * depth
        place = -1
        word += STEP
        taken = 1.0  # with what probability the action was drawn, where it was not drawn by the strategy itself
        total = 1.0
        if mover == CHANCE:
            odds_of(rules, state, odds, top)
            for a in range(top, top + count):
                chances[a] = odds[a]
            choice = pick(chances, top, count, uniform(word))
        else:
            if mover == who or not fixed:
                place = locate(rules, table, state, mover)
                total = weigh(values, place, count, chances, top)
            else:
                place = locate(rules, others, state, mover)
                total = weigh(their_values, place + count if place >= 0 else place, count, chances, top)
            if place < 0:
                frames[frame + FIRST_WORD], frames[frame + SECOND_WORD] = name(rules, state)
            if mover == who:
                draw = uniform(word)
                if draw < explored:
                    choice = min(int(draw / explored * count), count - 1)
                else:
                    choice = pick(chances, top, count, (draw - explored) * unexplored * total)
                taken = explored / count + (1.0 - explored) * chances[top + choice] / total
            else:
                choice = pick(chances, top, count, uniform(word) * total)
                scale = weight * importance / total
                if fixed:
                    pass
                elif at_once:
                    for a in range(count):
                        into[place + count + a] += scale * chances[top + a]
                else:
                    first, second = frames[frame + FIRST_WORD], frames[frame + SECOND_WORD]
                    note(log, place, AVERAGE, count, chances, top, scale, first, second, mover, moves, top)
        if baseline == NO_BASELINE and mover != who:  # what such a decision is worth is what its drawn child is worth
            state = take(rules, state, moves, top, choice)
            mover = player(rules, state)
            continue
        frames[frame + PLACE], frames[frame + COUNT], frames[frame + AT] = place, count, top
        frames[frame + CHOICE], frames[frame + MOVER] = choice, mover
        sums[SUMS * depth + WEIGHT], sums[SUMS * depth + OWN], sums[SUMS * depth + REST] = importance, taken, total
        if baseline == BY_HISTORY:
            states[depth] = state
        importance /= taken
        state = take(rules, state, moves, top, choice)
        depth += 1
        top += count
        mover = player(rules, state)
    won = worth(rules, state, who, scratch.purse)
    while depth > 0:
        depth -= 1
        won = back_up(held, who, gain, step, depth, won, flags, options, states, scratch, log)
    return nodes + 1


@njit(nogil=True, forceinline=True)
def plain_walk(held, who, learns, step, word, fades, options, scratch):
    """A trajectory without baselines where every infoset has a place and what is found is added on the spot.

    All but the drawn action are taken to be worth nothing, so on the way up only own decisions count: an action drawn
    with probability ξ is worth v / ξ, and the decision σ/ξ · v. Works on regrets as they lie, without scratch for them.
    """
    rules, table, values, into, _, window, _, _ = held
    frames, sums, moves, explored = scratch.frames, scratch.sums, scratch.moves, options[0]
    gain, weight = window.gain[step] if learns else 0.0, window.weight[step]
    unexplored = 1.0 / (1.0 - explored) if explored < 1.0 else 0.0
    depth, nodes, importance = 0, 1, 1.0
    state = begin(rules)
    mover = player(rules, state)
    while mover != TERMINAL:
        nodes += 1
        word += STEP
        if mover == CHANCE:
            state = deal(rules, state, uniform(word), moves, scratch.odds, 0)
            mover = player(rules, state)
            continue
        count, draw = offer(rules, state, moves, 0), uniform(word)
        place = locate(rules, table, state, mover)
        foresee(rules, state)
        total = 0.0
        for a in range(count):
            total += at_least(values[place + a], 0.0)
        if mover == who:
            if draw < explored:
                choice = min(int(draw / explored * count), count - 1)
            else:
                choice = pick_regret(values, place, count, (draw - explored) * unexplored, total)
            mine = at_least(values[place + choice], 0.0) / total if total > 0.0 else 1.0 / count
            inverse = 1.0 / (explored / count + (1.0 - explored) * mine)
            frame, sums_at = FRAME * depth, SUMS * depth
            frames[frame + PLACE], frames[frame + COUNT], frames[frame + CHOICE] = place, count, choice
            sums[sums_at + WEIGHT], sums[sums_at + OWN], sums[sums_at + REST] = importance, inverse, mine * inverse
            importance *= inverse
            depth += 1
        else:
            choice = pick_regret(values, place, count, draw, total)
            scale = weight * importance / (total if total > 0.0 else count)
            for a in range(count):
                into[place + count + a] += scale * (at_least(values[place + a], 0.0) if total > 0.0 else 1.0)
        state = take(rules, state, moves, 0, choice)
        mover = player(rules, state)
    won = worth(rules, state, who, scratch.purse)
    while depth > 0:
        depth -= 1
        frame, sums_at = FRAME * depth, SUMS * depth
        place, count, choice = frames[frame + PLACE], frames[frame + COUNT], frames[frame + CHOICE]
        scale = gain * sums[sums_at + WEIGHT] * won
        won *= sums[sums_at + REST]
        if fades:
            bring_up(values, place, count, window, step)
        for a in range(count):
            into[place + a] -= scale * sums[sums_at + REST]
        into[place + choice] += scale * sums[sums_at + OWN]
    return nodes


@njit(nogil=True, forceinline=True)
def pick_regret(values, place, count, draw, total):
    """The action that a draw in [0, 1) falls on, in proportion to positive regrets, which add up to `total`."""
    if total <= 0.0:
        return min(int(draw * count), count - 1)
    choice, left = 0, draw * total - at_least(values[place], 0.0)
    while left >= 0.0 and choice < count - 1:
        choice += 1
        left -= at_least(values[place + choice], 0.0)
    while choice > 0 and values[place + choice] <= 0.0:  # rounding must not take an action that is never taken
        choice -= 1
    return choice


@njit(nogil=True, forceinline=True)
def back_up(held, who, gain, step, depth, won, flags, options, states, scratch, log):
    """The estimate of what a history is worth to `who` from that of the child that was drawn.

    v(a) = b(a) + (v(drawn) − b(drawn)) / ξ(drawn) for the drawn action and b(a) for the others; v = Σ σ(a) v(a).
    """
    rules, _, values, into, memory, window, _, _ = held
    frames, sums, moves, chances, gains = scratch.frames, scratch.sums, scratch.moves, scratch.chances, scratch.gains
    fades, at_once = flags[0], flags[1]
    blend, baseline, histories = options[1], options[2], options[3]
    frame = FRAME * depth
    place, count, at = frames[frame + PLACE], frames[frame + COUNT], frames[frame + AT]
    choice, mover = frames[frame + CHOICE], frames[frame + MOVER]
    scale = 1.0 / sums[SUMS * depth + REST]  # from weights to probabilities
    taken = sums[SUMS * depth + OWN] if mover == who else chances[at + choice] * scale
    child = -1
    if baseline == BY_HISTORY:
        child = who * histories + echo(rules, take(rules, states[depth], moves, at, 0))
        for a in range(count):
            gains[at + a] = memory[child + a]
        child += choice
    elif baseline == BY_INFOSET and place >= 0:
        for a in range(count):
            gains[at + a] = values[place + (BASELINE + who) * count + a]
    else:
        for a in range(count):
            gains[at + a] = 0.0
    seen = won
    gains[at + choice] += (won - gains[at + choice]) / taken
    won = 0.0
    for a in range(count):
        won += chances[at + a] * scale * gains[at + a]
    first, second = frames[frame + FIRST_WORD], frames[frame + SECOND_WORD]
    if mover == who:
        scale = gain * sums[SUMS * depth + WEIGHT]
        for a in range(count):
            gains[at + a] -= won
        if at_once:
            if fades:
                bring_up(values, place, count, window, step)
            for a in range(count):
                into[place + a] += scale * gains[at + a]
        else:
            note(log, place, REGRET, count, gains, at, scale, first, second, who, moves, at)
    if baseline == BY_HISTORY:
        if at_once:
            memory[child] += blend * (seen - memory[child])
        else:
            gains[at] = seen
            note(log, child, HISTORY, 1, gains, at, 1.0, 0, 0, 0, moves, at)
    elif baseline == BY_INFOSET and mover != CHANCE:
        if at_once:
            kept = place + (BASELINE + who) * count + choice
            values[kept] += blend * (seen - values[kept])
        else:
            for a in range(count):
                gains[at + a] = np.nan
            gains[at + choice] = seen
            note(log, place, BASELINE + who, count, gains, at, 1.0, first, second, mover, moves, at)
    return won


@njit(cache=True, nogil=True)
def outcome(
    rules, table, values, memory, window, learning, span, cuts, seed, origin, flags, options, scratch, log, sums, team,
    others, their_values,
):  # fmt: skip
    """Iterations span[0] … span[1] − 1 of outcome sampling from player span[2] on; span is moved on as work is done.

    options: exploration ε, how fast baselines move, which baseline, number of histories, whether the others play the
    averages of another table. The rest as in `external`.
    """
    players, lanes = learning.shape[0], cuts.shape[0] - 1
    states = [begin(rules)] * scratch.deepest
    ways = flags[0] and sums.lanes == 0, flags[1] or sums.lanes > 0
    plain = ways[1] and options[2] == NO_BASELINE and not options[4]
    rules_held, own, theirs = bare_rules(rules), bare_table(table), bare_table(others)
    numbers, their_numbers, factors, kept = bare(values), bare(their_values), bare_window(window), bare(memory)
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
                held = rules_held, own, numbers, into, kept, factors, theirs, their_numbers
                for number in range(cuts[lane], cuts[lane + 1]):
                    if status == 0:
                        word = stream(seed, iteration, who, number)
                        learns = learning[who] == LEARNS
                        if plain:
                            met = plain_walk(held, who, learns, step, word, ways[0], options, room)
                        else:
                            met = walk(held, who, learns, step, word, ways, options, states, room, notes)
                        status, seen = min(met, 0), seen + met
            if waits:
                status = report(notes, mates, status)
                if status == SOME_NEW:
                    status, left = settle(
                        table, values, logs, mates, numbers, kept, factors, step, flags[0], options[1]
                    )
            if status < 0:
                span[3] = seen
                return nodes, status
            if waits:
                end_turn(numbers, kept, factors, step, flags[0], options[1], logs, adding, mates, left)
            nodes += seen
        move_on(span, players)
    return nodes, 0
