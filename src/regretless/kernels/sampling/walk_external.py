"""External sampling (Lanctot, Waugh, Zinkevich & Bowling 2009, §4.2): chance and the others are drawn, own actions are
all walked; average-strategy sampling (Gibson, Burch, Lanctot & Szafron 2012) walks only some of the own actions."""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.constants import CHANCE, TERMINAL
from regretless.kernels.numba_ext.atomics import beyond
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.random_streams import STEP, stream, uniform
from regretless.kernels.sampling.infoset_rules import (
    AT,
    AVERAGE,
    CHOICE,
    COUNT,
    FIRST_WORD,
    FRAME,
    LEARNS,
    LOG_FULL,
    MEAN,
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
    locate,
    name,
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
def walk(held, who, learns, step, word, flags, options, states, scratch, log):
    """One walk of player `who`; the histories visited, or what there was no room for.

    Where the player learns, its regrets change; in any case the others' strategies are counted in their averages.
    """
    rules, table, values, into, window, others, their_values = held
    frames, sums, moves = scratch.frames, scratch.sums, scratch.moves
    odds, chances, gains, purse = scratch.odds, scratch.chances, scratch.gains, scratch.purse
    fades, at_once = flags
    epsilon, bonus, tilt, threshold, prune_share, fixed = options
    samples_own = epsilon < 1.0
    prunes = threshold < 0.0 and uniform(word) < prune_share
    threshold *= window.gain[step]  # regrets are kept on the scale of the window's beginning
    gain, weight = window.gain[step] if learns else 0.0, window.weight[step]
    depth, top, nodes, importance = 0, 0, 0, 1.0
    state = begin(rules)
    while True:
        nodes += 1
        mover = player(rules, state)
        if mover == CHANCE:
            word += STEP
            state = deal(rules, state, uniform(word), moves, odds, top)
            continue
        won = 0.0
        if mover == TERMINAL:
            won = worth(rules, state, who, purse)
        else:
            count = offer(rules, state, moves, top)
            if top + count > scratch.widest or depth == scratch.deepest:
                return SCRATCH_FULL
            if mover != who:
                place = locate(rules, others, state, mover)
                total = weigh(their_values, place + count if fixed and place >= 0 else place, count, chances, top)
                word += STEP
                choice = pick(chances, top, count, uniform(word) * total)
                scale = weight * importance / total
                if fixed:
                    pass
                elif at_once:
                    for a in range(count):
                        into[place + count + a] += scale * chances[top + a]
                elif has_room(log, 1, count):
                    first, second = name(rules, state) if place < 0 else (0, 0)
                    note(log, place, AVERAGE, count, chances, top, scale, first, second, mover, moves, top)
                else:
                    return LOG_FULL
                state = take(rules, state, moves, top, choice)
                continue
            place = locate(rules, table, state, mover)
            total = weigh(values, place, count, chances, top)
            first, second = name(rules, state) if place < 0 else (0, 0)
            frames[FRAME * depth + PLACE], frames[FRAME * depth + COUNT], frames[FRAME * depth + AT] = place, count, top
            frames[FRAME * depth + CHOICE], frames[FRAME * depth + FIRST_WORD], frames[FRAME * depth + SECOND_WORD] = (
                -1,
                first,
                second,
            )
            sums[SUMS * depth + MEAN], sums[SUMS * depth + WEIGHT] = 0.0, importance
            sums[SUMS * depth + REST] = total
            states[depth] = state
            if samples_own:
                word = draw_own(values, place, count, odds, top, epsilon, bonus, tilt, word)
            depth += 1
            top += count
        fresh = mover != TERMINAL
        # Hand what was won to the newest own decision; go on with its next action or close it.
        going = False
        while depth > 0 and not going:
            frame = depth - 1
            place, count, at = frames[FRAME * frame + PLACE], frames[FRAME * frame + COUNT], frames[FRAME * frame + AT]
            choice = frames[FRAME * frame + CHOICE]
            if not fresh:
                if samples_own:
                    won /= odds[at + choice]
                gains[at + choice] = won
                sums[SUMS * frame + MEAN] += chances[at + choice] * won
            fresh = False
            choice += 1
            while choice < count and (
                (samples_own and odds[at + choice] == 0.0)
                or (prunes and place >= 0 and values[place + choice] < threshold)
            ):
                gains[at + choice] = 0.0 if samples_own else np.nan
                choice += 1
            if choice < count:
                frames[FRAME * frame + CHOICE] = choice
                importance = sums[SUMS * frame + WEIGHT]
                if samples_own:
                    importance /= odds[at + choice]
                top = at + count
                state = take(rules, states[frame], moves, at, choice)
                going = True
            else:
                won = sums[SUMS * frame + MEAN] / sums[SUMS * frame + REST]
                for a in range(count):
                    gains[at + a] = gains[at + a] - won if gains[at + a] == gains[at + a] else 0.0
                scale = gain * sums[SUMS * frame + WEIGHT]
                if at_once:
                    if fades:
                        bring_up(values, place, count, window, step)
                    for a in range(count):
                        into[place + a] += scale * gains[at + a]
                elif has_room(log, 1, count):
                    first, second = frames[FRAME * frame + FIRST_WORD], frames[FRAME * frame + SECOND_WORD]
                    note(log, place, REGRET, count, gains, at, scale, first, second, who, moves, at)
                else:
                    return LOG_FULL
                depth -= 1
        if not going:
            return nodes


@njit(cache=True, nogil=True)
def external(
    rules, table, values, memory, window, learning, span, cuts, seed, origin, flags, options, scratch, log, sums, team,
    others, their_values,
):  # fmt: skip
    """Iterations span[0] … span[1] − 1 of external sampling from player span[2] on; span is moved on as work is done.

    learning [P] who walks: LEARNS, SHOWS or neither; cuts [lanes + 1] where the lanes of a turn's walks begin;
    origin the iteration of window step 0; flags (fades by sign, change values at once, end turns); options
    (average-strategy ε, β, τ; pruning threshold, share of walks that prune; whether the others' strategies are the
    averages of another table, which stay as they are). Without that, `others` and `their_values` are the table and the
    values. All threads of the team call this, each with a span of its own. Returns the histories that this thread
    visited and why it stopped: 0 when all is done, else what must grow first. Where that is the table, the log of
    span[2]'s walks waits for it, and span[3] says how many histories those visited.
    """
    players, lanes = learning.shape[0], cuts.shape[0] - 1
    states = [begin(rules)] * scratch.deepest
    ways = flags[0] and sums.lanes == 0, flags[1] or sums.lanes > 0
    rules_held, own, theirs = bare_rules(rules), bare_table(table), bare_table(others)
    numbers, their_numbers, factors = bare(values), bare(their_values), bare_window(window)
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
                held = rules_held, own, numbers, into, factors, theirs, their_numbers
                for number in range(cuts[lane], cuts[lane + 1]):
                    if status == 0:
                        word = stream(seed, iteration, who, number)
                        met = walk(held, who, learning[who] == LEARNS, step, word, ways, options, states, room, notes)
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


@njit(nogil=True, forceinline=True)
def draw_own(values, place, count, odds, at, epsilon, bonus, tilt, word):
    """Which own actions to walk: writes the probability of each that is drawn and 0 for the others.

    ρ(a) = max(ε, (β + τ · s(a)) / (β + Σ s)), at most 1; s is the average strategy's sum.
    """
    total = 0.0
    if place >= 0:
        for a in range(count):
            total += values[place + count + a]
    for a in range(count):
        mine = values[place + count + a] if place >= 0 else 0.0
        chance = (bonus + tilt * mine) / (bonus + total) if bonus + total > 0.0 else 1.0
        chance = min(max(chance, epsilon), 1.0)
        word += STEP
        odds[at + a] = chance if uniform(word) < chance else 0.0
    return word
