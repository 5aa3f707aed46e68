"""The average strategy of a sampled run on a listed game, as a plan to be measured: one pass over all infosets."""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.regret_rules import at_least
from regretless.kernels.sequence_form.layout import (
    STRIP_ACTIONS,
    STRIP_INFOSET,
    STRIP_INFOSETS,
    STRIP_SEQUENCE,
    STRIP_STRIDE,
)
from regretless.kernels.sequence_form.treeplex import strips_of


@kernel
def average_plan(form, slots, values, smallest, fixed, probabilities, plan):
    """plan [S] ← the product of average probabilities along each sequence; returns how many infosets were visited.

    slots [I]: where the regrets of each infoset lie in `values`; the sums of its strategies follow them. Sums below
    `smallest` count as 0, and then play is uniform. Players that are `fixed` [P] follow `probabilities` [S] instead.
    plan is 1 at empty sequences.
    """
    visited = 0
    for player in range(fixed.shape[0]):
        for index in range(*strips_of(form, player)):
            strip = form.strips[index]
            actions = np.int64(strip[STRIP_ACTIONS])
            for i in range(strip[STRIP_INFOSETS]):
                infoset, sequence = strip[STRIP_INFOSET] + i, strip[STRIP_SEQUENCE] + i
                regrets, sums, total, touched = slots[infoset], slots[infoset] + actions, 0.0, False
                for action in range(actions):
                    touched |= (values[regrets + action] != 0.0) | (values[sums + action] != 0.0)
                    total += at_least(np.float64(values[sums + action]), 0.0)
                visited += touched
                reach, matched = plan[form.parent[infoset]], total >= smallest
                divisor = total if matched else np.float64(actions)
                for action in range(actions):
                    share = at_least(np.float64(values[sums + action]), 0.0) if matched else 1.0
                    share = probabilities[sequence] if fixed[player] else share / divisor
                    plan[sequence] = reach * share
                    sequence += strip[STRIP_STRIDE]
    return visited
