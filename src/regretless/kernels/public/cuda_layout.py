"""The arrays of a public tree as a GPU walks it: a block of threads takes one line of betting on one board at a time.

Arrays are flat. Numbers that belong together are a record of neighbours, addressed by its first number: the record of a
line, of a decision, and of a *unit*, which is one player's hands on one board.

**Lines.** Nodes, rows of reach and lanes are counted from the beginning of their line, so that the buffers of a block
hold one line only.

**Lists.** Folds and showdowns need sums of reach over hands that hold a blocker, and over all hands, up to a strength
(`terminal_lanes`). For each blocker there is a *list* of the classes that hold it, from weak to strong, and all classes
are cut into further lists, the *segments*, since one thread would be slow on all of them. A thread takes a list and a
lane and writes the running sum wherever strength changes: these are the *places* of a board. Tables give, for each
blocker of a class and for all hands, the place before the strength of the class, the place after it and the last one.
Place 0 is for blockers that no hand holds: its sums are zero. Equally strong hands share their places, so there are
fewer places than hands: on a flop of three suits about 800 for 1,176 hands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating]

LINE_NODES, LINE_ROWS, LINE_DECISIONS, LINE_DEALS, LINE_LANES, LINE_LEAVES, LINE_RECORD = 0, 1, 3, 5, 7, 11, 15
"""A line: number of nodes; rows of reach of both players; its decisions, first and end; its deals, likewise; its lanes
and its leaves, likewise, as player 0 evaluates them and as player 1 does. The last number is the record's length."""

DECIDER, NODE, CHILD, ACTIONS, SLOT, ROW, CHILD_ROW, BLOCK, DECISION_RECORD = range(9)
"""A decision: who decides, its node, its first child, number of actions, the slot of the first one, the rows of the
decider's reach before it and after its first action, and its block on the street."""

DEAL_NODE, DEAL_ROW, DEAL_LINE, DEAL_RECORD = 0, 1, 3, 4
"""A deal: its node, both players' rows of reach, and the line of the next street."""

LANE_ROW, LANE_SHOW, LANE_FOLD, LANE_RECORD = range(4)
"""A lane: the other player's row of reach, and the showdown and the fold that have it, or −1."""

LEAF_NODE, LEAF_ROW, LEAF_RECORD = range(3)
"""A fold or showdown: its node, and the row of the block's buffer that holds its values; see `Plan`."""

WIN, TIE, LOSE, FOLDED, LANE_PAYOFFS = range(5)
"""Payoffs of a lane in chips: win − tie, tie − lose, lose, and of the fold."""

(
    BEGIN,  # first class
    COUNT,  # classes
    STRIDE,  # the same, padded to a multiple of sixteen; numbers from slot to slot
    FIRST,  # index of the first number
    ENTRY,  # index in `entering` of the reach that comes from the board above
    ENTRY_STRIDE,  # classes of the board above, padded
    ENTRY_COUNT,  # classes of the board above
    RISEN,  # index in `risen` of the values of this board for the board above
    BELOW,  # index in `entering` and `dealt` of the lines of the next street
    LIST_FIRST,  # first list, counting an end mark for each unit
    LISTS,  # number of lists, segments included
    BLOCKERS,  # number of lists of blockers; they come first
    PLACES,  # number of places
    RISE_FIRST,  # first bound in `rise_bounds`
    CHILD_FIRST,  # first board after the next cards
    CHILD_END,
    UNIT_RECORD,
) = range(17)
"""A unit."""

SEGMENT = 48
"""Classes of a segment: about as many as hold one card, so that all threads take about equally long."""

MINE, THEIRS = 0, 1
"""Halves of `entering`: the player's own reach and the other player's."""

BEST, PLAYED = 0, 1
"""Values of a measuring walk: of the best response and of the strategy. Learning has only the latter, as BEST."""


class Lines(NamedTuple):
    """Betting, lines of all streets counted through."""

    line: Ints  # [lines · LINE_RECORD]
    decision: Ints  # [decisions · DECISION_RECORD]
    deal: Ints  # [deals · DEAL_RECORD]
    lane: Ints  # [lanes · LANE_RECORD]
    leaf: Ints  # [folds and showdowns · LEAF_RECORD], for each player
    payoff: Floats  # [lanes · LANE_PAYOFFS] chips


