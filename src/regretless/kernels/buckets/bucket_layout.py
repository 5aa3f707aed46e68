"""The arrays of walks with buckets: lines of play in lanes, sampled boards, tables, and scratch.

A *line* is a way to come to a street; the betting tree of the street begins there. Lines whose betting trees have the
same shape are walked together, sixteen in a *group*, one in each lane of a vector. So a row of reach or of values is
[hands, 16], and every operation on a hand works on sixteen nodes at once. Lanes without a line have reach 0 and write
nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating]

DOWN, UP, BOTH = range(3)
"""Ways of a walk over one street: reach down to the next street, values back up, or both on the last street."""


class LineGroups(NamedTuple):
    """The groups of lines of one street. Positions are the nodes of a shape in preorder, group after group."""

    first: Integers  # [groups + 1] the first position of each group
    kind: Integers  # [positions] player to act, DEAL, FOLD or SHOWDOWN
    children: Integers  # [positions] number of actions
    action: Integers  # [positions] the action that leads here; −1 at the root
    depth: Integers  # [positions] 0 at the root
    is_last: npt.NDArray[np.bool_]  # [positions] whether it is the last child of its parent
    row: Integers  # [positions] of a DEAL: the row that keeps its reach and values; −1 elsewhere
    choice: Integers  # [positions] of a decision: the row that keeps choices; counted by group on the last street
    table: Integers  # [positions, 16] the first entry of each lane's table; −1 in lanes without a line
    payoff: Floats  # [positions, 2, 3, 16] chips of each player who wins, ties or loses
    source_row: Integers  # [groups, 16] the row of the street above that a line comes from; −1 without a line
    source_lane: Integers  # [groups, 16] its lane there


class StreetBoards(NamedTuple):
    """The boards of one street in a batch, one after the other: live hands, sorted by strength on the last street."""

    first: Integers  # [boards + 1] the first hand of each board
    low: Integers  # [hands] the lower card
    high: Integers  # [hands] the higher card; the same one in games with hands of one card
    group_end: Integers  # [hands] the end of each hand's group of equally strong hands, counted from the board's first
    above: Integers  # [hands] the number of the hand on the board of the street above
    local: Integers  # [hands] which of the board's buckets the hand is in
    bucket_first: Integers  # [boards + 1] the first bucket of each board
    bucket: Integers  # the buckets that occur on each board
    parent: Integers  # [boards] the board of the street above
    complete: Floats  # [boards] boards of the batch below this one that are complete


class DealRows(NamedTuple):
    """What passes between two streets: reach of the upper street, values of the lower one."""

    reach: Floats  # [boards, rows, 2, hands, 16]
    value: Floats  # [boards, rows, 2, hands, 16] summed over the boards below


class BucketTables(NamedTuple):
    """Numbers of a solve, [infoset-actions]: the table of a node is [actions, buckets of its street]."""

    regret: Floats
    gain: Floats
    average: Floats


class LaneScratch(NamedTuple):
    """Buffers of one thread, all with sixteen lanes."""

    reach: Floats  # [depths, 2, hands, 16]
    value: Floats  # [depths, 2, hands, 16]
    strategy: Floats  # [depths, actions, buckets, 16]
    bucket_value: Floats  # [depths, actions, buckets, 16] values of actions, summed over the hands of a bucket
    bucket_sum: Floats  # [buckets, 16]
    held: Floats  # [cards, 16] reach by card
    path: Integers  # [depths] positions from the root to the current one
    reach_at: Integers  # [depths, 2] the depth whose buffer holds the reach of each player
    identity: Integers  # [hands] 0, 1, 2, …: the "buckets" of a player who plays by hand
    choices: Floats  # [decisions of a group, hands, 16] choices on the last street


class Answer(NamedTuple):
    """A player who knows its hand exactly: by regrets on the first street, by choices on the others (CFR-BR)."""

    player: int  # −1: both players play by buckets
    chosen: bool  # whether choices are used, not regrets
    choices: Floats  # [boards, rows, hands, 16] numbers of actions
