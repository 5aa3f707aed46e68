"""The arrays of a walk over a public tree as pointers: what each player needs of a tree, and buffers street by street.

Records of pointers are passed on without reference counting and are short for the compiler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import offset, pointer, pointers


class Side(NamedTuple):
    """A player's part of betting and boards; fields as in `Betting` and `Boards`, for that player."""

    player: int
    row: Any  # [N]
    begin: Any  # [B]
    count: Any  # [B]
    stride: Any  # [B]
    first: Any  # [B]


class Lanes(NamedTuple):
    """A player's terminals; fields as in `Betting`, for that player."""

    bounds: Any  # [bundles + 1] first lane of each bundle
    row: Any  # [T]
    show: Any  # [T]
    fold: Any  # [T]
    win: Any  # [T]
    tie: Any  # [T]
    lose: Any  # [T]
    folded: Any  # [T]


class Room(NamedTuple):
    """`StreetBuffers` as pointers to rows of `width` numbers."""

    mine: Any
    theirs: Any
    value: Any
    played: Any
    risen: Any
    width: int
    spare_row: int  # the row of `theirs` that stays zero
    spare_node: int  # the row of `value` that is never read
    lines: int  # lines of the next street


class Bundle(NamedTuple):
    """Where a walk is: a bundle of lines on a board. Rows and nodes of buffers are counted from the first of them."""

    board: Any
    street: Any
    number: Any  # of the bundle
    begin: Any  # its first node
    end: Any
    mine: Any  # the row of own reach that is row 0 of the buffers
    theirs: Any  # the same for the other player's reach
    node: Any  # the node that is row 0 of the buffers


class StatePointers(NamedTuple):
    """`SolveState` as pointers; `scale` stays an array, or None."""

    regret: Any
    guess: Any
    average: Any
    scale: Any
    scale_first: Any
    locked: Any
    predictive: bool
    has_locks: bool


class Walk(NamedTuple):
    """Everything a walk reads and writes."""

    betting: Any  # `Betting` as pointers
    boards: Any  # `Boards` as pointers
    me: Side
    other: Side
    lanes: Lanes
    state: StatePointers
    source: Any  # the numbers that strategies are proportional to
    step: Any  # step weights
    scratch: Any  # `ThreadScratch` as pointers
    subsets: int  # blockers of a hand
    blockers: int  # of all hands
    learning: bool


@inner
def side_of(betting, boards, player):
    """A player's part of a tree. betting, boards: arrays."""
    nodes, count = betting.row.shape[1], boards.begin.shape[1]
    begin, classes, stride, first = pointers((boards.begin, boards.count, boards.stride, boards.first))
    at = player * count
    return Side(
        player, offset(pointer(betting.row), player * nodes), offset(begin, at), offset(classes, at),
        offset(stride, at), offset(first, at),
    )  # fmt: skip


@inner
def lanes_of(betting, player):
    """A player's terminals. betting: arrays."""
    at, bundles = player * betting.lane_row.shape[1], betting.bundle_lanes.shape[1]
    row, show, fold = pointers((betting.lane_row, betting.lane_show, betting.lane_fold))
    win, tie = pointers((betting.lane_win, betting.lane_tie))
    lose, folded = pointers((betting.lane_lose, betting.lane_folded))
    return Lanes(
        offset(pointer(betting.bundle_lanes), player * bundles), offset(row, at), offset(show, at), offset(fold, at),
        offset(win, at), offset(tie, at), offset(lose, at), offset(folded, at),
    )  # fmt: skip


@inner
def state_pointers(state):
    """The state of a solve as pointers."""
    regret, guess, average = pointers((state.regret, state.guess, state.average))
    return StatePointers(
        regret, guess, average, state.scale, pointer(state.scale_first), pointer(state.locked), state.guess.size > 0,
        state.locked.size > 0,
    )  # fmt: skip


@inner
def room_pointers(buffers):
    """The buffers of a street as pointers."""
    mine, theirs, value, played, risen = pointers(buffers)
    return Room(
        mine, theirs, value, played, risen, buffers.mine.shape[1], buffers.theirs.shape[0] - 1,
        buffers.value.shape[0] - 1, buffers.risen.shape[1],
    )  # fmt: skip


@inner
def room_of(streets, street):
    """The buffers of a street, of four."""
    if street == 0:
        return room_pointers(streets[0])
    if street == 1:
        return room_pointers(streets[1])
    if street == 2:
        return room_pointers(streets[2])
    return room_pointers(streets[3])


@inner
def bundle_at(betting, me, other, last, board, street, number):
    """A bundle of lines on a board. betting: arrays; last: the last street."""
    begin, end = np.int64(betting.bundle_nodes[number]), np.int64(betting.bundle_nodes[number + 1])
    mine, theirs, node = np.int64(0), np.int64(0), np.int64(betting.street_nodes[street])
    if street == last:  # only one bundle at a time is kept
        mine, theirs = betting.bundle_rows[me.player, number], betting.bundle_rows[other.player, number]
        node = begin
    return Bundle(board, street, number, begin, end, mine, theirs, node)
