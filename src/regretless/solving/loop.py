"""The loop of a solve: advance a few iterations, measure at fixed iteration numbers, look at the clock, save.

It is the same for every method. Measuring never changes the state, so a run that was stopped and resumed is bit for bit
the run that was not.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regretless.errors import FileError, OptionError, RegretlessError
from regretless.method import Learner, Method
from regretless.methods.checks import whole
from regretless.run import History, Run
from regretless.solving.compile_clock import compile_seconds
from regretless.solving.measuring_times import expected_at, next_measurement
from regretless.solving.progress import NoDisplay, display_of

__all__ = ["Loop", "Rules", "Snapshot", "busy_seconds"]

ENDLESS = 2**62
"""The number of iterations of a solve that another rule stops."""

BATCH_SECONDS = 0.1
"""Seconds that a batch of iterations may take, so that the clock, Ctrl-C and the display are looked at in between."""

SLOW_SAVE = 1.0
"""Seconds of a checkpoint from which on it is written less often: at most a tenth of the time goes into saving."""


@dataclass(frozen=True)
class Snapshot:
    """What a callback gets at every measurement."""

    iteration: int
    seconds: float
    exploitability: float
    nash_conv: float
    value: float
    measured: Mapping[str, float] = field(repr=False)
    """The whole row of the history, with what a method adds: loss, samples, nodes, …"""
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
    """When to stop, when to measure, whom to notify, where to save."""

    iterations: int
    until: float | None
    seconds: float | None
    callback: Callable[[Snapshot], object] | None = None
    progress: bool = False
    checkpoint: str | os.PathLike[str] | None = None
    checkpoint_every: float = 0.0
    every: int | None = None
    """Measure every n iterations; 0 never measures, None measures by growth."""
    growth: float | None = None
    """Measure each time the iterations have grown by this factor; None leaves it to the method."""

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
        measure: float | str | None = None,
    ) -> Rules:
        """Rules from the options of `solve`; raises OptionError for an invalid option."""
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
        every, growth = _checked_measure(measure)
        if every == 0 and (until is not None or callback is not None):
            raise OptionError("until= and callback= need measurements: leave measure='never' out")
        endless = until is not None or seconds is not None
        most = int(iterations) if iterations else (ENDLESS if endless else 1_000)
        return cls(most, until, seconds, callback, progress, checkpoint, checkpoint_every, every, growth)

    def next_measurement(self, iteration: int, usual: float) -> int:
        """The first iteration after `iteration` at which a run is measured; `usual` is the method's growth factor."""
        if self.every is not None:
            return (iteration // self.every + 1) * self.every if self.every else ENDLESS
        return next_measurement(iteration, self.growth or usual)

    @property
    def measures(self) -> bool:
        """Whether anything is measured at all."""
        return self.every != 0


def _checked_measure(measure: Any) -> tuple[int | None, float | None]:
    """When to measure: (every n iterations, growth factor)."""
    if measure is None:
        return None, None
    if isinstance(measure, str) and measure == "never":
        return 0, None
    if isinstance(measure, int) and not isinstance(measure, bool) and measure >= 1:
        return int(measure), None
    if isinstance(measure, float) and 1 < measure < np.inf:
        return None, measure
    raise OptionError(
        f"measure is 'never', a number of iterations such as 100, or a growth factor such as 1.1, got {measure!r}"
    )


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
        *,
        called: float | None = None,
    ) -> None:
        """called: `busy_seconds()` when the user asked for the solve; `seconds` count from there."""
        self.learner, self.method, self.game, self.rules, self.plan = learner, method, game, rules, plan
        self.rows = old.history.rows() if old else []
        self.seconds_before = old.seconds if old else 0.0
        self.first = learner.iteration
        self.last = self.first + rules.iterations
        self.began = self.saved = time.perf_counter()
        self.compiled = compile_seconds()
        self.preparing = 0.0 if called is None else max(busy_seconds() - called, 0.0)  # before the loop
        self.measuring = 0.0  # seconds of the latest measurement
        self.save_again_after = rules.checkpoint_every
        self.rate = 0.0  # iterations per second, of the latest batch

    def elapsed(self) -> float:
        """Seconds since the first iteration of this call began, compiling left out."""
        return max(time.perf_counter() - self.began - (compile_seconds() - self.compiled), 0.0)

    def run(self) -> Run:
        """Solve until a rule stops it."""
        if self.rules.checkpoint is not None:
            self.result("running", copied=False).save(self.rules.checkpoint)  # an unwritable file is reported now
        title = f"{self.method.name} on {self.game}"
        with display_of(title) if self.rules.progress else NoDisplay() as display:
            with _interrupts_deferred():  # an interrupted compiler leaves a traceback of its own
                self.learner.advance(0)  # kernels are compiled or loaded before the clock starts
                if self.rules.measures:
                    self.learner.measure()
            self.began, self.compiled = time.perf_counter(), compile_seconds()
            self.saved = self.began
            display.begin()
            try:
                run = self.until_stopped(display)
            except RegretlessError:
                self.keep_what_was_done()  # for example before memory ran out
                raise
        self._write(run)
        return run

    def until_stopped(self, display: NoDisplay) -> Run:
        """The loop, a last measurement, and the run."""
        try:
            stopped = self.loop(display)
        except KeyboardInterrupt:
            stopped = "interrupted"
        if self.rules.measures and (not self.rows or self.rows[-1]["iteration"] != self.learner.iteration):
            self.measure()
        run = self.result(stopped)
        failure = self.learner.failure
        if failure is not None:
            raise OptionError(failure)
        return run

    def loop(self, display: NoDisplay) -> str:
        """Advance until a rule is met; returns which."""
        learner, rules = self.learner, self.rules
        target = self.next_measurement()
        while learner.iteration < self.last:
            self.advance(min(target, self.last))
            if learner.iteration >= target or (learner.iteration == self.last and rules.measures):
                row = self.measure()
                target = self.next_measurement()
                if rules.callback is not None and rules.callback(self.snapshot(row)) is True:
                    return "callback"
                if rules.until is not None and row[learner.stops_at] <= rules.until:
                    return "until"
            if rules.progress:
                display.show(learner.iteration, self.share(), self.rows[-1] if self.rows else {})
            if self.seconds_left() <= 0:
                return "seconds"
            if rules.checkpoint is not None and time.perf_counter() - self.saved > self.save_again_after:
                self.save("running")
        return "finished"

    def next_measurement(self) -> int:
        """The iteration of the next measurement: by growth, or where a solve with `until=` expects to be done."""
        learner, rules = self.learner, self.rules
        chosen = rules.every is not None or rules.growth is not None
        fresh = bool(self.rows) and self.rows[-1]["iteration"] == learner.iteration
        if learner.measured_at_target and rules.until is not None and fresh and not chosen:
            return expected_at(self.rows, learner.stops_at, rules.until)
        return rules.next_measurement(learner.iteration, learner.measured_every)

    def seconds_left(self) -> float:
        """Seconds until the time is up; the last measurement must still fit in."""
        if self.rules.seconds is None:
            return np.inf
        to_measure = self.measuring if self.rows and self.rows[-1]["iteration"] != self.learner.iteration else 0.0
        return self.rules.seconds - self.preparing - self.elapsed() - to_measure

    def advance(self, target: int) -> None:
        """Advance towards `target`, for about as long as a batch may take."""
        count = min(target - self.learner.iteration, max(1, int(self.rate * BATCH_SECONDS)))
        if self.rules.seconds is not None and self.rate:
            count = max(1, min(count, int(self.rate * max(self.seconds_left(), 0.0)) + 1))
        began = time.perf_counter()
        with _interrupts_deferred():
            self.learner.advance(count)
        self.rate = count / max(time.perf_counter() - began, 1e-9)

    def measure(self) -> dict[str, float]:
        """Add a row to the history."""
        began = time.perf_counter()
        spent = self.seconds_before + self.elapsed()
        with _interrupts_deferred():  # measuring uses buffers of the learner's threads
            row = {"iteration": self.learner.iteration, "seconds": spent, **self.learner.measure()}
            self.rows.append(row)
        self.measuring = time.perf_counter() - began
        return row

    def snapshot(self, row: dict[str, float]) -> Snapshot:
        """What the callback gets."""
        return Snapshot(
            int(row["iteration"]),
            row["seconds"],
            row["exploitability"],
            row["nash_conv"],
            row["value"],
            dict(row),
            self.learner,
        )

    def share(self) -> float:
        """How much of the way is done, by the stopping rule that is nearest to its end."""
        shares = [(self.learner.iteration - self.first) / self.rules.iterations]
        if self.rules.seconds is not None:
            shares.append(1 - max(self.seconds_left(), 0.0) / self.rules.seconds)
        if self.rules.until is not None and self.rows:
            begin, gap = (row[self.learner.stops_at] for row in (self.rows[0], self.rows[-1]))
            if 0 < gap < np.inf and begin > self.rules.until:
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
            seconds=self.seconds_before + self.preparing + self.elapsed(),
            history=History(self.rows),
            settings=self.plan,
            stopped=stopped,
        )

    def save(self, stopped: str) -> None:
        """Write a checkpoint; less often where saving is slow, so that at most a tenth of the time goes into it."""
        if self.rules.checkpoint is None:
            return
        began = time.perf_counter()
        self._write(self.result(stopped, copied=False))
        self.saved = time.perf_counter()
        spent = self.saved - began
        self.save_again_after = max(self.rules.checkpoint_every, 9 * spent if spent > SLOW_SAVE else 0.0)

    def keep_what_was_done(self) -> None:
        """Save the iterations before the one that has failed; a state that is half-done replaces no checkpoint."""
        if self.learner.whole:
            self.save("failed")
        elif self.rules.checkpoint is not None:
            warnings.warn(
                f"iteration {self.learner.iteration + 1:,} has failed and could not be undone: "
                f"{os.fspath(self.rules.checkpoint)} keeps the last checkpoint before it",
                stacklevel=2,
            )

    def _write(self, run: Run) -> None:
        """Write the checkpoint file; a failure is reported and does not end the solve."""
        if self.rules.checkpoint is None:
            return
        try:
            run.save(self.rules.checkpoint)
        except FileError as error:
            warnings.warn(f"the checkpoint of iteration {run.iterations:,} failed: {error}", stacklevel=2)


def busy_seconds() -> float:
    """A clock that stands still while functions are compiled."""
    return time.perf_counter() - compile_seconds()


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Delay Ctrl-C until the learner is between two batches: within one, its arrays are ahead of its count."""
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
