"""CFR on a game of positions: fixed-strategy iteration on the merged graph, and plain recursion along every path.

Histories that end in equal states are one position, so a game is a directed graph without cycles. Within an iteration
strategies are fixed. Then what reaches a position is a sum over the paths to it, and what it is worth depends on what
lies below it alone:

    others_i(n) = Σ over paths to n of the probabilities of chance and of everybody but i       one sweep forward
    own_i(n)    = Σ over paths to n of player i's probabilities                                 the same sweep
    v_i(n)      = Σ_a σ(a) v_i(n·a)                                                             one sweep back
    r(I, a)     = Σ over positions n of I of others_i(n) · (v_i(n·a) − v_i(n)),  i the mover at n

so one regret update per infoset costs positions × actions, where recursion costs as many visits as there are histories
(Neller & Hnath 2011). Both give the same numbers; `walk_paths` is here to compare.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.constants import (
    CHANCE,
    DECAY,
    FLOOR,
    NEGATIVE,
    NEXT_NEGATIVE,
    NEXT_POSITIVE,
    POSITIVE,
    PREDICTION,
    TERMINAL,
    WEIGHT,
)
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.random_streams import stream, uniform
from regretless.kernels.regret_rules import at_least, discounted


class Positions(NamedTuple):
    """A game as positions in topological order; N of them, E edges, T terminals, P players. The root is position 0."""

    mover: npt.NDArray[np.int8]  # [N] player to move, CHANCE or TERMINAL
    number: npt.NDArray[np.int32]  # [N] infoset at a decision, row of `payoff` at the end, −1 at chance
    first_edge: npt.NDArray[np.int64]  # [N + 1] the moves of a position are a run of edges
    child: npt.NDArray[np.int32]  # [E] where a move leads to
    odds: npt.NDArray[np.float64]  # [E] probability of chance's move; 1 where a player moves
    payoff: npt.NDArray[np.float64]  # [T, P] chips


class Learned(NamedTuple):
    """The numbers of all infosets; S sequences (infoset and action), I infosets."""

    first: npt.NDArray[np.int32]  # [I] sequence of action 0; the others follow
    actions: npt.NDArray[np.int32]  # [I] how many
    regret: npt.NDArray[np.float64]  # [S] discounted sum of regrets, chips
    guess: npt.NDArray[np.float64]  # [S] what predictive variants expect regret to become; [0] for the others
    average: npt.NDArray[np.float64]  # [S] weighted sum of strategies, by own reach
    strategy: npt.NDArray[np.float64]  # [S] what is played: the regrets (or guesses) matched
    gain: npt.NDArray[np.float64]  # [S] scratch: regret of the iteration, chips
    visits: npt.NDArray[np.float64]  # [I] scratch: own reach of the iteration
    touched: npt.NDArray[np.int32]  # [I] scratch: infosets met …
    met: npt.NDArray[np.int8]  # [I] … and whether: 0 or 1
    fill: npt.NDArray[np.int64]  # [1] … and how many


class Reach(NamedTuple):
    """Scratch of the sweeps, by position."""

    others: npt.NDArray[np.float64]  # [N]
    own: npt.NDArray[np.float64]  # [N]
    value: npt.NDArray[np.float64]  # [N] chips to the player whose sweep it is
    odds: npt.NDArray[np.float64]  # [E] chance's probabilities, or 1 for the move drawn and 0 for the rest


@njit(nogil=True)
def bare_positions(positions):
    """The positions as sweeps hold them: payoffs flat, P to a row."""
    return Positions(
        bare(positions.mover), bare(positions.number), bare(positions.first_edge), bare(positions.child),
        bare(positions.odds), bare(positions.payoff),
    )  # fmt: skip


@njit(nogil=True)
def bare_learned(learned):
    """The numbers of all infosets as sweeps hold them."""
    return Learned(
        bare(learned.first), bare(learned.actions), bare(learned.regret), bare(learned.guess), bare(learned.average),
        bare(learned.strategy), bare(learned.gain), bare(learned.visits), bare(learned.touched), bare(learned.met),
        bare(learned.fill),
    )  # fmt: skip


@njit(nogil=True)
def bare_reach(reach):
    """The scratch as sweeps hold it."""
    return Reach(bare(reach.others), bare(reach.own), bare(reach.value), bare(reach.odds))


@njit(nogil=True, error_model="numpy", forceinline=True)
def match(learned, infoset, predictive, smallest):
    """Play in proportion to positive regret (or the guess of it); uniformly where there is none."""
    source = learned.guess if predictive else learned.regret
    first, actions = learned.first[infoset], learned.actions[infoset]
    total = 0.0
    for s in range(first, first + actions):
        total += at_least(source[s], 0.0)
    if total >= smallest:
        for s in range(first, first + actions):
            learned.strategy[s] = at_least(source[s], 0.0) / total
    else:
        for s in range(first, first + actions):
            learned.strategy[s] = 1.0 / actions


@njit(cache=True, nogil=True, error_model="numpy")
def match_all(learned, predictive, smallest):
    """Lay down the strategies that the numbers call for."""
    numbers = bare_learned(learned)
    for infoset in range(len(learned.first)):
        match(numbers, infoset, predictive, smallest)


@njit(nogil=True, forceinline=True)
def meet(learned, infoset):
    """Note that an iteration has something to say about an infoset."""
    if learned.met[infoset] == 0:
        learned.met[infoset] = 1
        learned.touched[learned.fill[0]] = infoset
        learned.fill[0] += 1


@njit(nogil=True, error_model="numpy", forceinline=True)
def update(learned, infoset, step, predictive, smallest):
    """One regret update of one infoset, by the regret and the own reach of the iteration; and its next strategy."""
    first, actions = learned.first[infoset], learned.actions[infoset]
    reach = step[WEIGHT] * learned.visits[infoset]
    for s in range(first, first + actions):
        learned.average[s] = learned.average[s] * step[DECAY] + reach * learned.strategy[s]
        regret = discounted(learned.regret[s], step[POSITIVE], step[NEGATIVE])
        learned.regret[s] = at_least(regret + learned.gain[s], step[FLOOR])
        if predictive:
            faded = discounted(learned.regret[s], step[NEXT_POSITIVE], step[NEXT_NEGATIVE])
            learned.guess[s] = faded + step[PREDICTION] * learned.gain[s]
        learned.gain[s] = 0.0
    learned.visits[infoset] = 0.0
    learned.met[infoset] = 0
    match(learned, infoset, predictive, smallest)


@njit(nogil=True, error_model="numpy")
def settle(learned, infosets, team, turn, step, predictive, smallest):
    """Update the infosets of the players whose turn it is. team [I]: in whose turn an infoset is updated.

    Where old numbers do not fade, infosets that were not met stay as they are and are not even looked at.
    """
    if step[POSITIVE] != 1.0 or step[NEGATIVE] != 1.0 or step[DECAY] != 1.0 or predictive:
        for infoset in range(infosets):
            if team[infoset] == turn:
                update(learned, infoset, step, predictive, smallest)
    else:
        for k in range(learned.fill[0]):
            if team[learned.touched[k]] == turn:
                update(learned, learned.touched[k], step, predictive, smallest)
    learned.fill[0] = 0


@njit(nogil=True, error_model="numpy")
def draw_chance(positions, count, odds, seed, iteration):
    """Draw a move for every chance position, each from a stream of its own: what it is does not depend on who asks."""
    for n in range(count):
        if positions.mover[n] == CHANCE:
            begin, end = positions.first_edge[n], positions.first_edge[n + 1]
            left = uniform(stream(seed, iteration, 0, n))
            chosen = begin
            for e in range(begin, end):
                odds[e] = 0.0
                if positions.odds[e] > 0.0 and left >= 0.0:
                    chosen = e
                    left -= positions.odds[e]
            odds[chosen] = 1.0


@njit(nogil=True, error_model="numpy")
def sweep_forward(positions, count, learned, player, reach):
    """What reaches every position, for one player's regrets; returns how many positions anything reaches."""
    child, others, own, odds = positions.child, reach.others, reach.own, reach.odds
    for n in range(count):
        others[n] = own[n] = 0.0
    others[0] = own[0] = 1.0
    reached = 0
    for n in range(count):
        theirs, mine = others[n], own[n]
        if theirs == 0.0 and mine == 0.0:
            continue
        reached += 1
        who, begin, end = positions.mover[n], positions.first_edge[n], positions.first_edge[n + 1]
        if who == CHANCE:
            for e in range(begin, end):
                if odds[e] > 0.0:
                    others[child[e]] += theirs * odds[e]
                    own[child[e]] += mine
        elif who == player:
            first = learned.first[positions.number[n]] - begin
            for e in range(begin, end):
                others[child[e]] += theirs
                own[child[e]] += mine * learned.strategy[first + e]
        elif who != TERMINAL:
            first = learned.first[positions.number[n]] - begin
            for e in range(begin, end):
                others[child[e]] += theirs * learned.strategy[first + e]
                own[child[e]] += mine
    return reached


