"""A progress bar of a measurement, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["shown"]


@contextmanager
def shown(progress: bool | None, beginning: str) -> Iterator[Callable[[float, str], None]]:
    """A function that shows the share that is done: with progress=True on standard error."""
    if not progress:
        yield lambda share, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(beginning, total=1.0)
        yield lambda share, text: bar.update(task, completed=share, description=text)
