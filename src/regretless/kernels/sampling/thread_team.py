"""Threads that work as a team: each does its part and comes to the meeting; when all are there, they go on.

A meeting takes less than a microsecond where every thread has a processor, so a team can part and meet for every turn
of every iteration without going back to Python. Nobody may leave a team in between: whoever calls must start all of
it, and all must come to the same meetings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.numba_ext.atomics import give_way, pause, seen, shown
from regretless.kernels.numba_ext.pointers import bare

APART = 16
"""Numbers from one thread's to the next one's: two cache lines, which processors like to fetch together."""

PATIENCE = 500
"""Looks at a thread that has not come, before others are let on this processor: some ten microseconds."""


class Team(NamedTuple):
    """A team of T threads, as one of them sees it."""

    arrived: npt.NDArray[np.int64]  # [T · APART] how many meetings each has come to
    report: npt.NDArray[np.int64]  # [T · APART] what each brings to the meeting: 0, or less if something went wrong
    number: int  # of this thread
    size: int  # T


@njit(nogil=True)
def bare_team(team):
    """The team as a walk holds it."""
    return Team(bare(team.arrived), bare(team.report), team.number, team.size)


@njit(nogil=True)
def meet(team):
    """Wait until all of the team are here; what each has written before, the others can read now."""
    if team.size == 1:
        return
    meeting = team.arrived[APART * team.number] + 1
    shown(team.arrived, APART * team.number, meeting)
    for other in range(team.size):
        looks = 0
        while seen(team.arrived, APART * other) < meeting:
            looks += 1
            if looks > PATIENCE:
                give_way()
            else:
                pause()


@njit(nogil=True, forceinline=True)
def agree(team, report):
    """Meet and hear the worst of what all of the team report. There must be another meeting before the next report."""
    if team.size > 1:
        team.report[APART * team.number] = report
        meet(team)
        for other in range(team.size):
            report = min(report, team.report[APART * other])
    return report
