"""Pictures, drawn with matplotlib when asked for. They take histories and numbers, and know nothing of solvers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.storage import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "convergence", "save_figure"]

COLOURS = [
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#8C564B",
    "#7F7F7F",
    "#BCBD22",
]
"""Colours that stay apart for colour-blind readers (the first seven are Okabe and Ito's)."""

STYLES = ["-", "--", "-.", ":"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", ">"]

Columns = Mapping[str, npt.NDArray[Any]]


def convergence(
    histories: Mapping[str, Columns], *, title: str = "", path: str | os.PathLike[str] | None = None
) -> Figure:
    """Exploitability against iterations (left) and seconds (right), on logarithmic axes, one line per history."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.9), layout="constrained")
    measured = _measured(histories)
    left, right = figure.subplots(1, 2, sharey=True)
    for number, (name, history) in enumerate(histories.items()):
        for axes, column in ((left, "iteration"), (right, "seconds")):
            _line(axes, np.asarray(history[column], float), history[measured], name, number)
    left.set_ylabel(f"{measured.replace('_', ' ')} (chips per game)")
    left.set_xlabel("iterations")
    right.set_xlabel("seconds")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    if len(histories) > 1:
        right.legend(frameon=False, fontsize=8, loc="best")
    label = title if len(histories) > 1 or not histories else f"{title}, {next(iter(histories))}"
    figure.suptitle(label, fontsize=11, x=0.01, ha="left")
    if path is not None:
        save_figure(figure, path)
    return figure


def _measured(histories: Mapping[str, Columns]) -> str:
    """What is drawn: exploitability, unless it is unknown in all histories and local regret was measured."""
    unknown = all(np.isnan(history["exploitability"]).all() for history in histories.values())
    return "local_regret" if unknown and all("local_regret" in h for h in histories.values()) else "exploitability"


def _line(axes: Axes, x: npt.NDArray[Any], y: npt.NDArray[Any], name: str, number: int) -> None:
    shown = (np.asarray(y) > 0) & (x > 0)
    axes.plot(
        x[shown],
        np.asarray(y)[shown],
        color=COLOURS[number % len(COLOURS)],
        linestyle=STYLES[number % len(STYLES)],
        marker=MARKERS[number % len(MARKERS)],
        markevery=max(1, int(shown.sum()) // 8),
        markersize=4,
        linewidth=1.5,
        label=name,
    )


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, by the ending of the name, atomically."""
    kind = Path(path).suffix.lstrip(".").lower() or "png"
    if kind not in ("png", "svg", "pdf"):
        raise OptionError(f"a picture ends in .png, .svg or .pdf, got {os.fspath(path)!r}")
    write_atomically(path, lambda file: figure.savefig(file, format=kind, dpi=160))
