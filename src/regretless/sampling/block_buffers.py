"""The buffers of walks that are made side by side: a block for each thread, and logs with capacity for a whole turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.sampling.blocks.block_log import NUMBERS, UNIFORM, Block, BlockLog
from regretless.kernels.sampling.update_log import FILL
from regretless.sampling.mccfr import MCCFR
from regretless.sampling.thread_buffers import apart

__all__ = ["BlockBuffers", "walks_in_blocks"]

Array = npt.NDArray[Any]

BLOCK = 32
"""Walks side by side: enough to hide the time that loading takes, and their records fit the nearest cache."""

MOST_ACTIONS = 62
"""Actions of an infoset: which of them have a positive regret is kept in the bits of one word."""

MOST_BYTES = 1 << 28
"""Memory for the logs of a turn at most. Little of it is used: walks are shorter than the deepest one."""

RECORD = 24
"""Bytes of a record in a log."""


def walks_in_blocks(method: MCCFR, actions: Array, deepest: int, threads: int) -> bool:
    """Whether walks on a listed game with logs are made in blocks. actions [I]; deepest: the most moves on a path."""
    fits = RECORD * threads * (method.traversals + threads) * deepest <= MOST_BYTES
    plain = method.sampling == "outcome" and method.baseline is None and method.traversals > 1
    return plain and fits and int(actions.max(initial=0)) <= MOST_ACTIONS < UNIFORM


class BlockBuffers:
    """A block of walks for each thread, and the logs of all threads."""

    def __init__(self, threads: int, traversals: int, deepest: int, exploration: float) -> None:
        size = min(BLOCK, traversals)
        explored = exploration / np.maximum(np.arange(MOST_ACTIONS + 1), 1)
        self.blocks = [_block(size, deepest, explored) for _ in range(threads)]
        capacity = -(-traversals // threads) * deepest
        records = threads * threads * capacity
        fill = np.zeros(threads * threads * FILL, np.int64)
        self.log = BlockLog(np.empty(records, np.int64), np.empty(2 * records), fill, capacity)


def _block(size: int, deepest: int, explored: Array) -> Block:
    walks = apart(size, np.uint64), apart(size, np.int64), apart(size), apart(size, np.int64)
    records = size * deepest
    own = apart(size, np.int64), apart(records, np.int64), apart(records * NUMBERS)
    others = apart(size, np.int64), apart(records, np.int64), apart(records)
    return Block(*walks, *own, *others, explored, size, deepest)
