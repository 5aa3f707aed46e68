"""Pictures of grids.

A cell is a bar. Its parts are the frequencies of actions, its height is the weight of the class in the range. Colours
run from light (fold) to dark (the largest bet), so a black-and-white copy shows the same order, and colour-blind
readers can tell them apart.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, suggest
from regretless.plots import panels, save_figure
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.quoting import quoted
from regretless.poker.results.drawing.bet_scale import ALL_IN, bet_steps, ranked_steps
from regretless.poker.results.grids import Grid, by_class, equities, grid_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from regretless.poker.games import PublicGame
    from regretless.poker.results.aggregates import Aggregate
    from regretless.poker.results.public_strategy import NodeStrategy

__all__ = ["LABEL_PATCH", "action_colours", "draw", "draw_strategy", "node_colours", "seat", "where"]

Array = npt.NDArray[Any]
Colour = tuple[float, float, float]

FOLD, PASSIVE = "#DCE6EF", "#84CDB1"
"""Colours of folds, and of checks and calls: CIE lightness 91 and 77."""
BETS = ("#D9761F", "#BF392C", "#85193F", "#2A0C2E")
"""Colours of the scale of bets (see `bet_scale`), the smallest first, all-in last: CIE lightness 60, 44, 30 and 9.

Any two of the six colours differ by at least 18 (CIE 1976) for normal, red-, green- and blue-blind vision, the latter
by the model of Machado, Oliveira and Fernandes (2009).
"""
SHADES = ("#F3F6F9", "#9CC3DA", "#3F7FB0", "#0B2C53")
"""Colours of numbers, small to large."""
INK, PALE, LINE = "#1B1B1B", "#BDBDBD", "#C9CDD2"
LABEL_PATCH = {"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.85, "linewidth": 0}
"""The patch behind a label: the colours of actions are light and dark, and it can be read on all of them."""

NUMBERS = {
    "ev": "Expected chips of a class from the node on: what it wins less what it still pays",
    "equity": "Equity of a class against the other player's hands: its share of the pot without further folds",
    "weight": "Share of each class that reaches the node",
}
WHAT = ("strategy", *NUMBERS)

BETWEEN = "   ·   "
SUITS = str.maketrans("cdhs", "♣♦♥♠")


def seat(game: PublicGame, player: int) -> str:
    """The usual name of a player's seat."""
    rules = game.betting
    if any(rules.blinds):
        return "big blind" if rules.blinds[player] == max(rules.blinds) else "small blind"
    return ("out of position", "in position")[player != rules.openers[-1]] if rules.pot else f"player {player}"


def where(node: NodeStrategy) -> str:
    """The board, the line of play, who is to act, and the pot."""
    deck = node.game.deck
    cards = [deck.name(card) for card in deck.cards(node.board)]
    board = " ".join(name[:-1] + name[-1].translate(SUITS) for name in cards)
    turn = f"{seat(node.game, node.player)} to act" + ("" if node.line else " first")
    return BETWEEN.join(part for part in (board, node.line, turn, f"pot {spell_chips(node.pot)}") if part)


def action_colours(actions: Sequence[str], steps: Sequence[int | None] | None = None) -> list[Colour]:
    """A colour for each action: the lightest for fold, then check or call, then bets and raises from small to large.

    steps: from `bet_steps`, so that a share of the pot has the same colour everywhere; without them by rank.
    """
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    ramp = LinearSegmentedColormap.from_list("bets", BETS)
    return [
        to_rgb(FOLD if action == "fold" else PASSIVE) if step is None else ramp(step / ALL_IN)[:3]
        for action, step in zip(actions, steps or ranked_steps(actions), strict=True)
    ]


def node_colours(node: NodeStrategy | Aggregate) -> list[Colour]:
    """The colour of each action of a node."""
    return action_colours(node.actions, bet_steps(node.game.betting, node.line, node.actions))


