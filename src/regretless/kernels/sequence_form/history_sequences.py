"""Passes over the listed histories in their order, in which parents come before children."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def follow_histories(mover, index, first_child, children, probability, first, stride, empty):
    """The sequence of each player [H, P] and the reach of chance [H] at every history.

    mover, index, first_child, children, probability [H] as listed; first, stride [I]; empty [P] the empty sequences.
    """
    histories, players = mover.shape[0], empty.shape[0]
    sequence = np.empty((histories, players), np.int32)
    reach = np.ones(histories)
    for player in range(players):
        sequence[0, player] = empty[player]
    for h in range(histories):
        player = mover[h]
        for action in range(children[h]):
            child = first_child[h] + action
            sequence[child] = sequence[h]
            reach[child] = reach[h] * probability[child]  # 1 where a player moved
            if player >= 0:
                sequence[child, player] = first[index[h]] + action * stride[index[h]]
    return sequence, reach


@njit(cache=True, nogil=True)
def mark_descendants(first_child, children, inside):
    """Extend the histories `inside` [H] to everything that follows them."""
    for h in range(inside.shape[0]):
        if inside[h]:
            for child in range(first_child[h], first_child[h] + children[h]):
                inside[child] = True


@njit(cache=True, nogil=True)
def roots_of(first_child, children, inside):
    """[H] the first history of `inside` on the path to each history; −1 outside."""
    root = np.full(inside.shape[0], -1, np.int32)
    if inside[0]:
        root[0] = 0
    for h in range(inside.shape[0]):
        for child in range(first_child[h], first_child[h] + children[h]):
            if inside[child]:
                root[child] = root[h] if inside[h] else child
    return root
