"""Sums of payoffs times plans of the other players, one segment of a slice for a thread.

A packed entry costs 4 bytes and one number gathered from the other player's plan. Four entries are read at a time, so
that a thread waits for memory once and not four times.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.cuda_target import divided, embedded, int32, load
from regretless.kernels.tree_cuda.phase_layout import LANES


@embedded
def packed_entry(slices, plan, position, bits):
    """Payoff times plan of one packed entry."""
    entry = np.uint32(slices.packed[position])
    number = entry >> np.uint32(bits)
    return np.float64(load(slices.payoff, number)) * load(plan, entry - (number << np.uint32(bits)))


@embedded
def packed_segment(slices, plan, position, end, bits):
    """The sum over a segment of packed entries; position, end: of its lane."""
    step, four = np.uint64(LANES), np.uint64(4 * LANES)
    total = 0.0
    while position + four <= end:
        one = packed_entry(slices, plan, position, bits)
        two = packed_entry(slices, plan, position + step, bits)
        three = packed_entry(slices, plan, position + step + step, bits)
        last = packed_entry(slices, plan, position + step + step + step, bits)
        total += (one + two) + (three + last)
        position += four
    while position < end:
        total += packed_entry(slices, plan, position, bits)
        position += step
    return total


@embedded
def plain_segment(slices, plan, position, end, others):
    """The sum over a segment of entries with a column for each other player."""
    step, size = np.uint64(LANES), np.uint64(slices.payoff.size)
    total = 0.0
    while position < end:
        product = np.float64(slices.payoff[position])
        column = position
        for _ in range(others):
            product *= load(plan, slices.column[column])
            column += size
        total += product
        position += step
    return total


@embedded
def add_products(slices, plan, contribution, rules, first, last, thread, threads):
    """Contributions of the payoffs of slices first … last − 1, shared among `threads`."""
    item, end = int32(first * LANES + thread), int32(last * LANES)
    while item < end:
        slot = slices.slot[item]
        if slot >= 0:
            number = divided(item, LANES)
            position = np.uint64(slices.first[number] + (item - number * LANES))
            stop = np.uint64(slices.first[number + 1])
            if slices.packed.size > 0:
                total = packed_segment(slices, plan, position, stop, rules.bits)
            else:
                total = plain_segment(slices, plan, position, stop, rules.others)
            contribution[slot] = total
        item = int32(item + threads)
