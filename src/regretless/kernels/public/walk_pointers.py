"""The arrays of a walk over a public tree as pointers: what each player needs of a tree, and buffers street by street.

Records of pointers are passed on without reference counting and are short for the compiler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import offset, pointer, pointers


class Sizes(NamedTuple):
    """The lengths of the rows of arrays with a row for each player."""

    nodes: int
    bundles: int
    lanes: int
    boards: int


class Nodes(NamedTuple):
    """The fields of `Betting` that a walk uses for both players."""

    kind: Any
    first_child: Any
    children: Any
    slot: Any
    block: Any
    line_in: Any
    line_out: Any
    deal: Any
    street_nodes: Any
    street_lines: Any
    street_bundles: Any
    bundle_nodes: Any


class Classes(NamedTuple):
    """The fields of `Boards` that a walk uses for both players."""

    above: Any
    rise: Any
    size: Any
    strength: Any
    twin: Any
    blocker: Any
    share: Any
    sign: Any


class Side(NamedTuple):
    """A player's part of betting and boards; fields as in `Betting` and `Boards`, for that player."""

    player: int
    row: Any  # [N]
    bundle_rows: Any  # [bundles + 1]
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

    nodes: Nodes
    classes: Classes
    me: Side
    other: Side
    lanes: Lanes
    state: StatePointers | None  # None: no table by hand class is read
    source: Any  # the numbers that strategies are proportional to
    step: Any  # step weights
    scratch: Any  # `ThreadScratch` as pointers
    subsets: int  # blockers of a hand
    blockers: int  # of all hands
    learning: bool
    averaging: bool  # whether what the player plays is added to its average
    all_ins: Any  # `AllIns` as pointers; None: all-ins are walked
    all_in_count: int  # entries of its rows


@inner
def nodes_of(betting):
    """The part of `Betting` for both players. betting: pointers."""
    return Nodes(
        betting.kind, betting.first_child, betting.children, betting.slot, betting.block, betting.line_in,
        betting.line_out, betting.deal, betting.street_nodes, betting.street_lines, betting.street_bundles,
        betting.bundle_nodes,
    )  # fmt: skip


@inner
def classes_of(boards):
    """The part of `Boards` for both players. boards: pointers."""
    return Classes(
        boards.above, boards.rise, boards.size, boards.strength, boards.twin, boards.blocker, boards.share, boards.sign
    )  # fmt: skip


@inner
def side_of(betting, boards, sizes, player):
    """A player's part of a tree. betting, boards: pointers."""
    at = player * sizes.boards
    return Side(
        player, offset(betting.row, player * sizes.nodes), offset(betting.bundle_rows, player * sizes.bundles),
        offset(boards.begin, at), offset(boards.count, at), offset(boards.stride, at), offset(boards.first, at),
    )  # fmt: skip


@inner
def lanes_of(betting, sizes, player):
    """A player's terminals. betting: pointers."""
    at = player * sizes.lanes
    return Lanes(
        offset(betting.bundle_lanes, player * sizes.bundles), offset(betting.lane_row, at),
        offset(betting.lane_show, at), offset(betting.lane_fold, at), offset(betting.lane_win, at),
        offset(betting.lane_tie, at), offset(betting.lane_lose, at), offset(betting.lane_folded, at),
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
def room_of(rooms, street):
    """The buffers of a street, of four."""
    if street == 0:
        return rooms[0]
    if street == 1:
        return rooms[1]
    if street == 2:
        return rooms[2]
    return rooms[3]


@inner
def bundle_at(nodes, me, other, last, board, street, number):
    """A bundle of lines on a board; last: the last street."""
    begin, end = np.int64(nodes.bundle_nodes[number]), np.int64(nodes.bundle_nodes[number + 1])
    mine, theirs, node = np.int64(0), np.int64(0), np.int64(nodes.street_nodes[street])
    if street == last:  # only one bundle at a time is kept
        mine, theirs = np.int64(me.bundle_rows[number]), np.int64(other.bundle_rows[number])
        node = begin
    return Bundle(board, street, number, begin, end, mine, theirs, node)
