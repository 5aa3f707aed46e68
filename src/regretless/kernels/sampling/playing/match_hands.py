"""Hands between two strategies, drawn move by move: the part of a match that is played rather than computed.

Every draw depends on the deal and on the number of the move, not on the player: the k-th chance move and the k-th move
of the players use the same draw in every seating. So all seatings of a deal see the same cards, and strategies that
agree play the same hand; the luck that remains is where they differ.

The control variates are those of AIVAT (Burch, Schmid, Moravčík, Morrill & Bowling 2018): with any value v of
histories, every move adds Σ σ(a) v(h·a) − v(h·drawn), whose mean is 0. Deviation: other hands that players might have
held are not averaged over; where both strategies are known, true values leave no variance without it.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.constants import AVERAGE, BASELINE, CHANCE, TERMINAL
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import pointer, pointers, smallest_normal
from regretless.kernels.random_streams import STEP, stream, uniform
from regretless.kernels.regret_rules import at_least, is_matched
from regretless.kernels.sampling.infoset_rules import pick, write_strategy
from regretless.kernels.sampling.listed_steps import (
    draw_chance,
    first_state,
    history_number,
    list_actions,
    payoff_of,
    play_action,
    player,
    rules_pointers,
    slot_of,
    write_chance,
)
from regretless.kernels.sampling.walk_records import GameBuffers

NO_CONTROL, BY_INFOSET, BY_HISTORY = range(3)

DEALS = 1 << 62
"""Streams of matches are different from those of all walks: no strategy is tested on the deals it was trained on."""

NONE = np.int64(0)


@inner
def hand(rules, mine, theirs, control, seat, words, buffers, probabilities):
    """One hand with a in `seat`: what a wins, what control variates add, and whether the buffers were long enough.

    words: of the streams of chance and of the players.
    """
    known, history_values, mode, histories = control
    (cards, draws), added = words, 0.0
    state = first_state(rules)
    while True:
        mover = player(rules, state)
        if mover == TERMINAL:
            return payoff_of(rules, state, seat, buffers.payoffs), added, True
        count = list_actions(rules, state, buffers.moves, NONE) if mover != CHANCE or mode != NO_CONTROL else NONE
        if count > buffers.moves.shape[0]:
            return 0.0, 0.0, False
        if mover == CHANCE:
            cards += STEP
            below = draw_chance(rules, state, uniform(cards), buffers, NONE)
            if mode != NO_CONTROL:
                added += chance_control(rules, control, state, below, seat, count, buffers)
            state = below
            continue
        table, values, kind = mine if mover == seat else theirs
        slot = slot_of(rules, table, state, mover)
        write_strategy(values, slot + kind * count if slot >= 0 else slot, count, probabilities, NONE)
        draws += STEP
        choice = pick(probabilities, NONE, count, uniform(draws))
        below = play_action(rules, state, buffers.moves, NONE, choice)
        if mode == BY_HISTORY:
            base = seat * histories + history_number(rules, below)
            added = control_of(added, probabilities, history_values, base - choice, count, choice)
        elif mode == BY_INFOSET:
            slot = slot_of(rules, known[0], state, mover)
            if slot >= 0:
                added = control_of(added, probabilities, known[1], slot + (BASELINE + seat) * count, count, choice)
        state = below


@inner
def control_of(added, probabilities, values, base, count, choice):
    """added + Σ σ(a) v(a) − v(drawn), for values from `base` on."""
    for a in range(count):
        added += probabilities[a] * values[base + a]
    return added - values[base + choice]


@inner
def chance_control(rules, control, state, below, seat, count, buffers):
    """The control variate of a chance move: Σ σ(a) v(h·a) − v(h·drawn), where `below` was drawn."""
    known, history_values, mode, histories = control
    added, chance = 0.0, buffers.chance
    write_chance(rules, state, chance, NONE)
    if mode == BY_HISTORY:
        first = play_action(rules, state, buffers.moves, NONE, NONE)
        base = seat * histories + history_number(rules, first)
        for a in range(count):
            added += chance[a] * history_values[base + a]
        return added - history_values[seat * histories + history_number(rules, below)]
    for a in range(count):
        child = play_action(rules, state, buffers.moves, NONE, np.int64(a))
        added += chance[a] * baseline_value(rules, known, child, seat, buffers, count)
    return added - baseline_value(rules, known, below, seat, buffers, count)


@inner
def baseline_value(rules, known, state, seat, buffers, at):
    """The value of a state to a seat by the baselines of the mover's infoset; 0 without any."""
    table, values, _ = known
    mover = player(rules, state)
    if mover == TERMINAL:
        return payoff_of(rules, state, seat, buffers.payoffs)
    if mover == CHANCE:
        return 0.0
    count = list_actions(rules, state, buffers.moves, at)  # behind the actions of the chance move
    slot = slot_of(rules, table, state, mover)
    if slot < 0:
        return 0.0
    total, mean = 0.0, 0.0
    for a in range(count):
        weight = at_least(values[slot + AVERAGE * count + a], 0.0)
        total += weight
        mean += weight * values[slot + (BASELINE + seat) * count + a]
    return mean / total if is_matched(total, smallest_normal(values)) else 0.0


@kernel
def hands(rules, mine, theirs, control, first, last, seed, duplicate, buffers, won, added):
    """Play deals first … last − 1, each with a in every seat; returns last, or the first that needs longer buffers.

    mine, theirs: a's strategy and the others', each (table, values, kind): at an infoset with slot p and n actions the
    probability of action k is proportional to values[p + kind · n + k]. control: (a strategy with baselines, values of
    histories [P · H] to a in each seat, NO_CONTROL | BY_INFOSET | BY_HISTORY, H). duplicate: whether all seatings see
    the same draws. buffers: moves, chance, probabilities [most actions], payoffs [P]. Written: won [deals, P] chips
    that a won in each seat; added [deals, P] what control variates add.
    """
    moves, chance, probabilities, payoffs = buffers
    steps, own, other, known = rules_pointers(rules), pointers(mine), pointers(theirs), pointers(control)
    for number in range(first, last):
        for seat in range(won.shape[1]):
            pack = 0 if duplicate else 2 * seat
            words = stream(seed, number, pack, DEALS), stream(seed, number, pack + 1, DEALS)
            chips, variate, fits = hand(
                steps, own, other, known, seat, words, GameBuffers(moves, chance, payoffs), pointer(probabilities)
            )  # fmt: skip
            if not fits:
                return number
            won[number - first, seat] = chips
            added[number - first, seat] = variate
    return last
