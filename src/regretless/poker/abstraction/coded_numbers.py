"""Numbers of a bucketed tree in 16 bits, read as if they were an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.buckets.bucket_codes import BLOCK
from regretless.kernels.constants import DEAL
from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["CodedNumbers", "TableBlocks"]

Array = npt.NDArray[Any]


class TableBlocks:
    """Where the blocks of each node's table begin; a block never belongs to two nodes."""

    def __init__(self, tree: BettingTree, first: Array, known: Array) -> None:
        """first [nodes]: the first number of each table; known [streets]: columns of a table."""
        decisions = np.flatnonzero(tree.kind < DEAL)
        nodes = decisions[np.argsort(first[decisions], kind="stable")]
        size = tree.children[nodes].astype(np.int64) * known[tree.street[nodes]]
        self.node_first = first[nodes]  # [decisions] ascending
        self.size = size  # [decisions]
        self.blocks = -(-size // BLOCK)  # [decisions]
        self.first_block = np.cumsum(self.blocks) - self.blocks  # [decisions]
        self.count = int(self.blocks.sum())

    def of(self, numbers: Array) -> Array:
        """The block of each number."""
        at = np.searchsorted(self.node_first, numbers, side="right") - 1
        return np.asarray(self.first_block[at] + (numbers - self.node_first[at]) // BLOCK)

    def widths(self) -> Array:
        """[blocks] numbers in each block."""
        out = np.full(self.count, BLOCK, np.int64)
        last = self.first_block + self.blocks - 1
        out[last[self.size > 0]] = (self.size - (self.blocks - 1) * BLOCK)[self.size > 0]
        return out


class CodedNumbers:
    """Codes with their scales: slices and indices are decoded as float32 when they are asked for."""

    dtype = np.dtype(np.float32)

    def __init__(self, codes: Array, scale: Array, blocks: TableBlocks) -> None:
        self.codes, self.scale, self.blocks = codes, scale, blocks
        self.shape = codes.shape

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, key: slice | Array) -> npt.NDArray[np.float32]:
        at = np.arange(*key.indices(len(self))) if isinstance(key, slice) else np.asarray(key)
        return np.asarray(self.codes[key].astype(np.float32) * self.scale[self.blocks.of(at)])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        whole = np.multiply(self.codes, np.repeat(self.scale, self.blocks.widths()), dtype=np.float32)
        return np.asarray(whole, dtype)
