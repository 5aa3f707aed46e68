"""Compiled functions on plain arrays.

This room imports nothing of ours. A function here takes arrays and numbers, allocates nothing in its inner loops and
returns arrays or nothing. No function is compiled with fast-math: sums are taken in the order written, so a result has
the same bits on one thread and on many.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def forget_stale_machine_code(folder: Path) -> None:
    """Remove kept machine code if any kernel has changed since: Numba only looks at the file of the function itself,
    but kernels are compiled into each other."""
    stamp = folder / "__pycache__" / "newest-source"
    newest = max(file.stat().st_mtime_ns for file in folder.glob("*.py"))
    with suppress(OSError):
        if stamp.exists() and stamp.stat().st_mtime_ns == newest:
            return
        for file in folder.glob("__pycache__/*.nb[ic]"):
            file.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()
        os.utime(stamp, ns=(newest, newest))


forget_stale_machine_code(Path(__file__).parent)
