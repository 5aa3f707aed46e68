"""From listed histories to sequences: passes in the order of the listing, in which parents come before children.

Arrays are allocated by NumPy: compiling an allocation takes longer than compiling the loop that fills it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import TERMINAL
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.numba_ext.interpreting import for_size

Array = npt.NDArray[Any]


FIRST_DEPTH = 256
"""Moves of a path that the scratch is made for at first."""

RECALL_BROKEN, TOO_DEEP = 1, 2


def trace_sequences(
    listing: tuple[Array, ...], code: Array, table: Array, offset: Array, terminals: int, players: int
) -> tuple[Array, Array, Array, int, int]:
    """Follow every history down; note the last sequence of each player and the reach of chance.

    listing: mover, index, first_child, children [H]; table[code[h]] is the probability of chance's move into a history;
    offset [I] the first provisional sequence of each infoset (sequence p is player p's empty one).
    Returns sequences [T, P] and reach [T] of the terminals, parent [I], and the history that breaks perfect recall
    (or −1) with the first history of its infoset.
    """
    ends, reach = np.empty((terminals, players), np.int32), np.empty(terminals)
    depth, status = FIRST_DEPTH, TOO_DEEP
    while status == TOO_DEEP:
        depth *= 2
        parent, path = np.full(len(offset), -1, np.int32), np.zeros((depth, 2), np.int64)
        sequence, along = np.empty((depth, players), np.int32), np.ones(depth)
        sequence[0] = np.arange(players)
        trace = for_size(trace_terminals, ends.size)
        status = int(trace(listing, code, table, offset, path, sequence, along, parent, ends, reach))
    if status != RECALL_BROKEN:
        return ends, reach, parent, -1, -1
    return ends, reach, parent, *_broken_recall(listing, offset, players)


def _broken_recall(listing: tuple[Array, ...], offset: Array, players: int) -> tuple[int, int]:
    """The first history, by number, that breaks perfect recall, and the first history of its infoset."""
    parent, first_history = np.full(len(offset), -1, np.int32), np.full(len(offset), -1, np.int64)
    sequence = np.empty((len(listing[0]), players), np.int32)
    sequence[0] = np.arange(players)
    broken = int(find_broken_recall(listing, offset, sequence, parent, first_history))
    return broken, int(first_history[listing[1][broken]])


@kernel
def trace_terminals(listing, code, table, offset, path, sequence, along, parent, ends, reach):
    """Write ends [T, P], reach [T] and parent [I] on a depth-first walk; returns 0 or what went wrong.

    path [D, 2] histories and their next choices, sequence [D, P] and along [D] (reach): scratch for each depth.
    """
    mover, index, first_child, children = listing
    depth = 0
    while depth >= 0:
        h, choice = path[depth, 0], path[depth, 1]
        player = mover[h]
        if choice == 0 and player == TERMINAL:
            for p in range(sequence.shape[1]):
                ends[index[h], p] = sequence[depth, p]
            reach[index[h]] = along[depth]
        elif choice == 0 and player >= 0:
            infoset = index[h]
            if parent[infoset] < 0:
                parent[infoset] = sequence[depth, player]
            elif parent[infoset] != sequence[depth, player]:
                return RECALL_BROKEN
        if choice == children[h]:
            depth -= 1
            continue
        if depth + 1 == path.shape[0]:
            return TOO_DEEP
        child = first_child[h] + choice
        path[depth, 1] = choice + 1
        path[depth + 1, 0], path[depth + 1, 1] = child, 0
        for p in range(sequence.shape[1]):
            sequence[depth + 1, p] = sequence[depth, p]
        along[depth + 1] = along[depth]
        if player >= 0:
            sequence[depth + 1, player] = offset[index[h]] + choice
        else:
            along[depth + 1] *= table[code[child]]
        depth += 1
    return 0


@kernel
def find_broken_recall(listing, offset, sequence, parent, first_history):
    """The first history, by number, that breaks perfect recall, or −1.

    Writes sequence [H, P] of all histories up to it, parent [I] and first_history [I].
    """
    mover, index, first_child, children = listing
    for h in range(mover.shape[0]):
        player = mover[h]
        if player == TERMINAL:
            continue
        if player >= 0:
            infoset = index[h]
            if first_history[infoset] < 0:
                first_history[infoset] = h
                parent[infoset] = sequence[h, player]
            elif parent[infoset] != sequence[h, player]:
                return h
        for a in range(children[h]):
            child = first_child[h] + a
            for p in range(sequence.shape[1]):
                sequence[child, p] = sequence[h, p]
            if player >= 0:
                sequence[child, player] = offset[index[h]] + a
    return -1


@kernel
def rename_infosets(mover, index, final):
    """index[h] ← final[index[h]] at decisions. mover, index [H], final [I]."""
    for h in range(mover.shape[0]):
        if mover[h] >= 0:
            index[h] = final[index[h]]


def treeplex_levels(parent: Array, owner: Array) -> Array:
    """[I] number of own infosets above each one. parent [I] provisional sequences, owner [S] their infosets or −1."""
    above = owner[parent]
    level, ancestor, below = np.zeros(len(parent), np.int32), above.copy(), np.flatnonzero(above >= 0)
    while len(below):  # a pass for each level
        level[below] += 1
        ancestor[below] = above[ancestor[below]]
        below = below[ancestor[below] >= 0]
    return level


def strip_ends(parent: Array, begin: int, end: int, widest: int) -> Array:
    """Cut infosets begin…end of a block into runs of about `widest`; children of one parent stay in one run."""
    changes = begin + 1 + np.flatnonzero(parent[begin + 1 : end] != parent[begin : end - 1])
    cuts = [begin]
    while (at := int(np.searchsorted(changes, cuts[-1] + widest))) < len(changes):
        cuts.append(int(changes[at]))
    return np.array([*cuts, end], np.int64)


@kernel
def steps_back(first_child, children, history, path):
    """Write the histories from `history` back to the root to path [H]; returns their number."""
    path[0], count = history, 1
    for h in range(history - 1, -1, -1):
        last = path[count - 1]
        if children[h] > 0 and first_child[h] <= last < first_child[h] + children[h]:
            path[count] = h
            count += 1
    return count


def path_to(first_child: Array, children: Array, history: int) -> Array:
    """The histories from the root to `history`."""
    path = np.empty(history + 1, np.int64)
    count = int(steps_back(first_child, children, history, path))
    return path[:count][::-1].copy()
