"""The buffers of a team of threads: scratch for their walks, and update logs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.uncounted_arrays import uncounted_view
from regretless.kernels.sampling.update_log import FILL, KEY, Log
from regretless.kernels.sampling.walk_records import FRAME, LOG_FULL, SCRATCH_FULL, SUMS, GameBuffers, Scratch
from regretless.kernels.thread_team import STRIDE

__all__ = ["ThreadBuffers"]

FIRST_ENTRIES = 1_024


class ThreadBuffers:
    """Scratch and a log for each thread; all grow when a walk reports that its own are too small."""

    def __init__(self, threads: int, players: int, deepest: int, widest: int) -> None:
        self.threads, self.players = threads, players
        self._make_scratches(deepest, widest)
        self._make_log(FIRST_ENTRIES)

    def log_of(self, number: int) -> Log:
        """The log of one thread."""
        codes, deltas, keys, moves, fill, entries, numbers = self.log
        return Log(codes[number], deltas[number], keys[number], moves[number], fill[number], entries, numbers)

    def grow(self, status: int) -> None:
        """Enlarge the buffers that a walk found too small; the updates of its turn are dropped."""
        self.log.fill[:] = 0
        if status == SCRATCH_FULL:
            self._make_scratches(2 * self.scratches[0].deepest, 2 * self.scratches[0].widest)
        elif status == LOG_FULL:
            self._make_log(2 * self.log.entries)

    def _make_scratches(self, deepest: int, widest: int) -> None:
        """Scratch for walks of `deepest` decisions with `widest` actions in all."""
        self.scratches = []
        for _ in range(self.threads):
            written = apart(widest, np.int64), apart(widest), apart(self.players)
            game = GameBuffers(*map(uncounted_view, written))
            path = apart(deepest * FRAME, np.int64), apart(deepest * SUMS), apart(deepest, np.int64)
            self.scratches.append(Scratch(*path, apart(widest), apart(widest), game, deepest, widest))

    def _make_log(self, entries: int) -> None:
        """Logs of `entries` updates for each thread, of four numbers each on average."""
        rows, numbers = self.threads, 4 * entries
        codes, keys = np.empty((rows, 2 * entries), np.int64), np.empty((rows, KEY * entries), np.int64)
        deltas, moves = np.empty((rows, numbers)), np.empty((rows, numbers), np.int64)
        self.log = Log(codes, deltas, keys, moves, np.zeros((rows, FILL), np.int64), entries, numbers)


def apart(size: int, dtype: Any = np.float64) -> npt.NDArray[Any]:
    """A buffer of `size` numbers that shares no cache line with the buffers of other threads."""
    return np.empty(size + 2 * STRIDE, dtype)[STRIDE : STRIDE + size]
