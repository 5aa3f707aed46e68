"""Progress of a build: what callbacks are given, and a bar for terminals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from regretless.errors import OptionError
from regretless.poker.quoting import quoted

__all__ = ["BuildProgress", "ProgressLike", "reported"]


class BuildProgress(NamedTuple):
    """Where a build stands."""

    street: str
    """The name of the street."""
    stage: str
    """What is done there: "sample", "seeds", "clusters" or "buckets"."""
    share: float
    """The share of the whole build that is done, by the estimate of its time."""
    seconds: float
    """Seconds since the build began, or went on from a checkpoint."""


ProgressLike = bool | Callable[[BuildProgress], object] | None


@contextmanager
def reported(progress: ProgressLike) -> Iterator[Callable[[BuildProgress], object]]:
    """The function that a build reports to: the given one, a bar on standard error, or none."""
    if callable(progress):
        yield progress
    elif progress is None or progress is False:
        yield lambda _: None
    elif progress is True:
        with _bar() as report:
            yield report
    else:
        raise OptionError(f"progress is True or a function of a BuildProgress, got {quoted(progress)}")


@contextmanager
def _bar() -> Iterator[Callable[[BuildProgress], object]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task("abstraction", total=1.0)

        def report(progress: BuildProgress) -> None:
            bar.update(task, completed=progress.share, description=f"{progress.street}: {progress.stage}")

        yield report
