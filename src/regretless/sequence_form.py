"""The sequence form of a listed game (von Stengel 1996): treeplexes laid out in blocks, payoffs by rows and by columns.

What the arrays mean is written where they are declared, in `regretless.kernels.layout`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.layout import LONGEST_STRIP, SequenceForm
from regretless.kernels.listing import strip_ends, treeplex_levels
from regretless.payoffs import payoff_arrays

__all__ = ["Layout", "lay_out_infosets", "sequence_form"]

IntArray = npt.NDArray[Any]


@dataclass(frozen=True)
class Layout:
    """Where each infoset and each sequence of the listing goes: blocks by player, level and number of actions."""

    order: IntArray  # [I] listed infoset at each final place
    sequence: IntArray  # [S] final number of each provisional sequence
    parent: IntArray  # [I] final parent sequence of each final infoset
    first: IntArray  # [I] final sequence of action 0
    stride: IntArray  # [I] step from action to action
    player_infosets: IntArray  # [P + 1] first final infoset of each player
    player_sequences: IntArray  # [P + 1] first final sequence of each player
    blocks: list[tuple[int, int, int, int, int]]  # player, first infoset, infosets, first sequence, actions


def lay_out_infosets(players: int, player: IntArray, actions: IntArray, offset: IntArray, parent: IntArray) -> Layout:
    """Order infosets (all arguments [I], in the order listed; sequences provisional) into blocks.

    Levels are laid out from the root, since a block is sorted by the final numbers of its parents.
    """
    infosets = len(player)
    total = players + int(actions.sum())
    owner = np.full(total, -1, np.int32)
    owner[players:] = np.repeat(np.arange(infosets), actions)
    level = treeplex_levels(parent, owner)
    sequence = np.zeros(total, np.int64)
    order, first, stride = (np.zeros(infosets, np.int64) for _ in range(3))
    player_infosets, player_sequences = [0], [0]
    blocks: list[tuple[int, int, int, int, int]] = []
    place = number = 0
    by_level = np.lexsort((actions, level, player))
    keys = np.stack([player, level, actions])[:, by_level]
    starts = np.flatnonzero(np.any(np.diff(keys, axis=1, prepend=-1) != 0, axis=0)) if infosets else np.zeros(0, int)
    ends = np.append(starts[1:], infosets)
    runs = [(int(keys[0, s]), by_level[s:e]) for s, e in zip(starts, ends, strict=True)]
    for p in range(players):
        sequence[p] = number
        number += 1
        for _, members in (run for run in runs if run[0] == p):
            members = members[np.argsort(sequence[parent[members]], kind="stable")]
            count, width = len(members), int(actions[members[0]])
            blocks.append((p, place, count, number, width))
            order[place : place + count] = members
            first[place : place + count] = number + np.arange(count)
            stride[place : place + count] = count
            for action in range(width):
                sequence[offset[members] + action] = number + action * count + np.arange(count)
            place += count
            number += width * count
        player_infosets.append(place)
        player_sequences.append(number)
    return Layout(
        order, sequence, sequence[parent[order]], first, stride,
        np.array(player_infosets), np.array(player_sequences), blocks,
    )  # fmt: skip


def sequence_form(layout: Layout, ends: IntArray, reach: IntArray, payoffs: IntArray) -> SequenceForm:
    """Everything the kernels walk. ends [T, P] final sequences, reach [T] of chance, payoffs [T, P] chips."""
    return SequenceForm(
        sequence_first=layout.player_sequences.astype(np.int32),
        parent=layout.parent.astype(np.int32),
        **_strips(layout),
        **payoff_arrays(ends, reach, payoffs),
    )


def _strips(layout: Layout) -> dict[str, IntArray]:
    """The blocks, cut into strips."""
    rows: list[tuple[int, int, int, int, int]] = []
    players = len(layout.player_infosets) - 1
    block_first, block_strips = np.zeros(players + 1, np.int32), [0]
    for player, place, count, number, width in layout.blocks:
        block_first[player + 1 :] += 1
        cuts = strip_ends(layout.parent, place, place + count, LONGEST_STRIP)
        for begin, end in pairwise(cuts.tolist()):
            rows.append((number + begin - place, begin, end - begin, count, width))
        block_strips.append(len(rows))
    return {
        "block_first": block_first,
        "block_strips": np.array(block_strips, np.int32),
        "strips": np.array(rows, np.int32).reshape(-1, 5),
    }
