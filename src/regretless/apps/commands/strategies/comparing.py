"""`regretless compare`: several algorithms on one game, the least exploitable first."""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from regretless.apps.commands.game_opening import check_picture, open_for
from regretless.apps.commands.ray_option import cluster_of
from regretless.apps.commands.solving import check_stops
from regretless.apps.commands.summary import POKER, is_holdem, measured
from regretless.apps.exit_messages import INTERRUPTED
from regretless.apps.startup import started
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.comparison import Comparison
    from regretless.run import Run

__all__ = ["ComparisonOutput", "compare_and_tell", "split_names"]

UNITS = (("% of pot", "pot_share", 100.0), ("mbb/g total", "mbb_total", 1.0))
"""Columns of a comparison on hold'em: their titles, what is measured, and what it is multiplied by."""


class ComparisonOutput(NamedTuple):
    """How a comparison is reported: files for the picture and the measurements, JSON or text, or nothing printed."""

    plot: str | None = None
    csv: str | None = None
    json: bool = False
    quiet: bool = False


def split_names(given: Sequence[str]) -> list[str]:
    """Algorithm names from a list with commas; a setting after a comma belongs to the name before it.

    >>> split_names(["cfr,cfr+:delay=100,alternating=no", "dcfr"])
    ['cfr', 'cfr+:delay=100,alternating=no', 'dcfr']
    """
    names: list[str] = []
    for text in given:
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            if "=" in part and ":" not in part and names:
                names[-1] += f",{part}"
            else:
                names.append(part)
    return names


def compare_and_tell(
    spec: str,
    algorithms: Sequence[str],
    *,
    iterations: int | None,
    until: str | None,
    seconds: float | None,
    seed: int | None,
    threads: int | None,
    dtype: str | None,
    device: str | None,
    ray: str | None,
    output: ComparisonOutput,
) -> None:
    """The whole command: run all of them, print, write, draw."""
    plot, csv, json, quiet = output
    from regretless.apps.printing import console, print_json
    from regretless.comparison import run_all
    from regretless.lookup.methods import method_by_name

    check_stops(iterations, until, seconds)
    check_picture(plot)
    methods = [method_by_name(name) for name in split_names(algorithms)]
    if not methods:
        raise OptionError("compare needs at least one algorithm, such as -a cfr,cfr+")
    talkative = not (json or quiet)
    say = print if talkative else None
    problems = open_for(spec, methods, dtype=dtype, device=device, here=ray is None, say=say)
    started()
    result = run_all(
        [(None, method) for method in methods],
        problems,
        strategies=False,
        progress=talkative and sys.stderr.isatty(),
        iterations=iterations,
        until=until,
        seconds=seconds,
        seed=seed or 0,
        threads=threads,
        dtype=dtype,
        device=device or "cpu",
        workers=cluster_of(ray, threads, device),
    )
    rows = ranked(result)
    if json:
        print_json({"command": "compare", "game": result.game, "rows": rows, "plot": plot, "csv": csv})
    elif talkative:
        tell(console(), result, rows)
    if csv is not None:
        write_measurements(result, csv)
    if plot is not None:
        result.plot(plot)
    for path in filter(None, (csv, plot) if talkative else ()):
        print(f"written: {path}")
    if any(run.stopped == "interrupted" for run in result.runs.values()):
        raise typer.Exit(INTERRUPTED)


def ranked(result: Comparison) -> list[dict[str, Any]]:
    """The table of a comparison, the least exploitable first."""
    rows = [
        {**row, "nash_conv": run.nash_conv, "listed": run.listed, "stopped": run.stopped, **poker_units(run)}
        for row, run in zip(result.table(), result.runs.values(), strict=True)
    ]
    return sorted(rows, key=lambda row: (math.isnan(row["exploitability"]), float(row["exploitability"])))


def poker_units(run: Run) -> dict[str, float | None]:
    """Exploitability of a run of hold'em in the units of poker; empty for other games."""
    if not is_holdem(run):
        return {}
    return {name: measured(run, name) for name in ("pot_share", "mbb_total", "mbb_average")}


def tell(out: Any, result: Comparison, rows: Sequence[dict[str, Any]]) -> None:
    """Print the ranking as text."""
    from regretless.apps.commands.holdem_summary import amount
    from regretless.apps.printing import chips, gap, plain_table, spent

    first = next(iter(result.runs.values()))
    size = f"{first.infosets:,} infosets" if first.listed else "not listed"
    out.print(f"{result.game} ({size}), least exploitable first")
    units = [(title, name, scale) for title, name, scale in UNITS if all(row.get(name) is not None for row in rows)]
    table = [
        (
            str(row["method"]),
            gap(row["exploitability"]) if row["listed"] else f"≥ {gap(max(row['exploitability'], 0.0))}",
            *(amount(scale * row[name]) for _, name, scale in units),
            f"{row['iterations']:,}",
            spent(row["seconds"]),
            chips(row["value"]),
        )
        for row in rows
    ]
    head = ["algorithm", "exploitability", *(title for title, _, _ in units), "iterations", "time", "value"]
    out.print(plain_table(head, table, right=range(1, len(head))))
    players = first.players
    bound = "" if first.listed else "; a lower bound, won by a learned response (the game was not listed)"
    out.print(f"\nexploitability: chips per game, NashConv / {players} players{bound}")
    if units:
        out.print("% of pot: exploitability; mbb/g total: NashConv in thousandths of a big blind per game")
    out.print("value: chips per game to player 0")


def write_measurements(result: Comparison, path: str) -> None:
    """Every measurement of every algorithm, one per line."""
    from regretless.storage import write_atomically

    text = io.StringIO()
    columns = ["algorithm", "iteration", "seconds", "exploitability", "nash_conv", "value"]
    columns += [name for name in POKER if any(name in run.history for run in result.runs.values())]
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for name, run in result.runs.items():
        writer.writerows({"algorithm": name, **row} for row in run.history.rows())
    write_atomically(path, lambda file: file.write(text.getvalue().encode()))
