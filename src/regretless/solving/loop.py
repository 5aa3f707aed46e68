"""The loop of a solve: advance a stretch, measure at fixed iteration numbers, look at the clock, save.

It is the same for every method. Measuring never touches the state, so a run that was stopped and resumed is bit for
bit the run that was not.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from regretless.errors import OptionError, RegretlessError
from regretless.method import Learner, Method
from regretless.run import History, Run
from regretless.solving.progress import Display, NoDisplay

__all__ = ["Loop", "Rules", "Snapshot", "next_measurement", "whole"]

GROWTH = 1.05
"""Measurements are taken at every iteration at first and then each time the count has grown by this factor."""

ENDLESS = 2**62
"""More iterations than anybody waits for."""

STRETCH = 0.1
"""Seconds that a stretch may take, so that the clock, Ctrl-C and the display are never far away."""

SLOW_SAVE = 1.0
"""Seconds of a checkpoint from which on it is written less often: at most a tenth of the time goes into saving."""


@dataclass(frozen=True)
class Snapshot:
    """What a callback is shown at every measurement."""

    iteration: int
    seconds: float
    exploitability: float
    nash_conv: float
    value: float
    _learner: Learner = field(repr=False)

    def _check_fresh(self) -> None:
        if self._learner.iteration != self.iteration:
            raise OptionError(
                f"this snapshot is of iteration {self.iteration:,} and the solve has gone on to "
                f"{self._learner.iteration:,}: take its strategy within the callback"
            )

    @property
    def strategy(self) -> Any:
        """The average strategy so far; to be taken within the callback."""
        self._check_fresh()
        return self._learner.average_strategy()

    @property
    def current(self) -> Any:
        """The last iterate; to be taken within the callback."""
        self._check_fresh()
        return self._learner.current_strategy()


@dataclass(frozen=True)
class Rules:
    """When to stop, whom to tell, where to save."""

    iterations: int
    until: float | None
    seconds: float | None
    callback: Callable[[Snapshot], object] | None
    progress: bool
    checkpoint: str | os.PathLike[str] | None
    checkpoint_every: float

    @classmethod
    def checked(
        cls,
        iterations: int | None,
        until: float | None,
        seconds: float | None,
        callback: Callable[[Snapshot], object] | None = None,
        progress: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 0.0,
    ) -> Rules:
        """Rules from the options of `solve`, or a sentence about the one that cannot be meant."""
        if iterations is not None and not (whole(iterations, least=1) and iterations < ENDLESS):
            raise OptionError(f"iterations is a positive whole number, got {iterations!r}")
        for name, given in (("until", until), ("seconds", seconds), ("checkpoint_every", checkpoint_every)):
            if given is not None and (isinstance(given, bool) or not isinstance(given, int | float | np.number)):
                raise OptionError(f"{name} is a number, got {given!r}")
        if callback is not None and not callable(callback):
            raise OptionError(f"callback is a function that takes a Snapshot, got {callback!r}")
        if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
            raise OptionError(f"checkpoint is the name of a file, got {checkpoint!r}")
        if not checkpoint_every >= 0:
            raise OptionError(f"checkpoint_every is a number of seconds from 0 on, got {checkpoint_every}")
        if until is not None and not until > 0:
            raise OptionError(f"until is an exploitability above zero, got {until}: no method reaches zero, try 1e-6")
        if seconds is not None and not 0 < seconds < np.inf:
            raise OptionError(f"seconds is a time above zero, got {seconds}")
        endless = until is not None or seconds is not None
        most = int(iterations) if iterations else (ENDLESS if endless else 1_000)
        return cls(most, until, seconds, callback, progress, checkpoint, checkpoint_every)


class Loop:
    """The solve itself."""

    def __init__(
        self,
        learner: Learner,
        method: Method,
        game: str,
        rules: Rules,
        plan: dict[str, Any],
        old: Run | None = None,
    ) -> None:
        self.learner, self.method, self.game, self.rules, self.plan = learner, method, game, rules, plan
        self.rows = old.history.rows() if old else []
        self.seconds_before = old.seconds if old else 0.0
        self.first = learner.iteration
        self.last = self.first + rules.iterations
        self.began = self.saved = time.perf_counter()
        self.save_again_after = rules.checkpoint_every  # more where saving is slow: at most a tenth of the time
        self.rate = 0.0  # iterations per second, of the latest stretch

    def elapsed(self) -> float:
        """Seconds since this call began."""
        return time.perf_counter() - self.began

    def run(self) -> Run:
        """Solve until something says stop."""
        if self.rules.checkpoint is not None:
            self.save("running")  # an unwritable place is found out now, not after an hour
        title = f"{self.method.name} on {self.game}"
        with Display(title) if self.rules.progress else NoDisplay() as display:
            with _interrupts_put_off():  # a compiler that is interrupted leaves a traceback of its own
                self.learner.advance(0)  # kernels are compiled or loaded before the clock starts
                self.learner.measure()
            self.began = self.saved = time.perf_counter()
            display.begin()
            try:
                stopped = self.loop(display)
            except KeyboardInterrupt:
                stopped = "interrupted"
            except RegretlessError:
                if self.rules.checkpoint is not None:
                    self.save("failed")  # what was done before there was no room for more is not lost
                raise
        if not self.rows or self.rows[-1]["iteration"] != self.learner.iteration:
            self.measure()
        run = self.result(stopped)
        if self.rules.checkpoint is not None:
            run.save(self.rules.checkpoint)
        return run

    def loop(self, display: NoDisplay) -> str:
        """Advance until a rule is met; returns which."""
        learner, rules = self.learner, self.rules
        target = next_measurement(learner.iteration, learner.measured_every)
        while learner.iteration < self.last:
            self.stretch(min(target, self.last))
            if learner.iteration >= target or learner.iteration == self.last:
                target = next_measurement(learner.iteration, learner.measured_every)
                row = self.measure()
                if rules.callback is not None and rules.callback(self.snapshot(row)) is True:
                    return "callback"
                if rules.until is not None and row["exploitability"] <= rules.until:
                    return "until"
            if rules.progress and self.rows:
                display.show(learner.iteration, self.share(), self.rows[-1])
            if rules.seconds is not None and self.elapsed() >= rules.seconds:
                return "seconds"
            if rules.checkpoint is not None and time.perf_counter() - self.saved > self.save_again_after:
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
        """Add a row to the history."""
        spent = self.seconds_before + self.elapsed()
        with _interrupts_put_off():  # threads that measure share room with those that would measure again
            row = {"iteration": self.learner.iteration, "seconds": spent, **self.learner.measure()}
            self.rows.append(row)
        return row

    def snapshot(self, row: dict[str, float]) -> Snapshot:
        """What the callback sees."""
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

    def result(self, stopped: str, *, copied: bool = True) -> Run:
        """The run as it stands; copied, it is independent of the learner."""
        copied = copied and self.learner.copies
        return Run(
            game=self.game,
            method=self.method,
            problem=self.learner.problem,
            arrays={name: array.copy() if copied else array for name, array in self.learner.result_arrays().items()},
            iterations=self.learner.iteration,
            seconds=self.seconds_before + self.elapsed(),
            history=History(self.rows),
            settings=self.plan,
            stopped=stopped,
        )

    def save(self, stopped: str) -> None:
        """Write a checkpoint."""
        began = time.perf_counter()
        if self.rules.checkpoint is not None:
            self.result(stopped, copied=False).save(self.rules.checkpoint)
        self.saved = time.perf_counter()
        spent = self.saved - began
        self.save_again_after = max(self.rules.checkpoint_every, 9 * spent if spent > SLOW_SAVE else 0.0)


@lru_cache(maxsize=4096)
def next_measurement(iteration: int, growth: float = GROWTH) -> int:
    """The first iteration after `iteration` at which a run is measured; the same numbers in every run."""
    at = 1
    while at <= iteration:
        at = max(at + 1, int(at * growth))
    return at


def whole(number: Any, least: int) -> bool:
    """Whether something is a whole number of at least `least`."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer | float):
        return False
    finite = not isinstance(number, float) or np.isfinite(number)
    return bool(finite and int(number) == number and number >= least)


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
