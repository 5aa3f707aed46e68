"""Payoff entries copied from compressed rows into slices, on the CPU."""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.tree_cuda.phase_layout import LANES


@kernel
def fill_packed(begin, length, target, column, number, bits, packed):
    """packed[target + 32 e] ← payoff number and column of a segment's e-th entry.

    begin, length, target [segments]: entries of a segment, and where its lane begins; column, number [entries].
    """
    for segment in range(begin.shape[0]):
        position = target[segment]
        for entry in range(begin[segment], begin[segment] + length[segment]):
            packed[position] = (number[entry] << bits) | column[entry]
            position += LANES


@kernel
def fill_plain(begin, length, target, column, payoff, columns, payoffs):
    """The same with columns [P − 1, entries] and payoffs [entries] in arrays of their own."""
    size = payoffs.shape[0]
    for segment in range(begin.shape[0]):
        position = target[segment]
        for entry in range(begin[segment], begin[segment] + length[segment]):
            payoffs[position] = payoff[entry]
            for other in range(column.shape[0]):
                columns[other * size + position] = column[other, entry]
            position += LANES
