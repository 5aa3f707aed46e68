"""What somebody does who does not play by the numbers of a claim tree: one who forgets, or one whose infosets are met
on the way and kept in a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.numba_ext.atomics import fetch
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.regret_rules import at_least
from regretless.kernels.sampling.infoset_table import bare_infosets, find, hashed

BY_TREE, BY_MEMORY, BY_TABLE = range(3)
"""Whose numbers say what is done: those of the walk itself, weights by memory and hand, or a table of infosets."""


class Opponent(NamedTuple):
    """Somebody to reply to; C claims, H hands, M memories of the last claims."""

    kind: int
    child: npt.NDArray[np.int32]  # [M, C] the memory after a claim
    first: npt.NDArray[np.int64]  # [M] where the weights of a memory begin: [actions, H], the challenge last
    table: Any
    hands: npt.NDArray[np.int64]  # [H] the first word of the keys of a hand; the second is the set of claims
    part: int  # which run of the numbers of an infoset is played by
    weights: npt.NDArray[Any]  # of all memories, or the numbers of the table


@njit(nogil=True, forceinline=True)
def bare_opponent(opponent):
    """An opponent as a walk holds it."""
    return Opponent(
        opponent.kind, opponent.child, opponent.first, bare_infosets(opponent.table), opponent.hands, opponent.part,
        bare(opponent.weights),
    )  # fmt: skip


@njit(nogil=True)
def chances_of(opponent, memory, claimed, mover, actions, chances, at, wide):
    """Write to chances[at …] what the opponent does with every hand, a row of `wide` for each action; uniform where
    nothing is known."""
    hands, by_table = opponent.hands.shape[0], opponent.kind == BY_TABLE
    if by_table:  # all at once take little longer than one
        for hand in range(hands):
            fetch(
                opponent.table.slots,
                np.int64(hashed(opponent.hands[hand], claimed, mover) & np.uint64(opponent.table.mask)),
            )
    for hand in range(hands):
        place, apart = np.int64(0), hands
        if by_table:
            place, apart = find(opponent.table, opponent.hands[hand], claimed, mover), 1
            begin = place + opponent.part * actions
        else:
            begin = opponent.first[memory] + hand
        total = 0.0
        for action in range(actions):
            weight = at_least(np.float64(opponent.weights[begin + action * apart]), 0.0) if place >= 0 else 0.0
            chances[at + action * wide + hand] = weight
            total += weight
        for action in range(actions):
            to = at + action * wide + hand
            chances[to] = chances[to] / total if total > 0.0 else 1.0 / actions
