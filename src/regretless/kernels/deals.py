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

from regretless.kernels.draws import stream, uniform
from regretless.kernels.graph import meet, settle
from regretless.kernels.layout import DECAY, WEIGHT


class Blocks(NamedTuple):
    """B blocks in topological order, E edges, T terminal blocks; K hands of player 0, L of player 1."""

    mover: npt.NDArray[np.int8]  # [B] player to move, TERMINAL at the end
    index: npt.NDArray[np.int32]  # [B] row of `payoff` at the end, −1 elsewhere
    infoset: npt.NDArray[np.int32]  # [B, max(K, L)] by the mover's hand
    first_edge: npt.NDArray[np.int64]  # [B + 1]
    child: npt.NDArray[np.int32]  # [E]
    payoff: npt.NDArray[np.float64]  # [T, P, K, L] chips; 0 for hands that cannot be dealt together
    deal: npt.NDArray[np.float64]  # [K, L] probability of a pair of hands
    paths: npt.NDArray[np.float64]  # [K, L] how many histories of chance deal it


class Dealt(NamedTuple):
    """Scratch of the sweeps."""

    mine: npt.NDArray[np.float64]  # [B, K] player 0's reach by hand
    theirs: npt.NDArray[np.float64]  # [B, L] player 1's
    value: npt.NDArray[np.float64]  # [B, K, L] chips to the player whose sweep it is
    likely: npt.NDArray[np.float64]  # [K, L] others' reach at a block
    chosen: npt.NDArray[np.float64]  # [L] probabilities of a move by hand
    worth: npt.NDArray[np.float64]  # [max(K, L)] what a move is worth, by hand
    mean: npt.NDArray[np.float64]  # [max(K, L)] what the strategy is worth, by hand


TERMINAL = -2


@njit(cache=True, nogil=True, error_model="numpy")
def deal_forward(blocks, learned, dealt, low0, high0, low1, high1):
    """Both players' reach at every block, for hands low0 … high0 − 1 of player 0 and low1 … high1 − 1 of player 1."""
    mine, theirs, strategy = dealt.mine, dealt.theirs, learned.strategy
    mine[:, low0:high0] = 0.0
    theirs[:, low1:high1] = 0.0
    mine[0, low0:high0] = 1.0
    theirs[0, low1:high1] = 1.0
    for b in range(len(blocks.mover)):
        who, begin = blocks.mover[b], blocks.first_edge[b]
        if who == TERMINAL:
            continue
        for e in range(begin, blocks.first_edge[b + 1]):
            below, a = blocks.child[e], e - begin
            if blocks.mover[below] == TERMINAL:
                continue
            if who == 0:
                for k in range(low0, high0):
                    mine[below, k] += mine[b, k] * strategy[learned.first[blocks.infoset[b, k]] + a]
                for k in range(low1, high1):
                    theirs[below, k] += theirs[b, k]
            else:
                for k in range(low0, high0):
                    mine[below, k] += mine[b, k]
                for k in range(low1, high1):
                    theirs[below, k] += theirs[b, k] * strategy[learned.first[blocks.infoset[b, k]] + a]


@njit(cache=True, nogil=True, error_model="numpy")
def back_through_0(blocks, learned, dealt, b, deal, learns, sign, low0, high0, low1, high1):
    """Value at a block of player 0, and its regrets if it learns; `sign` turns value into player 0's."""
    value, likely, infoset = dealt.value, dealt.likely, blocks.infoset
    begin, end = blocks.first_edge[b], blocks.first_edge[b + 1]
    for k in range(low0, high0):
        dealt.mean[k] = 0.0
        for j in range(low1, high1):
            likely[k, j] = deal[k, j] * dealt.theirs[b, j]
            value[b, k, j] = 0.0
    for e in range(begin, end):
        below = blocks.child[e]
        for k in range(low0, high0):
            s = learned.first[infoset[b, k]] + e - begin
            chosen, worth = learned.strategy[s], 0.0
            into, out, weight = value[b, k], value[below, k], likely[k]
            for j in range(low1, high1):
                into[j] += chosen * out[j]
                worth += weight[j] * out[j]
            if learns:
                learned.gain[s] += sign * worth
                dealt.mean[k] += chosen * worth
    if learns:
        for k in range(low0, high0):
            first = learned.first[infoset[b, k]]
            for s in range(first, first + end - begin):
                learned.gain[s] -= sign * dealt.mean[k]


