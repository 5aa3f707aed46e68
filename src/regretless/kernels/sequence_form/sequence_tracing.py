"""From listed histories to sequences: passes in the order of the listing, in which parents come before children.

Arrays are allocated by NumPy: compiling an allocation takes longer than compiling the loop that fills it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import TERMINAL
from regretless.kernels.numba_ext.compiling import kernel

Array = npt.NDArray[Any]


def trace_sequences(
    mover: Array, index: Array, first_child: Array, children: Array, probability: Array, offset: Array, players: int
) -> tuple[Array, Array, Array, int, int]:
    """Follow every history down; note the last sequence of each player and the reach of chance.

    mover, index, first_child, children [H]; probability [H] of chance's move into a history; offset [I] the first
    provisional sequence of each infoset (sequence p is player p's empty one).
    Returns sequences [T, P] and reach [T] of the terminals, parent [I], and the history that breaks perfect recall
    (or −1) with the first history of its infoset.
    """
    parent, first_history = np.full(len(offset), -1, np.int32), np.full(len(offset), -1, np.int64)
    sequence, reach = np.empty((len(mover), players), np.int32), np.ones(len(mover))
    sequence[0] = np.arange(players)
    listing = mover, index, first_child, children, probability
    broken = int(trace(listing, offset, sequence, reach, parent, first_history))
    terminals = np.flatnonzero(mover == TERMINAL)
    ends, end_reach = np.empty((len(terminals), players), np.int32), np.empty(len(terminals))
    ends[index[terminals]], end_reach[index[terminals]] = sequence[terminals], reach[terminals]
    return ends, end_reach, parent, broken, int(first_history[index[broken]]) if broken >= 0 else -1


@kernel
def trace(listing, offset, sequence, reach, parent, first_history):
    """Write sequence [H, P] and reach [H] of all histories, parent [I] and first_history [I].

    Returns the history that breaks perfect recall, or −1.
    """
    mover, index, first_child, children, probability = listing
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
            reach[child] = reach[h]
            if player >= 0:
                sequence[child, player] = offset[index[h]] + a
            else:
                reach[child] *= probability[child]
    return -1


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