def draw(
    node: NodeStrategy,
    what: str = "strategy",
    path: str | os.PathLike[str] | None = None,
    ax: Axes | None = None,
) -> Figure:
    """A picture of a node: its "strategy", or "ev", "equity" or "weight" as numbers on a colour scale."""
    if what not in WHAT:
        raise OptionError(f"there is no picture of {quoted(what)}: {suggest(str(what), WHAT)}")
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    grid = grid_of(node)
    square, bars = grid.labels.ndim == 2, what == "strategy"
    rows = int(np.count_nonzero(grid.hands))
    size = (8.0, 9.0 if bars else 8.5) if square else (7.2, 1.4 + 0.45 * rows if bars else 1.0 + 7.2 / len(grid.labels))
    figure, (axes,) = panels(ax, 1, size, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    if ax is None:  # the legend of actions lies where the title of axes would be
        figure.suptitle(where(node), fontsize=11.5, fontweight="bold")
    if bars:
        colours = node_colours(node)
        (draw_strategy if square else _draw_bars)(axes, grid, colours)
        _legend(axes, node, colours)
    else:
        values = {
            "ev": lambda: grid.ev,
            "weight": lambda: grid.weight,
            "equity": lambda: by_class(node, equities(node)),
        }
        _draw_numbers(axes, grid, values[what](), what)
    if path is not None:
        save_figure(figure, path)
    return figure


def draw_strategy(axes: Axes, grid: Grid, colours: Sequence[Colour] | None = None) -> None:
    """Bars of actions in the cells; the height is the weight of the class. colours: of the actions, else by rank."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    colours = colours or action_colours(grid.actions)
    most = float(np.nanmax(grid.weight, initial=0.0)) or 1.0
    bars, faces = [], []
    for row, column in np.argwhere(grid.hands > 0):
        height = grid.weight[row, column] / most
        left = float(column)
        for share, colour in zip(grid.frequencies[row, column], colours, strict=True):
            bars.append(Rectangle((left, row + 1 - height), share, height))
            faces.append(colour)
            left += share
    axes.add_collection(PatchCollection(bars, facecolors=faces, edgecolors="white", linewidths=0.4))
    _frame(axes, grid)
    for (row, column), label in np.ndenumerate(grid.labels):
        _write(axes, (column + 0.08, row + 0.09), label, held=bool(grid.hands[row, column]), corner=True)
    full = "all" if most > 0.9995 else f"{most:.1%}" if most > 0.01 else f"{most:.2g}"
    label = "Width of a colour: frequency of the action. Height: share of the class that reaches the node"
    axes.set_xlabel(f"{label} (full height: {full}).", fontsize=9)


def _draw_bars(axes: Axes, grid: Grid, colours: Sequence[Colour]) -> None:
    """A bar for each rank, of hands of one card."""
    held = np.flatnonzero(grid.hands)
    left = np.zeros(len(held))
    for action, colour in enumerate(colours):
        share = grid.frequencies[held, action]
        axes.barh(np.arange(len(held)), share, left=left, color=colour, edgecolor="white", height=0.74)
        for row, (start, width) in enumerate(zip(left, share, strict=True)):
            if width > 0.04:
                _write(axes, (start + width / 2, row), f"{width:.1%}")
        left += share
    axes.set(xlim=(0, 1), xticks=[], ylim=(len(held) - 0.5, -0.5), yticks=np.arange(len(held)))
    axes.set_yticklabels([f"{grid.labels[at]}   ({grid.weight[at]:.0%} of it here)" for at in held])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _draw_numbers(axes: Axes, grid: Grid, values: Array, what: str) -> None:
    """A number in each cell; larger numbers have darker colours."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    shades = LinearSegmentedColormap.from_list("shades", SHADES)
    values, labels = np.atleast_2d(values), np.atleast_2d(grid.labels)
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if what == "ev" and len(known) else (0.0, 1.0)
    scale = Normalize(low, high if high > low else low + 1.0)
    rows, columns = values.shape
    shown = np.ma.masked_invalid(values)
    axes.imshow(shown, cmap=shades, norm=scale, extent=(0, columns, rows, 0))
    _frame(axes, grid)
    for (row, column), label in np.ndenumerate(labels):
        value = float(values[row, column])
        ink = PALE if np.isnan(value) else ("white" if scale(value) > 0.5 else INK)
        axes.text(column + 0.08, row + 0.09, label, fontsize=8.5, color=ink, ha="left", va="top")
        if not np.isnan(value):
            number = f"{value:.1f}" if what == "ev" else f"{value:.0%}"
            axes.text(column + 0.5, row + 0.64, number, fontsize=9, color=ink, ha="center", va="center")
    mean = float(np.nansum(values * grid.reach) / np.nansum(np.where(np.isnan(values), 0.0, grid.reach)))
    over = {"ev": f"  Over all hands: {mean:.2f}.", "equity": f"  Over all hands: {mean:.1%}.", "weight": ""}
    axes.set_xlabel(f"{NUMBERS[what]}.{over[what]}", fontsize=9)


def _frame(axes: Axes, grid: Grid) -> None:
    """Lines around the cells, all of one size."""
    rows, columns = np.atleast_2d(grid.labels).shape
    axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal", xticks=[], yticks=[])
    axes.hlines(np.arange(rows + 1), 0, columns, color=LINE, linewidth=0.8, clip_on=False)
    axes.vlines(np.arange(columns + 1), 0, rows, color=LINE, linewidth=0.8, clip_on=False)
    axes.spines[:].set_visible(False)


def _write(axes: Axes, at: tuple[float, float], text: str, *, held: bool = True, corner: bool = False) -> None:
    """A short text, readable on any colour."""
    axes.text(
        *at,
        text,
        fontsize=8.5,
        color=INK if held else PALE,
        ha="left" if corner else "center",
        va="top" if corner else "center",
        bbox=LABEL_PATCH if held else None,
    )


def _legend(axes: Axes, node: NodeStrategy, colours: Sequence[Colour]) -> None:
    from matplotlib.patches import Patch

    entries = [
        Patch(facecolor=colour, edgecolor="#777777", linewidth=0.6, label=f"{action}  {share:.1%}")
        for colour, (action, share) in zip(colours, node.frequencies.items(), strict=True)
    ]
    axes.legend(
        handles=entries,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=min(len(entries), 5),
        frameon=False,
        fontsize=10,
        handlelength=1.6,
        handleheight=1.2,
    )
