"""`solve_many`: many solves on all processors, with a table that fills, and nothing done twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regretless.errors import OptionError
from regretless.method import processors
from regretless.methods.checks import whole
from regretless.run import Run, read_run
from regretless.scale.process_pool import run_in_processes
from regretless.scale.ray_cluster import Ray
from regretless.scale.ray_tasks import run_on_cluster
from regretless.scale.tasks import Outcome, Task, outcome_before, tasks_of
from regretless.solving.loop import Rules
from regretless.solving.stopping import read_until

__all__ = ["Many", "solve_many"]


@dataclass(frozen=True)
class Many:
    """The outcomes of many solves, in the order of the tasks."""

    folder: Path
    outcomes: tuple[Outcome, ...]

    def __len__(self) -> int:
        return len(self.outcomes)

    def table(self) -> list[dict[str, Any]]:
        """One row per task: name, status, iterations, seconds, exploitability, value and the file."""
        return [
            {
                "task": outcome.task,
                "status": outcome.status,
                "iterations": outcome.iterations,
                "seconds": outcome.seconds,
                "exploitability": outcome.exploitability,
                "value": outcome.value,
                "path": outcome.path,
            }
            for outcome in self.outcomes
        ]

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """Tasks without a run, with a sentence each."""
        return tuple(outcome for outcome in self.outcomes if not outcome.ok)

    def runs(self) -> Iterator[tuple[str, Run]]:
        """The runs by the names of their tasks, read from their files one after the other."""
        for outcome in self.outcomes:
            if outcome.ok:
                yield outcome.task, read_run(outcome.path)

    def frame(self) -> Any:
        """The table as a pandas data frame."""
        try:
            import pandas
        except ImportError:
            raise OptionError("pandas is not installed; pip install 'regretless[frames]'") from None
        return pandas.DataFrame(self.table())

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<Many: {len(self)} solves in {self.folder}{failed}>"


def solve_many(
    games: Any,
    methods: Any = "dcfr",
    *,
    folder: str | Path = "runs",
    seeds: Iterable[int] = (0,),
    workers: int | Ray | None = None,
    on_outcome: Callable[[Outcome], object] | None = None,
    **options: Any,
) -> Many:
    """Solve many games: names, files, games, or a mapping of names of your own; several methods and seeds as well.

    Every run is saved in `folder` while it is solved. Called again with the same arguments it does only what is
    missing: complete runs are skipped, interrupted ones resumed. `workers` processes (one per processor by default)
    with one thread each take the tasks one after the other; a worker that is killed costs its task's work since the
    last checkpoint. `workers=rg.Ray()` makes them tasks of a Ray cluster, with `cpus_per_task` threads each; this
    process writes the files. `on_outcome` is called with each outcome as it comes. Other options are those of `solve`.

    >>> import regretless as rg, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     many = rg.solve_many(["kuhn", "leduc"], ["cfr+", "dcfr"], folder=folder, iterations=20, workers=1)
    ...     [row["task"] for row in many.table()], len(many.failed)
    (['kuhn, CFR+', 'kuhn, DCFR', 'leduc, CFR+', 'leduc, DCFR'], 0)
    """
    chosen = _checked_workers(workers)
    if isinstance(chosen, Ray):
        options = {"threads": chosen.threads, **options}
    tasks = _checked_tasks(games, methods, seeds, Path(folder), options)
    found: dict[str, Outcome] = {}
    # Ctrl-C: the workers have written their checkpoints, and the rest is done when it is called again.
    with suppress(KeyboardInterrupt):
        for outcome in _outcomes(tasks, chosen):
            found[outcome.task] = outcome
            if on_outcome is not None:
                on_outcome(outcome)
    return Many(Path(folder), tuple(found.get(task.name) or _left_undone(task) for task in tasks))


def _checked_workers(workers: Any) -> int | Ray:
    if isinstance(workers, Ray):
        return workers
    count = processors() if workers is None else workers
    if not whole(count, least=1):
        raise OptionError(f"workers is a positive whole number or rg.Ray(), got {workers!r}")
    return int(count)


def _outcomes(tasks: Sequence[Task], workers: int | Ray) -> Iterator[Outcome]:
    """First what is complete already, without a worker; then the rest as it comes."""
    left = []
    for task in tasks:
        before = outcome_before(task)
        if before is None:
            left.append(task)
        else:
            yield before
    yield from run_on_cluster(workers, left) if isinstance(workers, Ray) else run_in_processes(left, workers)


def _left_undone(task: Task) -> Outcome:
    return Outcome(task.name, task.path, "interrupted: call again to go on", seconds=math.nan)


def _checked_tasks(
    games: Any, methods: Any, seeds: Iterable[int], folder: Path, options: Mapping[str, Any]
) -> Sequence[Task]:
    """Tasks with options that a worker could be given; invalid ones are refused before any worker starts."""
    refused = {"callback", "progress", "checkpoint", "seed"} & set(options)
    if refused:
        raise OptionError(f"{sorted(refused)[0]}= is not for many solves: each has its own")
    Rules.checked(
        options.get("iterations"),
        read_until(options.get("until"))[0],
        options.get("seconds"),
        checkpoint_every=options.get("checkpoint_every", 30.0),
        measure=options.get("measure"),
    )
    if folder.exists() and not folder.is_dir():
        raise OptionError(f"folder is a folder for the runs, and {folder} is a file")
    folder.mkdir(parents=True, exist_ok=True)
    return tasks_of(games, methods, seeds, folder, {"threads": 1, **options})
