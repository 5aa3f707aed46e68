"""The same iteration where chance only deals at the beginning, to two players: a vector of deals at a time.

Positions that differ in the deal alone form a *block*. What player i has dealt is its *hand*; at a block where i moves,
the infoset depends on the hand of i alone. So reach is a vector over hands, own_i(b)[hand of i], and with

    others_0(b)[k, j] = deal[k, j] · own_1(b)[j]                      and the other way round for player 1

value is a matrix over pairs of hands, swept back through the blocks row by row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.constants import DECAY, TERMINAL, WEIGHT
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.random_streams import stream, uniform
from regretless.kernels.recall.position_sweeps import bare_learned, meet, settle


class Blocks(NamedTuple):
    """B blocks in topological order, E edges, T terminal blocks; K hands of player 0, L of player 1."""

    mover: npt.NDArray[np.int8]  # [B] player to move, TERMINAL at the end
    number: npt.NDArray[np.int32]  # [B] row of `payoff` at the end, −1 elsewhere
    infoset: npt.NDArray[np.int32]  # [B, max(K, L)] by the mover's hand
    first_edge: npt.NDArray[np.int64]  # [B + 1]
    child: npt.NDArray[np.int32]  # [E]
    payoff: npt.NDArray[np.float64]  # [T, P, K, L] chips; 0 for hands that cannot be dealt together
    deal: npt.NDArray[np.float64]  # [K, L] probability of a pair of hands
    ways0: npt.NDArray[np.float64]  # [K] how many histories of chance deal a hand to player 0 …
    ways1: npt.NDArray[np.float64]  # [L] … and to player 1


class Hands(NamedTuple):
    """The hands that a sweep goes over: all of them, or the one of each player that was drawn."""

    first0: int
    last0: int  # the one after the last
    first1: int
    last1: int


class Dealt(NamedTuple):
    """Scratch of the sweeps."""

    mine: npt.NDArray[np.float64]  # [B, K] player 0's reach by hand
    theirs: npt.NDArray[np.float64]  # [B, L] player 1's
    value: npt.NDArray[np.float64]  # [B, K, L] chips to the player whose sweep it is
    likely: npt.NDArray[np.float64]  # [K, L] others' reach at a block
    chosen: npt.NDArray[np.float64]  # [K, L] probability of a move
    worth: npt.NDArray[np.float64]  # [K, L] what a move is worth, times others' reach
    mean: npt.NDArray[np.float64]  # [max(K, L)] what the strategy is worth, by the mover's hand
    place: npt.NDArray[np.int64]  # [max(K, L)] sequence of the mover's action 0, by hand


@njit(nogil=True)
def bare_blocks(blocks):
    """The blocks as sweeps hold them, all arrays flat."""
    return Blocks(
        bare(blocks.mover), bare(blocks.number), bare(blocks.infoset), bare(blocks.first_edge), bare(blocks.child),
        bare(blocks.payoff), bare(blocks.deal), bare(blocks.ways0), bare(blocks.ways1),
    )  # fmt: skip


@njit(nogil=True)
def bare_dealt(dealt):
    """The scratch as sweeps hold it, all arrays flat."""
    return Dealt(
        bare(dealt.mine), bare(dealt.theirs), bare(dealt.value), bare(dealt.likely), bare(dealt.chosen),
        bare(dealt.worth), bare(dealt.mean), bare(dealt.place),
    )  # fmt: skip


@njit(nogil=True, error_model="numpy", forceinline=True)
def share_out(blocks, learned, reach, b, width, widest, first, last):
    """Pass the mover's reach on from a block to those below it; width hands of the mover, widest of either."""
    begin, end = blocks.first_edge[b], blocks.first_edge[b + 1]
    for k in range(first, last):
        mine = reach[b * width + k]
        if mine != 0.0:
            s = learned.first[blocks.infoset[b * widest + k]] - begin
            for e in range(begin, end):
                reach[blocks.child[e] * width + k] += mine * learned.strategy[s + e]


@njit(nogil=True, error_model="numpy", forceinline=True)
def pass_on(blocks, reach, b, width, first, last):
    """Pass the reach of the player who does not move on from a block to those below it."""
    for e in range(blocks.first_edge[b], blocks.first_edge[b + 1]):
        below = blocks.child[e]
        for k in range(first, last):
            reach[below * width + k] += reach[b * width + k]


