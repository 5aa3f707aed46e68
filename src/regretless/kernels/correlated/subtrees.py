"""The subtrees below every infoset of a player, laid out so that each one is a contiguous range.

Infosets are numbered in preorder, and each takes one *slot* per action. All sequences at an infoset and below it then
lie side by side. Deviations that begin at an infoset are computed on that range.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

Ints = npt.NDArray[np.int64]


class Subtrees(NamedTuple):
    """P players, I infosets in preorder, N slots: one for each sequence that is not empty."""

    player_first: Ints  # [P + 1] first infoset of each player
    infoset: Ints  # [I] the number of the infoset in the tree
    actions: Ints  # [I]
    begin: Ints  # [I] slot of action 0
    end: Ints  # [I] one past the last slot of the subtree
    last: Ints  # [I] one past the last infoset of the subtree
    parent: Ints  # [I] slot of the sequence that leads to the infoset; −1 for the empty sequence
    sequence: Ints  # [N] the sequence of each slot
    entry: Ints  # [I + 1] first entry of each infoset: it has one entry per action and per slot of its subtree


@njit(cache=True, nogil=True)
def preorder_slots(above, actions, player_slots):
    """The slot of action 0 of each infoset. above [I] the infoset above, or −1 − player; parents come first.

    player_slots [P] is the first slot of each player; it is used up as scratch.
    """
    infosets = above.shape[0]
    size = actions.copy()
    for i in range(infosets - 1, -1, -1):
        if above[i] >= 0:
            size[above[i]] += size[i]
    begin = np.empty(infosets, np.int64)
    free = np.empty(infosets, np.int64)
    for i in range(infosets):
        if above[i] < 0:
            begin[i] = player_slots[-1 - above[i]]
            player_slots[-1 - above[i]] += size[i]
        else:
            begin[i] = free[above[i]]
            free[above[i]] += size[i]
        free[i] = begin[i] + actions[i]
    return begin, size
