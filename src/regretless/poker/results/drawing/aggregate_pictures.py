"""A picture of a node by kinds of boards, with a bar of actions for each kind."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from regretless.plots import panels, save_figure
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.results.drawing.grid_pictures import BETWEEN, INK, LABEL_PATCH, node_colours, seat

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from regretless.poker.results.aggregates import Aggregate, Group

__all__ = ["draw_aggregate"]

HEADINGS = {"suits": "by suits", "pairing": "by ranks", "high": "by highest card"}
SMALLEST = 0.045
"""The smallest share of a bar that gets a label."""


def draw_aggregate(table: Aggregate, path: str | os.PathLike[str] | None = None, ax: Axes | None = None) -> Figure:
    """Bars of actions: all boards, then by suits, by ranks and by the highest card."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.patches import Patch

    sections: list[tuple[str, list[Group]]] = [("", [table.total])]
    sections += [(heading, table.by(kind)) for kind, heading in HEADINGS.items()]
    rows = sum(len(groups) for _, groups in sections) + len(sections) - 1
    engine = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    figure, (axes,) = panels(ax, 1, (8.0, 1.5 + 0.34 * rows), layout=engine)
    colours = node_colours(table)
    height, heights, names = 0.0, [], []
    for heading, groups in sections:
        if heading:
            axes.text(0.0, height + 0.12, heading, fontsize=9.5, fontweight="bold", color=INK, va="center")
            height += 1.0
        for group in groups:
            _bar(axes, height, group, colours)
            heights.append(height)
            names.append(f"{group.name}   {group.reach:5.1%}")
            height += 1.0
    axes.set(xlim=(0, 1), xticks=[], ylim=(height - 0.4, -0.6), yticks=heights, yticklabels=names)
    axes.tick_params(length=0, labelsize=9)
    axes.spines[:].set_visible(False)
    turn = f"{seat(table.game, table.player)} to act" + ("" if table.line else " first")
    parts = (table.line, turn, f"pot {spell_chips(table.pot)}", f"{len(table):,} boards")
    if ax is None:  # the legend of actions lies where the title of axes would be
        figure.suptitle(BETWEEN.join(part for part in parts if part), fontsize=11.5, fontweight="bold")
    entries = [
        Patch(facecolor=colour, edgecolor="#777777", linewidth=0.6, label=f"{action}  {share:.1%}")
        for colour, (action, share) in zip(colours, table.total.frequencies.items(), strict=True)
    ]
    axes.legend(handles=entries, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=5, frameon=False, fontsize=10)
    axes.set_xlabel("Beside each name: probability of such a board when the node is reached.", fontsize=9)
    if path is not None:
        save_figure(figure, path)
    return figure


def _bar(axes: Axes, height: float, group: Group, colours: list[tuple[float, float, float]]) -> None:
    left = 0.0
    for share, colour in zip(group.frequencies.values(), colours, strict=True):
        if share != share:  # never reached
            return
        axes.barh(height, share, left=left, color=colour, edgecolor="white", linewidth=0.8, height=0.82)
        if share > SMALLEST:
            middle = left + share / 2
            axes.text(
                middle, height, f"{share:.0%}", fontsize=8.5, color=INK, ha="center", va="center", bbox=LABEL_PATCH
            )
        left += share
