"""Fixed-strategy iteration where chance only deals at the beginning, to two players: all deals in one sweep.

Positions that differ only in the deal form a *block*. The deal gives player i a *hand*; at a block where i moves, the
infoset depends only on the hand of i. So reach is a vector over hands, own_i(b)[hand of i], and with

    others_0(b)[k, j] = deal[k, j] · own_1(b)[j]                      and the other way round for player 1

value is a matrix over pairs of hands, swept back through the blocks row by row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import TERMINAL
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import pointers
from regretless.kernels.random_streams import stream, uniform
from regretless.kernels.recall.infoset_updates import average_empty, end_turn, visit


class Blocks(NamedTuple):
    """B blocks in topological order, E edges, T terminal blocks; K hands of player 0, L of player 1."""

    mover: npt.NDArray[np.int8]  # [B] player to move, or TERMINAL
    number: npt.NDArray[np.int32]  # [B] row of `payoff` at a terminal, −1 elsewhere
    infoset: npt.NDArray[np.int32]  # [B, max(K, L)] by the mover's hand
    first_edge: npt.NDArray[np.int64]  # [B + 1]
    child: npt.NDArray[np.int32]  # [E]
    payoff: npt.NDArray[np.float64]  # [T, P, K, L] chips; 0 for hands that cannot be dealt together
    deal: npt.NDArray[np.float64]  # [K, L] probability of a pair of hands
    ways0: npt.NDArray[np.float64]  # [K] number of chance histories that deal a hand to player 0 …
    ways1: npt.NDArray[np.float64]  # [L] … and to player 1


class Hands(NamedTuple):
    """The hands that a sweep covers: all of them, or the sampled one of each player."""

    first0: int
    last0: int  # the one after the last
    first1: int
    last1: int


class Dealt(NamedTuple):
    """Scratch of the sweeps."""

    mine: npt.NDArray[np.float64]  # [B, K] player 0's reach by hand
    theirs: npt.NDArray[np.float64]  # [B, L] player 1's
    value: npt.NDArray[np.float64]  # [B, K, L] chips to the player whose sweep it is
    others: npt.NDArray[np.float64]  # [K, L] others' reach at a block
    probability: npt.NDArray[np.float64]  # [K, L] of a move
    worth: npt.NDArray[np.float64]  # [K, L] value of a move, times others' reach
    mean: npt.NDArray[np.float64]  # [max(K, L)] value of the strategy, by the mover's hand
    sequence: npt.NDArray[np.int64]  # [max(K, L)] sequence of the mover's action 0, by hand


@inner(forceinline=True)
def share_out(blocks, learned, reach, b, width, widest, first, last):
    """Pass the mover's reach on from a block to those below it; width hands of the mover, widest of either."""
    begin, end = blocks.first_edge[b], blocks.first_edge[b + 1]
    for k in range(first, last):
        mine = reach[b * width + k]
        if mine != 0.0:
            s = learned.first[blocks.infoset[b * widest + k]] - begin
            for e in range(begin, end):
                reach[blocks.child[e] * width + k] += mine * learned.strategy[s + e]


@inner(forceinline=True)
def pass_on(blocks, reach, b, width, first, last):
    """Pass the reach of the player who does not move on from a block to those below it."""
    for e in range(blocks.first_edge[b], blocks.first_edge[b + 1]):
        below = blocks.child[e]
        for k in range(first, last):
            reach[below * width + k] += reach[b * width + k]


@inner(optimise=True)
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


@inner(forceinline=True)
def begin_block(blocks, shape, learned, dealt, b):
    """The sequences of the mover's hands at a block, and the others' reach, by hands."""
    rows, columns = shape
    widest, rows_move = max(rows, columns), blocks.mover[b] == 0
    for hand in range(rows if rows_move else columns):
        dealt.sequence[hand] = learned.first[blocks.infoset[b * widest + hand]]
        dealt.mean[hand] = 0.0
    if rows_move:
        for k in range(rows):
            for j in range(columns):
                dealt.others[k * columns + j] = blocks.deal[k * columns + j] * dealt.theirs[b * columns + j]
    else:
        for k in range(rows):
            mine = dealt.mine[b * rows + k]
            for j in range(columns):
                dealt.others[k * columns + j] = blocks.deal[k * columns + j] * mine


@inner(forceinline=True)
def back_along(shape, rows_move, learned, dealt, a, into, out, sign):
    """Add the value of move `a`, for all pairs of hands at once: to its block's value and to the mover's regrets."""
    rows, columns = shape
    value, others, probability, worth = dealt.value, dealt.others, dealt.probability, dealt.worth
    if rows_move:
        for k in range(rows):
            chosen = learned.strategy[dealt.sequence[k] + a]
            for j in range(columns):
                probability[k * columns + j] = chosen
    else:
        for j in range(columns):
            probability[j] = learned.strategy[dealt.sequence[j] + a]
        for c in range(columns, rows * columns):
            probability[c] = probability[c - columns]
    if a == 0:
        for c in range(rows * columns):
            value[into + c] = probability[c] * value[out + c]
            worth[c] = others[c] * value[out + c]
    else:
        for c in range(rows * columns):
            value[into + c] += probability[c] * value[out + c]
            worth[c] = others[c] * value[out + c]
    if rows_move:
        for k in range(rows):
            total = 0.0
            for j in range(columns):
                total += worth[k * columns + j]
            dealt.mean[k] += probability[k * columns] * total
            learned.gain[dealt.sequence[k] + a] += sign * total
    else:
        for c in range(columns, rows * columns):
            worth[c] += worth[c - columns]
        last = (rows - 1) * columns
        for j in range(columns):
            dealt.mean[j] += probability[j] * worth[last + j]
            learned.gain[dealt.sequence[j] + a] += sign * worth[last + j]


