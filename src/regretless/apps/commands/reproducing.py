"""`regretless reproduce`: published numbers, ours beside them, and whether they agree."""

from __future__ import annotations

import json as json_module
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from regretless.apps.startup import started
from regretless.errors import OptionError

if TYPE_CHECKING:
    from rich.console import Console

    from regretless.reproduce.verdicts import Outcome

__all__ = ["ReproduceOptions", "reproduce_and_tell"]

DRIFT = 1
"""The exit code when a number has drifted."""


@dataclass(frozen=True)
class ReproduceOptions:
    """What the command line asks for."""

    names: Sequence[str] = ()
    all: bool = False
    quick: bool = False
    json: bool = False
    markdown: bool = False
    plots: str | None = None
    keep: str | None = None

    @property
    def runs(self) -> bool:
        """Whether rows are computed, not only listed."""
        return self.all or bool(self.names)


def reproduce_and_tell(options: ReproduceOptions) -> None:
    """The whole command: list the rows, or compute some of them."""
    check(options)
    if options.runs:
        compute(options)
    else:
        list_rows(options)


def check(options: ReproduceOptions) -> None:
    """Refuse options that do not go together."""
    if options.all and options.names:
        raise OptionError("give names or --all, not both")
    if options.json and options.markdown:
        raise OptionError("give --json or --markdown, not both")
    if options.markdown and options.runs:
        raise OptionError("--markdown lists the rows as they were kept: leave out names and --all")
    if not options.runs and (options.quick or options.plots or options.keep):
        raise OptionError("--quick, --plots and --keep need names or --all")


def list_rows(options: ReproduceOptions) -> None:
    """Every row with the numbers and the verdict of the last full run."""
    from regretless.apps.printing import console, entry, plain_table, print_json
    from regretless.reproduce.kept_results import measured_content
    from regretless.reproduce.registry import all_claims
    from regretless.reproduce.tables import duration, outcome_data, page
    from regretless.reproduce.verdicts import kept_outcome

    outcomes = [kept_outcome(claim) for claim in all_claims()]
    if options.json:
        print_json({"command": "reproduce", "rows": [outcome_data(outcome) for outcome in outcomes]})
        return
    if options.markdown:
        print(page(outcomes, measured_content()["about"]), end="")
        return
    out = console()
    table = [
        (
            outcome.claim.name,
            entry(outcome.claim.shows, f"{outcome.claim.source.short}, {outcome.claim.place}"),
            duration(outcome.claim),
            outcome.verdict,
        )
        for outcome in outcomes
    ]
    out.print(plain_table(["row", "what it shows, and where", "takes", "verdict"], table))
    out.print("\nverdict: of the last full run. regretless reproduce NAME computes a row again")


def compute(options: ReproduceOptions) -> None:
    """Compute rows, print them, keep them, and exit with 1 when a number has drifted."""
    from regretless.apps.printing import console, print_json
    from regretless.reproduce.registry import all_claims, claim_by_name
    from regretless.reproduce.tables import duration, outcome_data
    from regretless.reproduce.verdicts import DRIFTED, reproduce

    claims = all_claims() if options.all else tuple(claim_by_name(name) for name in dict.fromkeys(options.names))
    started()
    out, outcomes, seconds = console(), [], {}
    with progress_bar(len(claims), visible=not options.json) as report:
        for claim in claims:
            takes = duration(claim)
            report(claim.name, "quick version" if options.quick else f"takes {takes}")
            began = time.perf_counter()
            outcome = reproduce(claim, job_of(options.quick, claim.name, report))
            seconds[claim.name] = time.perf_counter() - began
            outcomes.append(outcome)
            if not options.json:
                tell(out, outcome)
    draw(outcomes, options.plots)
    if options.keep is not None:
        keep(options.keep, outcomes, seconds, quick=options.quick)
    if options.json:
        print_json({"command": "reproduce", "quick": options.quick, "rows": [outcome_data(one) for one in outcomes]})
    elif len(outcomes) > 1:
        out.print(f"\n{summary(outcomes)}")
    if any(outcome.verdict == DRIFTED for outcome in outcomes):
        raise typer.Exit(DRIFT)


