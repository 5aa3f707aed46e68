"""`regretless report`: one node of a spot on many flops, from a folder of runs, or from a spot that is solved first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from regretless.apps.commands.game_opening import check_picture
from regretless.apps.startup import started
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.commands.solving_many import ManyOptions
    from regretless.poker.results.aggregates import Aggregate

__all__ = ["ReportOptions", "report_and_tell"]

LIMIT = 30
"""Flops that are printed by default."""


@dataclass(frozen=True)
class ReportOptions:
    """The options of `regretless report`; None where one is not given."""

    runs: Sequence[str]
    line: str
    sort: str | None
    limit: int | None
    csv: str | None
    plot: str | None
    html: str | None
    json: bool
    solving: ManyOptions
    """How a spot without a board is solved; its `flops` is the size of the set."""


def report_and_tell(options: ReportOptions) -> None:
    """The whole command: solve what is missing, read the runs, print, write files."""
    from regretless.apps.printing import print_json
    from regretless.poker.results.reports import report

    check_picture(options.plot)
    runs: Any = list(options.runs)
    if len(runs) == 1 and runs[0].lower().endswith(".toml"):
        runs = solved_flops(options.solving)
    elif options.solving.flops is not None:
        raise OptionError("--flops is for a spot file without a board: leave it out with runs")
    elif len(runs) == 1:
        runs = runs[0]
    started()
    table = report(runs, options.line)
    if options.sort is not None:
        table = table.sorted(options.sort)
    if options.json:
        print_json(for_machines(table))
    else:
        print_for_people(table, options.limit or LIMIT)
    for write, path in ((table.to_csv, options.csv), (table.plot, options.plot), (table.to_html, options.html)):
        if path is not None:
            write(path)
            if not options.json:
                print(f"written: {path}")


def solved_flops(options: ManyOptions) -> list[Path]:
    """The files of the runs, after all flops have been solved; complete runs are not solved again."""
    from regretless.apps.commands.solving_many import solve_all

    many = solve_all(options)
    if many.failed:
        first = many.failed[0]
        raise OptionError(f"{first.task} has no run: {first.status}")
    return [Path(outcome.path) for outcome in many.outcomes]


def print_for_people(table: Aggregate, limit: int) -> None:
    """Groups of flops, then the flops one by one."""
    from regretless.apps.commands.show.boards import KINDS, group_row
    from regretless.apps.printing import console, percent, plain_table
    from regretless.poker.results.drawing.grid_pictures import seat

    out = console()
    after = f"after {table.line!r}" if table.line else "at the beginning"
    where = f"{seat(table.game, table.player)} {after}, pot {table.pot:,.6g}, {len(table):,} flops"
    out.print(Text(where, style="bold"))
    head, last = ["flops", "share", *table.actions, "EV", "equity"], len(table.actions) + 2
    rows: list[tuple[str | Text, ...]] = []
    for title, found in (("", [table.total]), *((title, table.by(kind)) for kind, title in KINDS.items())):
        rows += [(Text(title, style="dim"), *("" for _ in head[1:]))] if title else []
        rows += [(*group_row(group, ev=True), percent(group.equity)) for group in found]
    out.print(plain_table(head, rows, right=(1, last, last + 1)))
    columns = table.columns()
    names = ["board", *(f"p {action}" for action in table.actions), "ev", "equity", "realisation"]
    listed = [
        tuple(str(columns[name][at]) if name == "board" else _number(name, float(columns[name][at])) for name in names)
        for at in range(min(limit, len(table)))
    ]
    shown = [name.removeprefix("p ") for name in names]
    out.print()
    out.print(plain_table(shown, listed, right=range(1, len(shown))))
    if len(table) > limit:
        out.print(f"{len(table) - limit:,} more flops: --limit {len(table)} prints all, --csv FILE writes them")


def _number(name: str, value: float) -> str:
    from regretless.apps.printing import percent

    if value != value:
        return ""
    if name == "ev":
        return f"{value:+.2f}"
    return f"{value:.0%}" if name == "realisation" else percent(value)


def for_machines(table: Aggregate) -> dict[str, Any]:
    """One JSON object."""
    columns = {name: column.tolist() for name, column in table.columns().items()}
    return {
        "command": "report",
        "line": table.line,
        "player": table.player,
        "pot": table.pot,
        "frequencies": table.total.frequencies,
        "ev": table.total.ev,
        "equity": table.total.equity,
        "flops": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    }
