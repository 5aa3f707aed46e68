"""The end of a player's turn, when all its walks are done: what they found is added to the infosets.

Where a game is listed and walks are many, each walk adds to sums as it goes. An iteration's walks are cut into lanes,
and each lane has sums of its own, laid out like the values. How many lanes there are depends on the game and the number
of walks alone, and they are added up lane after lane: whoever walked them, the bits are the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.sampling.infoset_rules import bring_up
from regretless.kernels.sampling.thread_team import agree, meet
from regretless.kernels.sampling.update_log import NEWCOMERS, carry_out, forget, log_of

BLOCK = 512
"""Numbers that are added up at a time, so that all lanes' find room in the nearest cache."""


ALL_PLACED, SOME_NEW = 1, 0
"""What a thread reports whose walks went well: it has met nobody without a place, or somebody."""


class Sums(NamedTuple):
    """Where walks add what they find: the values themselves (no lanes), or L lanes of N numbers each."""

    numbers: npt.NDArray[np.float64]  # [L · N]
    place: npt.NDArray[np.int64]  # [I] of every infoset, in rising order
    actions: npt.NDArray[np.int64]  # [I]
    infosets: int  # I
    lanes: int  # L
    size: int  # N, 0 without lanes


@njit(nogil=True)
def bare_sums(sums):
    """The sums as a walk holds them."""
    return Sums(bare(sums.numbers), bare(sums.place), bare(sums.actions), sums.infosets, sums.lanes, sums.size)


@njit(nogil=True, forceinline=True)
def report(log, team, status):
    """Meet after the walks of a turn: ALL_PLACED, SOME_NEW, or the worst that happened. log: this thread's own."""
    if status == SOME_NEW and log.fill[NEWCOMERS] == 0:
        status = ALL_PLACED
    return agree(team, status)


@njit(nogil=True, forceinline=True)
def end_turn(values, memory, window, step, fades, blend, logs, sums, team, left):
    """Add what the team's walks found to the infosets that are this thread's, and meet. left: which of it."""
    if sums.lanes > 0:
        add_up(sums, values, window, step, fades, team.number, team.size)
    else:
        for other in range(team.size):
            carry_out(log_of(logs, other), values, memory, window, step, fades, blend, team.number, team.size, left)
    meet(team)
    forget(log_of(logs, team.number))


@njit(nogil=True, cache=True)
def add_up(sums, values, window, step, fades, share, shares):
    """Add all lanes to the values of this share of the infosets, and empty them."""
    infosets, numbers, size, lead = sums.infosets, sums.numbers, sums.size, sums.place[0]
    first, last = infosets * share // shares, infosets * (share + 1) // shares
    begin = sums.place[first] - lead if first < infosets else size
    end = sums.place[last] - lead if last < infosets else size
    for block in range(begin, end, BLOCK):
        stop = min(block + BLOCK, end)
        for lane in range(1, sums.lanes):
            for n in range(block, stop):
                numbers[n] += numbers[lane * size + n]
                numbers[lane * size + n] = 0.0
    if fades:
        for i in range(first, last):
            for a in range(sums.place[i], sums.place[i] + sums.actions[i]):
                if numbers[a] != 0.0:
                    bring_up(values, sums.place[i], sums.actions[i], window, step)
                    break
    for n in range(begin, end):
        values[n] += numbers[n]
        numbers[n] = 0.0
