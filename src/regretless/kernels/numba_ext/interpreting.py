"""Kernels run by Python itself: for a handful of numbers that is done long before a kernel is compiled or loaded."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

from numba.core.dispatcher import Dispatcher

__all__ = ["SMALL", "for_size"]

SMALL = 256
"""Up to this number of loop turns a kernel is interpreted: some milliseconds, where compiling takes 0.1 to 0.5 s."""


def for_size(function: Any, size: int, small: int | None = None) -> Any:
    """The function as it is, or for a small size its Python code; both compute the same bits.

    >>> from regretless.kernels.sequence_form.payoff_rows import rename_sequences
    >>> import numpy as np
    >>> ends = np.array([[0, 1]], np.int32)
    >>> for_size(rename_sequences, ends.size)(ends, np.array([5, 7], np.int32))
    >>> ends.tolist()
    [[5, 7]]
    """
    return interpreted(function) if size <= (SMALL if small is None else small) else function


@cache
def interpreted(function: Any) -> Any:
    """The Python code of a compiled function, with the functions that it calls interpreted as well."""
    if not isinstance(function, Dispatcher):
        return function  # numba is switched off
    code = function.py_func
    names = {name: _plain(found) for name, found in code.__globals__.items() if name in code.__code__.co_names}
    return FunctionType(code.__code__, {"__builtins__": __builtins__, **names}, code.__name__, code.__defaults__)


def _plain(found: Any) -> Any:
    return interpreted(found) if isinstance(found, Dispatcher) else found
