"""Listing a compiled game: the histories, numbered and ordered as `regretless.layout.listing` does it in Python.

The walk is depth first and can be interrupted: its whole state is in arrays, and the states on the path are played
again from the root when it continues. It may begin at a history below the root and list its subtree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.compiled_games.game_steps import (
    actions,
    chance,
    infoset_key,
    payoffs,
    play,
    player,
    root,
)
from regretless.kernels.compiled_games.infoset_buckets import bucket_of
from regretless.kernels.constants import CHANCE, LARGEST_PAYOFF, TERMINAL
from regretless.kernels.numba_ext.compiling import inner, kernel

HISTORIES, TERMINALS, INFOSETS, OFFERED, DEPTH, STATUS, NEEDED, TOP, COUNTERS = range(9)
"""Counters, and how many there are; STATUS is one of the following, NEEDED the number of actions that did not fit, TOP
the depth of the history whose subtree is listed."""

CONTINUES, DONE, FAULT, BUFFERS_FULL = range(4)


class ListingArrays(NamedTuple):
    """Where the walk writes: up to H histories, T terminals, I infosets, A actions of infosets, D moves of a path."""

    mover: npt.NDArray[np.int8]  # [H]
    index: npt.NDArray[np.int32]  # type: ignore[assignment]  # [H] infoset, or number among terminals, or −1 at chance
    first_child: npt.NDArray[np.int32]  # [H]
    children: npt.NDArray[np.int32]  # [H]
    probability: npt.NDArray[np.float64]  # [H] of chance's move into a history; 1 where a player moved
    payoff: npt.NDArray[np.float64]  # [T · P] chips
    owner: npt.NDArray[np.int32]  # [I] player
    key: npt.NDArray[np.int64]  # [I, 2] what the owner knows
    first_history: npt.NDArray[np.int32]  # [I]
    offer_first: npt.NDArray[np.int64]  # [I + 1] where its actions begin
    offer: npt.NDArray[np.int64]  # [A] actions
    buckets: npt.NDArray[np.int32]  # [2^n > I] 1 + infoset, by hash
    number: npt.NDArray[np.int64]  # [D] the history at each depth of the path
    choice: npt.NDArray[np.int64]  # [D] which of its actions was taken
    begin: npt.NDArray[np.int64]  # [D + 1] where its actions begin among the moves
    moves: npt.NDArray[np.int64]  # [M] the actions of all histories on the path


@inner(forceinline=True)
def offers_the_same(arrays, infoset, begin, count):
    """Whether an infoset has the actions moves[begin …]."""
    first = arrays.offer_first[infoset]
    if arrays.offer_first[infoset + 1] - first != count:
        return False
    for a in range(count):
        if arrays.offer[first + a] != arrays.moves[begin + a]:
            return False
    return True


@inner(forceinline=True)
def enter_infoset(arrays, counters, bucket, mover, first, second, number, begin, count):
    """Append a new infoset; −1 where an action occurs twice."""
    for a in range(count):
        for b in range(a):
            if arrays.moves[begin + a] == arrays.moves[begin + b]:
                return -1
    infoset, at = counters[INFOSETS], counters[OFFERED]
    arrays.buckets[bucket] = infoset + 1
    arrays.owner[infoset] = mover
    arrays.key[infoset, 0], arrays.key[infoset, 1] = first, second
    arrays.first_history[infoset] = number
    for a in range(count):  # assigning a slice would compile Numba's functions of text, for the text of an error
        arrays.offer[at + a] = arrays.moves[begin + a]
    arrays.offer_first[infoset + 1] = at + count
    counters[INFOSETS] += 1
    counters[OFFERED] += count
    return infoset


@inner(forceinline=True)
def visit_end(rules, state, number, arrays, counters, players):
    """Append a terminal history; returns a status."""
    terminals = counters[TERMINALS]
    if (terminals + 1) * players > arrays.payoff.shape[0]:
        return BUFFERS_FULL
    if payoffs(rules, state, arrays.payoff, terminals * players) != players:
        return FAULT
    for p in range(players):
        if not abs(arrays.payoff[terminals * players + p]) <= LARGEST_PAYOFF:  # also where it is NaN
            return FAULT
    arrays.mover[number], arrays.index[number] = TERMINAL, terminals
    counters[TERMINALS] += 1
    return CONTINUES


@inner(forceinline=True)
def visit_chance(rules, state, first, count, arrays):
    """Write the probabilities of a chance node's children; returns a status."""
    if chance(rules, state, arrays.probability, first) != count:
        return FAULT
    total = 0.0
    for a in range(count):
        if arrays.probability[first + a] < 0:
            return FAULT
        total += arrays.probability[first + a]
    return CONTINUES if abs(total - 1) < 1e-9 else FAULT


