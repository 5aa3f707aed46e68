"""The bits of an array as differences of neighbours in planes of bytes, and back; nothing is lost.

The bits of a number, read as a whole number, less those of the number before it: neighbours of similar size share
their sign, exponent and first digits. A difference is mapped to 0, 1, 2, … for 0, −1, 1, … (zigzag), so that small ones
have high bytes of zero. The bytes of one significance lie together, the lowest first.
"""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import kernel

POSITIVE = (1 << 63) - 1


@kernel
def encode_bits(bits, itemsize, planes):
    """planes [itemsize · N] ← the codes of bits [N], integers of `itemsize` bytes."""
    unused, count, before = 64 - 8 * itemsize, bits.shape[0], 0
    for i in range(count):
        change = ((bits[i] - before) << unused) >> unused
        before = bits[i]
        code = (change << 1) ^ (change >> 63)
        for k in range(itemsize):
            planes[k * count + i] = (code >> (8 * k)) & 255


@kernel
def decode_bits(planes, itemsize, bits):
    """bits [N] ← what `encode_bits` was given."""
    unused, count, before = 64 - 8 * itemsize, bits.shape[0], 0
    for i in range(count):
        code = 0
        for k in range(itemsize):
            code |= planes[k * count + i] << (8 * k)
        change = ((code >> 1) & POSITIVE) ^ -(code & 1)
        before = ((before + change) << unused) >> unused
        bits[i] = before