class Hands(NamedTuple):
    """Boards and hand classes; C classes with J blockers each."""

    unit: Longs  # [2 · boards · UNIT_RECORD] player 0's first
    above: Ints  # [C] the class on the board above; on the first street the class itself
    bucket: Ints  # [C] the bucket of each class, where strategies are by bucket; else [0]
    twin: Ints  # [C] the same class in the other player's list, or −1
    place: Longs  # [(J + 1) · C] places before, after and last in 16 bits each: of all hands, then blocker by blocker
    sign: Floats  # [J + 1] of each blocker in the sum over subsets, and of the whole hand
    list_entries: Ints  # [lists + units] first entry of each list, and at the end of each unit's lists their end
    list_place: Ints  # [lists + units] first place of each list, likewise
    entry_class: npt.NDArray[np.int16]  # [entries] a class, or ~class if the sum is written after it
    entry_weight: Floats  # [entries] hands of the class that hold one given blocker of the kind; hands in segments
    rise_bounds: Ints  # [Σ (classes above + 1)] first entry in `rise_class` of each class above
    rise_class: Ints  # [C] the classes that a class above becomes
    rise_weight: Floats  # [C] their weights: chance, times the number of deals


class Store(NamedTuple):
    """The state of a solve on the device; arrays that a variant does not need have length 0."""

    regret: Floats
    guess: Floats
    average: Floats
    locked: npt.NDArray[np.bool_]  # [blocks]
    block_first: Longs  # [boards] first block of each board


class Between(NamedTuple):
    """Reach and values between streets, in two halves each; the records of units have the indices of a board's part."""

    entering: Floats  # reach at the roots of lines, MINE and THEIRS, by line and class of the board above
    dealt: Floats  # values of the next street at the leaves that lead to it, BEST and PLAYED
    risen: Floats  # values of one board's lines, by class of the board above, BEST and PLAYED


class Street(NamedTuple):
    """What a launch walks: boards of a street (usually all of them) with all its lines."""

    board_first: int
    boards: int
    line_first: int
    lines: int
    window: int  # index of the first number of the arrays that the kernel gets: within them, indices have 31 bits


class Plan(NamedTuple):
    """The layout of a block's buffer in device memory: rows of `width` numbers, and perhaps a tile.

    First come the other player's rows of reach, which folds overwrite with their values, then a row for each lane with
    a showdown, then two for the values of the line's root.
    """

    boards: int  # of all streets
    size: int  # numbers of a buffer
    width: int  # classes of the widest board of the street
    shown: int  # index of the rows of showdowns
    roots: int  # index of the root's rows
    tile: int  # index of the tile, which is here if shared memory is too small for it


class Turn(NamedTuple):
    """Whose walk it is, and how."""

    player: int
    learning: bool  # or measuring
    smallest: float  # the smallest normal number of the type of regrets


class Block(NamedTuple):
    """A block's buffer in device memory."""

    numbers: Any  # of all blocks
    first: Any  # int32: the first number of this block
    width: Any  # int32: numbers of a row


class Column(NamedTuple):
    """One thread's column of an array of rows."""

    rows: Any
    at: Any  # int32: its number in row 0
    width: Any  # int32: from row to row


class Policy(NamedTuple):
    """The numbers of one class on a board, to which a strategy is matched."""

    source: Any
    first: Any  # int32: index of the number of slot 0
    stride: Any  # int32: from slot to slot
    smallest: Any


class Item(NamedTuple):
    """What a block works on at a time: a line on a board."""

    line: Any  # record of the line
    nth: Any  # its number on the street
    unit: Any  # record of the player's hands
    other: Any  # record of the other player's hands
    blocks: Any  # first block of the board in `Store.locked`
    first: Any  # index of the player's first number


class LaneGroup(NamedTuple):
    """Lanes of a line that go through shared memory together."""

    shared: Any  # shared memory: for each lane reach, places and the carries of segments
    apart: Any  # numbers from lane to lane there
    first: Any  # the first lane
    count: Any
    shown: Any  # index of the rows of their showdowns in the block's buffer
