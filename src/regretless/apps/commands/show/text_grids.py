"""The grid of classes of hands as text, for a terminal: the action that each class takes most often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from regretless.apps.commands.show.node_rows import SELDOM
from regretless.poker.results.drawing.bet_scale import ranked_steps

if TYPE_CHECKING:
    from regretless.poker.results.grids import Grid

__all__ = ["grid_lines", "letters_of"]

LETTERS = {"fold": "f", "check": "x", "call": "c", "all-in": "a"}
BET_LETTERS, RAISE_LETTERS = "bBdDeE", "rRsStT"
"""For sizes from small to large."""

COLOURS = {"fold": "blue", "check": "green", "call": "green", "all-in": "magenta"}
BET_COLOURS = ("yellow", "red", "bright_red")
"""For small, middle and large shares of the pot."""


def letters_of(actions: Sequence[str]) -> list[str]:
    """A letter for each action; a capital, or one further on, for larger bets.

    >>> letters_of(("check", "bet 33", "bet 75", "all-in"))
    ['x', 'b', 'B', 'a']
    """
    bets, raises = iter(BET_LETTERS), iter(RAISE_LETTERS)
    return [LETTERS.get(action) or next(raises if action.startswith("raise") else bets, "+") for action in actions]


def grid_lines(grid: Grid, letters: Sequence[str], steps: Sequence[int | None] | None = None) -> Iterator[Text]:
    """The grid of classes as text: the action that each class takes most often, and how often in per cent.

    steps: of the actions, from `bet_steps`; by rank without them.
    """
    colours = _colours(grid.actions, steps or ranked_steps(grid.actions))
    held = np.flatnonzero((grid.reach > 0).any(axis=0) | (grid.reach > 0).any(axis=1))
    ranks = [str(label)[0] for label in np.diagonal(grid.labels)][: int(held.max()) + 1]
    legend = ", ".join(f"{letter} {action}" for letter, action in zip(letters, grid.actions, strict=True))
    yield Text(f"main action of each class, in per cent: {legend}; suited above the diagonal", style="dim")
    yield Text("  " + "".join(f"{rank:^5}" for rank in ranks).rstrip(), style="dim")
    for row, rank in enumerate(ranks):
        line = Text(f"{rank} ", style="dim")
        for column in range(len(ranks)):
            if not grid.reach[row, column] > 0 or grid.weight[row, column] < SELDOM:
                line.append("  ·  ", style="dim")
                continue
            shares = grid.frequencies[row, column]
            main = int(np.argmax(shares))
            line.append(f"{letters[main] + format(100 * shares[main], '.0f'):^5}", style=colours[main])
        line.rstrip()
        yield line


def _colours(actions: Sequence[str], steps: Sequence[int | None]) -> list[str]:
    """What a terminal paints each action with: bets below 40 %, below 90 %, and from 90 % of the pot on."""
    return [
        COLOURS.get(action) or BET_COLOURS[0 if step is None or step < 10 else 1 if step < 17 else 2]
        for action, step in zip(actions, steps, strict=True)
    ]
