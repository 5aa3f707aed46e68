"""Convergence as charts: exploitability against iterations or seconds, on logarithmic axes.

A chart is an element with its data. `static/charts.js` draws it with plotly: values can be read on hover, and a range
can be zoomed. A table, which needs no script, shows the same values. Lines differ in colour, dashes and markers, for
colour-blind readers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import htpy as h

from regretless.apps.explorer.pages.blocks import head_row, wide_table
from regretless.apps.views.number_format import short

__all__ = ["Line", "chart", "charts_of", "line_patch", "points_of"]

MOST_POINTS = 400
"""Measurements that are drawn of a long history."""

ROWS = 12
"""Measurements of each run in the table."""

COLOURS = 8
DASHES = ("", "7 4", "2 4", "9 3 2 3")
MARKERS: dict[int, list[tuple[float, float]]] = {
    1: [(-3, -3), (3, -3), (3, 3), (-3, 3)],
    2: [(0, -4), (3.6, 3), (-3.6, 3)],
    3: [(0, -4), (4, 0), (0, 4), (-4, 0)],
}
"""Corners of a square, a triangle and a diamond; marker 0 is a circle."""


@dataclass(frozen=True)
class Line:
    """A run in a chart: the number of its colour, its name and its history."""

    number: int
    name: str
    history: Sequence[Mapping[str, float]]


def points_of(line: Line, column: str, most: int = MOST_POINTS) -> list[tuple[float, float]]:
    """(column, exploitability) of the measurements that fit on logarithmic axes, thinned out to `most`."""
    found = [(row.get(column, 0.0), row.get("exploitability", 0.0)) for row in line.history]
    good = [(x, y) for x, y in found if 0 < x < math.inf and 0 < y < math.inf]
    step = max(1, math.ceil(len(good) / most))
    return good[::step] + ([good[-1]] if good and (len(good) - 1) % step else [])


def charts_of(lines: Sequence[Line]) -> h.Fragment:
    """Both charts and their table."""
    return h.fragment[
        h.div(".charts")[chart(lines, "iteration", "iterations"), chart(lines, "seconds", "seconds")],
        _measurements(lines),
    ]


def chart(lines: Sequence[Line], column: str, title: str) -> h.Element:
    """All lines against one column of their histories."""
    drawn = [(line, points) for line in lines if (points := points_of(line, column))]
    if not drawn:
        return h.p(".note")["Nothing has been measured yet."]
    last = ", ".join(f"{line.name}: {points[-1][1]:.3g}" for line, points in drawn)
    data = {
        "title": title,
        "vertical": "exploitability, chips",
        "ticks": "~s" if column == "iteration" else "~g",
        "lines": [
            {
                "number": line.number,
                "name": line.name,
                "x": [float(f"{x:.6g}") for x, _ in points],
                "y": [float(f"{y:.6g}") for _, y in points],
            }
            for line, points in drawn
        ],
    }
    label = f"Exploitability against {title}. Last values: {last}."
    return h.div(
        ".chart", id=f"chart-{column}", role="img", aria_label=label, data_chart=json.dumps(data, separators=(",", ":"))
    )[h.noscript[h.p(".note")["The chart needs JavaScript. The table below shows its values."]]]


def _measurements(lines: Sequence[Line]) -> h.Element | None:
    """The drawn values as a table."""
    rows = []
    for line in lines:
        measured = [row for row in line.history if math.isfinite(row.get("exploitability", math.nan))]
        step = max(1, math.ceil(len(measured) / ROWS))
        shown = measured[::step] + ([measured[-1]] if measured and (len(measured) - 1) % step else [])
        for row in shown:
            cells = (f"{row.get('iteration', 0):,.0f}", short(row.get("seconds", 0.0)), short(row["exploitability"]))
            rows.append(h.tr[h.td[line.name], [h.td(".number")[cell] for cell in cells]])
    if not rows:
        return None
    head = head_row("run", *((name, "number") for name in ("iterations", "seconds", "exploitability")))
    return h.details(".measurements")[h.summary["Measured values"], wide_table(head, h.tbody[rows], css="measured")]


def _marker(number: int, x: float, y: float) -> h.Element:
    css = f"mark line{number % COLOURS}"
    if number % 4 == 0:
        return h.circle(class_=css, cx=f"{x:g}", cy=f"{y:g}", r="3.2")
    points = " ".join(f"{x + dx:g},{y + dy:g}" for dx, dy in MARKERS[number % 4])
    return h.polygon(class_=css, points=points)


def line_patch(number: int) -> h.Element:
    """A piece of a line with its marker, for the list of runs."""
    dashes = DASHES[number // 2 % 4] or None
    stroke = h.polyline(class_=f"line line{number % COLOURS}", points="1,7 29,7", stroke_dasharray=dashes)
    return h.svg(".patch.wide", viewBox="0 0 30 14", aria_hidden="true")[stroke, _marker(number, 15, 7)]
