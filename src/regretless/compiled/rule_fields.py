"""The fields of a game as numbers and arrays, so that one compilation serves all parameters of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Field", "as_field"]

MOST_BITS = 63


@dataclass(frozen=True)
class Field:
    """A value that the rules need: a number, an array, or the rows of a table as one array and where each begins."""

    kind: str  # "number", "array" or "table"
    values: tuple[Any, ...]  # one, or two for a table


def as_field(value: Any) -> Field | str:
    """A value as compiled functions take it, or why they cannot."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | float):
        return Field("number", (value,))
    if isinstance(value, int):
        return Field("number", (value,)) if value.bit_length() <= MOST_BITS else _wide(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, range):
        value = tuple(value)
    if isinstance(value, tuple | list):
        return _sequence(value)
    return f"is {_shown(value)}"


def _array(value: npt.NDArray[Any]) -> Field | str:
    if value.dtype.kind not in "biuf":
        return f"is an array of {value.dtype}"
    kind = np.float64 if value.dtype.kind == "f" else np.int64
    return Field("array", (np.ascontiguousarray(value, kind),))


def _sequence(value: tuple[Any, ...] | list[Any]) -> Field | str:
    if all(isinstance(part, int | float | np.integer | np.floating) for part in value):
        wide = next((part for part in value if isinstance(part, int) and part.bit_length() > MOST_BITS), None)
        return Field("array", (_numbers(value),)) if wide is None else _wide(wide)
    if all(isinstance(part, tuple | list | range | np.ndarray) for part in value):
        rows = [_sequence(tuple(part)) for part in value]
        if all(isinstance(row, Field) and row.kind == "array" for row in rows):
            arrays = [row.values[0] for row in rows if isinstance(row, Field)]
            begin = np.concatenate([[0], np.cumsum([len(row) for row in arrays])]).astype(np.int64)
            flat = np.concatenate(arrays) if arrays else np.zeros(0, np.int64)
            return Field("table", (flat, begin))
        try:
            return _array(np.array(value))  # deeper ones must be rectangular
        except ValueError:
            return "is a table of tables whose rows differ in length"
    other = next(part for part in value if not isinstance(part, int | float))
    return f"holds {_shown(other)}"


def _numbers(value: tuple[Any, ...] | list[Any]) -> npt.NDArray[Any]:
    some_float = any(isinstance(part, float | np.floating) for part in value)
    return np.array(value, np.float64 if some_float else np.int64)


def _wide(value: int) -> str:
    return f"is a number of {value.bit_length()} bits, where compiled games have 64"


def _shown(value: Any) -> str:
    if value is None:
        return "None"
    text = repr(value)
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeio' else 'a'} {kind}" + (f", {text}" if len(text) <= 30 else "")
