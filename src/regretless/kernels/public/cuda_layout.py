"""The arrays of a public tree as a GPU walks it: a block of threads takes one line of betting on one board at a time.

Arrays are flat, and what belongs together is a record of neighbouring numbers, found by where it begins: the record of
a line, of a decision, and of a *unit*, which is one player's hands on one board.

**Lines.** Nodes, rows of reach and lanes are counted from the beginning of their line, so that a block needs room for
one line only.

**Lists.** Folds and showdowns need sums of reach over hands that hold a blocker, and over all hands, up to a strength
(`terminal_lanes`). For each blocker there is a *list* of the classes that hold it, from weak to strong, and all classes
are cut into further lists, the *segments*, since one thread would be slow on all of them. A thread takes a list and a
lane and writes down the running sum wherever strength changes: these are the *places* of a board. A class then knows,
for each of its blockers and for all hands, the place before its own strength, the place after it and the last one.
Place 0 is for blockers that nobody holds: its sums are zero. Equally strong hands share their places, of which there
are fewer than hands: on a flop of three suits about 800 for 1,176 hands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating]

LINE_NODES, LINE_ROWS, LINE_DECISIONS, LINE_DEALS, LINE_LANES, LINE_LEAVES, LINE_RECORD = 0, 1, 3, 5, 7, 11, 15
"""A line: how many nodes; rows of reach of both players; its decisions, first and end; its deals, likewise; its lanes
and its leaves, likewise, as player 0 evaluates them and as player 1 does. The last number is the record's length."""

DECIDER, NODE, CHILD, ACTIONS, SLOT, ROW, CHILD_ROW, BLOCK, DECISION_RECORD = range(9)
"""A decision: who decides, its node, its first child, how many actions, the slot of the first one, the decider's row of
reach before it and after its first action, and its block on the street."""

DEAL_NODE, DEAL_ROW, DEAL_LINE, DEAL_RECORD = 0, 1, 3, 4
"""A deal: its node, both players' rows of reach, and the line of the next street."""

LANE_ROW, LANE_SHOW, LANE_FOLD, LANE_RECORD = range(4)
"""A lane: the other player's row of reach, and the showdown and the fold that have it, or −1."""

LEAF_NODE, LEAF_ROW, LEAF_RECORD = range(3)
"""A fold or showdown: its node, and the row of the room where its values are left; see `Plan`."""

WIN, TIE, LOSE, FOLDED, LANE_PAYOFFS = range(5)
"""Payoffs of a lane in chips: win − tie, tie − lose, lose, and of the fold."""

(
    BEGIN,  # first class
    COUNT,  # classes
    STRIDE,  # the same, filled up to a multiple of sixteen
    FIRST,  # where the numbers begin
    ENTRY,  # where `entering` has the reach that comes from the board above
    ENTRY_STRIDE,  # classes of the board above, filled up
    ENTRY_COUNT,  # classes of the board above
    RISEN,  # where `risen` takes what the board is worth to the board above
    BELOW,  # where `entering` and `dealt` have the lines of the next street
    LIST_FIRST,  # first list, counting an end mark for each unit
    LISTS,  # how many lists, segments included
    BLOCKERS,  # how many of them are lists of blockers; they come first
    PLACES,  # how many places
    RISE_FIRST,  # first bound in `rise_bounds`
    CHILD_FIRST,  # first board of those that the next cards can make
    CHILD_END,
    UNIT_RECORD,
) = range(17)
"""A unit."""

SEGMENT = 48
"""Classes of a segment: about as many as hold one card, so that no thread waits long for another."""

MINE, THEIRS = 0, 1
"""Halves of `entering`: the player's own reach and the other player's."""

BEST, PLAYED = 0, 1
"""What a measuring walk brings up: the value of the best response and that of the strategy. Learning has only the
latter, in the place of the former."""


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
    twin: Ints  # [C] the same class in the other player's list, or −1
    place: Longs  # [(J + 1) · C] places before, after and last in 16 bits each: of all hands, then blocker by blocker
    sign: Floats  # [J + 1] of each blocker in the sum over subsets, and of the whole hand
    list_entries: Ints  # [lists + units] first entry of each list, and at the end of each unit's lists their end
    list_place: Ints  # [lists + units] first place of each list, likewise
    entry_class: npt.NDArray[np.int16]  # [entries] a class, or ~class if the sum is written down after it
    entry_weight: Floats  # [entries] hands of the class that hold one given blocker of the kind; hands in segments
    rise_bounds: Ints  # [Σ (classes above + 1)] where the classes that each class above becomes begin
    rise_class: Ints  # [C] those classes
    rise_weight: Floats  # [C] what they contribute: chance, and how many deals they are


class Store(NamedTuple):
    """What a solve keeps, on the device; arrays that a variant does not need have length 0."""

    regret: Floats
    guess: Floats
    average: Floats
    locked: npt.NDArray[np.bool_]  # [blocks]
    block_first: Longs  # [boards] first block of each board


class Between(NamedTuple):
    """What streets hand to each other, in two halves each; which part is a board's, its units say."""

    entering: Floats  # reach at the roots of lines, MINE and THEIRS, by line and class of the board above
    dealt: Floats  # values of the next street at the leaves that lead to it, BEST and PLAYED
    risen: Floats  # values of one board's lines, by class of the board above, BEST and PLAYED


class Street(NamedTuple):
    """What a launch walks: some boards of a street, mostly all, with all its lines."""

    board_first: int
    boards: int
    line_first: int
    lines: int
    window: int  # the first number of the arrays of numbers that are given: within them, places have 31 bits


class Plan(NamedTuple):
    """How a block's room in device memory is divided: rows of `width` numbers, and perhaps a tile.

    First come the other player's rows of reach, which folds overwrite with their values, then a row for each lane with
    a showdown, then two for the values of the line's root.
    """

    boards: int  # of all streets
    room: int  # numbers of a room
    width: int  # classes of the widest board of the street
    shown: int  # the first number of the rows of showdowns
    roots: int  # of the root's rows
    tile: int  # of the tile, which is here if the chip is too small for it
