"""Threads that work on the pieces of a build."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import TypeVar

__all__ = ["Workers"]

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Workers:
    """A pool of threads for compiled functions, which release the lock of the interpreter (nogil)."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads, "abstraction")

    def results(self, function: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """The result for each piece, in order. Few pieces wait at a time, so that an interruption ends soon."""
        waiting: deque[Future[Result]] = deque()
        try:
            for piece in pieces:
                waiting.append(self.pool.submit(function, piece))
                if len(waiting) > 2 * self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for task in waiting:
                task.cancel()
            wait(waiting)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pool.shutdown(cancel_futures=True)
