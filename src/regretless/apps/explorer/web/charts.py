"""Convergence as a picture: exploitability against iterations or seconds, on logarithmic axes, as inline SVG.

Lines differ in colour, dashes and markers, so that they stay apart for colour-blind readers and in black and white.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regretless.apps.explorer.web.markup import Markup, tag

__all__ = ["Line", "chart", "line_patch"]

WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 14, 44
MOST_POINTS = 160
"""Of a long history so many measurements are drawn."""

DASHES = ("", "7 4", "2 4", "9 3 2 3")


@dataclass(frozen=True)
class Line:
    """A run to draw: where its colour comes from, what it is called, and its history."""

    place: int
    name: str
    history: Sequence[Mapping[str, float]]


@dataclass(frozen=True)
class _Scale:
    """From numbers to places on a logarithmic axis."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, number: float) -> float:
        share = (math.log10(number) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def decades(self) -> list[int]:
        """Powers of ten to mark, not more than fit."""
        first, last = math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9)
        step = max(1, math.ceil((last - first + 1) / 7))
        return list(range(first, last + 1, step))


def _scale(numbers: Sequence[float], begin: float, end: float) -> _Scale:
    low = math.floor(math.log10(min(numbers)) + 1e-9)
    high = math.ceil(math.log10(max(numbers)) - 1e-9)
    return _Scale(low, high if high > low else low + 1, begin, end)


def _points(line: Line, column: str) -> list[tuple[float, float]]:
    found = [(row.get(column, 0.0), row.get("exploitability", 0.0)) for row in line.history]
    good = [(x, y) for x, y in found if x > 0 and y > 0 and math.isfinite(x) and math.isfinite(y)]
    step = max(1, math.ceil(len(good) / MOST_POINTS))
    return good[::step] + ([good[-1]] if good and (len(good) - 1) % step else [])


def chart(lines: Sequence[Line], column: str, title: str) -> Markup:
    """All lines against one column of their histories; a sentence where nothing has been measured."""
    drawn = [(line, points) for line in lines if (points := _points(line, column))]
    if not drawn:
        return tag("p", "Nothing has been measured yet.", css="note")
    x = _scale([p[0] for _, points in drawn for p in points], LEFT, WIDTH - RIGHT)
    y = _scale([p[1] for _, points in drawn for p in points], HEIGHT - BOTTOM, TOP)
    parts = [*_grid(x, y), *(piece for line, points in drawn for piece in _drawn(line, points, x, y))]
    parts.append(tag("text", title, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 6, css="axis", text_anchor="middle"))
    last = ", ".join(f"{line.name}: {points[-1][1]:.3g}" for line, points in drawn)
    return tag(
        "svg", *parts, css="chart", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img",
        aria_label=f"exploitability against {title}; at the end {last}",
    )  # fmt: skip


def _grid(x: _Scale, y: _Scale) -> list[Markup]:
    parts = []
    for decade in x.decades():
        at = f"{x.at(10.0**decade):.1f}"
        parts.append(tag("line", x1=at, x2=at, y1=TOP, y2=HEIGHT - BOTTOM, css="grid"))
        parts.append(_power(decade, float(at), HEIGHT - BOTTOM + 16, "middle"))
    for decade in y.decades():
        at = f"{y.at(10.0**decade):.1f}"
        parts.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=at, y2=at, css="grid"))
        parts.append(_power(decade, LEFT - 6, float(at) + 4, "end"))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    turned = f"rotate(-90 13 {middle:g})"
    parts.append(
        tag("text", "exploitability, chips", x=13, y=middle, css="axis", text_anchor="middle", transform=turned)
    )
    return parts


def _power(decade: int, x: float, y: float, anchor: str) -> Markup:
    """A power of ten as people write it."""
    if -2 <= decade <= 3:
        return tag("text", f"{10.0**decade:g}", x=f"{x:.1f}", y=f"{y:.1f}", css="axis", text_anchor=anchor)
    raised = tag("tspan", decade, dy=-5, css="raised")
    return tag("text", "10", raised, x=f"{x:.1f}", y=f"{y:.1f}", css="axis", text_anchor=anchor)


def _drawn(line: Line, points: Sequence[tuple[float, float]], x: _Scale, y: _Scale) -> list[Markup]:
    places = [(x.at(a), y.at(b)) for a, b in points]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    css = f"line{line.place % 8}"
    parts = [tag("polyline", points=path, css=f"line {css}", stroke_dasharray=DASHES[line.place // 2 % 4] or None)]
    every = max(1, len(places) // 8)
    for number, (a, b) in enumerate(places):
        if number % every == 0 or number == len(places) - 1:
            said = tag("title", f"{line.name}: {points[number][1]:.3g} at {points[number][0]:,.6g}")
            parts.append(_marker(line.place, a, b, css, said))
    return parts


def _marker(place: int, x: float, y: float, css: str, *children: Markup) -> Markup:
    """A circle, a square, a triangle or a diamond."""
    if place % 4 == 0:
        return tag("circle", *children, cx=f"{x:.1f}", cy=f"{y:.1f}", r=3.2, css=f"mark {css}")
    shapes: dict[int, list[tuple[float, float]]] = {
        1: [(-3, -3), (3, -3), (3, 3), (-3, 3)],
        2: [(0, -4), (3.6, 3), (-3.6, 3)],
        3: [(0, -4), (4, 0), (0, 4), (-4, 0)],
    }
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in shapes[place % 4])
    return tag("polygon", *children, points=points, css=f"mark {css}")


def line_patch(place: int) -> Markup:
    """A piece of a line, for lists of what is drawn."""
    css = f"line{place % 8}"
    stroke = tag("polyline", points="1,7 29,7", css=f"line {css}", stroke_dasharray=DASHES[place // 2 % 4] or None)
    return tag("svg", stroke, _marker(place, 15, 7, css), css="patch wide", viewBox="0 0 30 14", aria_hidden="true")
