"""Several methods on one game, side by side."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regretless.display.html_tables import html_table
from regretless.errors import OptionError
from regretless.method import Method
from regretless.problem import Problem, found, is_problem
from regretless.run import Run
from regretless.solver import method_of, solve
from regretless.solving.workers import Workers, check_workers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "compare", "open_shared", "run_all"]


class Forgotten(Mapping[str, Any]):
    """The arrays of a run of which only the measurements were kept."""

    def __getitem__(self, name: str) -> Any:
        raise OptionError("this comparison kept measurements alone (strategies=False): solve again for a strategy")

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@dataclass(frozen=True)
class Comparison:
    """Runs of several methods on one game, by the methods' names."""

    game: str
    runs: Mapping[str, Run]

    def table(self) -> list[dict[str, Any]]:
        """One row per method: iterations, seconds, exploitability and value reached."""
        return [
            {
                "method": name,
                "iterations": run.iterations,
                "seconds": run.seconds,
                "exploitability": run.exploitability,
                "value": run.value,
            }
            for name, run in self.runs.items()
        ]

    def plot(self, path: str | os.PathLike[str] | None = None, *, ax: Any = None) -> Figure:
        """Exploitability of all methods against iterations and seconds; written to `path` if one is given.

        `ax` takes axes of yours: one for iterations alone, or two for both panels.
        """
        from regretless.plots import convergence

        return convergence({name: run.history for name, run in self.runs.items()}, title=self.game, path=path, ax=ax)

    def _repr_html_(self) -> str:
        rows = self.table()
        return html_table(list(rows[0]) if rows else [], [list(row.values()) for row in rows], caption=self.game)


def compare(
    game: Any,
    methods: str | Sequence[Method | str] | Mapping[str, Method | str],
    *,
    progress: bool = False,
    strategies: bool = True,
    workers: Workers | None = None,
    **options: Any,
) -> Comparison:
    """Run every method on the same game with the same options of `solve`; a mapping gives them names of your own.

    Each method works on what it would work on alone, and a tree that several need is built once. A method with
    `listed=False` walks the game without listing it also here, so that its exploitability is a lower bound.
    `strategies=False` keeps the measurements alone: of hold'em each run is gigabytes. `workers=rg.Ray()` solves with
    all methods at once, as tasks of a Ray cluster.

    >>> import regretless as rg
    >>> result = rg.compare(rg.games.Kuhn(), [rg.CFR, rg.CFR_PLUS], iterations=100)
    >>> list(result.runs)
    ['CFR', 'CFR+']
    """
    if not methods:
        raise OptionError("compare needs at least one method, such as [rg.CFR, rg.CFR_PLUS]")
    if isinstance(methods, str):
        methods = [methods]
    given = list(methods.items()) if isinstance(methods, Mapping) else [(None, method) for method in methods]
    named = [(label, method_of(method)) for label, method in given]
    problems = open_shared(game, [method for _, method in named])
    return run_all(named, problems, progress=progress, strategies=strategies, workers=workers, **options)


def run_all(
    named: Sequence[tuple[str | None, Method]],
    problems: Sequence[Problem],
    *,
    progress: bool = False,
    strategies: bool = True,
    workers: Workers | None = None,
    **options: Any,
) -> Comparison:
    """Run methods, each with a name of its own or None, on the problems that were opened for them."""
    runs: dict[str, Run] = {}
    spread = check_workers(workers)
    found_runs: Iterable[Run]
    if spread is None:
        found_runs = (
            solve(problem, method, progress=progress, **options)
            for (_, method), problem in zip(named, problems, strict=True)
        )
    else:
        found_runs = spread.solve_each([method for _, method in named], problems, strategies, options)
    for (label, _), run in zip(named, found_runs, strict=True):
        name = label or run.method.name
        while name in runs:
            name += "'"
        runs[name] = run if strategies else dataclasses.replace(run, arrays=Forgotten())
    return Comparison(next(iter(runs.values())).game, runs)


def open_shared(game: Any, methods: Sequence[Method]) -> list[Problem]:
    """The problem that each method works on; one that is opened for a method serves all others that accept it."""
    game = found(game)
    order = sorted(range(len(methods)), key=lambda i: methods[i].capabilities.listed is not True)  # trees come first
    problems: dict[int, Problem] = {}
    shared: Problem | None = game if is_problem(game) else None
    for i in order:
        listed = methods[i].capabilities.listed
        problems[i] = methods[i].open(game if shared is None or listed is False else shared)
        if shared is None and listed is not False:
            shared = problems[i]
    return [problems[i] for i in range(len(methods))]
