"""Tables by bucket in 16 bits: whole numbers with one scale for each block of 64 numbers of a node.

A number x becomes ⌊x / s + u⌋ with s = the block's largest |x| / 32,767 and u drawn uniformly from [0, 1). Its expected
value is x / s, so that small amounts are not lost when they are added to a large number time after time: the sum is
right on average. The draw is a hash of a seed and of the number's place. It depends on nothing else.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import inner, kernel

BLOCK = 64
LARGEST = 32_767

FIRST, FIRST_BLOCK, SIZE, LOCAL = range(4)
"""Columns of `places`: a table's first number, its first block, its size, and where it begins in a buffer."""


@kernel
def decode_tables(codes, scale, places, numbers):
    """numbers ← the tables of places [tables, 4], one after the other as their last column says."""
    for table in range(places.shape[0]):
        first, local = places[table, FIRST], places[table, LOCAL]
        for k in range(places[table, SIZE]):
            numbers[local + k] = codes[first + k] * scale[places[table, FIRST_BLOCK] + k // BLOCK]


@kernel
def encode_tables(numbers, places, seed, codes, scale):
    """Write the codes and scales of tables; numbers and places as in `decode_tables`."""
    for table in range(places.shape[0]):
        first, local, size = places[table, FIRST], places[table, LOCAL], places[table, SIZE]
        for begin in range(0, size, BLOCK):
            end = min(begin + BLOCK, size)
            largest = numbers[local] * 0
            for k in range(begin, end):
                largest = max(largest, abs(numbers[local + k]))
            block = places[table, FIRST_BLOCK] + begin // BLOCK
            scale[block] = largest / LARGEST
            if not scale[block] > 0:  # all are 0, or too small for a scale
                scale[block] = 0
                for k in range(begin, end):
                    codes[first + k] = 0
                continue
            for k in range(begin, end):
                exact = np.float64(numbers[local + k]) / scale[block]
                code = np.floor(exact + drawn(seed, first + k))
                codes[first + k] = np.int16(min(max(code, -LARGEST), LARGEST))


@inner
def drawn(seed, place):
    """A number from [0, 1) for a place: the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    mixed = np.uint64(seed) + np.uint64(place) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.float64(mixed >> np.uint64(11)) / 9007199254740992.0
