"""Pictures of rows: lines on two axes."""

from __future__ import annotations

import os

from regretless.plots import COLOURS, MARKERS, empty_figure, save_figure
from regretless.reproduce.claims import Picture

__all__ = ["draw_picture"]

MOST_MARKERS = 20
"""A line with more points is drawn without them."""


def draw_picture(picture: Picture, path: str | os.PathLike[str]) -> None:
    """Draw the lines of a picture into a file."""
    figure = empty_figure((6.4, 3.6))
    axes = figure.subplots()
    for number, line in enumerate(picture.lines):
        colour = COLOURS[number % len(COLOURS)]
        marker = MARKERS[number % len(MARKERS)] if len(line.x) <= MOST_MARKERS else ""
        axes.plot(line.x, line.y, color=colour, marker=marker, markersize=4, label=line.name)
    if "x" in picture.log:
        axes.set_xscale("log")
    if "y" in picture.log:
        axes.set_yscale("log")
    axes.set(xlabel=picture.x, ylabel=picture.y, title=picture.title)
    axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if len(picture.lines) > 1:
        axes.legend(frameon=False, fontsize=8)
    save_figure(figure, path)
