"""`regretless solve-many`: all spots of a folder, or any list of games, on all processors."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from regretless.apps.commands.ray_option import cluster_of
from regretless.apps.commands.solving import check_stops, read_measure
from regretless.apps.commands.strategies.comparing import split_names
from regretless.apps.exit_messages import INTERRUPTED, MISTAKE
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.scale.many import Many
    from regretless.scale.tasks import Outcome

__all__ = ["ManyOptions", "games_in", "solve_all", "solve_many_and_tell"]

GAME_FILES = (".toml", ".game", ".efg")


@dataclass(frozen=True)
class ManyOptions:
    """The options of `regretless solve-many`; None where one is not given."""

    games: Sequence[str]
    algorithms: Sequence[str]
    iterations: int | None
    until: str | None
    seconds: float | None
    seeds: int
    folder: str
    workers: int | None
    threads: int
    dtype: str | None
    measure: str | None
    ray: str | None
    json: bool
    quiet: bool
    flops: int | None = None
    """Solve spots without a board on a set of this many flops."""


def games_in(words: Sequence[str]) -> list[str]:
    """Games from names, files and folders; a folder stands for the spots and game files in it."""
    games: list[str] = []
    for word in words:
        folder = Path(word)
        if not folder.is_dir():
            games.append(word)
            continue
        inside = sorted(str(file) for file in folder.iterdir() if file.suffix.lower() in GAME_FILES)
        if not inside:
            raise OptionError(f"{word} holds no game: a folder is searched for files {', '.join(GAME_FILES)}")
        games += inside
    return games


def named_games(options: ManyOptions) -> Any:
    """The games of a command; with `flops` a spot file without a board stands for a spot on each flop."""
    games = games_in(options.games)
    if options.flops is None:
        return games
    from regretless.poker.flop_sets.flops import read_flop_spots

    named: dict[str, Any] = {}
    for game in games:
        if not game.lower().endswith(".toml"):
            raise OptionError(f"--flops is for spot files without a board (.toml), got {game!r}")
        before = f"{Path(game).stem} " if len(games) > 1 else ""
        named |= {f"{before}{board}": spot for board, spot in read_flop_spots(game, options.flops).items()}
    return named


def usual_method(games: Any) -> str:
    """The method where none is named: that of hold'em if all games are spots or files of spots, else DCFR."""
    from regretless.poker.tree.public_tree import USUAL_METHOD

    spots = isinstance(games, Mapping) or all(game.lower().endswith(".toml") for game in games)
    return USUAL_METHOD if spots else "dcfr"


def solve_all(options: ManyOptions) -> Many:
    """Solve all games, with a line on standard error for each."""
    from regretless.scale.many import solve_many

    check_stops(options.iterations, options.until, options.seconds, options.measure)
    if options.ray is not None and options.workers is not None:
        raise OptionError("--workers is for processes of this machine: leave it out with --ray")
    games = named_games(options)
    given: dict[str, Any] = {
        "iterations": options.iterations,
        "until": options.until,
        "seconds": options.seconds,
        "dtype": options.dtype,
        "measure": read_measure(options.measure),
    }
    methods = split_names(options.algorithms) or [usual_method(games)]
    talkative = not (options.json or options.quiet)
    return solve_many(
        games,
        methods,
        folder=options.folder,
        seeds=range(options.seeds),
        workers=cluster_of(options.ray, options.threads) or options.workers,
        threads=options.threads,
        on_outcome=_Lines(len(games) * len(methods) * options.seeds) if talkative else None,
        **{name: value for name, value in given.items() if value is not None},
    )


def solve_many_and_tell(options: ManyOptions) -> None:
    """The whole command: solve all, print a line for each, then the table."""
    from regretless.apps.printing import print_json

    many = solve_all(options)
    if options.json:
        print_json({"command": "solve-many", "folder": options.folder, "rows": many.table()})
    elif not options.quiet:
        tell(many)
    if any(outcome.status.startswith("interrupted") for outcome in many.outcomes):
        raise typer.Exit(INTERRUPTED)
    if many.failed:
        raise typer.Exit(MISTAKE)


class _Lines:
    """A line on standard error for every task that ends."""

    def __init__(self, total: int) -> None:
        self.total, self.count = total, 0

    def __call__(self, outcome: Outcome) -> None:
        from regretless.apps.printing import gap, spent

        self.count += 1
        said = outcome.status
        if outcome.ok:
            said = f"{outcome.iterations:,} iterations in {spent(outcome.seconds)}, {gap(outcome.exploitability)}"
            said += " (complete before)" if outcome.status == "skipped" else ""
        print(f"[{self.count}/{self.total}] {outcome.task}: {said}", file=sys.stderr)


def tell(many: Many) -> None:
    """Print the table as text."""
    from regretless.apps.printing import chips, console, gap, plain_table, spent

    rows = [
        (
            outcome.task,
            outcome.status if outcome.ok else "failed",
            gap(outcome.exploitability),
            f"{outcome.iterations:,}",
            spent(outcome.seconds) if outcome.ok else "",
            chips(outcome.value),
        )
        for outcome in many.outcomes
    ]
    out = console()
    head = ["task", "status", "exploitability", "iterations", "time", "value"]
    out.print(plain_table(head, rows, right=range(2, len(head))))
    solves = "1 solve" if len(many) == 1 else f"{len(many):,} solves"
    out.print(f"\n{solves}, runs in {many.folder}" + (f"; {len(many.failed)} failed" if many.failed else ""))
