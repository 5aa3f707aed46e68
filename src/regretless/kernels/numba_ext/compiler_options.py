"""Comparing Numba's compiler options without listing all of them.

For every operation of a function Numba looks up known implementations in dictionaries whose keys contain the compiler
options. Hashing and comparing options lists about fifty properties each time, which is a tenth of the time to compile.
The functions here give the same answers from what is stored.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.core.targetconfig import TargetConfig

__all__ = ["compare_options_quickly"]


@cache
def _hash_of(kind: Any) -> int:
    """The hash of all options of a kind: Numba hashes the names of the options and not their values."""
    return hash(tuple(sorted(kind.options)))


def _options_hash(self: Any) -> int:
    kind: Any = type(self)
    return _hash_of(kind)


def _quick_equality(full: Any) -> Any:
    """Numba's comparison, made only where stored options differ: one may be stored with its default value."""

    def equal(self: Any, other: Any) -> Any:
        if type(self) is type(other) and self._values == other._values:
            return True
        return full(self, other)

    equal.__name__ = "quick_equality"
    return equal


def compare_options_quickly() -> None:
    """Make Numba use the functions above; without effect after the first call, and where Numba stores otherwise."""
    kind: Any = TargetConfig
    if kind.__eq__.__name__ != "quick_equality" and hasattr(kind(), "_values"):
        kind.__hash__, kind.__eq__ = _options_hash, _quick_equality(kind.__eq__)
