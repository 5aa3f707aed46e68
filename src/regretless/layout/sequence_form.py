"""The sequence form of a listed game (von Stengel 1996): treeplexes laid out in blocks, payoffs by rows and by columns.

What the arrays mean is written where they are declared, in `regretless.kernels.sequence_form.layout`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.coded_numbers import CodedNumbers
from regretless.kernels.sequence_form.layout import LONGEST_STRIP, SequenceForm
from regretless.kernels.sequence_form.sequence_tracing import strip_ends, treeplex_levels
from regretless.layout.payoffs import payoff_arrays

__all__ = ["Layout", "lay_out_infosets", "sequence_form"]

IntArray = npt.NDArray[Any]


@dataclass(frozen=True)
class Layout:
    """Where each infoset and each sequence of the listing goes: blocks by player, level and number of actions."""

    order: IntArray  # [I] listed infoset at each final position
    sequence: IntArray  # [S] final number of each provisional sequence
    parent: IntArray  # [I] final parent sequence of each final infoset
    first: IntArray  # [I] final sequence of action 0
    stride: IntArray  # [I] step from action to action
    sequence_first: IntArray  # [P + 1] first final sequence of each player
    block_first: IntArray  # [P + 1] first block of each player
    block_strips: IntArray  # [blocks + 1] first strip of each block
    strips: IntArray  # [strips, 5]


def lay_out_infosets(players: int, player: IntArray, actions: IntArray, offset: IntArray, parent: IntArray) -> Layout:
    """Order infosets into blocks. All arrays [I], in the order listed; offset and parent are provisional sequences.

    Levels are placed from the root on, since a block is sorted by the final numbers of its parents.
    """
    infosets, total = len(player), players + int(actions.sum())
    owner = np.full(total, -1, np.int32)
    owner[players:] = np.repeat(np.arange(infosets), actions)
    level = treeplex_levels(parent, owner)
    order = np.lexsort((actions, level, player))
    keys = np.stack([player, level, actions])[:, order]
    begins = np.flatnonzero(np.any(np.diff(keys, axis=1, prepend=-1) != 0, axis=0))
    blocks = np.split(order, begins[1:]) if infosets else []

    sequence = np.zeros(total, np.int64)
    first, stride = np.zeros(infosets, np.int64), np.zeros(infosets, np.int64)
    sequence_first, block_first, block_strips = [0], [0], [0]
    strips: list[IntArray] = []
    place = number = 0
    for p in range(players):
        sequence[p] = number
        number += 1
        mine = [block for block in blocks if player[block[0]] == p]
        for block in mine:
            members, cuts = _in_strips(block, sequence[parent[block]])
            count, width = len(members), int(actions[members[0]])
            order[place : place + count] = members
            first[place : place + count] = number + np.arange(count)
            stride[place : place + count] = count
            numbers = number + np.arange(width)[:, None] * count + np.arange(count)
            sequence[offset[members] + np.arange(width)[:, None]] = numbers
            pieces = len(cuts) - 1
            whole = np.full(pieces, count), np.full(pieces, width)
            strips.append(np.stack([number + cuts[:-1], place + cuts[:-1], np.diff(cuts), *whole], axis=1))
            block_strips.append(block_strips[-1] + pieces)
            place += count
            number += width * count
        sequence_first.append(number)
        block_first.append(block_first[-1] + len(mine))
    return Layout(
        order=order,
        sequence=sequence,
        parent=sequence[parent[order]],
        first=first,
        stride=stride,
        sequence_first=np.array(sequence_first),
        block_first=np.array(block_first),
        block_strips=np.array(block_strips),
        strips=np.concatenate([np.zeros((0, 5), np.int64), *strips]),
    )


def _in_strips(block: IntArray, parent: IntArray) -> tuple[IntArray, IntArray]:
    """A block's infosets in final order, and where its strips begin and end. parent [infosets] final sequences."""
    by_parent = np.argsort(parent, kind="stable")
    block, parent = block[by_parent], parent[by_parent]
    cuts = strip_ends(parent, 0, len(block), LONGEST_STRIP)
    strip = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    begins = np.diff(parent, prepend=-1) != 0
    index = np.arange(len(block))
    birth = index - np.maximum.accumulate(np.where(begins, index, 0))  # 0 for first children, 1 for second …
    return block[np.lexsort((birth, strip))], cuts


def sequence_form(layout: Layout, ends: IntArray, reach: CodedNumbers, payoffs: CodedNumbers) -> SequenceForm:
    """Everything the kernels walk. ends [T, P] final sequences, reach [T] of chance, payoffs [T, P] chips."""
    return SequenceForm(
        sequence_first=layout.sequence_first.astype(np.int32),
        parent=layout.parent.astype(np.int32),
        block_first=layout.block_first.astype(np.int32),
        block_strips=layout.block_strips.astype(np.int32),
        strips=layout.strips.astype(np.int32),
        **payoff_arrays(ends, reach, payoffs, int(layout.sequence_first[-1])),
    )
