"""Listing a compiled game: the histories, numbered and ordered as `regretless.layout.listing` does it in Python.

The walk is depth first and works in stretches: all it knows between two of them is in arrays, and the states on the
path are played again from the root when it goes on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.compiled_games.game_steps import (
    actions,
    chance,
    infoset_key,
    payoffs,
    play,
    player,
    root,
)
from regretless.kernels.constants import CHANCE, LARGEST_PAYOFF, TERMINAL

HISTORIES, TERMINALS, INFOSETS, OFFERED, DEPTH, STATUS, NEEDED = range(7)
"""What the counters count; STATUS is one of the following, NEEDED how many actions found no room."""

GOES_ON, DONE, FAULT, NEEDS_ROOM = range(4)


INNER: Any = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
"""How functions are compiled that only kernels call: wrappers for so many arrays take longer than they do."""

MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(32)


class Pages(NamedTuple):
    """Where the walk writes; room for H histories, T terminals, I infosets, A offered actions, D moves of a path."""

    mover: npt.NDArray[np.int8]  # [H]
    index: npt.NDArray[np.int32]  # type: ignore[assignment]  # [H] infoset, or number among terminals, or −1 at chance
    first_child: npt.NDArray[np.int32]  # [H]
    children: npt.NDArray[np.int32]  # [H]
    probability: npt.NDArray[np.float64]  # [H] of chance's move into a history; 1 where a player moved
    payoff: npt.NDArray[np.float64]  # [T · P] chips
    owner: npt.NDArray[np.int32]  # [I] whose infoset
    key: npt.NDArray[np.int64]  # [I, 2] what the owner knows
    met: npt.NDArray[np.int32]  # [I] the first of its histories
    offer_first: npt.NDArray[np.int64]  # [I + 1] where its actions begin
    offer: npt.NDArray[np.int64]  # [A] actions
    slot: npt.NDArray[np.int32]  # [2^n > I] 1 + infoset, found by hash
    number: npt.NDArray[np.int64]  # [D] the history at each depth of the path
    choice: npt.NDArray[np.int64]  # [D] which of its actions was taken
    begin: npt.NDArray[np.int64]  # [D + 1] where its actions begin among the moves
    moves: npt.NDArray[np.int64]  # [M] the actions of all histories on the path


@njit(**INNER)
def place_of(slot, owner, key, mover, first, second):
    """The slot of an infoset, or the empty one where it belongs."""
    mask = slot.shape[0] - 1
    mixed = (np.uint64(first) * MIX) ^ ((np.uint64(second) + np.uint64(mover)) * np.uint64(0xBF58476D1CE4E5B9))
    mixed = (mixed ^ (mixed >> SHIFT)) * MIX
    place = np.int64(mixed >> SHIFT) & mask
    while slot[place] > 0:
        known = slot[place] - 1
        if key[known, 0] == first and key[known, 1] == second and owner[known] == mover:
            break
        place = (place + 1) & mask
    return place


@njit(cache=True, nogil=True)
def fill_slots(slot, owner, key, infosets):
    """Enter all infosets into a new, larger table."""
    for infoset in range(infosets):
        slot[place_of(slot, owner, key, np.int64(owner[infoset]), key[infoset, 0], key[infoset, 1])] = infoset + 1


@njit(**INNER)
def offers_the_same(pages, infoset, begin, count):
    """Whether an infoset offers the actions that lie among the moves from `begin` on."""
    first = pages.offer_first[infoset]
    if pages.offer_first[infoset + 1] - first != count:
        return False
    for a in range(count):
        if pages.offer[first + a] != pages.moves[begin + a]:
            return False
    return True


@njit(**INNER)
def enter_infoset(pages, counters, place, mover, first, second, number, begin, count):
    """Write down a new infoset; −1 where an action is named twice."""
    for a in range(count):
        for b in range(a):
            if pages.moves[begin + a] == pages.moves[begin + b]:
                return -1
    infoset, at = counters[INFOSETS], counters[OFFERED]
    pages.slot[place] = infoset + 1
    pages.owner[infoset] = mover
    pages.key[infoset, 0], pages.key[infoset, 1] = first, second
    pages.met[infoset] = number
    for a in range(count):  # a slice would bring Numba's whole text library along, for its error message
        pages.offer[at + a] = pages.moves[begin + a]
    pages.offer_first[infoset + 1] = at + count
    counters[INFOSETS] += 1
    counters[OFFERED] += count
    return infoset


@njit(**INNER)
def visit_end(rules, state, number, pages, counters, players):
    """Write down a terminal history; returns a status."""
    terminals = counters[TERMINALS]
    if (terminals + 1) * players > pages.payoff.shape[0]:
        return NEEDS_ROOM
    if payoffs(rules, state, pages.payoff, terminals * players) != players:
        return FAULT
    for p in range(players):
        if not abs(pages.payoff[terminals * players + p]) <= LARGEST_PAYOFF:  # also where it is NaN
            return FAULT
    pages.mover[number], pages.index[number] = TERMINAL, terminals
    counters[TERMINALS] += 1
    return GOES_ON


@njit(**INNER)
def visit_chance(rules, state, first, count, pages):
    """Write down the probabilities of a chance node's children; returns a status."""
    if chance(rules, state, pages.probability, first) != count:
        return FAULT
    total = 0.0
    for a in range(count):
        if pages.probability[first + a] < 0:
            return FAULT
        total += pages.probability[first + a]
    return GOES_ON if abs(total - 1) < 1e-9 else FAULT


