"""From listed histories to sequences: one pass in the order of the listing, in which parents come before children."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def trace_sequences(mover, index, first_child, children, probability, offset, players):
    """Follow every history down and note the sequence of each player and the reach of chance.

    mover, index, first_child, children [H]; probability [H] of chance's move into a history; offset [I] the first
    provisional sequence of each infoset (sequence p is player p's empty one).
    Returns sequences [T, P] and reach [T] of the terminals, parent [I], and the history that broke perfect recall
    (or −1) with the first history met in its infoset.
    """
    histories = mover.shape[0]
    sequence = np.empty((histories, players), np.int32)
    reach = np.empty(histories)
    met = np.full(offset.shape[0], -1, np.int64)
    parent = np.full(offset.shape[0], -1, np.int32)
    terminals = 0
    for h in range(histories):
        if mover[h] == -2:
            terminals += 1
    ends = np.empty((terminals, players), np.int32)
    end_reach = np.empty(terminals)
    for p in range(players):
        sequence[0, p] = p
    reach[0] = 1.0
    for h in range(histories):
        player = mover[h]
        if player == -2:
            ends[index[h]] = sequence[h]
            end_reach[index[h]] = reach[h]
            continue
        if player >= 0:
            infoset = index[h]
            if met[infoset] < 0:
                met[infoset] = h
                parent[infoset] = sequence[h, player]
            elif parent[infoset] != sequence[h, player]:
                return ends, end_reach, parent, h, met[infoset]
        for a in range(children[h]):
            child = first_child[h] + a
            sequence[child] = sequence[h]
            reach[child] = reach[h]
            if player >= 0:
                sequence[child, player] = offset[index[h]] + a
            else:
                reach[child] *= probability[child]
    return ends, end_reach, parent, -1, -1


@njit(cache=True, nogil=True)
def treeplex_levels(parent, owner):
    """How many own infosets lie above each one. parent [I] provisional sequences, owner [S] their infosets or −1.

    An infoset is first met below its parent's, so parents come first.
    """
    level = np.zeros(parent.shape[0], np.int32)
    for infoset in range(parent.shape[0]):
        above = owner[parent[infoset]]
        if above >= 0:
            level[infoset] = level[above] + 1
    return level


@njit(cache=True, nogil=True)
def strip_ends(parent, begin, end, widest):
    """Cut infosets begin…end of a block into runs of about `widest` that never part two children of one parent."""
    cuts = [begin]
    last = begin
    for i in range(begin + 1, end):
        if i - last >= widest and parent[i] != parent[i - 1]:
            cuts.append(i)
            last = i
    cuts.append(end)
    return np.array(cuts)


@njit(cache=True, nogil=True)
def path_to(first_child, children, history):
    """The histories from the root to `history`, found from the last one back."""
    path = [history]
    for h in range(history - 1, -1, -1):
        if children[h] > 0 and first_child[h] <= path[-1] < first_child[h] + children[h]:
            path.append(h)
    return np.array(path[::-1])
