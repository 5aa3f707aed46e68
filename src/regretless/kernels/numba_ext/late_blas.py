"""Numba's array functions without SciPy's linear algebra, which no kernel uses.

When Numba compiles or loads its first function, it imports its array functions, and they import SciPy's linear algebra
to find out whether it is there. That takes a fifth of the time to start. SciPy is a dependency of this package, so
the answer is known. A function that multiplies matrices still imports SciPy when it is compiled.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

__all__ = ["import_array_functions"]


def import_array_functions() -> None:
    """Import Numba's array functions now, if they are not yet imported, without the check for linear algebra."""
    if "numba.np.arraymath" in sys.modules:
        return
    linalg: Any = import_module("numba.np.linalg")
    check = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        arraymath: Any = import_module("numba.np.arraymath")
        arraymath.ensure_blas = check
    finally:
        linalg.ensure_blas = check
