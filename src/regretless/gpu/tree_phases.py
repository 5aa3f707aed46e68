"""Treeplexes laid out for a GPU, and the phases of an iteration and of a measurement.

What the arrays mean is written where they are declared, in `regretless.kernels.tree_cuda.phase_layout`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.payoff_slices import Segments
from regretless.kernels.sequence_form.layout import STRIP_ACTIONS, STRIP_INFOSET, STRIP_SEQUENCE, SequenceForm
from regretless.kernels.tree_cuda.phase_layout import (
    BEST,
    CHUNKS,
    FIRST_PLANS,
    PHASE_AFTER,
    PHASE_BLOCKS,
    PHASE_FIRST,
    PHASE_KIND,
    PHASE_LAST,
    PHASE_RECORD,
    PLANS,
    PRODUCTS,
    TILE_RECORD,
    TOTALS,
    UPDATE,
    WAIT_FOR_BLOCK,
    WAIT_FOR_GRID,
    WAIT_FOR_NONE,
    Treeplexes,
)

__all__ = ["Levels", "iteration_phases", "lay_out_levels", "measure_phases", "treeplexes"]

Array = npt.NDArray[Any]

MOST_GROUPS = 32
"""Groups of threads in a tile: a thread then has one action of up to 32, and 512 threads still read 16 neighbouring
infosets, which are 128 bytes in double precision."""

LEVELS_OF_PLANS = 16
"""Levels whose plans are laid in one phase."""

TILES_FOR_ONE_BLOCK = 2
"""Levels with at most this many tiles, one after the other, are left to one block, which need not wait for others."""

MOST_CONTRIBUTIONS = 2**31 - 2**20
"""Kernels count them in 32 bits, and threads step past the last one."""


@dataclass(frozen=True)
class Levels:
    """Where the levels of all treeplexes lie."""

    tiles: Array  # [tiles, TILE_RECORD] int32
    tile_first: list[list[int]]  # by player and level: the first tile, and behind the last level the end
    sequence_first: list[list[int]]  # by player and level: the first sequence, likewise

    @property
    def most_tiles(self) -> int:
        """Tiles of the largest level."""
        return max((int(np.diff(first).max(initial=0)) for first in self.tile_first), default=0)


def lay_out_levels(form: SequenceForm, threads: int) -> Levels:
    """Cut the blocks of each level into tiles for blocks of `threads` threads."""
    heads = form.strips[form.block_strips[:-1]]  # the first strip of each block
    begins = heads[:, STRIP_SEQUENCE].astype(np.int64)
    infosets = np.diff(np.append(heads[:, STRIP_INFOSET], len(form.parent)))
    level = np.zeros(len(heads), np.int64)
    tiles: list[Array] = [np.zeros((0, TILE_RECORD), np.int32)]
    tile_first: list[list[int]] = []
    sequence_first: list[list[int]] = []
    count = 0
    for player in range(len(form.sequence_first) - 1):
        tile_first.append([])
        sequence_first.append([])
        for block in range(form.block_first[player], form.block_first[player + 1]):
            above = int(form.parent[heads[block, STRIP_INFOSET]])
            empty = above == form.sequence_first[player]
            level[block] = 0 if empty else level[np.searchsorted(begins, above, side="right") - 1] + 1
            if level[block] == len(tile_first[player]):
                tile_first[player].append(count)
                sequence_first[player].append(int(begins[block]))
            tiles.append(_tiles_of_block(heads[block], int(infosets[block]), threads))
            count += len(tiles[-1])
        tile_first[player].append(count)
        sequence_first[player].append(int(form.sequence_first[player + 1]))
    return Levels(np.concatenate(tiles), tile_first, sequence_first)


def _tiles_of_block(head: Array, infosets: int, threads: int) -> Array:
    """[tiles, TILE_RECORD] the tiles of a block of the treeplex; head: its first strip."""
    actions = int(head[STRIP_ACTIONS])
    groups = min(1 << (actions - 1).bit_length(), MOST_GROUPS, threads)
    lanes = threads // groups
    begin = np.arange(0, infosets, lanes)
    columns = [
        head[STRIP_SEQUENCE] + begin,
        head[STRIP_INFOSET] + begin,
        np.minimum(infosets - begin, lanes),
        *(np.full(len(begin), number) for number in (infosets, actions, groups)),
    ]
    return np.stack(columns, axis=1).astype(np.int32)


def treeplexes(form: SequenceForm, segments: Segments, levels: Levels) -> tuple[Treeplexes, Array]:
    """The arrays of all treeplexes, and the contribution [N] that each segment is written to."""
    sequences, parent = int(form.sequence_first[-1]), form.parent
    children = np.bincount(parent, minlength=sequences)
    first = np.concatenate([[0], np.cumsum(segments.counts + children)])
    if first[-1] > MOST_CONTRIBUTIONS:
        raise OptionError(f"a GPU takes trees of up to {MOST_CONTRIBUTIONS:,} sequences and infosets: use device='cpu'")
    by_parent = np.argsort(parent, kind="stable")
    birth = np.empty(len(parent), np.int64)
    birth[by_parent] = np.arange(len(parent)) - np.repeat(np.cumsum(children) - children, children)
    arrays = Treeplexes(
        contribution_first=first.astype(np.int32),
        infoset_slot=(first[parent] + segments.counts[parent] + birth).astype(np.int32),
        parent=_parent_sequences(form, sequences),
        tile=levels.tiles.ravel(),
    )
    return arrays, first[segments.sequence] + segments.number


def _parent_sequences(form: SequenceForm, sequences: int) -> Array:
    """[S] the last own sequence before each sequence, −1 for empty ones."""
    above = np.full(sequences, -1, np.int32)
    heads = form.strips[form.block_strips[:-1]]
    ends = np.append(heads[:, STRIP_INFOSET], len(form.parent))
    for block, head in enumerate(heads):
        own = form.parent[ends[block] : ends[block + 1]]
        size = len(own) * int(head[STRIP_ACTIONS])
        above[head[STRIP_SEQUENCE] : head[STRIP_SEQUENCE] + size] = np.tile(own, int(head[STRIP_ACTIONS]))
    return above


def _phase(kind: int, first: int, last: int, after: int = WAIT_FOR_GRID) -> Array:
    record = np.zeros(PHASE_RECORD, np.int32)
    record[[PHASE_KIND, PHASE_FIRST, PHASE_LAST, PHASE_AFTER]] = kind, first, last, after
    return record


def _sweep(kind: int, levels: Levels, player: int) -> list[Array]:
    """From a player's last level up to the first; small levels in a row are left to one block."""
    first = levels.tile_first[player]
    out = [_phase(kind, first[level], first[level + 1]) for level in range(len(first) - 2, -1, -1)]
    small = [phase[PHASE_LAST] - phase[PHASE_FIRST] <= TILES_FOR_ONE_BLOCK for phase in out]
    for index in range(len(out) - 1):
        if small[index] and small[index + 1]:
            out[index][PHASE_BLOCKS] = out[index + 1][PHASE_BLOCKS] = 1
            out[index][PHASE_AFTER] = WAIT_FOR_BLOCK
    return out


