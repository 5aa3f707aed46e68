"""Whether a measured row agrees with what was published, and whether it has drifted since it was last kept.

A number drifts in three cases: it disagrees and the row does not explain why; the row explains a difference that is
no longer there; or it has moved from the number that was kept with the code.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regretless.errors import FileError
from regretless.reproduce.claims import Claim, Expected, Job, Measured
from regretless.reproduce.kept_results import measured_content

__all__ = ["AGREES", "DIFFERS", "DRIFTED", "NOT_RUN", "Outcome", "Row", "kept_numbers", "kept_outcome", "reproduce"]

AGREES, DIFFERS, DRIFTED, NOT_RUN = "agrees", "differs", "drifted", "not run"

MOVED = 0.02
"""A number that moves by more than this share from the kept one has drifted."""
ROUNDING = 1e-6
"""Differences below this are rounding of another processor or library."""


@dataclass(frozen=True)
class Row:
    """One number: the published one, ours, and the verdict."""

    expected: Expected
    ours: float
    verdict: str
    drift: str = ""
    """Why it has drifted, in a sentence."""


@dataclass(frozen=True)
class Outcome:
    """A row with its numbers; none where it has not been run."""

    claim: Claim
    rows: tuple[Row, ...] = ()
    measured: Measured | None = None

    @property
    def verdict(self) -> str:
        """The worst verdict of its numbers."""
        found = {row.verdict for row in self.rows}
        return next((name for name in (DRIFTED, DIFFERS, AGREES) if name in found), NOT_RUN)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why numbers differ, each sentence once."""
        given = [row.expected.differs for row in self.rows if row.verdict == DIFFERS]
        return tuple(dict.fromkeys([*filter(None, given), *filter(None, [self.claim.why])]))


def reproduce(claim: Claim, job: Job) -> Outcome:
    """Measure a row and compare it with what was published and with what was kept."""
    if claim.measure is None:
        return Outcome(claim)
    kept = kept_numbers(claim.name, quick=job.quick)
    try:
        measured = claim.measure(job)
    except FileError:
        if not (claim.kept and kept):
            raise
        measured = Measured(kept)  # a wheel has the numbers of long runs, and not their files
    return _judged(claim, measured, quick=job.quick, kept=kept)


def kept_outcome(claim: Claim) -> Outcome:
    """The outcome of the last full run, without running anything."""
    numbers = kept_numbers(claim.name)
    if claim.measure is None or set(numbers) != {expected.name for expected in claim.expected}:
        return Outcome(claim)  # nothing was kept, or what was kept is of an earlier version of the row
    return _judged(claim, Measured(numbers), quick=False, kept={})


def kept_numbers(name: str, *, quick: bool = False) -> Mapping[str, float]:
    """The numbers of a row that were kept with the code; empty where there are none."""
    try:
        rows: Mapping[str, Mapping[str, Any]] = measured_content()["rows"]
    except FileError:
        return {}
    found: Mapping[str, float] = rows.get(name, {}).get("quick" if quick else "full", {})
    return found


def _judged(claim: Claim, measured: Measured, *, quick: bool, kept: Mapping[str, float]) -> Outcome:
    names = {expected.name for expected in claim.expected}
    unknown, missing = set(measured.numbers) - names, names - set(measured.numbers)
    if unknown or not measured.numbers or (missing and not quick):
        raise AssertionError(f"{claim.name} measures other numbers than it declares: {sorted(unknown | missing)}")
    rows: Sequence[Row] = [
        _judged_number(expected, measured.numbers[expected.name], quick, kept.get(expected.name))
        for expected in claim.expected
        if expected.name in measured.numbers
    ]
    return Outcome(claim, tuple(rows), measured)


def _judged_number(expected: Expected, ours: float, quick: bool, kept: float | None) -> Row:
    agrees = expected.agrees(ours, quick=quick)
    if not agrees and not expected.differs:
        return Row(expected, ours, DRIFTED, f"{expected.name}: {ours:.6g} does not agree with {expected.published}")
    if agrees and expected.differs and not quick:
        return Row(expected, ours, DRIFTED, f"{expected.name}: {ours:.6g} agrees, but the row says that it differs")
    if kept is not None and not math.isclose(ours, kept, rel_tol=MOVED, abs_tol=ROUNDING):
        return Row(expected, ours, DRIFTED, f"{expected.name}: {ours:.6g} was {kept:.6g} when it was kept")
    return Row(expected, ours, AGREES if agrees else DIFFERS)