def job_of(quick: bool, name: str, report: Callable[[str, str], None]) -> Any:
    """How a row is computed, with its steps reported under its name."""
    from regretless.reproduce.claims import Job

    return Job(quick=quick, progress=lambda step: report(name, step))


@contextmanager
def progress_bar(total: int, *, visible: bool) -> Iterator[Callable[[str, str], None]]:
    """A bar on standard error over all rows, with the step of the row at work; nothing where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    shown = visible and sys.stderr.isatty()
    with Progress(*columns, console=Console(file=sys.stderr), transient=True, disable=not shown) as progress:
        task = progress.add_task("", total=total)
        begun: list[str] = []

        def report(name: str, step: str) -> None:
            if name not in begun:
                begun.append(name)
            progress.update(task, completed=len(begun) - 1, description=f"{name}: {step}")

        yield report


def tell(out: Console, outcome: Outcome) -> None:
    """Print a row: its claim, its numbers, and why they differ."""
    from rich.text import Text

    from regretless.apps.printing import plain_table
    from regretless.reproduce.tables import number_text

    claim = outcome.claim
    out.print(Text(f"\n{claim.name}: {outcome.verdict}", style="bold"))
    out.print(f"{claim.shows} ({claim.source.short}, {claim.place})")
    if claim.kept and claim.measure is not None:
        out.print(f"kept result in {claim.kept}; a new run needs {claim.needs}: {claim.code}")
    else:
        out.print(f"by {claim.code}")
    if outcome.rows:
        table = [(row.expected.name, row.expected.published, number_text(row), row.verdict) for row in outcome.rows]
        out.print(plain_table(["number", "published", "ours", "verdict"], table, right=(2,)))
    else:
        published = [(expected.name, expected.published) for expected in claim.expected]
        out.print(plain_table(["number", "published"], published))
    for sentence in [*outcome.reasons, *(row.drift for row in outcome.rows if row.drift)]:
        out.print(sentence)


def summary(outcomes: Sequence[Outcome]) -> str:
    """How many rows have each verdict."""
    counts: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome.verdict] = counts.get(outcome.verdict, 0) + 1
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return f"{len(outcomes)} rows: {told}"


def draw(outcomes: Sequence[Outcome], folder: str | None) -> None:
    """Draw NAME.png for every row that has a picture."""
    if folder is None:
        return
    from regretless.reproduce.pictures import draw_picture

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for outcome in outcomes:
        if outcome.measured is not None and outcome.measured.picture is not None:
            draw_picture(outcome.measured.picture, place / f"{outcome.claim.name}.png")


def keep(path: str, outcomes: Sequence[Outcome], seconds: Mapping[str, float], *, quick: bool) -> None:
    """Write the numbers into a file; rows that were not computed now stay as they are."""
    from regretless.apps.commands.bench import processor, versions
    from regretless.storage import write_atomically

    file = Path(path)
    content = json_module.loads(file.read_text(encoding="utf-8")) if file.exists() else {"rows": {}}
    content["about"] = {"machine": processor(), **versions(), "date": time.strftime("%Y-%m-%d", time.gmtime())}
    for outcome in outcomes:
        if outcome.measured is not None:
            row = content["rows"].setdefault(outcome.claim.name, {})
            row["quick" if quick else "full"] = {
                name: number if isinstance(number, int) else float(number)
                for name, number in outcome.measured.numbers.items()
            }
            if not quick:
                row["seconds"] = round(seconds[outcome.claim.name], 1)
    text = json_module.dumps({"about": content["about"], "rows": content["rows"]}, indent=1, ensure_ascii=False)
    write_atomically(file, lambda out: out.write(text.encode() + b"\n"))