@inner(forceinline=True)
def visit_decision(rules, state, number, mover, begin, count, arrays, counters):
    """Write the infoset of a decision; returns a status."""
    first, second = infoset_key(rules, state)
    bucket = bucket_of(arrays.buckets, arrays.owner, arrays.key, mover, first, second)
    infoset = arrays.buckets[bucket] - 1
    if infoset < 0:
        infoset = enter_infoset(arrays, counters, bucket, mover, first, second, number, begin, count)
        if infoset < 0:
            return FAULT
    elif not offers_the_same(arrays, infoset, begin, count):
        return FAULT
    arrays.index[number] = infoset
    children = counters[HISTORIES]
    for a in range(count):
        arrays.probability[children + a] = 1.0
    return CONTINUES


@inner(forceinline=True)
def fits(arrays, counters, depth, end, count):
    """Whether `count` children of a history fit into all arrays."""
    return (
        end <= arrays.moves.shape[0]
        and counters[HISTORIES] + count <= arrays.mover.shape[0]
        and counters[INFOSETS] + 1 < arrays.owner.shape[0]
        and 2 * counters[INFOSETS] < arrays.buckets.shape[0]
        and counters[OFFERED] + count <= arrays.offer.shape[0]
        and depth + 1 < arrays.number.shape[0]
    )


@inner(forceinline=True)
def visit_inner(rules, state, mover, depth, arrays, counters, players):
    """Write a history that is not terminal and number its children; returns a status."""
    history, begin = arrays.number[depth], arrays.begin[depth]
    count = actions(rules, state, arrays.moves, begin)
    if not fits(arrays, counters, depth, begin + count, count):
        counters[NEEDED] = count
        return BUFFERS_FULL
    first = counters[HISTORIES]
    if count == 0 or mover < CHANCE or mover >= players:
        return FAULT
    if mover == CHANCE:
        arrays.index[history] = -1
        status = visit_chance(rules, state, first, count, arrays)
    else:
        status = visit_decision(rules, state, history, mover, begin, count, arrays, counters)
    if status == CONTINUES:
        arrays.mover[history], arrays.first_child[history], arrays.children[history] = mover, first, count
        counters[HISTORIES] += count
        arrays.choice[depth], arrays.begin[depth + 1] = 0, begin + count
    return status


@kernel
def list_histories(rules, arrays, counters, players, until):
    """Continue listing until there are more than `until` histories, or no more, or the status says why not.

    All arrays are uncounted views (see `regretless.kernels.numba_ext.uncounted_arrays`).
    """
    number, choice, begin, moves = arrays.number, arrays.choice, arrays.begin, arrays.moves
    depth, top = counters[DEPTH], counters[TOP]
    states = [root(rules)]
    for level in range(depth):
        states.append(play(rules, states[level], moves[begin[level] + choice[level]]))
    counters[STATUS], counters[NEEDED] = CONTINUES, 0
    while counters[HISTORIES] <= until:
        state = states[depth]
        mover = player(rules, state)
        if mover == TERMINAL:
            status = visit_end(rules, state, number[depth], arrays, counters, players)
            if status == CONTINUES:
                depth -= 1
                while depth >= top:
                    choice[depth] += 1
                    if begin[depth] + choice[depth] < begin[depth + 1]:
                        break
                    depth -= 1
                if depth < top:
                    status = DONE
        else:
            status = visit_inner(rules, state, mover, depth, arrays, counters, players)
        if status != CONTINUES:
            counters[STATUS] = status
            break
        child = play(rules, states[depth], moves[begin[depth] + choice[depth]])
        number[depth + 1] = arrays.first_child[number[depth]] + choice[depth]
        depth += 1
        if depth < len(states):
            states[depth] = child
        else:
            states.append(child)
    counters[DEPTH] = depth if depth > 0 else 0
