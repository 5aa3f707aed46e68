"""`solve` runs a method on a game until something says stop; `resume` goes on where a saved run ended.

The loop is the same for every method: advance a stretch, measure at fixed iteration numbers, look at the clock, save.
Measuring never touches the state, so a run that was stopped and resumed is bit for bit the run that was not.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regretless.errors import FileError, OptionError
from regretless.game import Game
from regretless.methods import Learner, Method, Settings, learner_for, method_by_name
from regretless.methods.learner import average_strategy
from regretless.progress import Display, NoDisplay
from regretless.run import History, Run, name_of, read_run
from regretless.strategy import Probabilities, Strategy
from regretless.tree import Tree, build
from regretless.variants import CFR_PLUS, Variant

__all__ = ["Snapshot", "resume", "solve"]

GROWTH = 1.05
"""Measurements are taken at every iteration at first and then each time the count has grown by this factor."""

STRETCH = 0.1
"""Seconds that a stretch may take, so that the clock, Ctrl-C and the display are never far away."""

THREADS_FROM = 1_000_000
"""Terminals from which on threads are used unless told otherwise."""

Fixed = Mapping[int, Strategy | Mapping[Any, Probabilities] | Probabilities]


@dataclass(frozen=True)
class Snapshot:
    """What a callback is shown at every measurement."""

    iteration: int
    seconds: float
    exploitability: float
    nash_conv: float
    value: float
    _learner: Learner = field(repr=False)

    @property
    def strategy(self) -> Strategy:
        """The average strategy so far."""
        average = self._learner.arrays()["average"]
        return average_strategy(self._learner.tree.labels, average, self._learner.current())

    @property
    def current(self) -> Strategy:
        """The last iterate."""
        return Strategy(self._learner.tree.labels, self._learner.current())


def solve(
    game: Game | Tree | str,
    method: Variant | Method | str = CFR_PLUS,
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    seed: int = 0,
    fixed: Fixed | None = None,
    dtype: str = "float64",
    threads: int | None = None,
    device: str = "cpu",
    callback: Callable[[Snapshot], object] | None = None,
    progress: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
) -> Run:
    """Solve a game; a `Game`, a built `Tree`, or a name such as "leduc:ranks=5".

    It stops at whichever comes first: `iterations` (1,000 if nothing else is said), exploitability at most `until`, or
    `seconds` of wall time, each counted from this call. Ctrl-C stops cleanly too and the run is returned whole.

    `fixed` holds players still, {player: strategy}; the others then learn a best response. `callback` gets a
    `Snapshot` at every measurement and stops the solve by returning True. `checkpoint` names a file that is written
    every `checkpoint_every` seconds and at the end.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.RockPaperScissors(), rg.CFR, iterations=1_000, fixed={0: [0.4, 0.3, 0.3]})
    >>> {action: round(p, 2) for action, p in run.strategy[1, "player 1"].items()}
    {'rock': 0.0, 'paper': 1.0, 'scissors': 0.0}
    """
    rules = _Rules.checked(iterations, until, seconds, callback, progress, checkpoint, checkpoint_every)
    method = method_by_name(method) if isinstance(method, str) else method
    if device != "cpu":
        name = getattr(method, "name", str(method))
        raise OptionError(f"{name} has no GPU path yet: device={device!r} is not available, use device='cpu'")
    if dtype not in ("float64", "float32"):
        raise OptionError(f"dtype is 'float64' or 'float32', got {dtype!r}")
    if dtype == "float32" and not isinstance(method, Variant):
        raise OptionError(f"{method.name} computes in float64 only")
    spec = game if isinstance(game, str) else None
    tree = _built(game)
    settings = Settings(
        fixed=_fixed(tree, fixed or {}),
        dtype=dtype,
        threads=_threads(tree, threads),
        seed=_checked_seed(seed),
    )
    learner = learner_for(method, tree, settings)
    planned = None if iterations is None and (until or seconds) else rules.iterations
    plan = {
        "dtype": dtype,
        "threads": settings.threads,
        "seed": settings.seed,
        "planned": planned,
        "fixed": sorted(settings.fixed),
    }
    loop = _Loop(learner, method, spec or name_of(tree.game), rules, plan)
    return loop.run()


def resume(
    path: str | os.PathLike[str],
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    game: Game | Tree | None = None,
    threads: int | None = None,
    callback: Callable[[Snapshot], object] | None = None,
    progress: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
) -> Run:
    """Go on with a saved run or a checkpoint, for `iterations` more; without a number, to where it was planned to end.

    The result is bit for bit that of a run which was never interrupted. A game of your own that cannot be found again
    by name is passed as `game`.
    """
    old = read_run(path)
    if iterations is None and until is None and seconds is None:
        planned = old.settings.get("planned")
        left = (int(planned) if planned else 0) - old.iterations
        if left <= 0:
            raise OptionError(f"{os.fspath(path)} has done its {old.iterations:,} iterations; say how many more")
        iterations = left
    rules = _Rules.checked(iterations, until, seconds, callback, progress, checkpoint, checkpoint_every)
    tree = _built(old.game if game is None else game)
    if tree.fingerprint != old.fingerprint:
        raise FileError(
            f"{os.fspath(path)} is a run of {old.game}, but that game is not the same any more (or another)"
        )
    settings = Settings(
        fixed={int(p): old.current for p in old.settings.get("fixed", [])},
        dtype=str(old.settings["dtype"]),
        threads=_threads(tree, threads if threads is not None else int(old.settings["threads"])),
        seed=int(old.settings["seed"]),
    )
    learner = learner_for(old.method, tree, settings)
    missing = [n for n, a in learner.arrays().items() if n not in old.arrays or old.arrays[n].shape != a.shape]
    if missing:
        raise FileError(f"{os.fspath(path)} holds no usable {missing[0]!r}: it is damaged or from another version")
    learner.restore(old.arrays, old.iterations)
    plan = {
        **old.settings,
        "threads": settings.threads,
        "planned": old.iterations + rules.iterations if iterations else None,
    }
    return _Loop(learner, old.method, old.game, rules, plan, old).run()


@dataclass(frozen=True)
class _Rules:
    """When to stop, whom to tell, where to save."""

    iterations: int
    until: float | None
    seconds: float | None
    callback: Callable[[Snapshot], object] | None
    progress: bool
    checkpoint: str | os.PathLike[str] | None
    checkpoint_every: float

    @classmethod
    def checked(cls, iterations: int | None, until: float | None, seconds: float | None, *rest: Any) -> _Rules:
        if iterations is not None and not _whole(iterations, least=1):
            raise OptionError(f"iterations is a positive whole number, got {iterations!r}")
        if until is not None and not until > 0:
            raise OptionError(f"until is an exploitability above zero, got {until}: no method reaches zero, try 1e-6")
        if seconds is not None and not seconds > 0:
            raise OptionError(f"seconds is a time above zero, got {seconds}")
        endless = until is not None or seconds is not None
        return cls(int(iterations) if iterations else (2**62 if endless else 1_000), until, seconds, *rest)


class _Loop:
    """The solve itself."""

    def __init__(
        self,
        learner: Learner,
        method: Variant | Method,
        game: str,
        rules: _Rules,
        plan: dict[str, Any],
        old: Run | None = None,
    ) -> None:
        self.learner, self.method, self.game, self.rules, self.plan = learner, method, game, rules, plan
        self.rows = old.history.rows() if old else []
        self.seconds_before = old.seconds if old else 0.0
        self.first = learner.iteration
        self.last = self.first + rules.iterations
        self.began = self.saved = time.perf_counter()
        self.rate = 0.0  # iterations per second, of the latest stretch

    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    def run(self) -> Run:
        if self.rules.checkpoint is not None:
            self.save("running")  # an unwritable place is found out now, not after an hour
        title = f"{self.method.name} on {self.game}"
        with Display(title) if self.rules.progress else NoDisplay() as display:
            try:
                stopped = self.loop(display)
            except KeyboardInterrupt:
                stopped = "interrupted"
        if not self.rows or self.rows[-1]["iteration"] != self.learner.iteration:
            self.measure()
        run = self.result(stopped)
        if self.rules.checkpoint is not None:
            run.save(self.rules.checkpoint)
        return run

    def loop(self, display: NoDisplay) -> str:
        learner, rules = self.learner, self.rules
        target = next_measurement(learner.iteration)
        while learner.iteration < self.last:
            self.stretch(min(target, self.last))
            if learner.iteration >= target or learner.iteration == self.last:
                target = next_measurement(learner.iteration)
                row = self.measure()
                if rules.callback is not None and rules.callback(self.snapshot(row)) is True:
                    return "callback"
                if rules.until is not None and row["exploitability"] <= rules.until:
                    return "until"
            if self.rows:
                display.show(learner.iteration, self.share(), self.rows[-1])
            if rules.seconds is not None and self.elapsed() >= rules.seconds:
                return "seconds"
            if rules.checkpoint is not None and time.perf_counter() - self.saved > rules.checkpoint_every:
                self.save("running")
        return "finished"

    def stretch(self, target: int) -> None:
        """Advance towards `target`, but not for much longer than a stretch may take."""
        count = min(target - self.learner.iteration, max(1, int(self.rate * STRETCH)))
        if self.rules.seconds is not None and self.rate:
            left = self.rules.seconds - self.elapsed()
            count = max(1, min(count, int(self.rate * left) + 1))
        began = time.perf_counter()
        with _interrupts_put_off():
            self.learner.advance(count)
        self.rate = count / max(time.perf_counter() - began, 1e-9)

    def measure(self) -> dict[str, float]:
        spent = self.seconds_before + self.elapsed()
        row = {"iteration": self.learner.iteration, "seconds": spent, **self.learner.measure()}
        self.rows.append(row)
        return row

    def snapshot(self, row: dict[str, float]) -> Snapshot:
        return Snapshot(
            int(row["iteration"]),
            row["seconds"],
            row["exploitability"],
            row["nash_conv"],
            row["value"],
            self.learner,
        )

    def share(self) -> float:
        """How much of the way is done, by the stopping rule that is nearest to its end."""
        shares = [(self.learner.iteration - self.first) / self.rules.iterations]
        if self.rules.seconds is not None:
            shares.append(self.elapsed() / self.rules.seconds)
        gap = self.rows[-1]["exploitability"]
        if self.rules.until is not None and 0 < gap < np.inf and self.rows[0]["exploitability"] > self.rules.until:
            begin = self.rows[0]["exploitability"]
            shares.append(float(np.log(begin / gap) / np.log(begin / self.rules.until)))
        return max(shares)

    def result(self, stopped: str) -> Run:
        return Run(
            game=self.game,
            method=self.method,
            labels=self.learner.tree.labels,
            arrays={name: array.copy() for name, array in self.learner.arrays().items()},
            last=self.learner.current().copy(),
            iterations=self.learner.iteration,
            seconds=self.seconds_before + self.elapsed(),
            history=History(self.rows),
            settings=self.plan,
            fingerprint=self.learner.tree.fingerprint,
            stopped=stopped,
            tree=self.learner.tree,
        )

    def save(self, stopped: str) -> None:
        assert self.rules.checkpoint is not None
        self.result(stopped).save(self.rules.checkpoint)
        self.saved = time.perf_counter()


def next_measurement(iteration: int) -> int:
    """The first iteration after `iteration` at which a run is measured; the same numbers in every run."""
    at = 1
    while at <= iteration:
        at = max(at + 1, int(at * GROWTH))
    return at


def _built(game: Game | Tree | str) -> Tree:
    if isinstance(game, Tree):
        return game
    if isinstance(game, str):
        from regretless.games import by_name

        game = by_name(game)
    if not isinstance(game, Game):
        raise OptionError(f"solve takes a Game, a Tree or a name, got {game!r} of type {type(game).__name__}")
    return build(game)


def _fixed(tree: Tree, given: Fixed) -> dict[int, Strategy]:
    """Strategies of the players that are held still, however they were given."""
    out = {}
    for player, strategy in given.items():
        if player not in range(tree.players):
            raise OptionError(f"fixed names player {player!r}; this game has players 0 to {tree.players - 1}")
        if isinstance(strategy, Strategy):
            strategy.check_same_game(tree.labels)
            out[player] = strategy
            continue
        own = [i for i in tree.labels.reading_order.tolist() if tree.labels.owner[i] == player]
        table = _table_of(tree, player, own, strategy)
        out[player] = Strategy.from_dict(tree, table, missing="uniform")
    if len(out) == tree.players:
        raise OptionError("every player is fixed: nothing is left to learn")
    return out


def _table_of(tree: Tree, player: int, own: list[int], given: Any) -> dict[tuple[int, Any], Any]:
    """A fixed player's strategy by (player, label), complete; a player with one infoset may give its numbers alone."""
    names = [tree.labels.names[i] for i in own]
    if len(own) == 1 and not (isinstance(given, Mapping) and names[0] in given):
        given = {names[0]: given}
    if not isinstance(given, Mapping):
        raise OptionError(f"fixed player {player} has {len(own)} infosets: give a Strategy or {{label: probabilities}}")
    table = {key if key in tree.labels.by_player else (player, key): p for key, p in given.items()}
    for name in names:
        if (player, name) not in table:
            raise OptionError(f"fixed player {player}: the strategy says nothing about infoset {name!r}")
    return table


def _threads(tree: Tree, threads: int | None) -> int:
    if threads is None:
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return available if tree.terminals >= THREADS_FROM else 1
    if not _whole(threads, least=1):
        raise OptionError(f"threads is a positive whole number, got {threads!r}")
    return int(threads)


def _checked_seed(seed: int) -> int:
    if not _whole(seed, least=0) or seed >= 2**64:
        raise OptionError(f"seed is a whole number from 0 to 2**64 - 1, got {seed!r}")
    return int(seed)


def _whole(number: Any, least: int) -> bool:
    if isinstance(number, bool) or not isinstance(number, int | np.integer | float):
        return False
    return bool(np.isfinite(float(number)) and int(number) == number and number >= least)


@contextmanager
def _interrupts_put_off() -> Iterator[None]:
    """Ctrl-C waits until the learner is between two stretches: within one, its arrays are ahead of its count."""
    asked: list[int] = []
    mine = threading.current_thread() is threading.main_thread()
    mine = mine and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if mine:
        signal.signal(signal.SIGINT, lambda number, _frame: asked.append(number))
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked:
        raise KeyboardInterrupt
