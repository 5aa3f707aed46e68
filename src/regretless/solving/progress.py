"""The live line under a long solve: iteration, rate, exploitability, time left; in a terminal or in a notebook."""

from __future__ import annotations

import math
import sys
import time
from html import escape
from types import TracebackType
from typing import Any

from regretless.display.notebooks import in_notebook, live_html
from regretless.solving.compile_clock import COMPILING, on_compiling

__all__ = ["Display", "NoDisplay", "NotebookDisplay", "display_of"]

WIDE = 110
"""Columns of a terminal from which on everything is shown."""

REDRAW_SECONDS = 0.2
"""The shortest time between two updates of a notebook's cell."""


class NoDisplay:
    """Shows nothing."""

    def __enter__(self) -> NoDisplay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def begin(self) -> None:
        """Everything is compiled, and the first iteration begins."""

    def show(self, iteration: int, share: float, row: dict[str, float]) -> None:
        """Show where the solve stands: iterations done, the share of the way, the latest row of the history."""


class Display(NoDisplay):
    """A rich progress bar on standard error; it moves with whichever stopping rule is nearest to its end."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.began = time.perf_counter()
        self.first: int | None = None

    def __enter__(self) -> Display:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.table import Column

        self.bar: Any = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[iteration]:,} it"),
            TextColumn("{task.fields[rate]}/s"),
            TextColumn("exploitability {task.fields[gap]}"),
            TimeElapsedColumn(table_column=Column(no_wrap=True)),
            TimeRemainingColumn(table_column=Column(no_wrap=True)),
            console=Console(file=sys.stderr),
            transient=True,
        )
        self.bar.start()
        self.task = self.bar.add_task("getting ready", total=None, iteration=0, rate="…", gap="…")
        self.compiling = on_compiling(lambda: self.bar.update(self.task, description=COMPILING))
        self.compiling.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.compiling.__exit__(kind, error, trace)
        self.bar.stop()

    def begin(self) -> None:
        """Start the clock."""
        self.bar.reset(self.task, description=self.title, total=1.0)

    def show(self, iteration: int, share: float, row: dict[str, float]) -> None:
        """Redraw the line."""
        if self.first is None:
            self.first, self.began = iteration, time.perf_counter()
        elapsed = time.perf_counter() - self.began
        rate = (iteration - self.first) / elapsed if elapsed > 0 else 0.0
        pace = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
        gap = gap_of(row, brief=self.bar.console.width < WIDE)
        self.bar.update(self.task, completed=min(share, 1.0), iteration=iteration, rate=pace, gap=gap)


class NotebookDisplay(NoDisplay):
    """A progress bar in the output of a notebook's cell; it needs nothing but IPython, which every notebook has."""

    def __init__(self, title: str) -> None:
        self.title, self.status, self.share = title, "getting ready", 0.0
        self.began = self.drawn = time.perf_counter()
        self.first: int | None = None

    def __enter__(self) -> NotebookDisplay:
        self.update = live_html(self._html())
        self.compiling = on_compiling(lambda: self._draw(COMPILING))
        self.compiling.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.compiling.__exit__(kind, error, trace)
        self._draw(self.status)

    def begin(self) -> None:
        """Start the clock."""
        self.began = time.perf_counter()
        self._draw("0 it")

    def show(self, iteration: int, share: float, row: dict[str, float]) -> None:
        """Update the cell, at most every `REDRAW_SECONDS`."""
        now = time.perf_counter()
        if self.first is None:
            self.first = iteration
        elapsed = max(now - self.began, 1e-9)
        self.share = min(share, 1.0)
        left = f", about {elapsed * (1 - share) / share:,.0f} s left" if 0 < share < 1 else ""
        rate = (iteration - self.first) / elapsed
        pace = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
        self.status = f"{iteration:,} it, {pace}/s, exploitability {gap_of(row)}, {elapsed:,.1f} s{left}"
        if now - self.drawn >= REDRAW_SECONDS:
            self._draw(self.status)

    def _draw(self, status: str) -> None:
        self.status, self.drawn = status, time.perf_counter()
        self.update(self._html())

    def _html(self) -> str:
        bar = f"<progress value='{self.share:.4f}' max='1'></progress>"
        return f"<div>{escape(self.title)} {bar} {escape(self.status)}</div>"


def display_of(title: str) -> NoDisplay:
    """A progress display for where this process runs: a notebook's cell, or a terminal."""
    return NotebookDisplay(title) if in_notebook() else Display(title)


def gap_of(row: dict[str, float], *, brief: bool = False) -> str:
    """The exploitability in a row of a history; where only a lower bound is known, that and its interval.

    Of hold'em also as people say it: in per cent of the pot and, unless it shall be brief, for both players together in
    mbb per game.

    >>> gap_of({"exploitability": 0.01234})
    '0.0123'
    >>> gap_of({"exploitability": 0.134, "exploitability_low": 0.1178, "exploitability_high": 0.151})
    'at least 0.134 (95 % between 0.118 and 0.151)'
    >>> gap_of({"exploitability": 0.75, "pot_share": 0.005, "mbb_total": 15.0})
    '0.75 (0.5% pot, 15 mbb/g total)'
    >>> gap_of({"exploitability": 3e-06, "pot_share": 3e-08})
    '3e-06 (<0.0001% pot)'
    """
    found = row.get("exploitability", math.nan)
    if "exploitability_low" not in row:
        units = [_share_of_pot(row["pot_share"])] if "pot_share" in row else []
        if "mbb_total" in row and not brief:
            mbb = row["mbb_total"]
            units.append(f"{mbb:,.0f} mbb/g total" if mbb >= 100 else f"{mbb:.3g} mbb/g total")
        return f"{found:.3g} ({', '.join(units)})" if units else f"{found:.3g}"
    low, high = row["exploitability_low"], row["exploitability_high"]
    return f"at least {max(found, 0.0):.3g} (95 % between {low:.3g} and {high:.3g})"


def _share_of_pot(share: float) -> str:
    """Two digits, and no powers of ten."""
    return f"{100 * share:.2g}% pot" if share == 0 or share >= 1e-6 else "<0.0001% pot"
