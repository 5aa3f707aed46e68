"""The grid of a range: a cell for each class of hands, divided by actions or shaded by a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import htpy as h
import numpy as np

from regretless.apps.explorer.pages.action_colours import node_colours
from regretless.apps.views.holdem_nodes import NodeView
from regretless.apps.views.number_format import ratio

__all__ = ["hand_grid", "label_on_bars"]

CELL = 46
LETTER, LETTERS = 9.0, {"J": 5.5, ".": 5.0, "A": 10.5, "K": 10.5, "Q": 11.0, "+": 11.0, "−": 11.0}
"""Widths of the letters of labels: of most, and of those that are narrower or wider."""
SHADES = 9
RARE = 0.0005
"""Actions below this frequency are not drawn."""

GAIN_SHADES = 3
EVEN = 0.05
"""Chips up to which nothing is gained or lost."""


def hand_grid(
    view: NodeView, address: Callable[[str], str], chosen: str, colours: Sequence[str] | None = None
) -> h.Element:
    """All classes; `address` gives the link of a class, `chosen` is the class whose hands are shown.

    colours: of the actions; those of the node of the view without them.
    """
    colours = node_colours(view.node.game, view.node) if colours is None else colours
    labels = np.atleast_2d(view.grid.labels)
    rows, columns = labels.shape
    cells = [_cell(view, number, address, chosen, colours) for number in range(labels.size)]
    shown = {"strategy": "what they do", "ev": "their expected chips", "gain": "the chips they gain"}.get(
        view.what, f"their {view.what}"
    )
    return h.svg(
        ".hand-grid", viewBox=f"0 0 {CELL * columns} {CELL * rows}", role="group",
        aria_label=f"Hands by class, and {shown}",
    )[cells]  # fmt: skip


def _cell(view: NodeView, number: int, address: Callable[[str], str], chosen: str, colours: Sequence[str]) -> h.Element:
    grid = view.grid
    columns = np.atleast_2d(grid.labels).shape[1]
    where = np.unravel_index(number, grid.labels.shape)
    label, x, y = str(grid.labels[where]), CELL * (number % columns), CELL * (number // columns)
    held = int(grid.hands[where]) > 0
    inside: list[h.Node] = [_square(x + 0.5, y + 0.5, CELL - 1, "ground")]
    written: list[h.Element] = []
    if held and view.what == "gain":
        inside += _gained(view, where, x, y)
    elif held:
        shade = _shade(view, where)
        inside += _shares(view, where, x, y, colours) if shade is None else _number(view, where, shade, x, y)
        written = label_on_bars(label, x + 4, y + 15) if shade is None else [_label(label, f"on{shade}", x, y)]
    inside += written or [_label(label, "" if held else "none", x, y)]
    if label == chosen:
        inside.append(_square(x + 1.5, y + 1.5, CELL - 3, "chosen"))
    if not held:
        return h.g[inside]
    shares = zip(grid.actions, grid.frequencies[where].tolist(), strict=True)
    text = f"{label}: " + ", ".join(f"{action} {share:.0%}" for action, share in shares)
    if len(grid.actions) == 1:  # the player who waits
        text = f"{label}: {float(grid.weight[where]):.0%}"
    return h.a(href=address(label), aria_label=text, data_class=label)[h.title[text], inside]


def _label(label: str, css: str, x: int, y: int) -> h.Element:
    return h.text(class_=f"hand-label {css}".rstrip(), x=x + 4, y=y + 15)[label]


def label_on_bars(text: str, x: int, y: int) -> list[h.Element]:
    """A text on a pale patch: the colours of actions are light and dark, and it can be read on all of them."""
    width = sum(LETTERS.get(letter, LETTER) for letter in text) + 4
    patch = h.rect(class_="label-patch", x=x - 2, y=y - 12, width=f"{width:g}", height=15, rx=3)
    return [patch, h.text(class_="hand-label", x=x, y=y)[text]]


def _square(x: float, y: float, size: float, css: str) -> h.Element:
    return h.rect(class_=css, x=f"{x:g}", y=f"{y:g}", width=f"{size:g}", height=f"{size:g}")


def _shares(view: NodeView, where: Any, x: float, y: float, colours: Sequence[str]) -> list[h.Element]:
    """A bar divided by actions; its height is the part of the class that comes here."""
    grid = view.grid
    if view.values is not None:  # a number that is not known
        return []
    most = float(np.nanmax(grid.weight, initial=0.0)) or 1.0
    height = (CELL - 1) * float(grid.weight[where]) / most
    top, left, out = f"{y + CELL - 0.5 - height:.2f}", x + 0.5, []
    for share, colour in zip(grid.frequencies[where].tolist(), colours, strict=True):
        width = (CELL - 1) * share
        if share > RARE:
            out.append(h.rect(class_=colour, x=f"{left:.2f}", y=top, width=f"{width:.2f}", height=f"{height:.2f}"))
        left += width
    return out


def _shade(view: NodeView, where: Any) -> int | None:
    """The number of a cell's shade, larger for larger values; None if the cell shows the strategy."""
    if view.values is None or not math.isfinite(value := float(view.values[where])):
        return None
    low, high = (0.0, 1.5 if view.what == "realisation" else 1.0)
    if view.what == "ev":
        low, high = float(np.nanmin(view.values)), float(np.nanmax(view.values))
    share = (value - low) / (high - low) if high > low else 0.0
    return min(max(int(share * SHADES), 0), SHADES - 1)


def _number(view: NodeView, where: Any, shade: int, x: int, y: int) -> list[h.Element]:
    """The value of a cell on its shade."""
    assert view.values is not None
    value = float(view.values[where])
    text = ratio(value) if view.what != "ev" else f"{value:,.1f}".replace("-", "−")
    number = h.text(class_=f"hand-value on{shade}", x=x + CELL // 2, y=y + CELL - 9, text_anchor="middle")[text]
    return [_square(x + 0.5, y + 0.5, CELL - 1, f"shade{shade}"), number]


def _gained(view: NodeView, where: Any, x: int, y: int) -> list[h.Element]:
    """Chips gained or lost, in one of two colours that is stronger for larger amounts."""
    assert view.values is not None
    value = float(view.values[where])
    if math.isnan(value):
        return []
    most = float(np.nanmax(np.abs(view.values)))
    strength = min(int(GAIN_SHADES * abs(value) / most), GAIN_SHADES - 1) if most > EVEN else 0
    colour = "even" if abs(value) < EVEN else f"{'gained' if value > 0 else 'gone'}{strength}"
    text = "0" if abs(value) < EVEN else f"{value:+,.1f}" if abs(value) < 99.95 else f"{value:+,.0f}"
    number = h.text(class_="hand-value gain-value", x=x + CELL // 2, y=y + CELL - 9, text_anchor="middle")[
        text.replace("-", "−")
    ]
    return [_square(x + 0.5, y + 0.5, CELL - 1, colour), number]
