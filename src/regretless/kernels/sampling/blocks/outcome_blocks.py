"""The turns of outcome sampling on a listed game whose walks are made side by side, in blocks."""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.numba_ext.pointers import pointer, pointers
from regretless.kernels.sampling.blocks.block_log import apply_shards, record_block
from regretless.kernels.sampling.blocks.block_steps import start_block, walk_block
from regretless.kernels.sampling.turns import advance_span
from regretless.kernels.sampling.walk_records import END, LEARNS, NEXT, TURN
from regretless.kernels.thread_team import barrier


@kernel
def outcome_blocks(rules, store, window, task, options, block, log, team):
    """Outcome sampling without baselines, as `walk_records.Task` says; returns the histories visited by this thread.

    options: `OutcomeOptions`. The logs must have capacity for all decisions of a turn, so the task is always finished.
    """
    span, nodes = task.span, np.int64(0)
    rules, window, block, log, team = pointers(rules), pointers(window), pointers(block), pointers(log), pointers(team)
    values = pointer(store.values)
    while span[NEXT] < span[END]:
        iteration, who = span[NEXT], span[TURN]
        step = iteration - task.origin
        if task.walkers[who]:
            gain = window.gain[step] if task.walkers[who] == LEARNS else 0.0
            last = task.cuts[team.number + 1]
            for first in range(task.cuts[team.number], last, block.size):
                walks = min(block.size, last - first)
                start_block(block, walks, task.seed, iteration, who, first)
                weight = window.weight[step]
                nodes += walk_block(rules, values, block, walks, who, gain, weight, options.exploration)
                record_block(block, values, log, walks, team.number, team.size)
            barrier(team)
            apply_shards(log, values, window, step, task.by_sign, team.number, team.size)
            barrier(team)
        advance_span(span, task.walkers.shape[0])
    return nodes