@njit(nogil=True, error_model="numpy")
def deal_forward(blocks, count, shape, learned, dealt, hands):
    """Both players' reach at every block."""
    rows, columns = shape
    for b in range(count):
        begun = 1.0 if b == 0 else 0.0
        for k in range(hands.first0, hands.last0):
            dealt.mine[b * rows + k] = begun
        for j in range(hands.first1, hands.last1):
            dealt.theirs[b * columns + j] = begun
    widest = max(rows, columns)
    for b in range(count):
        if blocks.mover[b] == 0:
            share_out(blocks, learned, dealt.mine, b, rows, widest, hands.first0, hands.last0)
            pass_on(blocks, dealt.theirs, b, columns, hands.first1, hands.last1)
        elif blocks.mover[b] == 1:
            pass_on(blocks, dealt.mine, b, rows, hands.first0, hands.last0)
            share_out(blocks, learned, dealt.theirs, b, columns, widest, hands.first1, hands.last1)


@njit(nogil=True, error_model="numpy", forceinline=True)
def begin_block(blocks, shape, learned, dealt, b):
    """Where the mover's numbers begin and how likely the others are to come here, by hands."""
    rows, columns = shape
    widest, moves_first = max(rows, columns), blocks.mover[b] == 0
    for hand in range(rows if moves_first else columns):
        dealt.place[hand] = learned.first[blocks.infoset[b * widest + hand]]
        dealt.mean[hand] = 0.0
    if moves_first:
        for k in range(rows):
            for j in range(columns):
                dealt.likely[k * columns + j] = blocks.deal[k * columns + j] * dealt.theirs[b * columns + j]
    else:
        for k in range(rows):
            mine = dealt.mine[b * rows + k]
            for j in range(columns):
                dealt.likely[k * columns + j] = blocks.deal[k * columns + j] * mine


@njit(nogil=True, error_model="numpy", forceinline=True)
def back_along(rows, columns, rows_move, learned, dealt, a, into, out, sign):
    """Add what move `a` is worth, for all pairs of hands at once: to its block's value and to the mover's regrets."""
    value, likely, chosen, worth = dealt.value, dealt.likely, dealt.chosen, dealt.worth
    if rows_move:
        for k in range(rows):
            probability = learned.strategy[dealt.place[k] + a]
            for j in range(columns):
                chosen[k * columns + j] = probability
    else:
        for j in range(columns):
            chosen[j] = learned.strategy[dealt.place[j] + a]
        for c in range(columns, rows * columns):
            chosen[c] = chosen[c - columns]
    if a == 0:
        for c in range(rows * columns):
            value[into + c] = chosen[c] * value[out + c]
            worth[c] = likely[c] * value[out + c]
    else:
        for c in range(rows * columns):
            value[into + c] += chosen[c] * value[out + c]
            worth[c] = likely[c] * value[out + c]
    if rows_move:
        for k in range(rows):
            total = 0.0
            for j in range(columns):
                total += worth[k * columns + j]
            dealt.mean[k] += chosen[k * columns] * total
            learned.gain[dealt.place[k] + a] += sign * total
    else:
        for c in range(columns, rows * columns):
            worth[c] += worth[c - columns]
        last = (rows - 1) * columns
        for j in range(columns):
            dealt.mean[j] += chosen[j] * worth[last + j]
            learned.gain[dealt.place[j] + a] += sign * worth[last + j]


@njit(nogil=True, error_model="numpy", forceinline=True)
def back_through_all(blocks, shape, learned, dealt, b, sign):
    """Value at a block for all pairs of hands, and the mover's regrets; `sign` turns value into the mover's, 0 leaves
    regrets out."""
    rows, columns = shape
    size, rows_move = rows * columns, blocks.mover[b] == 0
    begin, end = blocks.first_edge[b], blocks.first_edge[b + 1]
    begin_block(blocks, shape, learned, dealt, b)
    for e in range(begin, end):
        out = blocks.child[e] * size
        back_along(rows, columns, rows_move, learned, dealt, e - begin, b * size, out, sign)
    for hand in range(rows if rows_move else columns):
        first = dealt.place[hand]
        for s in range(first, first + end - begin):
            learned.gain[s] -= sign * dealt.mean[hand]


@njit(nogil=True, error_model="numpy", forceinline=True)
def back_through_one(blocks, shape, learned, dealt, b, sign, hands):
    """The same for the one pair of hands that was drawn, whose probability is 1."""
    rows, columns = shape
    size, cell = rows * columns, hands.first0 * columns + hands.first1
    moves_first = blocks.mover[b] == 0
    hand = hands.first0 if moves_first else hands.first1
    begin, end = blocks.first_edge[b], blocks.first_edge[b + 1]
    first = learned.first[blocks.infoset[b * max(rows, columns) + hand]] - begin
    likely = dealt.theirs[b * columns + hands.first1] if moves_first else dealt.mine[b * rows + hands.first0]
    mean = 0.0
    for e in range(begin, end):
        mean += learned.strategy[first + e] * dealt.value[blocks.child[e] * size + cell]
    for e in range(begin, end):
        learned.gain[first + e] += sign * likely * (dealt.value[blocks.child[e] * size + cell] - mean)
    dealt.value[b * size + cell] = mean


