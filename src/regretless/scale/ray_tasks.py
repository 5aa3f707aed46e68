"""Solves as tasks of a Ray cluster: each task streams its checkpoints to the driver, which writes the files.

No folder is shared between machines. A worker solves into a temporary file and sends it whenever it has changed. A task
whose worker dies is started again from the last checkpoint that arrived.
"""

from __future__ import annotations

import dataclasses
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.errors import OptionError, RegretlessError
from regretless.method import Method
from regretless.problem import Problem, found, the_game
from regretless.run import Run
from regretless.scale.ray_cluster import ATTEMPTS, Ray, RayModule, explain
from regretless.scale.tasks import Outcome, Task, run_task
from regretless.solver import solve
from regretless.storage import write_atomically

if TYPE_CHECKING:
    from regretless.poker.abstraction.abstraction import Abstraction

__all__ = ["run_on_cluster", "sendable", "sendable_abstraction", "solve_each"]

WATCH_SECONDS = 0.05
"""How often a worker looks whether its task has ended or written a checkpoint."""


@dataclass
class _Attempt:
    """A task that is being solved."""

    task: Task
    number: int = 1
    outcome: Outcome | None = None
    """What it has sent last. Ray fails if a stream is dropped before its end, so the end is waited for."""


def run_on_cluster(cluster: Ray, tasks: Sequence[Task]) -> Iterator[Outcome]:
    """Outcomes in the order in which tasks end. Closing the generator, or Ctrl-C, cancels what is not done."""
    if not tasks:
        return
    cluster.check_device(str(tasks[0].options.get("device") or "cpu"))
    ray = cluster.connect()
    remote = ray.remote(
        num_cpus=cluster.cpus_per_task, num_gpus=cluster.gpus_per_task, max_retries=0, num_returns="streaming"
    )(solve_task)
    running: dict[Any, _Attempt] = {}
    try:
        for task in tasks:
            refused = _submit(remote, running, _Attempt(task))
            if refused is not None:
                yield refused
        while running:
            ready, _ = ray.wait(list(running), num_returns=1)
            outcome = _next(ray, remote, running, ready[0])
            if outcome is not None:
                yield outcome
    finally:
        for stream in running:
            ray.cancel(stream, force=True)


def _submit(remote: Any, running: dict[Any, _Attempt], attempt: _Attempt) -> Outcome | None:
    """Start a task, from its file where there is one; an outcome where it cannot be sent."""
    task, path = attempt.task, Path(attempt.task.path)
    try:
        sent = dataclasses.replace(task, game=sendable(task.game))
        stream = remote.remote(sent, path.read_bytes() if path.exists() else None)
    except RegretlessError as error:
        return Outcome(task.name, task.path, str(error))
    except (TypeError, AttributeError) as error:  # what Ray raises for objects that cannot be pickled
        return Outcome(task.name, task.path, f"its game or method cannot be sent to another process: {error}")
    running[stream] = attempt
    return None


def _next(ray: RayModule, remote: Any, running: dict[Any, _Attempt], stream: Any) -> Outcome | None:
    """Take what a task has sent: a checkpoint is written to its file, an outcome is returned at the end."""
    attempt = running[stream]
    task = attempt.task
    try:
        sent = ray.get(next(stream))
    except ray.exceptions.RayTaskError as error:
        del running[stream]
        return Outcome(task.name, task.path, explain(error))
    except (ray.exceptions.RayError, StopIteration) as error:
        del running[stream]
        if attempt.outcome is not None:
            return attempt.outcome
        if attempt.number >= ATTEMPTS:
            return Outcome(task.name, task.path, f"tried {ATTEMPTS} times: {explain(error)}")
        return _submit(remote, running, _Attempt(task, attempt.number + 1))
    if isinstance(sent, Outcome):
        attempt.outcome = sent
    else:
        write_atomically(task.path, lambda file: file.write(sent))
    return None


