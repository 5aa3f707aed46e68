"""Pictures, drawn with matplotlib when asked for. They take histories and numbers, and know nothing of solvers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.storage import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "NothingToDrawError", "convergence", "empty_figure", "panels", "save_figure", "title_panels"]

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

UNITS = {"loss": "loss of the networks, latest fit"}
"""What is written beside columns that are not in chips per game."""

Columns = Mapping[str, npt.NDArray[Any]]


class NothingToDrawError(OptionError):
    """No run knows a number that a plot of convergence could show."""


def convergence(
    histories: Mapping[str, Columns],
    *,
    title: str = "",
    path: str | os.PathLike[str] | None = None,
    ax: Any = None,
) -> Figure:
    """Exploitability against iterations (left) and seconds (right), on logarithmic axes, one line per history.

    Where no history knows exploitability, local regret or else the loss of networks is drawn. `ax` takes axes of yours:
    one for the panel of iterations alone, or two for both.
    """
    if histories and not any(len(history["iteration"]) for history in histories.values()):
        raise OptionError('there is nothing to draw: nothing has been measured (measure="never"?)')
    figure, drawn = panels(ax, 2, (9.0, 3.9), sharey=True)
    measured = _measured(histories)
    for axes, column in zip(drawn, ("iteration", "seconds"), strict=False):
        for number, (name, history) in enumerate(histories.items()):
            _line(axes, np.asarray(history[column], float), history[measured], name, number)
        axes.set_xlabel("iterations" if column == "iteration" else column)
        if any(np.size(line.get_xdata()) for line in axes.get_lines()):  # a logarithm needs numbers above 0
            axes.set_xscale("log")
            axes.set_yscale("log")
        axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    drawn[0].set_ylabel(UNITS.get(measured, f"{measured.replace('_', ' ')} (chips per game)"))
    if len(histories) > 1:
        drawn[-1].legend(frameon=False, fontsize=8, loc="best")
    label = title if len(histories) > 1 or not histories else f"{title}, {next(iter(histories))}"
    title_panels(figure, drawn, label, own=ax is None)
    if path is not None:
        save_figure(figure, path)
    return figure


@lru_cache(maxsize=1)
def _figure_class() -> type[Figure]:
    """A figure that notebooks show as the last line of a cell, without pyplot and without a magic command."""
    from matplotlib.figure import Figure

    class Picture(Figure):
        """A matplotlib figure with a PNG of itself for notebooks."""

        def _repr_png_(self) -> bytes:
            picture = BytesIO()
            self.savefig(picture, format="png", dpi=110)
            return picture.getvalue()

    return Picture


def empty_figure(size: tuple[float, float], layout: Any = "constrained") -> Figure:
    """A figure of a size in inches that belongs to no window; a notebook shows it."""
    return _figure_class()(figsize=size, layout=layout)


def panels(
    ax: Any, count: int, size: tuple[float, float], *, sharey: bool = False, layout: Any = "constrained"
) -> tuple[Figure, list[Axes]]:
    """Where to draw `count` panels: in a new figure, or in the axes that a user gives.

    A user may give fewer axes than there are panels; the last panels are then left out.
    """
    from matplotlib.axes import Axes

    if ax is None:
        figure = empty_figure(size, layout)
        return figure, list(np.atleast_1d(figure.subplots(1, count, sharey=sharey)))
    given = [ax] if isinstance(ax, Axes) else list(np.ravel(ax)) if isinstance(ax, Sequence | np.ndarray) else []
    if not given or len(given) > count or not all(isinstance(one, Axes) for one in given):
        most = "one Axes" if count == 1 else f"one Axes or a sequence of up to {count}"
        raise OptionError(f"ax is {most} of matplotlib, got {ax!r}")
    drawn_in = given[0].get_figure(root=True)
    if drawn_in is None:
        raise OptionError("ax is not part of a figure")
    return drawn_in, given


def title_panels(figure: Figure, drawn: Sequence[Axes], title: str, *, own: bool, **style: Any) -> None:
    """Write a title above a figure of ours, or above the first of the axes that a user gave."""
    if own:
        figure.suptitle(title, **(style or {"fontsize": 11, "x": 0.01, "ha": "left"}))
    else:
        drawn[0].set_title(title, fontsize=11, loc="left")


def _measured(histories: Mapping[str, Columns]) -> str:
    """What is drawn: exploitability or, where no history knows it, the first other column that all of them know."""

    def known(name: str, history: Columns) -> bool:
        return name in history and not np.isnan(history[name]).all()

    if not histories or any(known("exploitability", history) for history in histories.values()):
        return "exploitability"
    for name in ("local_regret", "loss"):
        if all(known(name, history) for history in histories.values()):
            return name
    raise NothingToDrawError(
        "there is nothing to draw: exploitability is not known, and no other measurement is in all runs"
    )


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
