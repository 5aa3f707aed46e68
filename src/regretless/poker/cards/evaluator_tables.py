"""Making the lookup tables of the evaluator.

`python -m regretless.poker.cards.evaluator_tables FILE` writes those of seven cards, which the package stores.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.cards import hand_strength
from regretless.poker.cards.deck import RANKS
from regretless.poker.cards.evaluator import CATEGORIES, Tables

__all__ = ["make_tables"]

MULTISETS = 50_000
"""Size of buffers for the 49,205 multisets of seven cards of thirteen ranks."""


def make_tables(cards: int) -> Tables:
    """The tables for hands of this number of cards."""
    keys = np.empty(MULTISETS, np.uint64)
    scores = np.empty(MULTISETS, np.int64)
    count = hand_strength.rank_multisets(cards, keys, scores)
    keys, scores = keys[:count], scores[:count]
    ordered, flush_scores = ordered_scores(min(cards, 5))
    displacement, slot, slots = displacement_hash(keys)
    classes = np.full(slots, -1, np.int16)
    classes[slot] = np.searchsorted(ordered, scores)
    flushes = np.where(flush_scores >= 0, np.searchsorted(ordered, flush_scores), -1).astype(np.int16)
    starts = np.arange(len(CATEGORIES) + 1) << hand_strength.CATEGORY_SHIFT
    return Tables(displacement, classes, flushes, np.searchsorted(ordered, starts))


@lru_cache(maxsize=8)
def ordered_scores(cards: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All scores of up to five cards, ascending, and those of flushes by their set of ranks [8192]; −1: no flush."""
    keys = np.empty(MULTISETS, np.uint64)
    scores = np.empty(MULTISETS, np.int64)
    count = hand_strength.rank_multisets(cards, keys, scores)
    flushes = np.full(1 << len(RANKS), -1, np.int64)
    if cards == 5:
        for ranks in range(1 << len(RANKS)):
            if ranks.bit_count() >= 5:
                flushes[ranks] = hand_strength.flush_score(ranks)
    return np.unique(np.concatenate([scores[:count], flushes[flushes >= 0]])), flushes


def displacement_hash(
    keys: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int64], int]:
    """A perfect hash of keys by row displacement: the displacement of each row, the slot of each key, and the slots."""
    rows = (keys & hand_strength.ROW).astype(np.int64)
    columns = (keys >> hand_strength.COLUMN_SHIFT).astype(np.int64)
    height = np.bincount(rows, minlength=int(hand_strength.ROW) + 1)  # [rows] keys
    first = np.concatenate([[0], np.cumsum(height)])
    order = np.argsort(-height, kind="stable")
    taken = np.zeros((keys.size + int(columns.max())) // 32 + 8, np.uint64)  # twice the length of all rows side by side
    displacement = np.zeros(height.size, np.uint16)
    hand_strength.overlay(columns[np.argsort(rows, kind="stable")], first, order, taken, displacement)
    slot = displacement[rows].astype(np.int64) + columns
    return displacement, slot, int(slot.max()) + 1


if __name__ == "__main__":
    made: dict[str, Any] = make_tables(hand_strength.MOST_CARDS)._asdict()
    with Path(sys.argv[1]).open("wb") as out:
        np.savez_compressed(out, **made)
