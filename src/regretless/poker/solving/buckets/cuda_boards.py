"""Batches of sampled boards on a GPU: the boards of `board_batches`, with hands sorted by bucket and lists by card."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.buckets.bucket_layout import StreetBoards
from regretless.kernels.buckets.card_lists import BatchLists, ListScratch, fill_street
from regretless.kernels.buckets.cuda_bucket_layout import Segments
from regretless.kernels.public.cuda_layout import (
    BEGIN,
    BELOW,
    COUNT,
    ENTRY,
    ENTRY_STRIDE,
    LIST_FIRST,
    SEGMENT,
    STRIDE,
    UNIT_RECORD,
    Hands,
)
from regretless.poker.abstraction.bucketed_tree import BucketedTree

__all__ = ["CudaBoards"]

Array = npt.NDArray[Any]

PADDING = 16


def _padded(count: Array | int) -> Any:
    return -(-count // PADDING) * PADDING


class CudaBoards:
    """The arrays of a batch: their lengths are the same for all batches, so they are allocated once."""

    def __init__(self, tree: BucketedTree, counts: list[int], street_lines: Array, dtype: npt.DTypeLike) -> None:
        """counts: boards of each street. street_lines [streets + 1]: the first line of each street."""
        game, self.counts, self.dtype = tree.game, counts, np.dtype(dtype)
        left = game.deck.size - np.array(tree.abstraction.rounds.boards, np.int64)
        self.two = game.hand_size == 2
        self.deck, self.every = game.deck.size, comb(game.deck.size, game.hand_size)
        self.hands = np.array([comb(int(cards), game.hand_size) for cards in left])  # [streets] on each board
        self.street_first = np.concatenate([[0], np.cumsum(counts)])  # [streets + 1] the first board of each street
        self.street_of = np.repeat(np.arange(len(counts)), counts)  # [boards]
        cards = left if self.two else np.zeros_like(left)
        self.lists = cards + -(-self.hands // SEGMENT)  # [streets] on each board
        self.lines = np.append(np.diff(street_lines)[1:], 0)  # [streets] of the next street
        self.unit = self._units()
        self.total = int(self.hands[self.street_of].sum())  # C
        self.half = _padded(self.every) + int((_padded(self.hands) * self.lines)[self.street_of].sum())
        """Numbers between streets, of each player."""
        sums = np.array([-1.0, -1.0, 1.0]) if self.two else np.array([-1.0])
        self.sign = sums.astype(self.dtype)
        self.scratch = ListScratch(np.zeros((self.deck, self.deck), np.int64), np.zeros(self.deck, np.int64))

    def _units(self) -> Array:
        """[boards, UNIT_RECORD] what does not change from batch to batch."""
        unit = np.zeros((len(self.street_of), UNIT_RECORD), np.int64)
        count, lists = self.hands[self.street_of], self.lists[self.street_of] + 1
        stride = _padded(count)
        below = stride * self.lines[self.street_of]
        unit[:, BEGIN] = np.cumsum(count) - count
        unit[:, COUNT], unit[:, STRIDE] = count, stride
        unit[:, LIST_FIRST] = np.cumsum(lists) - lists
        unit[:, BELOW] = _padded(self.every) + np.cumsum(below) - below
        return unit

    @property
    def numbers_per_lane(self) -> int:
        """The most numbers of shared memory that a fold or showdown may need: reach, places, and sums of segments."""
        entries = self.hands * (3 if self.two else 1)
        return int((self.hands + 1 + entries + 2 * self.lists).max())

    @property
    def nbytes(self) -> int:
        """Bytes of the boards on the device."""
        blockers = 3 if self.two else 1
        return self.total * (4 * 4 + blockers * (10 + self.dtype.itemsize)) + self.unit.nbytes

    def _allocated(self) -> BatchLists:
        blockers, boards = 3 if self.two else 1, len(self.street_of)
        lists = int((self.lists + 1)[self.street_of].sum())
        return BatchLists(
            unit=self.unit.ravel().copy(),
            above=np.zeros(self.total, np.int32),
            bucket=np.zeros(self.total, np.int32),
            place=np.zeros(blockers * self.total, np.int64),
            list_entries=np.zeros(lists, np.int32),
            list_place=np.zeros(lists, np.int32),
            entry_class=np.zeros(blockers * self.total, np.int16),
            segment_first=np.zeros(boards + 1, np.int32),
            segment_begin=np.zeros(self.total + 1, np.int32),
            position=np.zeros(self.total, np.int64),
            complete=np.zeros(boards, self.dtype),
        )

    def filled(self, batch: list[StreetBoards]) -> BatchLists:
        """The arrays of a batch, on the host."""
        out = self._allocated()
        unit, above = out.unit.reshape(-1, UNIT_RECORD), -1
        for street, boards in enumerate(batch):
            first = int(self.street_first[street])
            own = unit[first : first + len(boards.parent)]
            parents = unit[above + boards.parent] if street else None
            own[:, ENTRY] = 0 if parents is None else parents[:, BELOW]
            own[:, ENTRY_STRIDE] = _padded(self.every) if parents is None else parents[:, STRIDE]
            fill_street(boards, first, above, self.two, out, self.scratch)
            above = first
        return out

    def on_device(self, cuda: Any) -> tuple[Hands, Segments]:
        """Arrays on the device for `copy`; what is the same in all batches is written."""
        host = self._allocated()
        twin = np.arange(self.total) - np.repeat(self.unit[:, BEGIN], self.unit[:, COUNT])
        none = cuda.to_device(np.zeros(1, np.int32))
        hands = Hands(
            **{name: cuda.to_device(getattr(host, name)) for name in _COPIED},
            twin=cuda.to_device(twin.astype(np.int32)),
            sign=cuda.to_device(self.sign),
            entry_weight=cuda.to_device(np.ones(len(host.entry_class), self.dtype)),
            rise_bounds=none,
            rise_class=none,
            rise_weight=cuda.to_device(np.ones(1, self.dtype)),
        )
        segments = (host.segment_first, host.segment_begin, host.complete)
        return hands, Segments(*map(cuda.to_device, segments))

    def copy(self, filled: BatchLists, hands: Any, segments: Any) -> None:
        """Copy a batch to the device; the copies wait for the walks of the batch before."""
        for name in _COPIED:
            getattr(hands, name).copy_to_device(getattr(filled, name))
        for target, source in zip(segments, (filled.segment_first, filled.segment_begin, filled.complete), strict=True):
            target.copy_to_device(source)


_COPIED = ("unit", "above", "bucket", "place", "list_entries", "list_place", "entry_class")
