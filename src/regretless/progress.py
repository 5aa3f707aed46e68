"""The live line under a long solve: iteration, rate, exploitability, time left."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType
from typing import Any

__all__ = ["Display", "NoDisplay"]


class NoDisplay:
    """Shows nothing."""

    def __enter__(self) -> NoDisplay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def show(self, iteration: int, share: float, row: dict[str, float]) -> None:
        """Take note of where the solve stands."""


class Display(NoDisplay):
    """A rich progress bar on standard error; it moves with whichever stopping rule is nearest to its end."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.began = time.perf_counter()
        self.first: int | None = None

    def __enter__(self) -> Display:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        self.bar: Any = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[iteration]:,} it"),
            TextColumn("{task.fields[rate]:,.0f}/s"),
            TextColumn("exploitability {task.fields[gap]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
            transient=True,
        )
        self.bar.start()
        self.task = self.bar.add_task(self.title, total=1.0, iteration=0, rate=0.0, gap="…")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def show(self, iteration: int, share: float, row: dict[str, float]) -> None:
        """Redraw the line."""
        if self.first is None:
            self.first, self.began = iteration, time.perf_counter()
        elapsed = time.perf_counter() - self.began
        rate = (iteration - self.first) / elapsed if elapsed > 0 else 0.0
        self.bar.update(self.task, completed=min(share, 1.0), iteration=iteration, rate=rate, gap=gap_of(row))


def gap_of(row: dict[str, float]) -> str:
    """The exploitability in a row of a history; where only a lower bound is known, that and its interval.

    >>> gap_of({"exploitability": 0.01234})
    '0.0123'
    >>> gap_of({"exploitability": 0.134, "exploitability_low": 0.1178, "exploitability_high": 0.151})
    'at least 0.134 (95 % between 0.118 and 0.151)'
    """
    found = row.get("exploitability", math.nan)
    if "exploitability_low" not in row:
        return f"{found:.3g}"
    low, high = row["exploitability_low"], row["exploitability_high"]
    return f"at least {max(found, 0.0):.3g} (95 % between {low:.3g} and {high:.3g})"
