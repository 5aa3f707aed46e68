"""Step weights of long solves whose averages are kept in few bits.

Iteration t changes an average by about 1/t of itself. With 24 bits of precision most of such a change is lost to
rounding after some 20,000 iterations, and the average drifts away: the exploitability of a river rose from 0.0001 to
0.1 chips in 3,500,000 iterations. So after 2 · `EVERY` iterations only every second counts, with the weight of both,
after twice as many every fourth, and so on. Between t and 2t always `EVERY` count. Regrets are updated in every
iteration.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DECAY, WEIGHT
from regretless.variants import Variant

__all__ = ["steps_in_storage"]

Floats = npt.NDArray[np.float64]

EVERY = 8_192
"""Of 2,048, 8,192 and all iterations, this left the least exploitability after 65,536 to 1,000,000 iterations."""


def steps_in_storage(variant: Variant, first: int, count: int, dtype: str) -> Floats:
    """[count, 8] the numbers of iterations first, first + 1, …; in float64 those of the variant itself."""
    table = variant.steps(first, count)
    if dtype == "float64" or first + count - 1 <= 2 * EVERY:
        return table
    table = table.copy()
    end, stride = first + count, 2
    while EVERY * stride + 1 < end:
        alone = (variant.delay // stride + 1) * stride  # after a delay the first ones count at once
        begin, stop = max(first, EVERY * stride + 1, alone + 1), min(end, 2 * EVERY * stride + 1)
        if begin < stop:
            _merge(variant, table[begin - first : stop - first], begin, stop, stride)
        stride *= 2
    return table


def _merge(variant: Variant, table: Floats, begin: int, stop: int, stride: int) -> None:
    """Let only multiples of `stride` count among iterations begin … stop − 1, each for those since the one before."""
    table[:, DECAY], table[:, WEIGHT] = 1, 0
    last = (stop - 1) // stride * stride
    before = (begin - 1) // stride * stride  # a multiple, the last one before `begin`
    if last <= before:
        return
    whole = variant.steps(before + 1, last - before)
    decay = whole[:, DECAY].reshape(-1, stride)[:, ::-1]  # [windows, stride], the newest first
    weight = whole[:, WEIGHT].reshape(-1, stride)[:, ::-1]
    fading = np.cumprod(decay, axis=1)  # what is left of what came before an iteration
    rows = np.arange(before + stride, last + 1, stride) - begin
    table[rows, DECAY] = fading[:, -1]
    table[rows, WEIGHT] = weight[:, 0] + (weight[:, 1:] * fading[:, :-1]).sum(axis=1)
