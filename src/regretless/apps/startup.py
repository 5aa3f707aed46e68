"""A quick start: a command that solves a small game spends its time importing, and much of that can be left out."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["load_compiler", "started", "starting"]


@contextmanager
def starting() -> Iterator[None]:
    """Until `started`, no garbage is collected: in modules being imported there is none, but looking takes 0.3 s."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def started() -> None:
    """Everything is imported: collect garbage from here on, and only what is made from here on."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def load_compiler() -> None:
    """Import numba and what it loads at its first compiled call, without all of scipy.linalg.

    To see whether BLAS is there, numba imports scipy.linalg: 0.2 s that no kernel of ours needs. The import is skipped
    here; numba does it all the same where a function that needs BLAS is compiled. Should another version of numba look
    different inside, nothing happens but a slower start.
    """
    try:
        from numba.np import linalg

        checked, linalg.ensure_blas = linalg.ensure_blas, linalg._check_lapack_int_width
    except (ImportError, AttributeError):
        return
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = checked
