"""Threads that work as a team: each does its part and waits at a barrier until all have arrived.

A barrier takes less than a microsecond where every thread has a processor, so a team can meet in every turn of every
iteration without returning to Python. All threads must come to the same barriers. A thread that fails marks itself as
`GONE`, and the others do not wait for it any more (`regretless.threads` starts teams and does this).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.atomics import load_acquire, spin_pause, store_release, yield_thread
from regretless.kernels.numba_ext.compiling import inner

STRIDE = 16
"""Numbers from one thread's entry to the next: two cache lines, because processors load them in pairs."""

SPINS = 500
"""Times that a thread looks for another one before it yields its processor: about ten microseconds."""

GONE = 2**62
"""Barriers that a thread has passed which has left the team: more than any other thread comes to."""


class Team(NamedTuple):
    """A team of T threads, as one of them sees it."""

    arrived: npt.NDArray[np.int64]  # [T · STRIDE] how many barriers each thread has come to, or GONE
    report: npt.NDArray[np.int64]  # [T · STRIDE] the status of each thread: below 0 if something went wrong
    number: int  # of this thread
    size: int  # T


@inner
def barrier(team):
    """Wait until all threads of the team have arrived; then each can read what the others wrote before."""
    if team.size == 1:
        return
    meeting = team.arrived[STRIDE * team.number] + 1
    store_release(team.arrived, STRIDE * team.number, meeting)
    for other in range(team.size):
        looks = 0
        while load_acquire(team.arrived, STRIDE * other) < meeting:
            looks += 1
            if looks > SPINS:
                yield_thread()
            else:
                spin_pause()


@inner
def barrier_min(team, report):
    """A barrier that returns the least of all threads' reports. Another barrier must come before the next report."""
    if team.size > 1:
        team.report[STRIDE * team.number] = report
        barrier(team)
        for other in range(team.size):
            report = min(report, team.report[STRIDE * other])
    return report
