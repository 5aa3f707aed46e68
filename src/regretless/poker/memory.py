"""How much memory a solve will take, said before it starts."""

from __future__ import annotations

import os
from pathlib import Path

from regretless.errors import OptionError
from regretless.poker.public_tree import PublicTree

__all__ = ["check_memory", "free_memory", "size_sentence"]


def free_memory() -> int | None:
    """Bytes that can be taken without swapping, or None where nobody says."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def size_sentence(tree: PublicTree, dtype: str, predictive: bool = False) -> str:
    """What a solve is about to work on, in one sentence."""
    streets = ", ".join(f"{count.decisions:,}" for count in tree.betting_tree.counts)
    needed = tree.bytes_needed(dtype, predictive)
    return (
        f"{tree.boards:,} boards, {streets} decision nodes by street, {tree.infosets:,} infosets, "
        f"{tree.infoset_actions:,} infoset-actions; {readable(needed)} as {dtype}"
    )


def check_memory(tree: PublicTree, dtype: str, predictive: bool = False) -> None:
    """Refuse a solve that will not fit into the memory that is free."""
    free, needed = free_memory(), tree.bytes_needed(dtype, predictive)
    if free is None or needed <= free:
        return
    smaller = [d for d in ("float32", "int16") if tree.bytes_needed(d, predictive) <= free and d != dtype]
    advice = f"dtype={smaller[0]!r} fits" if smaller else "take fewer bet sizes, narrower ranges or a later street"
    raise OptionError(
        f"this solve needs {readable(needed)} ({size_sentence(tree, dtype, predictive)}) and {readable(free)} are free: "
        f"{advice}"
    )


def readable(count: int) -> str:
    """Bytes as people say them."""
    amount = float(count)
    for unit in ("bytes", "KB", "MB"):
        if amount < 1_000:
            return f"{amount:.0f} {unit}" if unit != "bytes" else f"{count} bytes"
        amount /= 1_000
    return f"{amount:.2f} GB"
