"""Hands between two strategies, drawn move by move: what a match is made of that is played and not computed.

Every draw belongs to the deal and to the number of the move, not to who makes it: the k-th chance move and the k-th
move of the players take the same draw in every seating. So all seatings of a deal see the same cards, and strategies
that agree play the same hand: what is left of the luck is where they differ.

The control variates are those of AIVAT (Burch, Schmid, Moravčík, Morrill & Bowling 2018): with any value v of
histories, every move adds Σ σ(a) v(h·a) − v(h·drawn), which is nothing on average. Deviation: hands that players might
have held instead are not averaged over; where both strategies are known, true values leave no variance without it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.constants import CHANCE, TERMINAL
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.random_streams import STEP, stream, uniform
from regretless.kernels.sampling.infoset_rules import AVERAGE, BASELINE, match, pick
from regretless.kernels.sampling.listed_steps import (
    bare_rules,
    bare_table,
    begin,
    deal,
    echo,
    locate,
    odds_of,
    offer,
    player,
    take,
    worth,
)

NO_CONTROL, BY_INFOSET, BY_HISTORY = 0, 1, 2

DEALS = 1 << 62
"""Streams of matches are those of no solver's walk: nobody is tested on the deals that taught them."""


@njit(nogil=True)
def hand(held, seat, cards, draws, room):
    """One hand with a in `seat`: what a wins, what control variates add to it, and whether there was room for it.

    cards, draws: the words of chance's and of the players' streams.
    """
    rules, mine, theirs, control = held
    known, memory, mode, histories = control
    moves, odds, chances, purse = room
    added = 0.0
    state = begin(rules)
    while True:
        mover = player(rules, state)
        if mover == TERMINAL:
            return worth(rules, state, seat, purse), added, True
        count = offer(rules, state, moves, np.int64(0)) if mover != CHANCE or mode != NO_CONTROL else 0
        if count > moves.shape[0]:
            return 0.0, 0.0, False
        if mover == CHANCE:
            cards += STEP
            below = deal(rules, state, uniform(cards), moves, odds, np.int64(0))
            if mode != NO_CONTROL:
                added += luck(rules, control, state, below, seat, count, moves, odds, purse)
            state = below
            continue
        table, values, kind = mine if mover == seat else theirs
        place = locate(rules, table, state, mover)
        match(values, place + kind * count if place >= 0 else place, count, chances, 0)
        draws += STEP
        choice = pick(chances, 0, count, uniform(draws))
        below = take(rules, state, moves, np.int64(0), choice)
        if mode == BY_HISTORY:
            base = seat * histories + echo(rules, below)
            for a in range(count):
                added += chances[a] * memory[base - choice + a]
            added -= memory[base]
        elif mode == BY_INFOSET:
            place = locate(rules, known[0], state, mover)
            if place >= 0:
                base = place + (BASELINE + seat) * count
                for a in range(count):
                    added += chances[a] * known[1][base + a]
                added -= known[1][base + choice]
        state = below


@njit(nogil=True)
def luck(rules, control, state, below, seat, count, moves, odds, purse):
    """What takes the luck of a chance move out again: Σ σ(a) v(h·a) − v(h·drawn), where `below` was drawn."""
    known, memory, mode, histories = control
    added = 0.0
    odds_of(rules, state, odds, np.int64(0))
    if mode == BY_HISTORY:
        base = seat * histories + echo(rules, take(rules, state, moves, np.int64(0), np.int64(0)))
        for a in range(count):
            added += odds[a] * memory[base + a]
        return added - memory[seat * histories + echo(rules, below)]
    for a in range(count):
        child = take(rules, state, moves, np.int64(0), np.int64(a))
        added += odds[a] * guess(rules, known, child, seat, moves, count, purse)
    return added - guess(rules, known, below, seat, moves, count, purse)


@njit(nogil=True)
def guess(rules, known, state, seat, moves, at, purse):
    """What an outcome of chance is worth to a seat by the baselines of the infoset it leads to; 0 for want of one."""
    table, values, _ = known
    mover = player(rules, state)
    if mover == TERMINAL:
        return worth(rules, state, seat, purse)
    if mover == CHANCE:
        return 0.0
    count = offer(rules, state, moves, at)  # behind the actions of the chance move; only their number matters
    place = locate(rules, table, state, mover)
    if place < 0:
        return 0.0
    total, mean = 0.0, 0.0
    for a in range(count):
        weight = max(values[place + AVERAGE * count + a], 0.0)
        total += weight
        mean += weight * values[place + (BASELINE + seat) * count + a]
    return mean / total if total > 0.0 else 0.0


@njit(cache=True, nogil=True)
def hands(rules, mine, theirs, control, first, last, seed, duplicate, room, won, added):
    """Play deals first … last − 1, each with a in every seat; returns last, or the first deal that found no room.

    mine, theirs: a's strategy and the others', each (table, values, kind): at an infoset with place p and n actions
    the probability of action k is in proportion to values[p + kind · n + k]. control: (a strategy with baselines,
    values of histories [P · H] to a in each seat, NO_CONTROL | BY_INFOSET | BY_HISTORY, H). duplicate: whether all
    seatings see the same draws. room: moves, odds, chances [most actions], purse [P]. Written: won [deals, P] chips
    that a won in each seat; added [deals, P] what control variates add.
    """
    known = control[0]
    held = (
        bare_rules(rules),
        (bare_table(mine[0]), bare(mine[1]), mine[2]),
        (bare_table(theirs[0]), bare(theirs[1]), theirs[2]),
        ((bare_table(known[0]), bare(known[1]), known[2]), bare(control[1]), control[2], control[3]),
    )
    space = room[0], room[1], bare(room[2]), room[3]
    for number in range(first, last):
        for seat in range(won.shape[1]):
            pack = 0 if duplicate else 2 * seat
            cards, draws = stream(seed, number, pack, DEALS), stream(seed, number, pack + 1, DEALS)
            chips, luck, fits = hand(held, seat, cards, draws, space)
            if not fits:
                return number
            won[number - first, seat] = chips
            added[number - first, seat] = luck
    return last
