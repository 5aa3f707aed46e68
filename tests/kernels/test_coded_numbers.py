"""Arrays of few different numbers as codes and a table."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.kernels import coded_numbers
from regretless.kernels.coded_numbers import CodedBuffer, coded


@pytest.mark.parametrize("shape", [(50,), (50, 2), (50, 3), (0,), (0, 2)])
@pytest.mark.parametrize("kinds", [1, 7, 400])
def test_numbers_come_back_bit_for_bit(shape: tuple[int, ...], kinds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coded_numbers, "CODED_AT_ONCE", 16)
    generator = np.random.default_rng(kinds)
    numbers = np.append(generator.normal(size=kinds), [-0.0, 0.0])[generator.integers(0, kinds + 2, shape)]
    found = coded(numbers)
    assert len(found) == shape[0] and found.numbers().shape == shape
    assert found.numbers().tobytes() == numbers.tobytes()
    assert len({row.tobytes() for row in found.table}) == len(found.table)


@pytest.mark.parametrize(
    ("kinds", "code"), [(256, np.uint8), (257, np.uint16), (65_536, np.uint16), (65_537, np.uint32)]
)
def test_the_smallest_code_that_holds_all(kinds: int, code: type) -> None:
    found = coded(np.arange(kinds, dtype=np.float64))
    assert found.code.dtype == code and found.nbytes == kinds * (np.dtype(code).itemsize + 8)


def test_a_buffer_grows_in_length_and_width() -> None:
    buffer, expected = CodedBuffer(()), np.zeros(0)
    for begin in (0, 3, 100, 250, 300, 2):
        piece = np.arange(begin, begin + 40, dtype=np.float64)
        buffer.append(coded(piece))
        expected = np.append(expected, piece)
    found = buffer.finish()
    assert np.array_equal(found.numbers(), expected) and found.code.dtype == np.uint8
