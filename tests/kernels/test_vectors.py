"""Sixteen numbers at once do what the same operations do on slices, compiled or not."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from regretless.kernels.numba_ext.pointers import pointer
from regretless.kernels.numba_ext.vectors import (
    WIDTH,
    divide,
    floor,
    gather_columns,
    load,
    maximum,
    minimum,
    multiply_add,
    scatter_columns,
    splat,
    store,
    where_at_least,
    where_positive,
)


@njit
def every_operation(a, b, out):
    first, second, target = pointer(a), pointer(b), pointer(out)
    x, y = load(first, 0), load(second, 0)
    half = splat(first, 0.5)
    store(target, 0 * WIDTH, x + y)
    store(target, 1 * WIDTH, x - y)
    store(target, 2 * WIDTH, x * y)
    store(target, 3 * WIDTH, multiply_add(x, y, half))
    store(target, 4 * WIDTH, maximum(x, y))
    store(target, 5 * WIDTH, minimum(x, y))
    store(target, 6 * WIDTH, where_positive(x, y, half))
    store(target, 7 * WIDTH, divide(x, y))
    store(target, 8 * WIDTH, where_at_least(y, half, x, y))
    store(target, 9 * WIDTH, floor(x))


@njit
def through_integers(numbers, coded, back):
    plain, whole, again = pointer(numbers), pointer(coded), pointer(back)
    store(whole, 0, load(plain, 0))
    store(again, 0, load(whole, 0) * splat(whole, 2.0))


@njit
def turned(rows, first, block, factor, again):
    source, offsets, target = pointer(rows), pointer(first), pointer(block)
    gather_columns(source, offsets, 1, target, 0)
    scatter_columns(target, 0, load(pointer(factor), 0), pointer(again), offsets, 1)


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
        a / b,
        np.where(b >= half, a, b),
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
