"""`regretless show RUN LINE --board all`: the strategy after a line of play on every board, and by kinds of boards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from regretless.apps.commands.show.holdem_nodes import Look, answer
from regretless.apps.printing import bar, console, facts, percent, plain_table
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.poker.results.aggregates import Aggregate, Group
    from regretless.poker.results.public_strategy import PublicStrategy
    from regretless.run import Run

__all__ = ["show_boards"]

LIMIT = 20
"""Boards that are printed by default."""

KINDS = {"suits": "by suits", "pairing": "by pairs", "high": "by the highest card"}
LONGEST_BAR = 6


def show_boards(run: Run, strategy: PublicStrategy, look: Look) -> None:
    """The whole command: one row for each board, one for each kind of board."""
    if look.hands or look.only:
        raise OptionError("--board all looks at all hands together: leave --hands and --range out, or name one board")
    table = strategy.by_board(look.line, ev=look.ev)
    answer(run, table, look, for_machines, print_for_people, "boards")


def print_for_people(run: Run, table: Aggregate, look: Look) -> None:
    """All boards together, by kinds, and those on which the largest bet is made most often."""
    from regretless.apps.commands.summary import facts_of

    out = console()
    out.print(facts([row for row in facts_of(run) if row[0] in ("game", "setting", "exploitability")]))
    boards = "1 board" if len(table) == 1 else f"{len(table):,} boards up to suits"
    out.print(Text(f"\nplayer {table.player} after {table.line!r} on {boards}, pot {table.pot:,.6g}", style="bold"))
    groups = [("", [table.total]), *((title, table.by(kind)) for kind, title in KINDS.items())]
    rows: list[tuple[str | Text, ...]] = []
    for title, found in groups:
        rows += [(Text(title, style="dim"), *("" for _ in range(len(table.actions) + 1)))] if title else []
        rows += [group_row(group, look.ev) for group in found]
    ev = ["EV"] if look.ev else []
    last = len(table.actions) + 2
    out.print(plain_table(["boards", "share", *table.actions, *ev], rows, right=(1, *range(last, last + len(ev)))))
    action = table.actions[-1]
    most = table.sorted(action)
    out.print(Text(f"\nwhere {action!r} is most frequent", style="bold"))
    limit = look.limit or LIMIT
    listed = [
        (
            name,
            *(percent(float(share)) for share in most.frequencies[at]),
            *([] if most.ev is None else [f"{most.ev[at]:+.2f}"]),
        )
        for at, name in enumerate(most.boards[:limit])
    ]
    out.print(plain_table(["board", *table.actions, *ev], listed, right=range(1, last)))
    if len(most) > limit:
        out.print(f"{len(most) - limit:,} more boards: --limit {len(most)} prints all, --csv FILE writes them")


def group_row(group: Group, ev: bool) -> tuple[str | Text, ...]:
    """Boards of one kind."""
    shares = (bar(share, LONGEST_BAR) for share in group.frequencies.values())
    return (group.name, percent(group.reach), *shares, *([f"{group.ev:+.2f}"] if ev else []))


def for_machines(run: Run, table: Aggregate, look: Look) -> dict[str, Any]:
    """One JSON object."""
    from regretless.apps.commands.summary import facts_for_machines

    columns = {name: column.tolist() for name, column in table.columns().items()}
    return {
        "command": "show",
        "kind": "boards",
        **facts_for_machines(run),
        "which": "current" if look.current else "average",
        "line": table.line,
        "player": table.player,
        "pot": table.pot,
        "frequencies": table.total.frequencies,
        "ev": table.total.ev,
        "boards": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    }