def solve_task(task: Task, checkpoint: bytes | None) -> Iterator[bytes | Outcome]:
    """In a worker: solve or resume a task; yields the file whenever it has changed, and at the end the outcome."""
    with tempfile.TemporaryDirectory(prefix="regretless-") as folder:
        path = Path(folder) / Path(task.path).name
        if checkpoint is not None:
            path.write_bytes(checkpoint)
        stamp = _stamp(path)
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(run_task, dataclasses.replace(task, path=str(path)))
            while not wait([running], timeout=WATCH_SECONDS).done:
                before, stamp = stamp, _stamp(path)
                if stamp != before:
                    yield path.read_bytes()
            if _stamp(path) != stamp:
                yield path.read_bytes()
        outcome = running.result()
        yield dataclasses.replace(outcome, path=task.path, status=outcome.status.replace(str(path), task.path))


def _stamp(path: Path) -> int:
    """Changes whenever a file is written."""
    return path.stat().st_mtime_ns if path.exists() else 0


def sendable(game: Any) -> Any:
    """A game that another machine can open: files are read here, and a class from a user's file is sent with it."""
    game = the_game(found(game))
    abstraction = getattr(game, "abstraction", None)
    if abstraction is not None:
        game = dataclasses.replace(game, abstraction=sendable_abstraction(abstraction))
    module = sys.modules.get(type(game).__module__)
    if module is not None and module.__name__.startswith("regretless_game_"):
        from ray import cloudpickle

        cloudpickle.register_pickle_by_value(module)
    return game


def sendable_abstraction(abstraction: Abstraction) -> Abstraction:
    """An abstraction whose maps were compared with their checksums and are not views of a file of this machine."""
    abstraction.verify()
    streets = []
    for street in abstraction.streets:
        plain: dict[str, Any] = {name: np.asarray(array) for name, array in street.arrays.items()}
        streets.append(dataclasses.replace(street, **plain))
    return dataclasses.replace(abstraction, streets=tuple(streets))


def solve_each(
    cluster: Ray,
    methods: Sequence[Method],
    problems: Sequence[Problem],
    strategies: bool,
    options: Mapping[str, Any],
) -> list[Run]:
    """Solve each problem with its method as a task; a task whose worker dies is started again."""
    refused = {"callback", "checkpoint"} & {name for name, value in options.items() if value is not None}
    if refused:
        raise OptionError(f"{sorted(refused)[0]}= cannot be used with workers=: each solve runs on another machine")
    cluster.check_device(str(options.get("device") or "cpu"))
    ray = cluster.connect()
    remote = ray.remote(num_cpus=cluster.cpus_per_task, num_gpus=cluster.gpus_per_task, max_retries=ATTEMPTS)(
        solve_without_problem
    )
    given = {"threads": cluster.threads} | {name: value for name, value in options.items() if value is not None}
    waiting = [
        remote.remote(sendable(problem), method, strategies, given)
        for method, problem in zip(methods, problems, strict=True)
    ]
    try:
        runs = [_run_of(ray, answer) for answer in waiting]
    except BaseException:
        _, undone = ray.wait(waiting, num_returns=len(waiting), timeout=0)
        for answer in undone:
            ray.cancel(answer, force=True)
        raise
    return [dataclasses.replace(run, problem=problem) for run, problem in zip(runs, problems, strict=True)]


def _run_of(ray: RayModule, answer: Any) -> Run:
    try:
        run: Run = ray.get(answer)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise cause if isinstance(cause, RegretlessError) else OptionError(explain(error)) from None
    except ray.exceptions.RayError as error:
        raise OptionError(explain(error)) from None
    return run


def solve_without_problem(game: Any, method: Method, strategies: bool, options: Mapping[str, Any]) -> Run:
    """In a worker: a run without its problem, which the driver has; without `strategies` also without arrays."""
    run = solve(game, method, **options)
    nothing: Any = None
    arrays = dict(run.arrays) if strategies else {}
    return dataclasses.replace(run, problem=nothing, arrays=arrays)
