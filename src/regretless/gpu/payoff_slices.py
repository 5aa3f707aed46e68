"""Payoffs of a sequence form laid out for a GPU: rows become segments, segments become slices of 32.

What the arrays mean is written where they are declared, in `regretless.kernels.tree_cuda.phase_layout`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.sequence_form.layout import SequenceForm
from regretless.kernels.tree_cuda.phase_layout import CHUNKS, LANES, PayoffSlices
from regretless.kernels.tree_cuda.slice_filling import fill_packed, fill_plain

__all__ = ["Segments", "cut_into_segments", "different_payoffs", "payoff_slices"]

Array = npt.NDArray[Any]

LONGEST_SEGMENT = 16
"""Entries of a segment; of a row with more than the square of it, the square root of the number of its entries."""

LOOKED_AT = 1 << 20
"""Payoffs that are looked at in one go."""


@dataclass(frozen=True)
class Segments:
    """Rows of payoff entries cut into segments, in slices: N segments, K slices, P players."""

    sequence: Array  # [N] the row that each segment is a part of
    begin: Array  # [N] its first entry
    length: Array  # [N] its number of entries
    number: Array  # [N] its number within its row
    lane: Array  # [N] its place among the lanes of all slices
    slice_first: Array  # [K + 1] first padded entry of each slice
    player_slices: Array  # [P + 1] first slice of each player
    counts: Array  # [S] segments of each row


def cut_into_segments(form: SequenceForm) -> Segments:
    """Cut rows into segments and sort those of each player by length, longest first."""
    first = form.entry_first.astype(np.int64)
    entries = np.diff(first)
    longest = np.maximum(LONGEST_SEGMENT, np.ceil(np.sqrt(entries)).astype(np.int64))
    counts = -(-entries // longest)
    sequence = np.repeat(np.arange(len(entries)), counts)
    number = np.arange(len(sequence)) - np.repeat(np.cumsum(counts) - counts, counts)
    begin = first[sequence] + number * longest[sequence]
    length = np.minimum(first[sequence + 1] - begin, longest[sequence])
    player = np.searchsorted(form.sequence_first, sequence, side="right") - 1
    order = np.lexsort((-length, player))
    sequence, number, begin, length = sequence[order], number[order], begin[order], length[order]
    per_player = np.bincount(player, minlength=len(form.sequence_first) - 1)
    slices = np.concatenate([[0], np.cumsum(-(-per_player // LANES))])
    begins = np.cumsum(per_player) - per_player
    lane = np.arange(len(sequence)) + np.repeat(slices[:-1] * LANES - begins, per_player)
    lengths = np.zeros(slices[-1], np.int64)
    heads = lane % LANES == 0  # the first lane of a slice has its longest segment
    lengths[lane[heads] // LANES] = length[heads]
    slice_first = np.concatenate([[0], np.cumsum(lengths * LANES)])
    return Segments(sequence, begin, length, number, lane, slice_first, slices, counts)


def different_payoffs(payoff: Array, most: int) -> Array | None:
    """The different numbers of an array, sorted, with 0 among them; None if there are more than `most`."""
    known = np.zeros(1)
    for first in range(0, len(payoff), LOOKED_AT):
        looked = payoff[first : first + LOOKED_AT]
        place = np.minimum(np.searchsorted(known, looked), len(known) - 1)
        new = looked[known[place] != looked]
        if len(new):
            known = np.union1d(known, new)
            if len(known) > most:
                return None
    return known


def payoff_slices(form: SequenceForm, segments: Segments, slot: Array) -> tuple[PayoffSlices, int]:
    """The payoffs in slices, in double precision, and the bits of a sequence in a packed entry. slot [N]."""
    players, size = len(form.sequence_first) - 1, int(segments.slice_first[-1])
    bits = max(int(form.sequence_first[-1]) - 1, 1).bit_length()
    target = segments.slice_first[segments.lane // LANES] + segments.lane % LANES
    where = (segments.begin, segments.length, target)
    known = different_payoffs(form.payoff, 1 << (32 - bits)) if players == 2 else None
    if known is None:
        column, payoff = np.zeros((players - 1) * size, np.uint32), np.zeros(size)
        fill_plain(*where, form.column, form.payoff, column, payoff)
        packed = np.zeros(0, np.uint32)
    else:
        column, payoff = np.zeros(0, np.uint32), known
        nothing = np.uint32(int(np.searchsorted(known, 0.0)) << bits)
        packed = np.full(size, nothing, np.uint32)
        fill_packed(*where, form.column[0], _numbers(form.payoff, known), np.uint32(bits), packed)
    lanes = int(segments.player_slices[-1]) * LANES
    slots, sequences = np.full(lanes, -1, np.int32), np.zeros(lanes, np.int32)
    slots[segments.lane], sequences[segments.lane] = slot, segments.sequence
    ends = segments.player_slices
    cuts = [np.arange(CHUNKS + 1) * (ends[p + 1] - ends[p]) // CHUNKS + ends[p] for p in range(players)]
    arrays = PayoffSlices(
        first=segments.slice_first,
        slot=slots,
        sequence=sequences,
        packed=packed,
        column=column,
        payoff=payoff,
        chunk=np.concatenate(cuts).astype(np.int32),
    )
    return arrays, bits


def _numbers(payoff: Array, known: Array) -> Array:
    """[entries] the number of each payoff among the different ones."""
    numbers = np.empty(len(payoff), np.uint32)
    for first in range(0, len(payoff), LOOKED_AT):
        looked = payoff[first : first + LOOKED_AT]
        numbers[first : first + LOOKED_AT] = np.searchsorted(known, looked)
    return numbers
