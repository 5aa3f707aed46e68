"""Rows of `regretless reproduce`: what they declare, how they are judged, and the page that lists them."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

import pytest

from regretless.errors import FileError, OptionError
from regretless.reproduce import kept_results, verdicts
from regretless.reproduce.claims import Claim, Expected, Job, Measured
from regretless.reproduce.kept_results import kept_content, measured_content
from regretless.reproduce.registry import all_claims, claim_by_name
from regretless.reproduce.sources import HART, SOURCES
from regretless.reproduce.tables import page
from regretless.reproduce.verdicts import AGREES, DIFFERS, DRIFTED, NOT_RUN, kept_outcome, reproduce

ROOT = Path(__file__).parents[2]


def claim(expected: Expected, ours: float | None) -> Claim:
    measure = None if ours is None else lambda job: Measured({expected.name: ours})
    return Claim("row", HART, "§1", "What it shows", "rg.solve(…)", (expected,), measure)


def test_every_row_is_complete() -> None:
    names = [row.name for row in all_claims()]
    assert len(names) == len(set(names))
    for row in all_claims():
        assert row.name == row.name.lower().replace(" ", "-")
        assert row.source in SOURCES
        assert row.place and row.shows and row.code and row.expected
        assert not row.shows.endswith(".")
        assert len({expected.name for expected in row.expected}) == len(row.expected)
        assert row.measure is not None or (row.why and row.needs), f"{row.name} is not run and does not say why"
        assert not row.kept or row.needs, f"{row.name} shows a kept result: say what a new run needs"
        if row.measure is not None:
            assert (inspect.getdoc(row.measure) or "").endswith(".")
        if row.page:
            assert (ROOT / "docs" / "results" / row.page).exists(), row.page


def test_the_rows_that_must_be_there() -> None:
    wanted = {
        "rps-fixed-opponent", "rps-node-values", "rps-first-regret", "three-player-node", "blotto",
        "battle-of-the-sexes",
        "correlated-coin", "kuhn-value", "kuhn-family", "cfr-regret-bound", "alternating-updates", "dudo-value",
        "dudo-memory", "fsicfr-cost", "liar-die", "thresholding", "purification", "resetting-sums", "error-model",
        "exploiting-equilibria", "cfr-plus-decks", "cfr-plus-current", "averaging-delay", "regret-entropy",
        "flop-holdem-compression", "sampling-nodes-touched", "discounting-small-games", "deep-cfr-figure-2",
        "deep-cfr-figure-3", "deep-cfr-figure-4", "deep-cfr-table-1",
    }  # fmt: skip
    assert wanted <= {row.name for row in all_claims()}


@pytest.mark.parametrize(
    ("expected", "ours", "verdict"),
    [
        (Expected("n", 1.0, tolerance=0.1), 1.05, AGREES),
        (Expected("n", 1.0, tolerance=0.1), 1.2, DRIFTED),
        (Expected("n", 1.0, "≤"), 0.5, AGREES),
        (Expected("n", 1.0, "≤"), 1.5, DRIFTED),
        (Expected("n", 1.0, "≥"), 1.5, AGREES),
        (Expected("n", 1.0, "≥"), 0.5, DRIFTED),
        (Expected("n", 1.0, differs="Another game."), 2.0, DIFFERS),
        (Expected("n", 1.0, differs="Another game."), 1.0, DRIFTED),
        (Expected("n", 1.0), None, NOT_RUN),
    ],
)
def test_verdicts(expected: Expected, ours: float | None, verdict: str) -> None:
    outcome = reproduce(claim(expected, ours), Job())
    assert outcome.verdict == verdict
    assert bool([row for row in outcome.rows if row.drift]) == (verdict == DRIFTED)


def test_a_quick_version_has_its_own_tolerance() -> None:
    row = claim(Expected("n", 1.0, tolerance=0.01, quick_tolerance=0.1), 1.05)
    assert reproduce(row, Job(quick=True)).verdict == AGREES
    assert reproduce(row, Job()).verdict == DRIFTED


def test_a_number_that_moves_has_drifted(monkeypatch: pytest.MonkeyPatch) -> None:
    row = claim(Expected("n", 1.0, "≥"), 30.0)
    monkeypatch.setattr(verdicts, "measured_content", lambda: {"rows": {"row": {"full": {"n": 40.0}}}})
    outcome = reproduce(row, Job())
    assert outcome.verdict == DRIFTED and outcome.rows[0].drift == "n: 30 was 40 when it was kept"
    assert reproduce(row, Job(quick=True)).verdict == AGREES


def test_a_row_measures_what_it_declares() -> None:
    row = replace(claim(Expected("n", 1.0), 1.0), measure=lambda job: Measured({"m": 1.0}))
    with pytest.raises(AssertionError, match="other numbers than it declares"):
        reproduce(row, Job())


def test_unknown_names() -> None:
    assert claim_by_name("kuhn-family").source.short == "Neller & Lanctot 2013"
    with pytest.raises(OptionError, match="unknown result 'kuhn-famly'; did you mean 'kuhn-family'"):
        claim_by_name("kuhn-famly")


def test_kept_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for row in all_claims():
        if row.kept and row.measure is not None:
            assert (ROOT / row.kept).exists()
    with pytest.raises(FileError, match="is not here"):
        kept_content("results/nothing.json")
    monkeypatch.setattr(kept_results, "CHECKOUT", tmp_path)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(FileError, match="is no JSON file"):
        kept_content("broken.json")


def test_kept_numbers_are_those_of_the_rows() -> None:
    """Measured numbers belong to declared ones; a row that has changed must be computed again."""
    kept = measured_content()["rows"]
    assert set(kept) == {row.name for row in all_claims() if row.measure is not None}
    for row in all_claims():
        if row.measure is not None:
            assert set(kept[row.name]["full"]) == {expected.name for expected in row.expected}
            assert kept[row.name]["quick"]
            assert kept_outcome(row).verdict in (AGREES, DIFFERS), row.name


def test_the_page_is_current() -> None:
    outcomes = [kept_outcome(row) for row in all_claims()]
    written = (ROOT / "docs" / "results" / "index.md").read_text(encoding="utf-8")
    assert written == page(outcomes, measured_content()["about"])


def test_a_wheel_shows_the_kept_numbers_of_long_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_results, "CHECKOUT", tmp_path)
    row = claim_by_name("deep-cfr-figure-2")
    assert reproduce(row, Job()).rows == kept_outcome(row).rows
