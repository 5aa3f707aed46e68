"""Where the examples put their pictures, and how all of them look.

An example draws only when it is told where: `python examples/01_rps.py FOLDER`, or `--docs` for docs/images. Those that
could go on for long are short unless told `--full`; pictures for the documentation are always made in full.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from regretless.plots import COLOURS, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "STYLES", "finish", "folder", "in_full", "panels"]

STYLES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1))]
"""Lines that can be told apart in grey."""


def folder() -> Path | None:
    """The folder named on the command line, docs/images with --docs, or None: then nothing is drawn."""
    if "--docs" in sys.argv:
        return Path(__file__).resolve().parents[1] / "docs" / "images"
    places = [word for word in sys.argv[1:] if not word.startswith("--")]
    return Path(places[0]) if places else None


def in_full() -> bool:
    """Whether to take the time that a good answer needs."""
    return "--full" in sys.argv or "--docs" in sys.argv


def panels(count: int = 1, *, size: tuple[float, float] = (6.4, 3.6)) -> tuple[Figure, list[Axes]]:
    """A figure with `count` plain panels side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    axes = list(figure.subplots(1, count, squeeze=False)[0])
    for panel in axes:
        panel.grid(visible=True, which="major", color="#dddddd", linewidth=0.7)
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
    return figure, axes


def finish(figure: Figure, path: Path) -> None:
    """Legends for the panels that have several lines; then write the file and say so."""
    for panel in figure.axes:
        if len(panel.get_legend_handles_labels()[0]) > 1 and panel.get_legend() is None:
            panel.legend(frameon=False, fontsize=8)
    save_figure(figure, path)
    print(f"drew {path.name}")
