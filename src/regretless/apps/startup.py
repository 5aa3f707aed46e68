"""A quick start: a command that solves a small game spends its time importing, and much of that can be left out."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["started", "starting"]


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
