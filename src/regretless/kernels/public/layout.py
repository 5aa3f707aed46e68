"""The arrays of a game on a public tree: what is public is a tree, what is private is a vector over hands.

**Betting.** Nodes are numbered street by street, within a street line by line (a *line* is one betting sequence that
leads to this street) and within a line breadth first, so a node's children are neighbours. A few lines form a *bundle*,
the piece that is walked at once on the last street; its terminals are evaluated side by side.

**Boards.** Boards are numbered street by street; a board's children, the boards after the next cards, are neighbours.
Boards that differ only by a permutation of suits that leaves everything else unchanged are one board.

**Hands.** On a board each player has a list of hand *classes*: hands that a permutation of suits makes equal. On the
last street the list is sorted by strength. Card removal is computed from the *blockers* of a class: the proper subsets
of its cards (for two cards each card alone), likewise up to suits; see `terminal_lanes`.

**Numbers.** A deciding player's regrets at a node and board are a block [actions][classes], each row padded with zeros
to a multiple of sixteen. The blocks of one board lie together, first player 0's, then player 1's:

    index of (board, node, action, class) = first[player, board] + (slot[node] + action) · stride[player, board] + class
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.floating]

LANE_WIDTH = 16
"""Terminals are evaluated in groups that are a multiple of this: one vector register of float32."""


class Betting(NamedTuple):
    """The public betting tree; N nodes, S streets, B bundles, L lines, T lanes."""

    kind: npt.NDArray[np.int8]  # [N] the player who decides, or DEAL, FOLD or SHOWDOWN
    first_child: Ints  # [N] a node of the same street
    children: Ints  # [N] 0 at leaves, and DEAL is a leaf of its street
    row: Ints  # [2, N] the vector of a player's reach at the node: it changes only where that player acts
    slot: Ints  # [N] actions of the owner's nodes before this one on this street
    block: Ints  # [N] decision nodes of either player before this one on this street
    line_in: Ints  # [N] the line of its street that begins here, or −1
    line_out: Ints  # [N] at DEAL: the line of the next street, else −1
    deal: Ints  # [L] the DEAL node that a line comes from, by street_lines; −1 on the first street
    street_nodes: Ints  # [S + 1]
    street_lines: Ints  # [S + 1]
    street_bundles: Ints  # [S + 1]
    bundle_nodes: Ints  # [B + 1]
    bundle_rows: Ints  # [2, B + 1] rows of reach, numbered within the street; entries of a street's end are its totals
    bundle_lanes: Ints  # [2, B + 1] by the player who evaluates
    lane_row: Ints  # [2, T] row of the *other* player's reach; −1 for padding lanes
    lane_show: Ints  # [2, T] the showdown that has this reach, or −1
    lane_fold: Ints  # [2, T] the fold that has this reach, or −1
    lane_win: npt.NDArray[np.float64]  # [2, T] chips: win − tie
    lane_tie: npt.NDArray[np.float64]  # [2, T] chips: tie − lose
    lane_lose: npt.NDArray[np.float64]  # [2, T] chips: lose
    lane_folded: npt.NDArray[np.float64]  # [2, T] chips: payoff of the fold


class Boards(NamedTuple):
    """Boards and hand classes; B boards, C classes, J blockers a hand."""

    street_boards: Ints  # [S + 1]
    parent: Ints  # [B] −1 on the first street
    child_first: Ints  # [B + 1] children are boards child_first[b] … child_first[b + 1]
    begin: Ints  # [2, B] first class of a player
    count: Ints  # type: ignore[assignment]  # [2, B] classes of a player
    stride: Ints  # [2, B] the same, padded to a multiple of sixteen
    first: npt.NDArray[np.int64]  # [2, B] index of a player's first number
    above: Ints  # [C] the class on the parent board, counted from its begin
    rise: npt.NDArray[np.float64]  # [C] weight of a class in the class above: chance, times the number of deals
    size: npt.NDArray[np.float64]  # [C] hands in the class
    strength: Ints  # [C] rank among hands on this board, higher wins; 0 before the last street
    twin: Ints  # [C] the same class in the other player's list, or −1
    blocker: npt.NDArray[np.int16]  # [C, J]
    share: npt.NDArray[np.float64]  # [C, J] hands of the class that hold one given blocker of that kind
    sign: npt.NDArray[np.float64]  # [J + 1] of each blocker in the sum over subsets, and of the whole hand


class AllIns(NamedTuple):
    """Calls of an all-in before the last street whose equities are tabulated; A all-ins, a multiple of 16 a street.

    The table of a board has for each class h of player 0 and each class g of player 1 the sum of wins less losses of
    one hand of h against all hands of g, over all runs of cards that neither holds: whole numbers.
    """

    street: Ints  # [S + 1] first all-in of each street
    node: Ints  # [A] the DEAL node after the call; −1 for padding
    row: Ints  # [2, A] row of the *other* player's reach; −1 for padding
    stake: npt.NDArray[np.float64]  # [2, A] chips: (win − lose) / 2, divided by the number of runs
    tie: npt.NDArray[np.float64]  # [2, A] chips: tie = (win + lose) / 2, which is 0 without rake
    first: npt.NDArray[np.int64]  # [B] where the table of a board begins; −1 without one
    table: npt.NDArray[np.int16]  # rows of player 0, columns of player 1, both padded like the numbers of a board
    raked: int  # 1 if any tie is not 0


class SolveState(NamedTuple):
    """What a solve keeps: one number per (board, node, action, class).

    Kernels get empty arrays in place of a guess and locks that are None, since another type is another compilation.
    """

    regret: npt.NDArray[np.generic]  # discounted sum of counterfactual regrets, chips
    guess: npt.NDArray[np.generic] | None  # what predictive variants expect regret to be; None for the others
    average: npt.NDArray[np.generic]  # weighted sum of own reach × strategy
    scale: npt.NDArray[np.float32] | None  # [3, blocks] of 16-bit regrets, averages and guesses; None for the others
    scale_first: npt.NDArray[np.int64]  # [boards] first block of each board
    locked: npt.NDArray[np.bool_] | None  # [blocks] whether strategies are locked, or None


class StreetBuffers(NamedTuple):
    """Scratch for one board of a street."""

    mine: Floats  # [rows, classes] own reach
    theirs: Floats  # [rows + 1, classes] the other player's reach; the last row stays zero
    value: Floats  # [nodes + 1, classes] counterfactual values: of the strategy, or of the best response
    played: Floats  # [nodes, classes] values of the strategy while the best response is computed; else [0, 0]
    risen: Floats  # [2, lines of the next street, classes] values of the next street, summed over its boards


class LaneBuffers(NamedTuple):
    """Scratch for evaluating sixteen terminals side by side."""

    reach: Floats  # [classes, 16]
    free: Floats  # [classes, 16] reach that shares no card with a class
    shown: Floats  # [classes, 16] values of showdowns
    blocked: Floats  # [blockers, 16] reach by blocker
    rows: Floats  # [4, classes] rows of a table of all-ins
    payoffs: Floats  # [5, 16] chips: win − tie, tie − lose, lose, fold; and ones
    begin: npt.NDArray[np.int64]  # [16] where the rows of lanes begin


class ThreadScratch(NamedTuple):
    """Per-thread scratch buffers of a walk."""

    block: Floats  # [actions · classes] a block of 16-bit regrets or averages, decoded
    guess: Floats  # [actions · classes] a block of 16-bit guesses, decoded
    phase: Floats  # [32] the phase of the dither of 16-bit numbers, and scratch
    path: npt.NDArray[np.int64]  # [3, 4] of each street: board, next child of it, end of its children
    smallest: float  # the least Σ R⁺ that regrets are matched at; see `regret_rules`
    lanes: LaneBuffers


class RisenValues(NamedTuple):
    """Where boards leave their values for the street above."""

    values: Floats  # [board − first, 2, line, class]
    first: int  # board


class WalkTask(NamedTuple):
    """What a walk does."""

    items: Ints  # the boards to walk, all of one street
    way: int  # BOTH, DOWN or UP
    player: int
    learning: bool  # whether to update regrets and averages, or to measure
    step: npt.NDArray[np.float64]  # [8] step weights; of several turns [8 · turns / 2], 8 for every two
    turns: int = 1  # walks one after the other, of the players in turn; more than one in games of one street only


BOTH, DOWN, UP = range(3)
"""Walk the boards of a task down and up, with everything below them; or only down, or only up."""
