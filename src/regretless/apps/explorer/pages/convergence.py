"""Convergence: exploitability of the runs against iterations and seconds, live while a solve writes its file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from regretless.apps.explorer.pages.layout import frame
from regretless.apps.explorer.web.charts import Line, chart, line_patch
from regretless.apps.explorer.web.markup import Child, Markup, join, link, query, tag
from regretless.apps.explorer.web.requests import Request, Response
from regretless.apps.views.number_format import ago, chips, short
from regretless.apps.views.run_headers import Glance

if TYPE_CHECKING:
    from regretless.apps.explorer.web.app import Explorer
    from regretless.apps.views.library import Entry

__all__ = ["convergence_page", "state_of"]

MOST_LINES = 8
LOOK_AGAIN = 1500
"""Milliseconds between two looks at the files."""


def convergence_page(explorer: Explorer, request: Request) -> Response:
    """The page, or the part of it that changes."""
    entries = explorer.library.entries()
    if not entries:
        start = (
            tag("p", "No run was given. ", link("Solve a game", "/solve"), " to make one.")
            if explorer.may_solve
            else None
        )
        return frame(explorer, request, "Convergence", tag("h1", "Convergence"), start)
    shown = {int(text) for text in request.all("show") if text.isascii() and text.isdecimal() and len(text) < 6}
    if not shown:
        shown = {entry.number for entry in entries[:MOST_LINES]}
    live = _live(request, entries, shown)
    if request.fragment:
        return Response(live)
    return frame(explorer, request, "Convergence", tag("h1", "Convergence"), live)


def _live(request: Request, entries: Sequence[Entry], shown: set[int]) -> Markup:
    glances = [(entry, entry.look()) for entry in entries]
    lines = [
        Line(place, glance.name, glance.history)
        for place, (entry, glance) in enumerate((e, g) for e, g in glances if e.number in shown)
    ][:MOST_LINES]
    places = {entry.number: place for place, entry in enumerate(e for e in entries if e.number in shown)}
    rows = [_row(entry, glance, places.get(entry.number)) for entry, glance in glances]
    columns = ["show", "run", "game", "method", "iterations", "time", "exploitability", "value", "state", ""]
    head = [tag("th", name, scope="col", css="number" if 4 <= place <= 7 else "") for place, name in enumerate(columns)]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", rows), css="runs")
    return tag(
        "div",
        tag("div", chart(lines, "iteration", "iterations"), chart(lines, "seconds", "seconds"), css="charts"),
        tag(
            "form",
            tag("div", table, css="wide-table"),
            tag("button", "Show the marked runs", type="submit", css="quiet") if len(entries) > 1 else None,
            method="get",
            action="/convergence",
        ),
        tag("p", _units(glances), css="note"),
        id="live",
        data_refresh=query(request.path, show=sorted(shown)),
        data_every=LOOK_AGAIN,
    )  # fmt: skip


def _row(entry: Entry, glance: Glance, place: int | None) -> Markup:
    box = tag(
        "input", type="checkbox", name="show", value=entry.number, checked=place is not None,
        aria_label=f"draw {entry.name}", id=f"show{entry.number}",
    )  # fmt: skip
    patch = line_patch(place) if place is not None else None
    if glance.problem:
        return tag("tr", tag("td", box), tag("td", entry.name), tag("td", glance.problem, colspan=8, css="problem"))
    doors = join(link("look", "/strategy", run=entry.number), " ", link("play", "/play", run=entry.number))
    cells: list[Child] = [
        tag("td", box, patch, css="nowrap"),
        tag("td", entry.name, css="name"),
        tag("td", glance.game or "–"),
        tag("td", glance.method or "–"),
        tag("td", f"{glance.iterations:,}", css="number"),
        tag("td", f"{glance.seconds:,.3g} s", css="number"),
        tag("td", ("" if glance.listed else "≥ ") + short(glance.exploitability), css="number"),
        tag("td", chips(glance.value), css="number"),
        tag("td", state_of(glance), css="nowrap"),
        tag("td", doors, css="nowrap"),
    ]
    return tag("tr", cells)


def state_of(glance: Glance) -> str:
    """Whether a run goes on, in words."""
    if glance.kind == "strategy":
        return "a strategy"
    if glance.running:
        return f"running, written {ago(glance.quiet_for())}"
    words = {"finished": "finished", "until": "reached its goal", "seconds": "time was up", "interrupted": "stopped"}
    return words.get(glance.stopped, glance.stopped)


def _units(glances: Sequence[tuple[Entry, Glance]]) -> Markup:
    bound = any(not glance.listed for _, glance in glances)
    return join(
        "Exploitability: chips per game that a perfect opponent would win, averaged over the players (NashConv / "
        "players); zero is an equilibrium. Value: chips per game to player 0.",
        " ≥: the game was not listed, and a learned opponent wins at least so much." if bound else None,
    )
