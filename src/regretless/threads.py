"""Threads that work at the same time, each in one compiled call without the interpreter's lock.

Threads are kept and used again, because starting one takes longer than a small batch of iterations. A process that was
forked has none of its parent's threads, so it starts with none and makes its own: `multiprocessing` and
`concurrent.futures` can fork at any time. (Numba's `parallel=True` runs on OpenMP, which hangs after a fork.)
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

import numpy as np

from regretless.kernels.thread_team import GONE, STRIDE, Team

__all__ = ["ThreadTeam", "run_together"]

Result = TypeVar("Result")


class _Worker:
    """A thread that waits for jobs; between two jobs it is in `_IDLE`."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._serve, name="regretless", daemon=True).start()

    def _serve(self) -> None:
        while True:
            job = self.jobs.get()
            job()
            del job  # the arrays of a solve are not kept until the next job


_IDLE: deque[_Worker] = deque()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDLE.clear)


class _Jobs(Generic[Result]):
    """The parts of one call of `run_together`.

    Ctrl-C may interrupt the calling thread anywhere. Every step here can therefore be repeated, and who runs a part is
    decided by one atomic operation: the worker that claims it, or the caller, who then drops it.
    """

    def __init__(self, work: Callable[[int], Result], leave: Callable[[int], None]) -> None:
        self.work, self.leave = work, leave
        self.claims: dict[int, str] = {}
        self.results: dict[int, Result] = {}
        self.errors: dict[int, BaseException] = {}
        self.ended: SimpleQueue[int] = SimpleQueue()

    def run(self, number: int) -> None:
        """Run a part on the calling thread."""
        try:
            self.results[number] = self.work(number)
        except BaseException as error:
            self.leave(number)
            self.errors[number] = error

    def hand_to(self, worker: _Worker, number: int) -> None:
        """Let a worker run a part."""

        def job() -> None:
            if self.claims.setdefault(number, "worker") == "worker":
                self.run(number)
            _IDLE.append(worker)
            self.ended.put(number)

        worker.jobs.put(job)

    def drop(self, number: int) -> None:
        """Leave a part out, unless a worker has begun it."""
        if self.claims.setdefault(number, "caller") == "caller":
            self.leave(number)

    def wait_for(self, number: int) -> None:
        """Wait until the worker of a part has ended it, unless it was dropped."""
        while self.claims.get(number) != "caller" and number not in self.results and number not in self.errors:
            self.ended.get()


def run_together(
    work: Callable[[int], Result], size: int, leave: Callable[[int], None] = lambda number: None
) -> list[Result]:
    """work(0) … work(size − 1), all at the same time: the first on this thread, the others on threads of their own.

    An exception in one of them is raised here after all have ended; `leave(number)` is called at once where it happens,
    so that the others can stop waiting for that thread. Ctrl-C is raised when all have ended, too.
    """
    if size == 1:
        return [work(0)]
    jobs = _Jobs(work, leave)
    interrupt: BaseException | None = None
    try:
        for number in range(1, size):
            jobs.hand_to(_IDLE.pop() if _IDLE else _Worker(), number)
        jobs.run(0)
    except BaseException as error:
        interrupt = error
    while True:
        try:
            if interrupt is not None:
                jobs.leave(0)
                for number in range(1, size):
                    jobs.drop(number)
            for number in range(1, size):
                jobs.wait_for(number)
            break
        except KeyboardInterrupt as error:
            interrupt = error
    failures = [*([] if interrupt is None else [interrupt]), *jobs.errors.values()]
    if failures:
        raise failures[0]
    return [jobs.results[number] for number in range(size)]


class ThreadTeam:
    """Threads that meet at the barriers of `kernels.thread_team`."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.arrived, self.reports = (np.zeros(size * STRIDE, np.int64) for _ in range(2))

    def run(self, work: Callable[[Team], Result], size: int | None = None) -> list[Result]:
        """Call `work` on every thread, or on the first `size`, with the team as that thread sees it."""
        size = self.size if size is None else size
        self.arrived[:] = 0

        def leave(number: int) -> None:
            self.arrived[STRIDE * number] = GONE

        return run_together(lambda number: work(Team(self.arrived, self.reports, number, size)), size, leave)
