"""Compiled functions on plain arrays.

This room imports nothing of ours. A function here takes arrays and numbers, allocates nothing in its inner loops and
returns arrays or nothing. No function is compiled with fast-math: sums are taken in the order written, so a result has
the same bits on one thread and on many.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

IMPORTS = re.compile(r"^from regretless\.kernels\.(\w+) import", re.MULTILINE)


def forget_stale_machine_code(folder: Path) -> None:
    """Remove the kept machine code of kernels of which something that they are compiled from has changed since: Numba
    only looks at the file of the function itself, but kernels are compiled into each other."""
    stamp = folder / "__pycache__" / "sources.json"
    with suppress(OSError):
        changed = {file.stem: file.stat().st_mtime_ns for file in folder.glob("*.py")}
        with suppress(OSError, ValueError):
            before = json.loads(stamp.read_text())
            if before == changed:
                return
            stale = _built_from(folder, {name for name, when in changed.items() if before.get(name) != when})
            changed_only = tuple(f"{name}." for name in stale)
            _remove(folder, changed_only)
            stamp.write_text(json.dumps(changed))
            return
        _remove(folder, ("",))
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(json.dumps(changed))


def _built_from(folder: Path, changed: set[str]) -> set[str]:
    """Those kernels, and all that import them, directly or not."""
    imports = {file.stem: set(IMPORTS.findall(file.read_text())) for file in folder.glob("*.py")}
    found = set(changed)
    while more := {name for name, uses in imports.items() if uses & found} - found:
        found |= more
    return found


def _remove(folder: Path, beginnings: tuple[str, ...]) -> None:
    for file in folder.glob("__pycache__/*.nb[ic]"):
        if file.name.startswith(beginnings):
            file.unlink(missing_ok=True)


forget_stale_machine_code(Path(__file__).parent)
