"""SciPy's linear algebra is imported by what multiplies matrices; Numba's tables are filled by what compiles."""

from __future__ import annotations

import subprocess
import sys

import pytest

from conftest import INTERPRETED

SOLVE = """
import sys
import numpy as np
import regretless as rg
run = rg.solve("kuhn", iterations=5)
assert "scipy.linalg" not in sys.modules
"""

LOADED = (
    SOLVE
    + """
assert "numba.typed.typedlist" not in sys.modules  # kernels came from disk
assert run.strategy == rg.solve("kuhn", iterations=5).strategy
"""
)

COMPILED = """
import numba
half = numba.njit(lambda a: a[::2].sum())
assert half(np.arange(6.0)) == 6.0
assert "numba.typed.typedlist" in sys.modules
"""

MULTIPLY = """
import numba
product = numba.njit(lambda a, b: a @ b)
a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
assert np.array_equal(product(a, b), a @ b)
assert "scipy.linalg" in sys.modules
"""


@pytest.mark.skipif(INTERPRETED, reason="interpreted kernels need no compiler")
@pytest.mark.parametrize(
    "program", [pytest.param(SOLVE, id="solve"), pytest.param(SOLVE + MULTIPLY, id="multiply", marks=pytest.mark.full)]
)
def test_linear_algebra_is_imported_late(program: str) -> None:
    run(program)


@pytest.mark.skipif(INTERPRETED, reason="interpreted kernels need no compiler")
def test_kernels_on_disk_are_loaded_without_numbas_tables() -> None:
    run(SOLVE)  # compiled now, if not before
    run(LOADED + COMPILED)


def run(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
