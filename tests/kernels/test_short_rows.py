"""Rows in a register against the same functions in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conftest import INTERPRETED
from regretless.kernels.numba_ext import short_rows as rows
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.numba_ext.pointers import pointer

SIZE = 12
pytestmark = pytest.mark.skipif(INTERPRETED, reason="compares compiled code with Python")


@kernel
def read(numbers: Any, index: int, count: int, start: float) -> Any:
    """What can be read from a row: its sum, what is left of `start`, differences of at least 0, positive lanes."""
    row = rows.positive_row(pointer(numbers), index, count)
    left, passed = rows.subtract_in_order(start, row)
    return rows.sum_in_order(start, row), left, passed, rows.positive_bits(row)


@kernel
def write(numbers: Any, source: Any, index: int, count: int, scale: float, lane: int) -> None:
    """Add a row, the numbers of another array, and then numbers of which one differs."""
    to = pointer(numbers)
    rows.add_row(to, index, count, scale, rows.positive_row(pointer(source), index, count))
    rows.add_numbers(to, index, count, pointer(source), index)
    rows.add_to_row(to, index, count, scale, lane, 2.5)


@kernel
def highest(word: int) -> int:
    return rows.highest_bit(word)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_rows_have_the_bits_of_a_loop(count: int, dtype: Any) -> None:
    numbers = np.random.default_rng(count).normal(size=SIZE).astype(dtype)
    for index in range(SIZE - count):
        assert read(numbers, index, count, 0.3) == read.py_func(numbers, index, count, 0.3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_nothing_behind_a_row_changes(count: int, dtype: Any) -> None:
    generator = np.random.default_rng(count)
    for index in range(SIZE - count):
        numbers, source = (generator.normal(size=SIZE).astype(dtype) for _ in range(2))
        for lane in (-1, 0, count - 1, count):
            ours, expected = numbers.copy(), numbers.copy()
            write(ours, source, index, count, 0.7, lane)
            write.py_func(expected, source, index, count, 0.7, lane)
            end = index + min(count, rows.LANES)
            assert ours.tobytes() == expected.tobytes()
            assert np.array_equal(ours[:index], numbers[:index]) and np.array_equal(ours[end:], numbers[end:])


def test_the_highest_bit() -> None:
    for bit in range(62):
        assert highest(1 << bit) == highest(2**bit + (2**bit - 1)) == bit == highest.py_func(1 << bit)
