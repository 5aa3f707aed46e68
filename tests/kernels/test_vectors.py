"""Sixteen numbers at once do what the same operations do on slices, compiled or not."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.numba_ext.vectors import (
    WIDTH,
    by_sign,
    fused,
    larger,
    otherwise,
    put,
    ratio,
    rounded_down,
    smaller,
    spread,
    take,
    turn_in,
    turn_out,
)


@njit
def every_operation(a, b, out):
    first, second, target = bare(a), bare(b), bare(out)
    x, y = take(first, 0), take(second, 0)
    half = spread(first, 0.5)
    put(target, 0 * WIDTH, x + y)
    put(target, 1 * WIDTH, x - y)
    put(target, 2 * WIDTH, x * y)
    put(target, 3 * WIDTH, fused(x, y, half))
    put(target, 4 * WIDTH, larger(x, y))
    put(target, 5 * WIDTH, smaller(x, y))
    put(target, 6 * WIDTH, by_sign(x, y, half))
    put(target, 7 * WIDTH, ratio(x, y, half))
    put(target, 8 * WIDTH, otherwise(x, y, half))
    put(target, 9 * WIDTH, rounded_down(x))


@njit
def through_integers(numbers, coded, back):
    plain, whole, again = bare(numbers), bare(coded), bare(back)
    put(whole, 0, take(plain, 0))
    put(again, 0, take(whole, 0) * spread(whole, 2.0))


@njit
def turned(rows, first, block, factor, again):
    source, offsets, target = bare(rows), bare(first), bare(block)
    turn_in(source, offsets, 1, target, 0)
    turn_out(target, 0, take(bare(factor), 0), bare(again), offsets, 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_operations_work_number_by_number(dtype):
    random = np.random.default_rng(1)
    a, b = (random.normal(size=WIDTH).astype(dtype) for _ in range(2))
    out = np.zeros((10, WIDTH), dtype)
    every_operation(a, b, out)
    half = dtype(0.5)
    exact = [
        a + b,
        a - b,
        a * b,
        a * b + half,
        np.maximum(a, b),
        np.minimum(a, b),
        np.where(a > 0, b, half),
        np.where(b >= half, a / b, 0),
        np.where(b >= half, 0, a),
        np.floor(a),
    ]
    np.testing.assert_allclose(out, exact, rtol=4 * np.finfo(dtype).eps, atol=4 * np.finfo(dtype).eps)


def test_sixteen_bits_are_cut_off_and_read_back_as_float32():
    numbers = np.array([1.9, -1.9, 32_767.0, -32_767.0, *np.arange(12) + 0.25], np.float32)
    coded, back = np.zeros(WIDTH, np.int16), np.zeros(WIDTH, np.float32)
    through_integers(numbers, coded, back)
    assert coded.tolist() == [1, -1, 32_767, -32_767, *range(12)]
    assert back.tolist() == [2.0 * whole for whole in coded.tolist()]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_become_columns_and_come_back_times_a_factor(dtype):
    random = np.random.default_rng(2)
    rows = random.normal(size=(20, 40)).astype(dtype)
    chosen = random.permutation(20)[:WIDTH]
    block, again = np.zeros((WIDTH, WIDTH), dtype), np.zeros_like(rows)
    factor = random.normal(size=WIDTH).astype(dtype)
    turned(rows, chosen * 40, block, factor, again)
    assert np.array_equal(block, rows[chosen, 1 : 1 + WIDTH].T)
    expected = np.zeros_like(rows)
    expected[chosen, 1 : 1 + WIDTH] = factor[:, None] * rows[chosen, 1 : 1 + WIDTH]
    assert np.array_equal(again, expected)