@njit(**INNER)
def visit_decision(rules, state, number, mover, begin, count, pages, counters):
    """Write down which infoset a decision belongs to; returns a status."""
    first, second = infoset_key(rules, state)
    place = place_of(pages.slot, pages.owner, pages.key, mover, first, second)
    infoset = pages.slot[place] - 1
    if infoset < 0:
        infoset = enter_infoset(pages, counters, place, mover, first, second, number, begin, count)
        if infoset < 0:
            return FAULT
    elif not offers_the_same(pages, infoset, begin, count):
        return FAULT
    pages.index[number] = infoset
    children = counters[HISTORIES]
    for a in range(count):
        pages.probability[children + a] = 1.0
    return GOES_ON


@njit(**INNER)
def has_room(pages, counters, depth, end, count):
    """Whether `count` children of a history fit everywhere."""
    return (
        end <= pages.moves.shape[0]
        and counters[HISTORIES] + count <= pages.mover.shape[0]
        and counters[INFOSETS] + 1 < pages.owner.shape[0]
        and 2 * counters[INFOSETS] < pages.slot.shape[0]
        and counters[OFFERED] + count <= pages.offer.shape[0]
        and depth + 1 < pages.number.shape[0]
    )


@njit(cache=True, nogil=True)
def list_stretch(rules, pages, counters, players, until):
    """Go on listing until there are more than `until` histories, or no more, or something is in the way.

    All arrays are borrowed ones (see `regretless.kernels.numba_ext.uncounted_arrays`).
    """
    number, choice, begin, moves = pages.number, pages.choice, pages.begin, pages.moves
    depth = counters[DEPTH]
    states = [root(rules)]
    for level in range(depth):
        states.append(play(rules, states[level], moves[begin[level] + choice[level]]))
    counters[STATUS], counters[NEEDED] = GOES_ON, 0
    while counters[HISTORIES] <= until:
        state, history = states[depth], number[depth]
        mover = player(rules, state)
        if mover == TERMINAL:
            status = visit_end(rules, state, history, pages, counters, players)
            if status != GOES_ON:
                counters[STATUS] = status
                break
            depth -= 1
            while depth >= 0:
                choice[depth] += 1
                if begin[depth] + choice[depth] < begin[depth + 1]:
                    break
                depth -= 1
            if depth < 0:
                counters[STATUS] = DONE
                break
        else:
            count = actions(rules, state, moves, begin[depth])
            end = begin[depth] + count
            if not has_room(pages, counters, depth, end, count):
                counters[STATUS], counters[NEEDED] = NEEDS_ROOM, count
                break
            first = counters[HISTORIES]
            if count == 0 or mover < CHANCE or mover >= players:
                status = FAULT
            elif mover == CHANCE:
                pages.index[history] = -1
                status = visit_chance(rules, state, first, count, pages)
            else:
                status = visit_decision(rules, state, history, mover, begin[depth], count, pages, counters)
            if status == FAULT:
                counters[STATUS] = FAULT
                break
            pages.mover[history], pages.first_child[history], pages.children[history] = mover, first, count
            counters[HISTORIES] += count
            choice[depth], begin[depth + 1] = 0, end
        child = play(rules, states[depth], moves[begin[depth] + choice[depth]])
        number[depth + 1] = pages.first_child[number[depth]] + choice[depth]
        depth += 1
        if depth < len(states):
            states[depth] = child
        else:
            states.append(child)
    counters[DEPTH] = depth if depth > 0 else 0