@njit(nogil=True, error_model="numpy", forceinline=True)
def visit(blocks, shape, learned, dealt, b, sampled, hands):
    """Note the own reach of the mover at a block; every history of chance that deals a pair of hands counts."""
    rows, columns = shape
    widest = max(rows, columns)
    if blocks.mover[b] == 0:
        for k in range(hands.first0, hands.last0):
            infoset = blocks.infoset[b * widest + k]
            meet(learned, infoset)
            learned.visits[infoset] += dealt.mine[b * rows + k] * (1.0 if sampled else blocks.ways0[k])
    else:
        for j in range(hands.first1, hands.last1):
            infoset = blocks.infoset[b * widest + j]
            meet(learned, infoset)
            learned.visits[infoset] += dealt.theirs[b * columns + j] * (1.0 if sampled else blocks.ways1[j])


@njit(nogil=True, error_model="numpy")
def deal_back(blocks, count, shape, learned, dealt, player, opposed, sampled, hands):
    """Value to `player` at every block, its regrets and own reach; of both players where payoffs are `opposed`."""
    rows, columns = shape
    for b in range(count - 1, -1, -1):
        who = blocks.mover[b]
        if who == TERMINAL:
            end = (2 * blocks.number[b] + player) * rows
            for k in range(hands.first0, hands.last0):
                for j in range(hands.first1, hands.last1):
                    dealt.value[(b * rows + k) * columns + j] = blocks.payoff[(end + k) * columns + j]
            continue
        sign = 1.0 if who == player else -1.0 if opposed else 0.0
        if sampled:
            back_through_one(blocks, shape, learned, dealt, b, sign, hands)
        else:
            back_through_all(blocks, shape, learned, dealt, b, sign)
        if sign != 0.0:
            visit(blocks, shape, learned, dealt, b, sampled, hands)


@njit(nogil=True, error_model="numpy")
def drawn_deal(deal, draw):
    """The pair of hands that a draw in [0, 1) falls on."""
    last = (0, 0)
    for k in range(deal.shape[0]):
        for j in range(deal.shape[1]):
            if deal[k, j] > 0.0:
                last = (k, j)
                draw -= deal[k, j]
                if draw < 0.0:
                    return last
    return last


@njit(cache=True, nogil=True, error_model="numpy")
def iterate_deals(
    blocks, learned, dealt, empty, teams, team, steps, origin, sampled, seed, opposed, predictive, smallest
):
    """Run one iteration per row of `steps` [n, 8], as `kernels.graph.iterate` does; returns the blocks visited."""
    visited = 0
    turns, count, shape = teams.max() + 1, len(blocks.mover), blocks.deal.shape
    both = opposed and turns == 1
    form, numbers, room, whose = bare_blocks(blocks), bare_learned(learned), bare_dealt(dealt), bare(team)
    hands = Hands(0, shape[0], 0, shape[1])
    for t in range(len(steps)):
        if sampled:
            k, j = drawn_deal(blocks.deal, uniform(stream(seed, origin + t + 1, 0, 0)))
            hands = Hands(k, k + 1, j, j + 1)
        for turn in range(turns):
            deal_forward(form, count, shape, numbers, room, hands)
            for player in range(2):
                if teams[player] == turn and (player == 0 or not both):
                    deal_back(form, count, shape, numbers, room, player, both, sampled, hands)
                    visited += count
            settle(numbers, len(learned.first), whose, turn, steps[t], predictive, smallest)
        for s in empty:
            learned.average[s] = learned.average[s] * steps[t, DECAY] + steps[t, WEIGHT]
    return visited


@njit(cache=True, nogil=True, error_model="numpy")
def deal_values(blocks, learned, dealt, player):
    """What the strategies are worth to a player; adds its regrets and own reach, as an iteration would."""
    count, shape = len(blocks.mover), blocks.deal.shape
    hands = Hands(0, shape[0], 0, shape[1])
    form, numbers, room = bare_blocks(blocks), bare_learned(learned), bare_dealt(dealt)
    deal_forward(form, count, shape, numbers, room, hands)
    deal_back(form, count, shape, numbers, room, player, False, False, hands)
    return (blocks.deal * dealt.value[0]).sum()
