"""The arrays of walks with buckets on a GPU: those of public trees (`public.cuda_layout`), with hands sorted by bucket.

Both players have the same hands on a board, so a *unit* is a board here. The hands of a board are numbered by bucket,
and within a bucket as on the CPU. So the hands of a bucket are a *segment* of neighbours: one thread adds them up in
their order, with no atomic operation, and the same seed gives the same bits on every run.

Two numbers of a decision's record have another meaning than on public trees: SLOT is the first number of its table
[actions, buckets of the street], and SUMS, the place of BLOCK, its first row of sums (see `BucketPlan`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.public.cuda_layout import BLOCK

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.floating]

SUMS = BLOCK
"""Where the record of a decision has the first of its rows of sums."""


class Segments(NamedTuple):
    """The hands of each bucket on the boards of a batch; S segments."""

    first: Ints  # [boards + 1] the first segment of each board
    begin: Ints  # [S + 1] the first hand of each segment, counted through all boards
    complete: Floats  # [boards] complete boards of the batch below each board


class BucketNumbers(NamedTuple):
    """The numbers of a solve on the device, [infoset-actions] each: the table of a node is [actions, buckets]."""

    regret: Floats
    gain: Floats  # of this iteration so far
    average: Floats
    strategy: Floats  # matched to the regrets at the beginning of an iteration


class BetweenStreets(NamedTuple):
    """Reach and values between streets, player 0's half first; units have the indices of a board's part.

    The beginning of each half belongs to the first street: the ranges, and the values of all hands at the root.
    """

    entering: Floats  # reach at the roots of lines, by line and hand of the board above
    dealt: Floats  # values of the next street, likewise, summed over its boards


class BucketStreet(NamedTuple):
    """The boards and lines of a street."""

    board_first: int
    boards: int
    line_first: int
    lines: int
    known: int  # buckets in the tables of the street


class BucketPlan(NamedTuple):
    """The layout of a block's buffer in device memory: rows of `width` numbers, and perhaps a tile.

    First come the other player's rows of reach, which folds overwrite with their values, then a row for each lane with
    a showdown. When a thread has taken the values of a hand from there, it writes what is to be summed by bucket to the
    same rows: for each decision of the player the reach, and the value of each action.
    """

    size: int  # numbers of a buffer
    width: int  # hands of a board of the street, padded
    shown: int  # index of the rows of showdowns
    tile: int  # index of the tile, which is here if shared memory is too small for it


class Place(NamedTuple):
    """What a block walks: a line on a board, for one player."""

    line: Any  # int32: record of the line
    nth: Any  # int32: its number on the street
    unit: Any  # int32: record of the board
    board: Any  # int32
    player: Any  # int32
