"""The grid of a range: a cell for each class of hands, cut by actions or shaded by a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from regretless.apps.explorer.web.markup import Child, Markup, tag
from regretless.apps.views.holdem_nodes import NodeView

__all__ = ["action_classes", "hand_grid"]

CELL = 46
SHADES = 9
SELDOM = 0.0005
"""Actions below this frequency are not drawn."""


def action_classes(actions: Sequence[str]) -> list[str]:
    """Colours by what an action is: folds pale, checks and calls green, bets the darker the larger they are."""
    bets = [action for action in actions if action not in ("fold", "check", "call")]
    darkest = 3 if len(bets) > 2 else 2
    out = []
    for action in actions:
        if action == "fold":
            out.append("hold-fold")
        elif action in ("check", "call"):
            out.append("hold-pass")
        else:
            place = bets.index(action)
            out.append(f"hold-bet{1 if len(bets) == 1 else round(darkest * place / (len(bets) - 1))}")
    return out


def hand_grid(view: NodeView, address: Callable[[str], str], chosen: str) -> Markup:
    """All classes; `address` says where the hands of a class are shown, `chosen` is the class that is."""
    labels = np.atleast_2d(view.grid.labels)
    rows, columns = labels.shape
    cells = [_cell(view, place, address, chosen) for place in range(labels.size)]
    shown = {"strategy": "what they do", "ev": "what they expect"}.get(view.what, f"their {view.what}")
    size = f"0 0 {CELL * columns} {CELL * rows}"
    return tag("svg", cells, css="hand-grid", viewBox=size, role="group", aria_label=f"Hands by class, and {shown}")


def _cell(view: NodeView, place: int, address: Callable[[str], str], chosen: str) -> Markup:
    grid = view.grid
    columns = np.atleast_2d(grid.labels).shape[1]
    where = np.unravel_index(place, grid.labels.shape)
    label, x, y = str(grid.labels[where]), CELL * (place % columns), CELL * (place // columns)
    held = int(grid.hands[where]) > 0
    inside: list[Child] = [tag("rect", x=x + 0.5, y=y + 0.5, width=CELL - 1, height=CELL - 1, css="ground")]
    if held:
        inside += _shares(view, where, x, y) if view.values is None else _shade(view, where, x, y)
    inside.append(tag("text", label, x=x + 4, y=y + 15, css="hand-label" if held else "hand-label none"))
    if label == chosen:
        inside.append(tag("rect", x=x + 1.5, y=y + 1.5, width=CELL - 3, height=CELL - 3, css="chosen"))
    if not held:
        return tag("g", inside)
    shares = zip(grid.actions, grid.frequencies[where].tolist(), strict=True)
    said = f"{label}: " + ", ".join(f"{action} {share:.0%}" for action, share in shares)
    return tag("a", tag("title", said), inside, href=address(label), aria_label=said, data_class=label)


def _shares(view: NodeView, where: Any, x: float, y: float) -> list[Markup]:
    """A bar cut by actions, as high as the class is still there."""
    grid = view.grid
    most = float(np.nanmax(grid.weight, initial=0.0)) or 1.0
    height = (CELL - 1) * float(grid.weight[where]) / most
    top, left, out = f"{y + CELL - 0.5 - height:.2f}", x + 0.5, []
    for share, css in zip(grid.frequencies[where].tolist(), action_classes(grid.actions), strict=True):
        width = (CELL - 1) * share
        if share > SELDOM:
            out.append(tag("rect", x=f"{left:.2f}", y=top, width=f"{width:.2f}", height=f"{height:.2f}", css=css))
        left += width
    return out


def _shade(view: NodeView, where: Any, x: float, y: float) -> list[Markup]:
    """A number on a shade, darker the larger it is."""
    assert view.values is not None
    value = float(view.values[where])
    if math.isnan(value):
        return []
    low, high = (0.0, 1.0) if view.what != "ev" else (float(np.nanmin(view.values)), float(np.nanmax(view.values)))
    share = (value - low) / (high - low) if high > low else 0.0
    shade = min(max(int(share * SHADES), 0), SHADES - 1)
    text = f"{value:.0%}" if view.what != "ev" else f"{value:,.1f}"
    return [
        tag("rect", x=x + 0.5, y=y + 0.5, width=CELL - 1, height=CELL - 1, css=f"shade{shade}"),
        tag("text", text, x=x + CELL / 2, y=y + CELL - 9, css=f"hand-value on{shade}", text_anchor="middle"),
    ]
