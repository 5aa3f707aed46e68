"""CFR on a graph of positions by fixed-strategy iteration: one sweep forward and one back per player.

Histories that end in equal states are one position, so a game is a directed graph without cycles. Within an iteration
strategies are fixed. So the reach of a position is a sum over the paths to it, and its value depends only on the
positions below it:

    others_i(n) = Σ over paths to n of the probabilities of chance and of all players but i     one sweep forward
    own_i(n)    = Σ over paths to n of player i's probabilities                                 the same sweep
    v_i(n)      = Σ_a σ(a) v_i(n·a)                                                             one sweep back
    r(I, a)     = Σ over positions n of I of others_i(n) · (v_i(n·a) − v_i(n)),  i the mover at n

One regret update per infoset then costs positions × actions, where recursion costs as many visits as there are
histories (Neller & Hnath 2011). `path_walks` is that recursion; both give the same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import CHANCE, TERMINAL
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import pointers
from regretless.kernels.random_streams import stream, uniform
from regretless.kernels.recall.infoset_updates import average_empty, end_turn, visit


class Positions(NamedTuple):
    """A game as positions in topological order; N of them, E edges, T terminals, P players. The root is position 0."""

    mover: npt.NDArray[np.int8]  # [N] player to move, CHANCE or TERMINAL
    number: npt.NDArray[np.int32]  # [N] infoset at a decision, row of `payoff` at a terminal, −1 at chance
    first_edge: npt.NDArray[np.int64]  # [N + 1] the moves of a position are a run of edges
    child: npt.NDArray[np.int32]  # [E] the position after a move
    chance: npt.NDArray[np.float64]  # [E] probability of chance's move; 1 where a player moves
    payoff: npt.NDArray[np.float64]  # [T, P] chips


class Reach(NamedTuple):
    """Scratch of the sweeps, by position."""

    others: npt.NDArray[np.float64]  # [N]
    own: npt.NDArray[np.float64]  # [N]
    value: npt.NDArray[np.float64]  # [N] chips to the player whose sweep it is
    chance: npt.NDArray[np.float64]  # [E] chance's probabilities, or 1 for the sampled move and 0 for the others


@inner
def draw_chance(positions, count, chance, seed, iteration):
    """Draw a move at every chance position, each from a stream of its own, so that the order does not matter."""
    for n in range(count):
        if positions.mover[n] == CHANCE:
            begin, end = positions.first_edge[n], positions.first_edge[n + 1]
            left = uniform(stream(seed, iteration, np.int64(0), n))
            chosen = begin
            for e in range(begin, end):
                chance[e] = 0.0
                if positions.chance[e] > 0.0 and left >= 0.0:
                    chosen = e
                    left -= positions.chance[e]
            chance[chosen] = 1.0


@inner(optimise=True)
def sweep_forward(positions, count, learned, player, reach):
    """The reach of every position, for one player's regrets; returns how many positions have any."""
    child, others, own, chance = positions.child, reach.others, reach.own, reach.chance
    for n in range(count):
        others[n] = own[n] = 0.0
    others[0] = own[0] = 1.0
    reached = 0
    for n in range(count):
        theirs, mine = others[n], own[n]
        if theirs == 0.0 and mine == 0.0:
            continue
        reached += 1
        mover, begin, end = positions.mover[n], positions.first_edge[n], positions.first_edge[n + 1]
        if mover == CHANCE:
            for e in range(begin, end):
                if chance[e] > 0.0:
                    others[child[e]] += theirs * chance[e]
                    own[child[e]] += mine
        elif mover == player:
            first = learned.first[positions.number[n]] - begin
            for e in range(begin, end):
                others[child[e]] += theirs
                own[child[e]] += mine * learned.strategy[first + e]
        elif mover != TERMINAL:
            first = learned.first[positions.number[n]] - begin
            for e in range(begin, end):
                others[child[e]] += theirs * learned.strategy[first + e]
                own[child[e]] += mine
    return reached


@inner(optimise=True)
def sweep_back(positions, count, learned, player, players, reach):
    """The value of every reached position to one player; adds its regrets and own reach. Returns the root's value."""
    child, value, chance = positions.child, reach.value, reach.chance
    for n in range(count - 1, -1, -1):
        theirs, mine = reach.others[n], reach.own[n]
        worth, mover = 0.0, positions.mover[n]
        if theirs == 0.0 and mine == 0.0:
            value[n] = 0.0
            continue
        begin, end = positions.first_edge[n], positions.first_edge[n + 1]
        if mover == TERMINAL:
            worth = positions.payoff[positions.number[n] * players + player]
        elif mover == CHANCE:
            for e in range(begin, end):
                if chance[e] > 0.0:
                    worth += chance[e] * value[child[e]]
        else:
            infoset = positions.number[n]
            first = learned.first[infoset] - begin
            for e in range(begin, end):
                worth += learned.strategy[first + e] * value[child[e]]
            if mover == player:
                visit(learned, infoset)
                learned.reach[infoset] += mine
                for e in range(begin, end):
                    learned.gain[first + e] += theirs * (value[child[e]] - worth)
        value[n] = worth
    return value[0]


@kernel
def iterate(positions, learned, reach, order, steps, origin, sampled, seed, predictive):
    """Run one iteration per row of `steps` [n, 8], numbered on from `origin` + 1; returns the positions visited."""
    form, numbers, scratch = pointers(positions), pointers(learned), pointers(reach)
    count, infosets, players = len(positions.mover), len(learned.first), len(order.of_player)
    visited, last = 0, 0
    for player in range(players):
        last = max(last, order.of_player[player])
    for t in range(len(steps)):
        if sampled:
            draw_chance(form, count, scratch.chance, seed, origin + t + 1)
        for turn in range(last + 1):
            for player in range(players):
                if order.of_player[player] == turn:
                    visited += sweep_forward(form, count, numbers, player, scratch)
                    sweep_back(form, count, numbers, player, players, scratch)
            end_turn(numbers, infosets, order.of_infoset, turn, steps[t], predictive)
        average_empty(numbers, order.empty, steps[t])
    return visited


@kernel
def position_values(positions, learned, reach, player, players):
    """The value of the strategies to a player; adds its regrets and own reach, as an iteration would."""
    form, numbers, scratch = pointers(positions), pointers(learned), pointers(reach)
    sweep_forward(form, len(positions.mover), numbers, player, scratch)
    return sweep_back(form, len(positions.mover), numbers, player, players, scratch)


def topological_order(first_edge, child):
    """Positions in an order in which every move leads onwards, [N], and how many could be ordered: N, or fewer where
    there is a cycle."""
    above = np.bincount(child, minlength=len(first_edge) - 1)
    order, first = np.empty(len(above), np.int64), np.flatnonzero(above == 0)
    order[: len(first)] = first
    return order, int(follow_edges(first_edge, child, above, order, len(first)))


@kernel
def follow_edges(first_edge, child, above, order, done):
    """Append to order[:done] the positions whose parents are all in it; returns `done`. above [N]: edges to each."""
    at = 0
    while at < done:
        n = order[at]
        at += 1
        for e in range(first_edge[n], first_edge[n + 1]):
            above[child[e]] -= 1
            if above[child[e]] == 0:
                order[done] = child[e]
                done += 1
    return done
