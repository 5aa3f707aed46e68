"""Opponents in a claim tree whose strategy does not come from its own numbers: short memories and infoset tables."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import pointer, pointers, prefetch, smallest_normal
from regretless.kernels.regret_rules import at_least, probability
from regretless.kernels.sampling.infoset_table import find, hashed

BY_TREE, BY_MEMORY, BY_TABLE = range(3)
"""Where the strategy of an opponent comes from: the numbers of the walk itself, weights by memory and hand, or a table
of infosets."""


class Opponent(NamedTuple):
    """The opponent of a walk; C claims, H hands, M memories of the last claims."""

    kind: int
    child: npt.NDArray[np.int32]  # [M, C] the memory after a claim
    first: npt.NDArray[np.int64]  # [M] where the weights of a memory begin: [actions, H], the challenge last
    table: Any
    hands: npt.NDArray[np.int64]  # [H] the first word of the keys of a hand; the second is the set of claims
    part: int  # which run of an infoset's numbers the strategy is proportional to
    weights: npt.NDArray[Any]  # of all memories, or the numbers of the table


@inner
def opponent_pointers(opponent):
    """An opponent with pointers to its table and weights."""
    return Opponent(
        opponent.kind, opponent.child, opponent.first, pointers(opponent.table), opponent.hands, opponent.part,
        pointer(opponent.weights),
    )  # fmt: skip


@inner
def write_strategy(opponent, memory, claimed, mover, actions, probabilities, at, wide):
    """Write the opponent's strategy for every hand to probabilities[at …], a row of `wide` for each action; uniform for
    infosets that the opponent does not know."""
    hands, by_table = opponent.hands.shape[0], opponent.kind == BY_TABLE
    smallest = smallest_normal(opponent.weights)
    if by_table:  # loading all slots at once takes little longer than loading one
        for hand in range(hands):
            word = hashed(opponent.hands[hand], claimed, mover)
            prefetch(opponent.table.buckets, np.int64(word & np.uint64(opponent.table.mask)))
    for hand in range(hands):
        slot, apart = np.int64(0), hands
        if by_table:
            slot, apart = find(opponent.table, opponent.hands[hand], claimed, mover), 1
            begin = slot + opponent.part * actions
        else:
            begin = opponent.first[memory] + hand
        total = 0.0
        for action in range(actions):
            weight = at_least(np.float64(opponent.weights[begin + action * apart]), 0.0) if slot >= 0 else 0.0
            probabilities[at + action * wide + hand] = weight
            total += weight
        for action in range(actions):
            to = at + action * wide + hand
            probabilities[to] = probability(probabilities[to], total, actions, smallest)
