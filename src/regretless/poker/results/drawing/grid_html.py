"""Grids as HTML tables, for notebooks: each cell is a bar whose parts are the frequencies of actions."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.display.html_tables import facts_table
from regretless.poker.results.drawing.grid_pictures import action_colours, where
from regretless.poker.results.grids import Grid, grid_of

if TYPE_CHECKING:
    from regretless.poker.results.public_strategy import NodeStrategy

__all__ = ["grid_html", "node_html"]

LARGEST_HAND = 2
"""Cards of a hand up to which there is a grid."""


def node_html(node: NodeStrategy) -> str:
    """A node: where it is, the frequency of each action, and the grid of its range."""
    frequencies = facts_table(where(node), [(action, f"{share:.1%}") for action, share in node.frequencies.items()])
    return frequencies + (grid_html(grid_of(node)) if node.hands.shape[1] <= LARGEST_HAND else "")


def grid_html(grid: Grid) -> str:
    """The grid as a table; frequencies appear as a tooltip of each cell."""
    parts = action_colours(grid.actions, grid.steps)
    colours = [f"rgb({', '.join(str(round(255 * part)) for part in colour)})" for colour in parts]
    key = " ".join(
        f"<span style='background: {colour}; padding: 0 0.6em'>&nbsp;</span> {escape(action)}&emsp;"
        for colour, action in zip(colours, grid.actions, strict=True)
    )
    labels = np.atleast_2d(grid.labels)
    hands, frequencies = grid.hands.reshape(labels.shape), grid.frequencies.reshape(*labels.shape, -1)
    rows = "".join(
        f"<tr>{''.join(_cell(grid, labels[at], int(hands[at]), frequencies[at], colours) for at in line)}</tr>"
        for line in ([(row, column) for column in range(labels.shape[1])] for row in range(labels.shape[0]))
    )
    return f"<div>{key}</div><table style='border-collapse: collapse'><tbody>{rows}</tbody></table>"


def _cell(grid: Grid, label: str, hands: int, shares: npt.NDArray[Any], colours: list[str]) -> str:
    """One class of hands: a bar from left to right, or an empty cell where no hand is possible."""
    base = "border: 1px solid #ccc; padding: 0.25em 0.4em; text-align: center; font-size: 85%"
    if not hands:
        return f"<td style='{base}; color: #bbb'>{escape(str(label))}</td>"
    stops, begin = [], 0.0
    for colour, share in zip(colours, 100 * shares, strict=True):
        start = f"{begin:.1f}%"
        if begin > 0 and share > 0:  # a hairline tells neighbouring sizes of nearly the same colour apart
            start = f"calc({begin:.1f}% + 1px)"
            stops.append(f"white {begin:.1f}% {start}")
        begin += share
        stops.append(f"{colour} {start} {begin:.1f}%")
    tip = ", ".join(f"{action} {share:.1%}" for action, share in zip(grid.actions, shares, strict=True))
    patch = "color: #1b1b1b; background: rgba(255, 255, 255, 0.85); border-radius: 3px; padding: 0 0.15em"
    style = f"{base}; background: linear-gradient(to right, {', '.join(stops)})"
    text = f"<span style='{patch}'>{escape(str(label))}</span>"
    return f"<td style='{style}' title='{escape(tip, quote=True)}'>{text}</td>"
