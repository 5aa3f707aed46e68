"""Python processes that the applications start: where they find the library, and limits on what they may use."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

__all__ = ["child_environment", "limit_memory", "when_parent_ends"]


def child_environment() -> dict[str, str]:
    """The environment in which a child process imports the same modules as this process."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def limit_memory(most: int) -> None:
    """Let allocations of this process fail beyond `most` bytes. Without effect where the system has no such limit."""
    try:
        import resource
    except ImportError:  # Windows
        return
    # Linux counts private writable memory as data. The whole address space would also count files that are mapped and
    # addresses that are only reserved, which is many times what a process uses.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    hard = resource.getrlimit(kind)[1]
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def when_parent_ends(act: Callable[[], None]) -> None:
    """Call `act` in a thread when the process that holds the other end of standard input ends, however it ends.

    The system closes the pipe of a killed process. A signal on the parent's death (Linux has one) would also come
    when only the thread that started this process has ended.
    """

    def watch() -> None:
        while os.read(0, 4096):
            pass
        act()

    threading.Thread(target=watch, daemon=True).start()
