"""The turns of an iteration: the walks of each player, and then their updates applied to the infosets.

Where a game is listed and a turn has many walks, each walk adds its updates to sums. The walks of a turn are cut into
lanes, and each lane has sums of its own, laid out like the values. The number of lanes depends only on the game and the
number of walks, and the lanes are added up one after the other: so the bits do not depend on the threads. Walks mark
the runs of sums that they add to. Most runs of a large game stay without a mark, and their lanes are not read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import offset, pointer, pointers
from regretless.kernels.random_streams import stream
from regretless.kernels.sampling.infoset_rules import MARK_BITS, discount_to
from regretless.kernels.sampling.update_log import (
    ALL,
    NEW_INFOSETS,
    LogTarget,
    apply_entries,
    clear_log,
    thread_log,
)
from regretless.kernels.sampling.walk_records import END, LEARNS, NEXT, TURN, UNFINISHED, Walk, scratch_pointers
from regretless.kernels.thread_team import barrier, barrier_min

SOME_NEW, NONE_NEW = 0, 1
"""Status of a thread whose walks succeeded: some visited infosets are new, or all of them already have a slot."""


class LaneSums(NamedTuple):
    """Where walks add their updates: the values themselves (no lanes), or L lanes of N numbers each."""

    numbers: npt.NDArray[np.float64]  # [L · N]
    marks: npt.NDArray[np.uint8]  # [L · M] whether a walk has added to a run of sums; [1 · M] without lanes
    slots: npt.NDArray[np.int64]  # [I] of every infoset, in rising order
    counts: npt.NDArray[np.int64]  # [I] number of actions
    infosets: int  # I
    lanes: int  # L
    size: int  # N, 0 without lanes
    runs: int  # M, 0 without lanes


def next_turn(span, players):
    """Advance a span by one player's turn, and after the last player to the next iteration."""
    span[TURN] += 1
    if span[TURN] == players:
        span[TURN] = 0
        span[NEXT] += 1


advance_span = inner(next_turn)


@inner(forceinline=True)  # the functions that it is given would otherwise be addresses, and those cannot be cached
def run_turns(walk_once, insert_new_infosets, rules, states, store, others, window, task, options, blend, buffers):
    """Walk the turns of a task; returns the histories visited, and 0 or what must grow before the rest can be done.

    walk_once and insert_new_infosets are the functions of a sampling scheme and of a game. rules, states: as pointers.
    """
    span, lanes, nodes = task.span, task.cuts.shape[0] - 1, np.int64(0)
    values, weights, history_values = pointer(store.values), pointers(window), pointer(store.history_values)
    table, other_table, other_values = pointers(store.table), pointers(others.table), pointer(others.values)
    scratch, team, sums = scratch_pointers(buffers.scratch), pointers(buffers.team), pointers(buffers.sums)
    logs, target = pointers(buffers.logs), LogTarget(values, history_values, blend)
    log, by_sign = thread_log(logs, team.number), task.by_sign and sums.lanes == 0
    in_place, applies = task.in_place or sums.lanes > 0, task.ends_turns and not task.in_place
    while span[NEXT] < span[END]:
        iteration, who = span[NEXT], span[TURN]
        step = iteration - task.origin
        if task.walkers[who]:
            status: Any = np.int64(0)
            visited, left = np.int64(0), np.int64(ALL)
            for lane in range(team.number, lanes, team.size):
                into, marks = offset(sums.numbers, lane * sums.size), offset(sums.marks, lane * sums.runs)
                walk = Walk(
                    rules, table, values, into, marks, history_values, weights, other_table, other_values, scratch, log,
                    options, by_sign, in_place,
                )  # fmt: skip
                for number in range(task.cuts[lane], task.cuts[lane + 1]):
                    if status == 0:
                        word = stream(task.seed, iteration, who, number)
                        found = walk_once(walk, states, who, task.walkers[who] == LEARNS, step, word)
                        status, visited = min(found, 0), visited + found
            if applies:
                status = agree_on_status(log, team, status)
                if status == SOME_NEW:
                    status, left = insert_new_infosets(store, logs, team, target, weights, step, task.by_sign)
            if status < 0:
                span[UNFINISHED] = visited
                return nodes, status
            if applies:
                end_turn(logs, team, target, sums, weights, step, task.by_sign, left)
            nodes += visited
        advance_span(span, task.walkers.shape[0])
    return nodes, np.int64(0)


@inner
def agree_on_status(log, team, status):
    """Wait for all walks of a turn: NONE_NEW, SOME_NEW, or the worst status of a thread. log: this thread's own."""
    if status == SOME_NEW and log.fill[NEW_INFOSETS] == 0:
        status = np.int64(NONE_NEW)
    return barrier_min(team, status)


@inner
def end_turn(logs, team, target, sums, window, step, by_sign, left):
    """Apply the updates of all threads to the infosets of this thread, and wait. left: which entries of the logs."""
    if sums.lanes > 0:
        add_lanes(sums, target.values, window, step, by_sign, team.number, team.size)
    else:
        for other in range(team.size):
            apply_entries(thread_log(logs, other), target, window, step, by_sign, team.number, team.size, left)
    barrier(team)
    clear_log(thread_log(logs, team.number))
    for lane in range(team.number, sums.lanes, team.size):
        for run in range(lane * sums.runs, (lane + 1) * sums.runs):
            sums.marks[run] = 0


@inner
def add_lanes(sums, values, window, step, by_sign, share, shares):
    """Add all lanes to the values of this share of the infosets, and clear them; marks stay until all have done so."""
    infosets, numbers, size, lead = sums.infosets, sums.numbers, sums.size, sums.slots[0]
    first, last = infosets * share // shares, infosets * (share + 1) // shares
    begin = sums.slots[first] - lead if first < infosets else size
    end = sums.slots[last] - lead if last < infosets else size
    for run in range(begin >> MARK_BITS, (end + (1 << MARK_BITS) - 1) >> MARK_BITS):
        first_number, stop = max(run << MARK_BITS, begin), min((run + 1) << MARK_BITS, end)
        for lane in range(1, sums.lanes):
            if sums.marks[lane * sums.runs + run]:
                for n in range(first_number, stop):
                    numbers[n] += numbers[lane * size + n]
                    numbers[lane * size + n] = 0.0
    if by_sign:
        for i in range(first, last):
            for a in range(sums.slots[i], sums.slots[i] + sums.counts[i]):
                if numbers[a] != 0.0:
                    discount_to(values, sums.slots[i], sums.counts[i], window, step)
                    break
    for n in range(begin, end):
        values[n] += numbers[n]
        numbers[n] = 0.0