@njit(nogil=True, error_model="numpy")
def sweep_back(positions, count, learned, player, players, reach):
    """What every reached position is worth to one player; adds its regrets and own reach. Returns the root's worth."""
    child, value, odds = positions.child, reach.value, reach.odds
    for n in range(count - 1, -1, -1):
        theirs, mine = reach.others[n], reach.own[n]
        worth, who = 0.0, positions.mover[n]
        if theirs == 0.0 and mine == 0.0:  # whoever leads here does so with probability 0
            value[n] = 0.0
            continue
        begin, end = positions.first_edge[n], positions.first_edge[n + 1]
        if who == TERMINAL:
            worth = positions.payoff[positions.number[n] * players + player]
        elif who == CHANCE:
            for e in range(begin, end):
                if odds[e] > 0.0:
                    worth += odds[e] * value[child[e]]
        else:
            infoset = positions.number[n]
            first = learned.first[infoset] - begin
            for e in range(begin, end):
                worth += learned.strategy[first + e] * value[child[e]]
            if who == player:
                meet(learned, infoset)
                learned.visits[infoset] += mine
                for e in range(begin, end):
                    learned.gain[first + e] += theirs * (value[child[e]] - worth)
        value[n] = worth
    return value[0]


@njit(nogil=True, error_model="numpy")
def walk_paths(positions, learned, odds, player, players, n, theirs, mine, visits):
    """Plain recursive CFR from a position on: every path is walked, however often it has been at a position before.

    visits [1] counts the histories visited.
    """
    visits[0] += 1
    who = positions.mover[n]
    if who == TERMINAL:
        return positions.payoff[positions.number[n] * players + player]
    begin, end = positions.first_edge[n], positions.first_edge[n + 1]
    worth = 0.0
    if who == CHANCE:
        for e in range(begin, end):
            if odds[e] > 0.0:
                below, likely = positions.child[e], theirs * odds[e]
                worth += odds[e] * walk_paths(positions, learned, odds, player, players, below, likely, mine, visits)
        return worth
    infoset = positions.number[n]
    first = learned.first[infoset] - begin
    if who != player:
        for e in range(begin, end):
            chosen, below = learned.strategy[first + e], positions.child[e]
            likely = theirs * chosen
            worth += chosen * walk_paths(positions, learned, odds, player, players, below, likely, mine, visits)
        return worth
    for e in range(begin, end):
        chosen, below = learned.strategy[first + e], positions.child[e]
        value = walk_paths(positions, learned, odds, player, players, below, theirs, mine * chosen, visits)
        worth += chosen * value
        learned.gain[first + e] += theirs * value
    for e in range(begin, end):
        learned.gain[first + e] -= theirs * worth
    meet(learned, infoset)
    learned.visits[infoset] += mine
    return worth


