"""CFR on a graph of positions by plain recursion along every path, to compare `position_sweeps` with."""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.constants import CHANCE, TERMINAL
from regretless.kernels.numba_ext.pointers import pointer, pointers
from regretless.kernels.recall.infoset_updates import average_empty, end_turn, visit
from regretless.kernels.recall.position_sweeps import draw_chance


@njit(nogil=True, error_model="numpy")
def walk_paths(positions, learned, chance, player, players, n, theirs, mine, visits):
    """CFR from position `n` on: every path is walked, however often it has been at a position before.

    visits [1] counts the histories visited.
    """
    visits[0] += 1
    mover = positions.mover[n]
    if mover == TERMINAL:
        return positions.payoff[positions.number[n] * players + player]
    begin, end = positions.first_edge[n], positions.first_edge[n + 1]
    worth = 0.0
    if mover == CHANCE:
        for e in range(begin, end):
            if chance[e] > 0.0:
                below, reach = positions.child[e], theirs * chance[e]
                worth += chance[e] * walk_paths(positions, learned, chance, player, players, below, reach, mine, visits)
        return worth
    infoset = positions.number[n]
    first = learned.first[infoset] - begin
    if mover != player:
        for e in range(begin, end):
            chosen, below = learned.strategy[first + e], positions.child[e]
            reach = theirs * chosen
            worth += chosen * walk_paths(positions, learned, chance, player, players, below, reach, mine, visits)
        return worth
    for e in range(begin, end):
        chosen, below = learned.strategy[first + e], positions.child[e]
        value = walk_paths(positions, learned, chance, player, players, below, theirs, mine * chosen, visits)
        worth += chosen * value
        learned.gain[first + e] += theirs * value
    for e in range(begin, end):
        learned.gain[first + e] -= theirs * worth
    visit(learned, infoset)
    learned.reach[infoset] += mine
    return worth


@njit(nogil=True, error_model="numpy")
def iterate_paths(positions, learned, reach, order, steps, origin, sampled, seed, predictive):
    """As `position_sweeps.iterate`; returns the histories visited.

    Not cached on disk: Numba 0.68 cannot load compiled recursion again.
    """
    form, numbers, scratch = pointers(positions), pointers(learned), pointers(reach)
    count, infosets, players = len(positions.mover), len(learned.first), len(order.of_player)
    turns, visits = order.of_player.max() + 1, np.zeros(1, np.int64)
    for t in range(len(steps)):
        if sampled:
            draw_chance(form, count, scratch.chance, seed, origin + t + 1)
        for turn in range(turns):
            for player in range(players):
                if order.of_player[player] == turn:
                    walk_paths(form, numbers, scratch.chance, player, players, 0, 1.0, 1.0, pointer(visits))
            end_turn(numbers, infosets, order.of_infoset, turn, steps[t], predictive)
        average_empty(numbers, order.empty, steps[t])
    return visits[0]
