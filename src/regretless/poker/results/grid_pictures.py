"""Pictures of grids, to look at and to print.

A cell is a bar, cut by how often its hands take each action and as high as its class is still in the range. Colours run
from light (fold) to dark (the largest bet), so a copy in black and white shows the same order, and they stay apart for
colour-blind readers.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, suggest
from regretless.plots import save_figure
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.results.grids import Grid, by_class, equities, grid_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from regretless.poker.games import PublicGame
    from regretless.poker.results.public_strategy import NodeStrategy

__all__ = ["action_colours", "draw", "seat", "where"]

Array = npt.NDArray[Any]
Colour = tuple[float, float, float]

FOLD, PASSIVE = "#DCE6EF", "#84CDB1"
"""Of folds, and of checks and calls: CIE lightness 91 and 77."""
BETS = ("#D9761F", "#BF392C", "#85193F", "#2A0C2E")
"""Of bets and raises, the smallest first: CIE lightness 60, 44, 30 and 9; other numbers of bets lie in between.

Any two of the six colours differ by at least 18 (CIE 1976) to normal, red-, green- and blue-blind eyes, the latter as
Machado, Oliveira and Fernandes (2009) model them.
"""
SHADES = ("#F3F6F9", "#9CC3DA", "#3F7FB0", "#0B2C53")
"""Of numbers, small to large."""
INK, PALE, LINE = "#1B1B1B", "#BDBDBD", "#C9CDD2"

NUMBERS = {
    "ev": "Chips that the hands of a class expect to get from here on, less what they still put in",
    "equity": "Share of the pot that the hands of a class win if nobody folds any more, against those that come here",
    "weight": "How much of each class comes here",
}
WHAT = ("strategy", *NUMBERS)

BETWEEN = "   ·   "
SUITS = str.maketrans("cdhs", "♣♦♥♠")


def seat(game: PublicGame, player: int) -> str:
    """What poker people call a player."""
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


def action_colours(actions: tuple[str, ...]) -> list[Colour]:
    """A colour for each action: fold the lightest, then check or call, then bets and raises from small to large."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    bets = sum(action not in ("fold", "check", "call") for action in actions)
    ramp = LinearSegmentedColormap.from_list("bets", BETS)
    # A single bet is plain red, and two need not be as far apart as light and black.
    places = iter({1: [1 / 3], 2: [0.0, 2 / 3]}.get(bets) or np.linspace(0.0, 1.0, bets).tolist())
    calm = {"fold": FOLD, "check": PASSIVE, "call": PASSIVE}
    return [to_rgb(calm[action]) if action in calm else ramp(next(places))[:3] for action in actions]


def draw(node: NodeStrategy, what: str = "strategy", path: str | os.PathLike[str] | None = None) -> Figure:
    """A picture of a node: its "strategy", or "ev", "equity" or "weight" as numbers on shades."""
    if what not in WHAT:
        raise OptionError(f"there is no picture of {what!r}: {suggest(str(what), WHAT)}")
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    grid = grid_of(node)
    square, bars = grid.labels.ndim == 2, what == "strategy"
    rows = int(np.count_nonzero(grid.hands))
    size = (8.0, 9.0 if bars else 8.5) if square else (7.2, 1.4 + 0.45 * rows if bars else 1.0 + 7.2 / len(grid.labels))
    figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    axes = figure.subplots()
    figure.suptitle(where(node), fontsize=11.5, fontweight="bold")
    if bars:
        (_draw_strategy if square else _draw_bars)(axes, grid)
        _legend(axes, node)
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


def _draw_strategy(axes: Axes, grid: Grid) -> None:
    """Bars of actions in the cells, as high as their classes are still there."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    colours = action_colours(grid.actions)
    most = float(np.nanmax(grid.weight, initial=0.0)) or 1.0
    bars, faces = [], []
    for row, column in np.argwhere(grid.hands > 0):
        height = grid.weight[row, column] / most
        left = float(column)
        for share, colour in zip(grid.frequencies[row, column], colours, strict=True):
            bars.append(Rectangle((left, row + 1 - height), share, height))
            faces.append(colour)
            left += share
    axes.add_collection(PatchCollection(bars, facecolors=faces, linewidths=0))
    _frame(axes, grid)
    for (row, column), label in np.ndenumerate(grid.labels):
        _write(axes, (column + 0.08, row + 0.09), label, held=bool(grid.hands[row, column]), corner=True)
    full = "all" if most > 0.9995 else f"{most:.1%}" if most > 0.01 else f"{most:.2g}"
    said = "Width of a colour: how often a class takes the action. Height: how much of it comes here"
    axes.set_xlabel(f"{said} (full height: {full}).", fontsize=9)


def _draw_bars(axes: Axes, grid: Grid) -> None:
    """A bar for each rank, of hands of one card."""
    held = np.flatnonzero(grid.hands)
    left = np.zeros(len(held))
    for action, colour in enumerate(action_colours(grid.actions)):
        share = grid.frequencies[held, action]
        axes.barh(np.arange(len(held)), share, left=left, color=colour, edgecolor="white", height=0.74)
        for row, (start, width) in enumerate(zip(left, share, strict=True)):
            if width > 0.04:
                _write(axes, (start + width / 2, row), f"{width:.1%}")
        left += share
    axes.set(xlim=(0, 1), xticks=[], ylim=(len(held) - 0.5, -0.5), yticks=np.arange(len(held)))
    axes.set_yticklabels([f"{grid.labels[at]}   ({grid.weight[at]:.0%} comes here)" for at in held])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _draw_numbers(axes: Axes, grid: Grid, values: Array, what: str) -> None:
    """A number in each cell, on a shade that is darker the larger it is."""
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
            said = f"{value:.1f}" if what == "ev" else f"{value:.0%}"
            axes.text(column + 0.5, row + 0.64, said, fontsize=9, color=ink, ha="center", va="center")
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


def _write(axes: Axes, place: tuple[float, float], text: str, *, held: bool = True, corner: bool = False) -> None:
    """A few letters with a white rim, to be read on any colour."""
    from matplotlib.patheffects import withStroke

    axes.text(
        *place,
        text,
        fontsize=8.5,
        color=INK if held else PALE,
        ha="left" if corner else "center",
        va="top" if corner else "center",
        path_effects=[withStroke(linewidth=1.8, foreground="white")],
    )


def _legend(axes: Axes, node: NodeStrategy) -> None:
    from matplotlib.patches import Patch

    colours = action_colours(node.actions)
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
