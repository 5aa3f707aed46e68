"""The rows as a page in Markdown and as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from regretless.reproduce.claims import Claim
from regretless.reproduce.sources import SOURCES
from regretless.reproduce.verdicts import AGREES, DIFFERS, NOT_RUN, Outcome, Row

__all__ = ["duration", "number_text", "outcome_data", "page"]

HEAD = """# Results

Figures, tables and worked numbers of the papers and documents on counterfactual regret minimisation, and what this
library computes for each of them. `regretless reproduce` lists the rows and `regretless reproduce NAME` computes one
again. `regretless reproduce --all --quick` computes a small version of all of them and fails when a number drifts; CI
runs it. This page is the output of `regretless reproduce --markdown`.

{counts}

*Exploitability* is NashConv divided by the number of players, in chips per game, unless a row says otherwise. A
published number after → is a limit. Our numbers were measured {when}.
"""


def page(outcomes: Iterable[Outcome], about: dict[str, Any]) -> str:
    """The page of all rows: a table for each source, then why numbers differ."""
    rows = list(outcomes)
    counts: dict[str, int] = {}
    for outcome in rows:
        counts[outcome.verdict] = counts.get(outcome.verdict, 0) + 1
    plural = {AGREES: "agree", DIFFERS: "differ at least in part", NOT_RUN: "were not run"}
    told = ", ".join(f"{counts[verdict]} {words}" for verdict, words in plural.items() if verdict in counts)
    when = f"on {about.get('date', 'an unknown day')} ({about.get('machine', 'unknown machine')})"
    lines = [HEAD.format(counts=f"**{len(rows)} rows: {told}.**", when=when)]
    for source in SOURCES:
        mine = [outcome for outcome in rows if outcome.claim.source == source]
        if mine:
            lines += [f"## {source.short}", "", f"{source.full}.", "", *_table(mine), ""]
    lines += ["## Where we differ, and what was not run", ""]
    for outcome in rows:
        if outcome.verdict != AGREES:
            reasons = " ".join(outcome.reasons)
            lines += [f"- **{outcome.claim.name}** ({outcome.verdict}): {reasons}"]
    return "\n".join(lines).rstrip() + "\n"


def _table(outcomes: Iterable[Outcome]) -> list[str]:
    lines = ["| row | where | what it shows | published, and **ours** | verdict |", "|---|---|---|---|---|"]
    for outcome in outcomes:
        claim = outcome.claim
        name = f"[{claim.name}]({claim.page})" if claim.page else claim.name
        ours = {row.expected.name: number_text(row) for row in outcome.rows}
        numbers = "<br>".join(
            f"{expected.name}: {expected.published}, **{ours.get(expected.name, '–')}**" for expected in claim.expected
        )
        shows = f"{claim.shows}<br>`{claim.code}`"
        cells = [name, claim.place, shows, numbers, outcome.verdict]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def number_text(row: Row) -> str:
    """Our number with the digits that the comparison needs."""
    whole = isinstance(row.ours, int) or abs(row.ours) >= 1e5
    text = f"{int(row.ours):,}" if whole else f"{row.ours + 0.0:,.5g}"
    return text.replace("-", "−")


def duration(claim: Claim) -> str:
    """How long the full version of a row takes, or what a new run needs."""
    if claim.needs:
        return claim.needs
    return "seconds" if claim.minutes <= 0.25 else f"{claim.minutes:g} min"


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """A row for `--json`."""
    claim = outcome.claim
    return {
        "name": claim.name,
        "source": claim.source.full,
        "place": claim.place,
        "shows": claim.shows,
        "code": claim.code,
        "minutes": None if claim.needs else claim.minutes,
        "needs": claim.needs or None,
        "kept": claim.kept or None,
        "verdict": outcome.verdict,
        "why": list(outcome.reasons) or ([claim.why] if outcome.verdict == NOT_RUN and claim.why else []),
        "numbers": [
            {
                "name": expected.name,
                "published": expected.number,
                "printed": expected.published,
                "relation": expected.relation,
                "tolerance": expected.tolerance,
                **_ours(outcome, expected.name),
            }
            for expected in claim.expected
        ],
    }


def _ours(outcome: Outcome, name: str) -> dict[str, Any]:
    for row in outcome.rows:
        if row.expected.name == name:
            return {"ours": row.ours, "verdict": row.verdict, "drift": row.drift or None}
    return {"ours": None, "verdict": NOT_RUN, "drift": None}
