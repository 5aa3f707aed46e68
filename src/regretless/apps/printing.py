"""Tables and sentences that the command line prints, drawn with rich."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from regretless.strategy import Strategy

__all__ = [
    "Shown",
    "chips",
    "console",
    "entry",
    "facts",
    "gap",
    "plain_table",
    "print_json",
    "print_strategy",
    "shown",
    "spent",
]

WIDE = 120
"""Columns of output that goes to a file or a pipe, unless COLUMNS says otherwise."""

MOST_ACTION_COLUMNS = 6
LONGEST_BAR = 10
SELDOM = 0.0005
"""Where actions are listed, those below this probability are only counted."""

EIGHTHS = " ▏▎▍▌▋▊▉"


def console() -> Console:
    """A console on the present standard output."""
    wide = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else WIDE
    return Console(file=sys.stdout, width=wide, highlight=False, markup=False, emoji=False)


def print_json(content: Any) -> None:
    """One JSON object on standard output; numbers that JSON does not know become null."""
    print(json.dumps(_finite(content), indent=2))


def _finite(content: Any) -> Any:
    if isinstance(content, dict):
        return {str(key): _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content


def gap(number: float | None) -> str:
    """An exploitability: three digits."""
    return "not measured" if number is None or math.isnan(number) else f"{number:.3g}"


def chips(number: float | None) -> str:
    """A value in chips, with its sign."""
    if number is None or math.isnan(number):
        return "not measured"
    text = f"{number:+.6f}"
    return "0" if float(text) == 0 else text


def spent(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 1e-6:
        return f"{seconds * 1e9:.0f} ns"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """A table of names and values."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in rows:
        grid.add_row(name, text)
    return grid


def entry(text: str, detail: str) -> Text:
    """A line, and below it, dimmed, an optional detail."""
    return Text.assemble(text, ("\n" + detail if detail else "", "dim"))


def plain_table(head: Sequence[str], rows: Iterable[Sequence[str | Text]], *, right: Iterable[int] = ()) -> Table:
    """A table with a line under its head; the columns in `right` are numbers. The first column never wraps."""
    from rich.box import SIMPLE_HEAD

    numbers = set(right)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True, header_style="bold")
    for number, name in enumerate(head):
        table.add_column(
            name,
            justify="right" if number in numbers else "left",
            no_wrap=number == 0 or number in numbers,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*row)
    return table


@dataclass(frozen=True)
class Shown:
    """An infoset as it is printed."""

    player: int
    name: str
    probabilities: dict[str, float]


def shown(strategy: Strategy, infosets: Iterable[int]) -> list[Shown]:
    """Infosets of a listed game by their numbers."""
    labels = strategy.labels
    return [
        Shown(
            int(labels.owner[i]),
            str(labels.names[i]),
            dict(
                zip(map(str, labels.actions[i]), strategy.probabilities[labels.sequences_of(i)].tolist(), strict=True)
            ),
        )
        for i in infosets
    ]


def print_strategy(out: Console, rows: Sequence[Shown]) -> None:
    """The chosen infosets, a table for each player."""
    for player in sorted({row.player for row in rows}):
        out.print(Text(f"\nplayer {player}" if player >= 0 else "\nall players", style="bold"))
        out.print(player_table([row for row in rows if row.player == player], out.width))


def player_table(rows: Sequence[Shown], width: int) -> Table:
    """Actions as columns where there are few of them, else the likely ones in a list."""
    union = list(dict.fromkeys(action for row in rows for action in row.probabilities))
    if len(union) > MOST_ACTION_COLUMNS:
        return plain_table(["infoset", "actions"], [(row.name, likely_actions(row.probabilities)) for row in rows])
    room = (width - max(len(name) for name in [*(row.name for row in rows), "infoset"]) - 2) // len(union) - 2
    longest = max(0, min(LONGEST_BAR, room - 8))
    table = plain_table(["infoset", *union], [])
    for row in rows:
        given = row.probabilities
        bars = (bar(given[a], longest) if a in given else Text("·", style="dim") for a in union)
        table.add_row(Text(row.name), *bars)
    return table


def likely_actions(given: dict[str, float]) -> str:
    """Actions and their percentages, in the game's order; the very unlikely ones are counted."""
    likely = [f"{action} {percent(p)}" for action, p in given.items() if p >= SELDOM]
    others = len(given) - len(likely)
    return ",  ".join(likely) + (f",  {others} others 0%" if others else "")


def percent(probability: float) -> str:
    """A probability with a digit after the point, none where it is certain."""
    if probability >= 1:
        return "100%"
    return "0%" if probability <= 0 else f"{100 * probability:.1f}%"


def bar(probability: float, longest: int) -> Text:
    """A percentage behind a bar of that length."""
    eighths = round(probability * longest * 8)
    drawn = "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()
    number = Text(f"{percent(probability):>6}", style="dim" if probability < SELDOM else "")
    return Text.assemble((drawn.ljust(longest), "cyan"), " " if longest else "", number)
