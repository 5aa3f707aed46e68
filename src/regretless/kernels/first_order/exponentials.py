"""exp and log in arithmetic alone, without branches or calls: loops over them become vector instructions.

Both agree with the library functions to a few units in the last place in the ranges that they are written for.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LOG2_E = 1.4426950408889634
LN2_HIGH = 0.6931471803691238  # ln 2 with 21 zero bits at the end, so that its product with a small integer is exact
LN2_LOW = 1.9082149292705877e-10

ROUNDING = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to an integer, which then stands in the low bits
ROUNDING_BITS = np.int64(0x4338000000000000)
HALF_ROOT_BITS = np.int64(0x3FE6A09E667F3BCD)  # √½

SMALLEST_EXPONENT = -100.0
"""e^−100 is about 4 · 10⁻⁴⁴: nothing beside 1, and the product of seven such numbers along a plan is still normal.
Arithmetic on subnormal numbers is slow."""


@njit(inline="always")
def exp_below(x):
    """e^x for x ≤ 0; below −100 it is e^−100, about 4 · 10⁻⁴⁴.

    x = n · ln 2 + r with |r| ≤ ln 2 / 2; e^r is its Taylor series to r¹³ (error below 10⁻¹⁷), 2ⁿ is put together from
    bits.
    """
    x = x if x > SMALLEST_EXPONENT else SMALLEST_EXPONENT
    shifted = np.float64(x * LOG2_E + ROUNDING)
    n = shifted - ROUNDING
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    series = 1.0 / 6227020800.0
    series = series * r + 1.0 / 479001600.0
    series = series * r + 1.0 / 39916800.0
    series = series * r + 1.0 / 3628800.0
    series = series * r + 1.0 / 362880.0
    series = series * r + 1.0 / 40320.0
    series = series * r + 1.0 / 5040.0
    series = series * r + 1.0 / 720.0
    series = series * r + 1.0 / 120.0
    series = series * r + 1.0 / 24.0
    series = series * r + 1.0 / 6.0
    series = series * r + 0.5
    series = series * r + 1.0
    series = series * r + 1.0
    bits = np.int64((shifted.view(np.int64) - ROUNDING_BITS + np.int64(1023)) << np.int64(52))
    return series * bits.view(np.float64)


@njit(inline="always")
def log_above(y):
    """ln y for normal y ≥ 1.

    y = 2ᵉ · m with √½ ≤ m < √2; ln m = 2 artanh s with s = (m − 1) / (m + 1), |s| ≤ 0.172, as its series to s²³.
    """
    number = np.float64(y)
    bits = number.view(np.int64)
    exponent = (bits - HALF_ROOT_BITS) >> np.int64(52)
    mantissa_bits = np.int64(bits - (exponent << np.int64(52)))
    mantissa = mantissa_bits.view(np.float64)
    exponent_bits = np.int64(exponent + ROUNDING_BITS)
    e = exponent_bits.view(np.float64) - ROUNDING
    s = (mantissa - 1.0) / (mantissa + 1.0)
    q = s * s
    series = 1.0 / 23.0
    series = series * q + 1.0 / 21.0
    series = series * q + 1.0 / 19.0
    series = series * q + 1.0 / 17.0
    series = series * q + 1.0 / 15.0
    series = series * q + 1.0 / 13.0
    series = series * q + 1.0 / 11.0
    series = series * q + 1.0 / 9.0
    series = series * q + 1.0 / 7.0
    series = series * q + 1.0 / 5.0
    series = series * q + 1.0 / 3.0
    series = series * q + 1.0
    return e * LN2_HIGH + (2.0 * s * series + e * LN2_LOW)
