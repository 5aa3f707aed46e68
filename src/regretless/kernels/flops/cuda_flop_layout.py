"""The arrays of a flop as a GPU measures it: lines of play side by side, all hands of a board one after the other.

Lines whose betting trees on a street have the same shape stand side by side in *groups* of W lines; the last group of a
shape is filled up with lines whose reach is 0. A thread takes a line, so neighbouring threads read and write
neighbouring numbers:

    strategy of a player   [bucket, row, W]            a row for each action of each group
    reach and values       [player, board, hand, line]  with the lines of a street, filled up

Hands are those of the deck that hold no card of the board; they are not merged up to suits. Boards are: of boards that
differ by suits only, one is walked.

**Sums.** A *lane* is a row of the other player's reach that ends the game, with a showdown, a fold or both. Values need
the sum of this reach over all hands and over the hands with each card, for each lane and line: [sum, cards + 1, W] in
shared memory, with the sum over all hands behind those of the cards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.floating]

(
    REACH_FIRST,  # the other player's decisions, first and end
    REACH_END,
    LANE_FIRST,  # lanes, likewise
    LANE_END,
    CLIMB_FIRST,  # all decisions from the last one up, likewise
    CLIMB_END,
    DEAL_FIRST,  # deals of the next street, likewise
    DEAL_END,
    ROOT,  # the slot with the value of the root
    SUMS,  # number of sums
    THEIR_ROW,  # the first row in the strategy of the other player
    OWN_ROW,  # the first row in the player's own strategy
    PAYOFF,  # the first payoff
    TARGET,  # the first entry in `targets`
    GROUP_RECORD,
) = range(15)
"""A group, as one player walks it."""

ROW, CHILD_ROW, ACTIONS, STRATEGY, REACH_RECORD = range(5)
"""A decision of the other player: rows of reach before it and after its first action, number of actions, and the row of
the first one in the strategy, counted from the group's first."""

LANE_ROW, SHOW, FOLD, SHOW_SUM, ALL_SUM, RAKED, LANE_RECORD = range(7)
"""A lane: its row of reach; the slots with the values of its showdown and of its fold, or −1; the sum that a showdown
changes while it passes the hands, and the sum over all hands, or −1; whether the showdown's payoffs need the latter."""

SLOT, SOURCE, CHILDREN, OWN, OWN_STRATEGY, CLIMB_RECORD = range(6)
"""A decision on the way up: the slot of its value, the first entry in `sources`, number of children, whether the player
decides, and the row of the first action in the own strategy."""

DEAL_ROW, DEAL_SLOT, DEAL_RECORD = range(3)
"""A deal: the other player's row of reach, and the slot of its value."""

NET, EVERY, FOLDED, PAYOFFS = range(4)
"""Payoffs of a lane, W of each: half of win − lose, half of win + lose, and of the fold."""

ADD_BEFORE, VALUES, ADD_AFTER = 1, 2, 4
"""What a step does with its hands: take them out of the stronger hands, compute values, add them to the weaker ones."""

COUNT_SHIFT, WHAT_SHIFT = 12, 24
"""A step is a number: its first hand, number of hands and what to do, from these bits on."""

HIGH_SHIFT, TIES_SHIFT = 8, 16
"""A hand is a number: its lower card, its higher card, and if it is the first of its strength in a step, the number of
equally strong hands there."""


class FlopLines(NamedTuple):
    """The groups of one street."""

    group: Ints  # [2 · groups · GROUP_RECORD] by player
    reach: Ints  # [· REACH_RECORD]
    lane: Ints  # [· LANE_RECORD]
    climb: Ints  # [· CLIMB_RECORD]
    source: Ints  # slots of children
    deal: Ints  # [· DEAL_RECORD]
    target: Ints  # [groups, deals, W] the line of the next street
    payoff: Floats  # [lanes of each group, PAYOFFS, W] chips


class FlopBoards(NamedTuple):
    """The boards of one street. A *run* is a part of the boards that follow one board."""

    hand: Ints  # [boards, hands] see TIES_SHIFT; on the last street from weak to strong
    above: npt.NDArray[np.int16]  # [boards, hands] the number of a hand on the board above
    bucket: Ints  # [1 or 2 players, boards, hands]
    weight: Floats  # [boards] probability of the deals that lead to a board and to those like it
    step: Ints  # [boards, steps] see WHAT_SHIFT
    steps: Ints  # [boards]
    run: Ints  # [runs + 1] first board of each run
    run_parent: Ints  # [runs] the board above
    parent_run: Ints  # [boards above + 1] first run of each board above
    mate: npt.NDArray[np.int16]  # [boards above, hands above] hands that differ by suits only are neighbours
    mate_end: npt.NDArray[np.int16]  # [boards above, hands above] where a class that begins here ends; or 0


class FlopStreet(NamedTuple):
    """The sizes of a street."""

    boards: int
    above: int  # boards above
    runs: int
    hands: int  # on each board
    hands_above: int
    groups: int
    lines: int  # filled up
    next_lines: int
    wide: int  # W
    first_rows: int  # numbers of a bucket in the strategy of player 0
    second_rows: int  # and of player 1
    second_table: int  # where the strategy of player 1 begins
    bucket_apart: int  # entries between the buckets of both players; 0 if they are the same
    most_steps: int
    cards: int  # of the deck
    two: bool  # whether hands have two cards


class FlopPlan(NamedTuple):
    """Where a block keeps its numbers in shared memory: sums first, then rows of reach, then slots of values."""

    reach: int
    values: int
    width: int  # from row to row, and from slot to slot


class Spot(NamedTuple):
    """What a block works on: a group of lines on a board, for one player."""

    group: Any  # record
    player: Any
    board: Any
    parent: Any
    line: Any  # the first line
