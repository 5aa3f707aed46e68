"""Convergence: exploitability of the runs against iterations and seconds, live while a solve writes its file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.blocks import head_row, wide_table
from regretless.apps.explorer.pages.charts import Line, charts_of, line_patch
from regretless.apps.explorer.pages.layout import fragment_response, frame, link, url
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.number_format import ago, chips, short
from regretless.apps.views.run_headers import RunHeader

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.views.library import Entry

__all__ = ["convergence_page", "state_in_words"]

MOST_LINES = 8
REFRESH_MILLISECONDS = 1500

STATES = {"finished": "finished", "until": "reached its goal", "seconds": "time is up", "interrupted": "stopped"}
COLUMNS = (
    "show", "run", "game", "method", ("iterations", "number"), ("time", "number"), ("exploitability", "number"),
    ("value", "number"), "state", "",
)  # fmt: skip


def convergence_page(explorer: Explorer, request: PageRequest) -> Response:
    """The page, or the part of it that changes."""
    entries = explorer.library.entries()
    title = h.h1["Convergence"]
    if not entries:
        start = h.p["No run was given. ", link("Solve a game", "/solve"), " to make one."]
        return frame(explorer, request, "Convergence", title, start if explorer.may_solve else None)
    shown = {int(text) for text in request.all("show") if text.isascii() and text.isdecimal() and len(text) < 6}
    live = _live(request, entries, shown or {entry.number for entry in entries[:MOST_LINES]})
    if request.fragment:
        return fragment_response(live)
    return frame(explorer, request, "Convergence", title, live, charts=True)


def _live(request: PageRequest, entries: Sequence[Entry], shown: set[int]) -> h.Element:
    headers = [(entry, entry.header()) for entry in entries]
    chosen = [(entry, header) for entry, header in headers if entry.number in shown]
    lines = [Line(number, entry.name, header.history) for number, (entry, header) in enumerate(chosen)]
    numbers = {entry.number: number for number, (entry, _) in enumerate(chosen)}
    rows = [_row(entry, header, numbers.get(entry.number)) for entry, header in headers]
    button = h.button(".quiet", type="submit")["Show the marked runs"] if len(entries) > 1 else None
    return h.div("#live", data_refresh=url(request.path, show=sorted(shown)), data_every=REFRESH_MILLISECONDS)[
        charts_of(lines[:MOST_LINES]),
        h.form(method="get", action="/convergence")[wide_table(head_row(*COLUMNS), h.tbody[rows], css="runs"), button],
        h.p(".note")[_units(headers)],
    ]


def _row(entry: Entry, header: RunHeader, line: int | None) -> h.Element:
    box = h.input(
        f"#show{entry.number}", type="checkbox", name="show", value=entry.number, checked=line is not None,
        aria_label=f"draw {entry.name}",
    )  # fmt: skip
    if header.problem:
        return h.tr[h.td[box], h.td[entry.name], h.td(".problem", colspan=8)[header.problem]]
    bound = "" if header.listed else "≥ "
    return h.tr[
        h.td(".nowrap")[box, line_patch(line) if line is not None else None],
        h.td(".name")[entry.name],
        h.td[header.game or "–"],
        h.td[header.method or "–"],
        h.td(".number")[f"{header.iterations:,}"],
        h.td(".number")[f"{header.seconds:,.3g} s"],
        h.td(".number")[bound + short(header.exploitability)],
        h.td(".number")[chips(header.value)],
        h.td(".nowrap")[state_in_words(header)],
        h.td(".nowrap")[link("look", "/strategy", run=entry.number), " ", link("play", "/play", run=entry.number)],
    ]


def state_in_words(header: RunHeader) -> str:
    """Whether a solve still runs, and why it has ended."""
    if header.kind == "strategy":
        return "a strategy"
    if header.running:
        return f"running, written {ago(header.seconds_since_written())}"
    return STATES.get(header.stopped, header.stopped)


def _units(headers: Sequence[tuple[Entry, RunHeader]]) -> str:
    text = (
        "Exploitability: chips per game that a perfect opponent wins, averaged over the players (NashConv / players); "
        "zero is an equilibrium. Value: chips per game that player 0 wins."
    )
    bound = any(not header.listed for _, header in headers)
    return text + (" ≥: the game was not listed; the number is a lower bound." if bound else "")
