"""Trials: attempts to break the library, run for some time and counted by kind."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Counts", "Trial", "run_trials", "table"]


class Trial(NamedTuple):
    """One attempt. `attempt` raises AssertionError where the library breaks a promise."""

    group: str
    """What is tried: the row of the table."""
    name: str
    attempt: Callable[[], object]
    evidence: bytes
    """What is kept of a trial that fails: the file, the command line, the request."""


class Counts(NamedTuple):
    """Trials of one group."""

    tried: int
    failed: int


def run_trials(trials: Iterator[Trial], seconds: float, folder: Path, *, most: int | None = None) -> dict[str, Counts]:
    """Run trials until the time is up, or `most` of them; failures are described in `folder`."""
    counts: dict[str, Counts] = {}
    end = time.monotonic() + seconds
    for number, trial in enumerate(trials, 1):
        tried, failed = counts.get(trial.group, Counts(0, 0))
        try:
            trial.attempt()
        except AssertionError as error:
            failed += 1
            _keep(trial, error, folder, failed)
        counts[trial.group] = Counts(tried + 1, failed)
        if time.monotonic() > end or number == most:
            break
    return counts


def _keep(trial: Trial, error: AssertionError, folder: Path, number: int) -> None:
    """Write down what failed: the input in one file, what happened in another."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"[^A-Za-z0-9]+", "-", trial.group).strip("-") + f"-{number}"
    (folder / f"{stem}.input").write_bytes(trial.evidence)
    (folder / f"{stem}.txt").write_text(f"{trial.group}: {trial.name}\n\n{error}\n", errors="backslashreplace")


def table(counts: dict[str, dict[str, Counts]]) -> str:
    """Counts by kind and group as text."""
    rows = [("kind", "what", "tried", "failed")]
    for kind, groups in counts.items():
        rows += [(kind, group, f"{found.tried:,}", f"{found.failed:,}") for group, found in sorted(groups.items())]
    everything = [found for groups in counts.values() for found in groups.values()]
    total = (f"{sum(found.tried for found in everything):,}", f"{sum(found.failed for found in everything):,}")
    rows.append(("all", "", *total))
    wide = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        f"{kind:<{wide[0]}}  {what:<{wide[1]}}  {tried:>{wide[2]}}  {failed:>{wide[3]}}"
        for kind, what, tried, failed in rows
    )