@njit(cache=True, nogil=True, error_model="numpy")
def back_through_1(blocks, learned, dealt, b, deal, learns, sign, low0, high0, low1, high1):
    """The same at a block of player 1; rows stay rows, so that inner loops run over neighbours."""
    value, likely, infoset = dealt.value, dealt.likely, blocks.infoset
    begin, end = blocks.first_edge[b], blocks.first_edge[b + 1]
    for j in range(low1, high1):
        dealt.mean[j] = 0.0
    for k in range(low0, high0):
        for j in range(low1, high1):
            likely[k, j] = deal[k, j] * dealt.mine[b, k]
            value[b, k, j] = 0.0
    chosen, worth = dealt.chosen, dealt.worth
    for e in range(begin, end):
        below = blocks.child[e]
        for j in range(low1, high1):
            chosen[j] = learned.strategy[learned.first[infoset[b, j]] + e - begin]
            worth[j] = 0.0
        for k in range(low0, high0):
            into, out, weight = value[b, k], value[below, k], likely[k]
            for j in range(low1, high1):
                into[j] += chosen[j] * out[j]
                worth[j] += weight[j] * out[j]
        if learns:
            for j in range(low1, high1):
                learned.gain[learned.first[infoset[b, j]] + e - begin] += sign * worth[j]
                dealt.mean[j] += chosen[j] * worth[j]
    if learns:
        for j in range(low1, high1):
            first = learned.first[infoset[b, j]]
            for s in range(first, first + end - begin):
                learned.gain[s] -= sign * dealt.mean[j]


@njit(cache=True, nogil=True, error_model="numpy")
def deal_back(blocks, learned, dealt, deal, paths, player, opposed, low0, high0, low1, high1):
    """Value to `player` at every block, its regrets and own reach; of both players where payoffs are `opposed`."""
    for b in range(len(blocks.mover) - 1, -1, -1):
        who = blocks.mover[b]
        if who == TERMINAL:
            dealt.value[b, low0:high0, low1:high1] = blocks.payoff[blocks.index[b], player, low0:high0, low1:high1]
            continue
        learns = who == player or opposed
        sign = 1.0 if who == player else -1.0
        if who == 0:
            back_through_0(blocks, learned, dealt, b, deal, learns, sign, low0, high0, low1, high1)
        else:
            back_through_1(blocks, learned, dealt, b, deal, learns, sign, low0, high0, low1, high1)
        if not learns:
            continue
        if who == 0:
            for k in range(low0, high0):
                meet(learned, blocks.infoset[b, k])
                learned.visits[blocks.infoset[b, k]] += dealt.mine[b, k] * paths[k, low1:high1].sum()
        else:
            for j in range(low1, high1):
                meet(learned, blocks.infoset[b, j])
                learned.visits[blocks.infoset[b, j]] += dealt.theirs[b, j] * paths[low0:high0, j].sum()


@njit(cache=True, nogil=True, error_model="numpy")
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
    turns = teams.max() + 1
    both = opposed and turns == 1
    deal, paths = blocks.deal, blocks.paths
    one = np.ones_like(deal)
    low0, high0, low1, high1 = 0, deal.shape[0], 0, deal.shape[1]
    for t in range(len(steps)):
        if sampled:
            low0, low1 = drawn_deal(blocks.deal, uniform(stream(seed, origin + t + 1, 0, 0)))
            high0, high1 = low0 + 1, low1 + 1
            deal = paths = one
        for turn in range(turns):
            deal_forward(blocks, learned, dealt, low0, high0, low1, high1)
            for player in range(2):
                if teams[player] == turn and (player == 0 or not both):
                    deal_back(blocks, learned, dealt, deal, paths, player, both, low0, high0, low1, high1)
                    visited += len(blocks.mover)
            settle(learned, team, turn, steps[t], predictive, smallest)
        for player in range(2):
            s = empty[player]
            learned.average[s] = learned.average[s] * steps[t, DECAY] + steps[t, WEIGHT]
    return visited


@njit(cache=True, nogil=True, error_model="numpy")
def deal_values(blocks, learned, dealt, player):
    """What the strategies are worth to a player; adds its regrets and own reach, as an iteration would."""
    high0, high1 = blocks.deal.shape
    deal_forward(blocks, learned, dealt, 0, high0, 0, high1)
    deal_back(blocks, learned, dealt, blocks.deal, blocks.paths, player, False, 0, high0, 0, high1)
    return (blocks.deal * dealt.value[0]).sum()