@njit(cache=True, nogil=True, error_model="numpy")
def iterate(positions, learned, reach, empty, teams, team, steps, origin, sampled, seed, predictive, smallest):
    """Run one iteration per row of `steps` [n, 8], numbered on from `origin` + 1; returns the positions visited.

    teams [P] says in whose turn a player's regrets are taken, team [I] in whose turn an infoset is updated: all in
    turn 0, or players who share no infoset one after the other. empty [P] are the empty sequences.
    """
    form, numbers, room, whose = bare_positions(positions), bare_learned(learned), bare_reach(reach), bare(team)
    count, infosets, players = len(positions.mover), len(learned.first), len(teams)
    turns, visited = teams.max() + 1, 0
    for t in range(len(steps)):
        if sampled:
            draw_chance(form, count, room.odds, seed, origin + t + 1)
        for turn in range(turns):
            for player in range(players):
                if teams[player] == turn:
                    visited += sweep_forward(form, count, numbers, player, room)
                    sweep_back(form, count, numbers, player, players, room)
            settle(numbers, infosets, whose, turn, steps[t], predictive, smallest)
        for s in empty:
            learned.average[s] = learned.average[s] * steps[t, DECAY] + steps[t, WEIGHT]
    return visited


@njit(nogil=True, error_model="numpy")
def iterate_paths(positions, learned, reach, empty, teams, team, steps, origin, sampled, seed, predictive, smallest):
    """The same by plain recursion; returns the histories visited. Not kept on disk: Numba 0.68 cannot load compiled
    recursion again."""
    form, numbers, room, whose = bare_positions(positions), bare_learned(learned), bare_reach(reach), bare(team)
    count, infosets, players = len(positions.mover), len(learned.first), len(teams)
    turns, visited = teams.max() + 1, np.zeros(1, np.int64)
    for t in range(len(steps)):
        if sampled:
            draw_chance(form, count, room.odds, seed, origin + t + 1)
        for turn in range(turns):
            for player in range(players):
                if teams[player] == turn:
                    walk_paths(form, numbers, room.odds, player, players, 0, 1.0, 1.0, bare(visited))
            settle(numbers, infosets, whose, turn, steps[t], predictive, smallest)
        for s in empty:
            learned.average[s] = learned.average[s] * steps[t, DECAY] + steps[t, WEIGHT]
    return visited[0]


@njit(cache=True, nogil=True, error_model="numpy")
def position_values(positions, learned, reach, player, players):
    """What the strategies are worth to a player; adds its regrets and own reach, as an iteration would."""
    form, numbers, room = bare_positions(positions), bare_learned(learned), bare_reach(reach)
    sweep_forward(form, len(positions.mover), numbers, player, room)
    return sweep_back(form, len(positions.mover), numbers, player, players, room)


@njit(cache=True, nogil=True)
def topological_order(first_edge, child):
    """Positions so that every move leads onwards, [N]; how many could be ordered: fewer than N where there is a
    cycle."""
    count = len(first_edge) - 1
    above = np.zeros(count, np.int64)
    for e in range(len(child)):
        above[child[e]] += 1
    order = np.empty(count, np.int64)
    done = 0
    for n in range(count):
        if above[n] == 0:
            order[done] = n
            done += 1
    at = 0
    while at < done:
        n = order[at]
        at += 1
        for e in range(first_edge[n], first_edge[n + 1]):
            above[child[e]] -= 1
            if above[child[e]] == 0:
                order[done] = child[e]
                done += 1
    return order, done
