"""Counterfactual reach of infosets: chance's and the others' probabilities, one pass over the listed histories."""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import kernel


@kernel
def others_reach(mover, index, first_child, children, probability, first, stride, strategy, player):
    """[I] Σ over the histories of each infoset: the product of all probabilities on the way but those of `player`.

    mover, index, first_child, children, probability [H] as listed; first, stride [I]; strategy [S].
    """
    reach = np.ones(mover.shape[0])
    total = np.zeros(first.shape[0])
    for h in range(mover.shape[0]):
        if mover[h] >= 0:
            total[index[h]] += reach[h]
        for action in range(children[h]):
            child = first_child[h] + action
            reach[child] = reach[h] * probability[child]  # 1 where a player moved
            if mover[h] >= 0 and mover[h] != player:
                reach[child] *= strategy[first[index[h]] + action * stride[index[h]]]
    return total
