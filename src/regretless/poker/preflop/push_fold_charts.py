"""Charts of push or fold: one grid of classes for the player who is all-in, one for the player who calls."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from regretless.plots import panels, save_figure
from regretless.poker.results.drawing.grid_pictures import action_colours, draw_strategy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from regretless.poker.preflop.push_fold import PushFoldSolution
    from regretless.poker.results.grids import Grid

__all__ = ["draw_charts"]


def draw_charts(solution: PushFoldSolution, path: str | os.PathLike[str] | None = None) -> Figure:
    """Both ranges side by side; the width of a colour is the frequency of the action."""
    figure, axes = panels(None, 2, (15.0, 8.6))
    ante = f", antes of {solution.game.ante:g}" if solution.game.ante else ""
    figure.suptitle(
        f"{solution.game.stack:g} big blinds{ante}: worth {solution.value:+.4f} big blinds a hand to the small blind",
        fontsize=13,
        fontweight="bold",
    )
    titles = (
        f"small blind: all-in {solution.push_share:.1%}",
        f"big blind: calls {solution.call_share:.1%} of all-ins",
    )
    for one, grid, title in zip(axes, solution.grids(), titles, strict=True):
        _draw_grid(one, grid, title)
    if path is not None:
        save_figure(figure, path)
    return figure


def _draw_grid(axes: Axes, grid: Grid, title: str) -> None:
    from matplotlib.patches import Patch

    draw_strategy(axes, grid)
    axes.set_xlabel("Width of a colour: frequency of the action. Suited hands are above the diagonal.", fontsize=9)
    axes.set_title(title, fontsize=11.5, pad=28)
    entries = [
        Patch(facecolor=colour, edgecolor="#777777", linewidth=0.6, label=action)
        for colour, action in zip(action_colours(grid.actions), grid.actions, strict=True)
    ]
    axes.legend(handles=entries, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=10)
