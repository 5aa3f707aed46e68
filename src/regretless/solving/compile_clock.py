"""How long Numba has been compiling in this process, and a notice when it starts.

Kernels are compiled when they are first used on a machine and then kept on disk. That time is not the solver's: the
clock of `seconds=` leaves it out, and a user who waits is told why.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

__all__ = ["COMPILING", "compile_seconds", "on_compiling"]

COMPILING = "compiling, once per machine"

NOTICE_AFTER = 1.0
"""Seconds of compiling after which a terminal gets a line about it."""


class _Clock(event.Listener):
    """Adds up the time in which at least one function is being compiled; compilations nest, and threads compile too."""

    def __init__(self) -> None:
        self.total, self.depth, self.began = 0.0, 0, 0.0
        self.lock = threading.Lock()
        self.inform: Callable[[], None] | None = None
        self.noticed = False

    def on_start(self, event: Any) -> None:
        """A function begins to be compiled."""
        with self.lock:
            self.depth += 1
            if self.depth == 1:
                self.began = time.perf_counter()
        if self.inform is not None:
            self.inform()

    def on_end(self, event: Any) -> None:
        """It is compiled, or has failed."""
        with self.lock:
            self.depth -= 1
            if self.depth == 0:
                self.total += time.perf_counter() - self.began
        if self.inform is None and not self.noticed and self.total > NOTICE_AFTER and sys.stderr.isatty():
            self.noticed = True
            print(f"regretless: {COMPILING} …", file=sys.stderr)


_CLOCK = _Clock()
event.register("numba:compile", _CLOCK)


def compile_seconds() -> float:
    """Seconds that this process has spent compiling so far."""
    with _CLOCK.lock:
        return _CLOCK.total + (time.perf_counter() - _CLOCK.began if _CLOCK.depth else 0.0)


@contextmanager
def on_compiling(notify: Callable[[], None]) -> Iterator[None]:
    """Call `notify` whenever a function begins to be compiled, instead of writing a line to the terminal."""
    before, _CLOCK.inform = _CLOCK.inform, notify
    try:
        yield
    finally:
        _CLOCK.inform = before
