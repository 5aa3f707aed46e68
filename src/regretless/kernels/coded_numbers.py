"""Arrays of few different numbers, kept as a small code for each and a table.

A large game has few different payoffs and chance probabilities: one byte instead of eight or sixteen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.row_codes import code_rows

__all__ = ["CodedBuffer", "CodedNumbers", "coded", "grown", "resized"]

Array = npt.NDArray[Any]

CODED_AT_ONCE = 1 << 20
"""Rows that are coded in one go, which bounds the scratch."""


@dataclass(frozen=True)
class CodedNumbers:
    """Rows of numbers: row i is table[code[i]]; exactly the numbers that were coded, bit for bit."""

    code: Array  # [N] uint8, uint16 or uint32: the smallest that holds the rows of the table
    table: Array  # [K] or [K, columns] float64

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return int(self.code.nbytes + self.table.nbytes)

    def __len__(self) -> int:
        return len(self.code)

    def numbers(self) -> Array:
        """[N] or [N, columns] the numbers themselves, as a new array."""
        out: Array = self.table[self.code]
        return out


def coded(numbers: Array) -> CodedNumbers:
    """The code of an array of float64 [N] or [N, columns]."""
    out = CodedBuffer(numbers.shape[1:])
    for begin in range(0, len(numbers), CODED_AT_ONCE):
        out.append(_coded_at_once(numbers[begin : begin + CODED_AT_ONCE]))
    return out.finish()


class CodedBuffer:
    """Rows that are appended piece by piece; `finish` returns all of them."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        """shape: of a row."""
        self.shape, self.size = shape, 0
        self.known: dict[bytes, int] = {}
        self.code: Array = np.zeros(0, np.uint8)

    def append(self, piece: CodedNumbers) -> None:
        """Copy the rows of `piece` to the end."""
        numbers = np.array([self.known.setdefault(row.tobytes(), len(self.known)) for row in piece.table], np.int64)
        kind, end = _code_type(len(self.known)), self.size + len(piece)
        if np.dtype(kind).itemsize > self.code.itemsize:
            self.code = self.code.astype(kind)
        if end > len(self.code):
            self.code = resized(self.code, grown(len(self.code), end))
        if len(piece):
            self.code[self.size : end] = numbers.astype(self.code.dtype)[piece.code]
        self.size = end

    def finish(self) -> CodedNumbers:
        """All rows; the buffer is used up."""
        table = np.frombuffer(b"".join(self.known), np.float64).reshape(-1, *self.shape).copy()
        return CodedNumbers(resized(self.code, self.size), table)


def grown(length: int, needed: int) -> int:
    """The next length of a buffer: a bit more than is needed, because the system sets what is added to zero."""
    return max(needed, length + length // 8)


def resized(array: Array, length: int) -> Array:
    """The same array with another length, zeros at its end; nothing is copied where the system can move it."""
    array.resize((length, *array.shape[1:]), refcheck=False)
    return array


def _coded_at_once(numbers: Array) -> CodedNumbers:
    rows = np.ascontiguousarray(numbers, np.float64)
    code, first = coded_rows(rows)
    return CodedNumbers(code.astype(_code_type(len(first))), rows[first])


def coded_rows(rows: Array) -> tuple[Array, Array]:
    """Which kind each row of float64 is [N], and the first row of each kind, in the order of their occurrence.

    Rows are compared by bits: 0.0 and -0.0 stay what they are.
    """
    bits = rows.view(np.int64).reshape(len(rows), -1)
    code, first = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
    kinds = int(code_rows(bits, np.zeros(2 << len(rows).bit_length(), np.int32), code, first))
    return code, first[:kinds]


def _code_type(kinds: int) -> npt.DTypeLike:
    return np.uint8 if kinds <= 1 << 8 else np.uint16 if kinds <= 1 << 16 else np.uint32