def _plans(levels: Levels, player: int) -> list[Array]:
    """From a player's first level down to the last, several levels at a time."""
    first = levels.sequence_first[player]
    out = []
    for level in range(0, len(first) - 1, LEVELS_OF_PLANS):
        end = first[min(level + LEVELS_OF_PLANS, len(first) - 1)]
        out.append(_phase(PLANS if level else FIRST_PLANS, first[level], end))
    return out or [_phase(FIRST_PLANS, first[0], first[0])]  # without infosets there is an empty sequence to average


def _products(segments: Segments, players: Iterable[int]) -> list[Array]:
    """The products of several players, which do not wait for each other."""
    slices = segments.player_slices
    out = [_phase(PRODUCTS, slices[player], slices[player + 1], WAIT_FOR_NONE) for player in players]
    out[-1][PHASE_AFTER] = WAIT_FOR_GRID
    return out


def iteration_phases(segments: Segments, levels: Levels, learning: Sequence[int], alternating: bool) -> Array:
    """[n, PHASE_RECORD] one iteration of CFR of the players `learning`, in turn or all at once."""
    out: list[Array] = [] if alternating else _products(segments, learning)
    for player in learning:
        if alternating:
            out += _products(segments, [player])
        out += _sweep(UPDATE, levels, player) + _plans(levels, player)
    return np.stack(out)


def measure_phases(segments: Segments, levels: Levels, players: Sequence[int]) -> Array:
    """[n, PHASE_RECORD] the values and the best responses of some players, given all players' plans."""
    out = _products(segments, players)
    out += [_phase(TOTALS, player * CHUNKS, (player + 1) * CHUNKS, WAIT_FOR_NONE) for player in players]
    out[-1][PHASE_AFTER] = WAIT_FOR_GRID
    for player in players:
        out += _sweep(BEST, levels, player)
    return np.stack(out)