@inner(forceinline=True)
def back_through_all(blocks, shape, learned, dealt, b, sign):
    """Value at a block for all pairs of hands, and the mover's regrets.

    `sign` turns the value into the mover's: 1, or −1; with 0 regrets do not change.
    """
    rows, columns = shape
    size, rows_move = rows * columns, blocks.mover[b] == 0
    begin, end = blocks.first_edge[b], blocks.first_edge[b + 1]
    begin_block(blocks, shape, learned, dealt, b)
    for e in range(begin, end):
        out = blocks.child[e] * size
        back_along(shape, rows_move, learned, dealt, e - begin, b * size, out, sign)
    for hand in range(rows if rows_move else columns):
        first = dealt.sequence[hand]
        for s in range(first, first + end - begin):
            learned.gain[s] -= sign * dealt.mean[hand]


@inner(forceinline=True)
def back_through_one(blocks, shape, learned, dealt, b, sign, hands):
    """The same for the one pair of hands that was sampled, whose probability is 1."""
    rows, columns = shape
    size, cell = rows * columns, hands.first0 * columns + hands.first1
    rows_move = blocks.mover[b] == 0
    hand = hands.first0 if rows_move else hands.first1
    begin, end = blocks.first_edge[b], blocks.first_edge[b + 1]
    first = learned.first[blocks.infoset[b * max(rows, columns) + hand]] - begin
    others = dealt.theirs[b * columns + hands.first1] if rows_move else dealt.mine[b * rows + hands.first0]
    mean = 0.0
    for e in range(begin, end):
        mean += learned.strategy[first + e] * dealt.value[blocks.child[e] * size + cell]
    for e in range(begin, end):
        learned.gain[first + e] += sign * others * (dealt.value[blocks.child[e] * size + cell] - mean)
    dealt.value[b * size + cell] = mean


@inner(forceinline=True)
def note_reach(blocks, shape, learned, dealt, b, sampled, hands):
    """Add the own reach of the mover at a block; every chance history that deals a pair of hands counts."""
    rows, columns = shape
    widest = max(rows, columns)
    if blocks.mover[b] == 0:
        for k in range(hands.first0, hands.last0):
            infoset = blocks.infoset[b * widest + k]
            visit(learned, infoset)
            learned.reach[infoset] += dealt.mine[b * rows + k] * (1.0 if sampled else blocks.ways0[k])
    else:
        for j in range(hands.first1, hands.last1):
            infoset = blocks.infoset[b * widest + j]
            visit(learned, infoset)
            learned.reach[infoset] += dealt.theirs[b * columns + j] * (1.0 if sampled else blocks.ways1[j])


@inner(optimise=True)
def deal_back(blocks, count, shape, learned, dealt, player, opposed, sampled, hands):
    """Value to `player` at every block, its regrets and own reach; of both players where payoffs are `opposed`."""
    rows, columns = shape
    for b in range(count - 1, -1, -1):
        mover = blocks.mover[b]
        if mover == TERMINAL:
            end = (2 * blocks.number[b] + player) * rows
            for k in range(hands.first0, hands.last0):
                for j in range(hands.first1, hands.last1):
                    dealt.value[(b * rows + k) * columns + j] = blocks.payoff[(end + k) * columns + j]
            continue
        sign = 1.0 if mover == player else -1.0 if opposed else 0.0
        if sampled:
            back_through_one(blocks, shape, learned, dealt, b, sign, hands)
        else:
            back_through_all(blocks, shape, learned, dealt, b, sign)
        if sign != 0.0:
            note_reach(blocks, shape, learned, dealt, b, sampled, hands)


@inner
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


@kernel
def iterate_deals(blocks, learned, dealt, order, steps, origin, sampled, seed, opposed, predictive):
    """Run one iteration per row of `steps` [n, 8], as `position_sweeps.iterate`; returns the blocks visited."""
    count, shape = len(blocks.mover), blocks.deal.shape
    turns, visited = max(order.of_player[0], order.of_player[1]) + 1, 0
    both = opposed and turns == 1
    form, numbers, scratch = pointers(blocks), pointers(learned), pointers(dealt)
    hands = Hands(0, shape[0], 0, shape[1])
    for t in range(len(steps)):
        if sampled:
            k, j = drawn_deal(blocks.deal, uniform(stream(seed, origin + t + 1, np.int64(0), np.int64(0))))
            hands = Hands(k, k + 1, j, j + 1)
        for turn in range(turns):
            deal_forward(form, count, shape, numbers, scratch, hands)
            for player in range(2):
                if order.of_player[player] == turn and (player == 0 or not both):
                    deal_back(form, count, shape, numbers, scratch, player, both, sampled, hands)
                    visited += count
            end_turn(numbers, len(learned.first), order.of_infoset, turn, steps[t], predictive)
        average_empty(numbers, order.empty, steps[t])
    return visited


@kernel
def deal_values(blocks, learned, dealt, player):
    """The value of the strategies to a player; adds its regrets and own reach, as an iteration would."""
    count, shape = len(blocks.mover), blocks.deal.shape
    hands = Hands(0, shape[0], 0, shape[1])
    form, numbers, scratch = pointers(blocks), pointers(learned), pointers(dealt)
    deal_forward(form, count, shape, numbers, scratch, hands)
    no = np.bool_(0)  # a literal would be compiled for itself
    deal_back(form, count, shape, numbers, scratch, player, no, no, hands)
    total = 0.0
    for k in range(shape[0]):
        for j in range(shape[1]):
            total += blocks.deal[k, j] * dealt.value[0, k, j]
    return total
