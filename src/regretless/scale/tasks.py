"""One solve of many as a record: what to solve, how, and the file that holds its run."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from regretless.errors import FileError, OptionError, RegretlessError
from regretless.lookup.game_name import name_of
from regretless.lookup.methods import check_storable, method_to_json, with_defaults
from regretless.method import Method
from regretless.problem import found, the_game
from regretless.run import History, Run
from regretless.solver import method_of, resume, solve
from regretless.solving.stopping import chips_until
from regretless.storage import WriteLock, read_header

__all__ = ["DONE", "Outcome", "Task", "outcome_before", "run_task", "tasks_of"]

DONE = ("finished", "until", "seconds", "callback")
"""Reasons to stop after which a run needs no more work."""

COLUMNS = ("iteration", "seconds", "exploitability", "nash_conv", "value")


@dataclass(frozen=True)
class Task:
    """One solve of many."""

    name: str
    """The row of the table: game, and method and seed where they differ."""
    game: Any
    """A name, a file, a `Game` or a hold'em game; a problem that is laid out is too large to be sent to a worker."""
    method: Method
    seed: int
    path: str
    """The file of the run."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of `solve`."""


@dataclass(frozen=True)
class Outcome:
    """What became of a task; a row of the table."""

    task: str
    path: str
    status: str
    """"done", "skipped" where the file was complete before, or a sentence that says what is wrong."""
    iterations: int = 0
    seconds: float = math.nan
    exploitability: float = math.nan
    value: float = math.nan
    measured: Mapping[str, float] = field(default_factory=dict)
    """The last row of the run's history."""

    @property
    def ok(self) -> bool:
        """Whether there is a run."""
        return self.status in ("done", "skipped")


def tasks_of(
    games: Any,
    methods: Any,
    seeds: Iterable[int],
    folder: Path,
    options: Mapping[str, Any],
) -> list[Task]:
    """A task for every combination of games, methods and seeds, each with a file of its own."""
    named = _named_games(games)
    chosen = _named_methods(methods)
    drawn = list(seeds)
    if not named or not chosen or not drawn:
        raise OptionError("solve_many needs at least one game, one method and one seed")
    tasks, taken = [], set()
    for (label, game), (title, method), seed in product(named, chosen, drawn):
        check_storable(method)
        words = [label] + [title] * (len(chosen) > 1) + [f"seed {seed}"] * (len(drawn) > 1)
        name = ", ".join(words)
        file = f"{_slug(name)}-{_digest(label, game, method, seed)}.run"
        if name in taken:
            raise OptionError(f"two tasks are called {name!r}: give games names of their own, {{name: game}}")
        taken.add(name)
        tasks.append(Task(name, game, method, seed, str(folder / file), dict(options)))
    return tasks


def _named_games(games: Any) -> list[tuple[str, Any]]:
    if isinstance(games, Mapping):
        return [(str(label), game) for label, game in games.items()]
    if isinstance(games, str) or not isinstance(games, Iterable):
        games = [games]
    return [(game if isinstance(game, str) else name_of(the_game(game)), game) for game in games]


def _named_methods(methods: Any) -> list[tuple[str, Method]]:
    if isinstance(methods, Mapping):
        return [(str(label), method_of(method)) for label, method in methods.items()]
    if isinstance(methods, Sequence) and not isinstance(methods, str):
        return [(method.name, method) for method in map(method_of, methods)]
    method = method_of(methods)
    return [(method.name, method)]


def _slug(name: str) -> str:
    plain = Path(name).name if name.endswith((".toml", ".game", ".efg")) else name
    return re.sub(r"[^A-Za-z0-9.+=-]+", "_", plain)[:60]


def _digest(label: str, game: Any, method: Method, seed: int) -> str:
    """Ten letters that tell tasks apart whose names look alike in a file name."""
    text = json.dumps([label, repr(game), method_to_json(method), seed], default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def outcome_before(task: Task) -> Outcome | None:
    """The outcome of a task whose file is complete, or no run of it; None where there is work left."""
    try:
        return _done_before(task)
    except RegretlessError as error:
        return Outcome(task.name, task.path, str(error))


def run_task(task: Task) -> Outcome:
    """Solve or resume; errors become a sentence in the outcome."""
    try:
        with WriteLock(task.path) as lock:
            run = _solve_or_resume(task, lock)
        status = "done" if run.stopped in DONE else run.stopped
        return _outcome(task, status, run.iterations, run.seconds, run.history.rows())
    except RegretlessError as error:
        return Outcome(task.name, task.path, str(error))
    except MemoryError:
        return Outcome(task.name, task.path, "there is not enough memory")


def _solve_or_resume(task: Task, lock: WriteLock) -> Run:
    if Path(task.path).exists():
        return resume(task.path, game=_game_to_resume(task), method=task.method, checkpoint=lock, **_left(task))
    return solve(task.game, task.method, seed=task.seed, checkpoint=lock, **task.options)


def _outcome(task: Task, status: str, iterations: int, seconds: float, rows: list[dict[str, float]]) -> Outcome:
    last = dict(rows[-1]) if rows else {}
    exploitability, value = (float(last.get(name, math.nan)) for name in ("exploitability", "value"))
    return Outcome(task.name, task.path, status, iterations, seconds, exploitability, value, last)


def _done_before(task: Task) -> Outcome | None:
    """The outcome of a run that an earlier call has finished; None where there is work left."""
    if not Path(task.path).exists():
        return None
    meta = read_header(task.path)
    try:
        iterations, stopped = int(meta["iterations"]), str(meta["stopped"])
        rows = History(list(meta["history"])).rows()
        described = meta["method"]
    except (KeyError, TypeError, ValueError):
        raise FileError(f"{task.path} is no run of this task: its header is damaged") from None
    known = with_defaults(described, task.method) if isinstance(described, dict) else described
    if known != json.loads(json.dumps(method_to_json(task.method))):
        raise FileError(f"{task.path} is a run of another method: choose another folder")
    asked, until = task.options.get("iterations"), task.options.get("until")
    reached = rows[-1]["exploitability"] if rows else math.inf
    enough = (asked is not None and iterations >= asked) or (
        until is not None and reached <= chips_until(until, found(task.game))
    )
    if not enough and (stopped not in DONE or asked is not None or until is not None):
        return None
    return _outcome(task, "skipped", iterations, float(meta["seconds"]), rows)


def _left(task: Task) -> dict[str, Any]:
    """The options of `resume` for what is left of a task."""
    options = {name: value for name, value in task.options.items() if name not in ("dtype", "fixed", "iterations")}
    asked = task.options.get("iterations")
    if asked is not None:
        options["iterations"] = asked - int(read_header(task.path)["iterations"])
    return options


def _game_to_resume(task: Task) -> Any:
    """Hold'em is in its file; other games are opened again."""
    return None if read_header(task.path).get("description") is not None else task.game
