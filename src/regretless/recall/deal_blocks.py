"""Chance that only deals, at the beginning: the positions of a graph as blocks of a vector over deals.

After the deal the positions that differ in it alone are walked in step: a block is a tuple of positions, one for each
deal, whose k-th moves lead to one block again. Players' hands are found in the infosets: two deals give a player the
same hand if the player cannot tell them apart at any block.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.game import CHANCE, TERMINAL
from regretless.kernels.recall.deal_vectors import Blocks
from regretless.recall.graph import Graph

__all__ = ["blocks_of"]

Array = npt.NDArray[Any]

MOST_PER_POSITION = 2
"""Numbers that blocks may hold for each position; with more, the deals differ too much to be walked together."""


def blocks_of(graph: Graph) -> Blocks | None:
    """The blocks of a graph; None where chance moves later as well, or deals do not fit together."""
    dealt = _deals(graph)
    if graph.players != 2 or dealt is None or len(dealt[0]) < 2:
        return None
    lanes, probability, paths = dealt
    walked = _walk_in_step(graph, lanes)
    if walked is None:
        return None
    members, first_edge, child = walked  # [B, D], [B + 1], [E]
    form = graph.form
    mover = form.mover[members[:, 0]]
    hands = [_hands(form.number[members[mover == player]], len(lanes)) for player in range(2)]
    shape = tuple(int(hand.max()) + 1 for hand in hands)
    cell = hands[0] * shape[1] + hands[1]
    numbers = len(members) * shape[0] * shape[1]
    if len(np.unique(cell)) < len(lanes) or numbers > 2 * MOST_PER_POSITION * graph.positions:
        return None
    infoset = np.full((len(members), max(shape)), -1, np.int32)
    for player in range(2):
        some = np.flatnonzero(mover == player)
        infoset[some[:, None], hands[player][None, :]] = form.number[members[some]]
    ends = np.flatnonzero(mover == TERMINAL)
    index = np.full(len(members), -1, np.int32)
    index[ends] = np.arange(len(ends))
    payoff = np.zeros((len(ends), 2, *shape))
    payoff[:, :, hands[0], hands[1]] = form.payoff[form.number[members[ends]]].transpose(0, 2, 1)
    deal, ways = np.zeros(shape), np.zeros(shape)
    deal[hands[0], hands[1]], ways[hands[0], hands[1]] = probability, paths
    return Blocks(mover, index, infoset, first_edge, child, payoff, deal, ways.sum(axis=1), ways.sum(axis=0))


def _deals(graph: Graph) -> tuple[Array, Array, Array] | None:
    """Of each deal: the position after it, its probability, and how many histories lead there."""
    form = graph.form
    probability, paths = np.zeros(graph.positions), np.zeros(graph.positions)
    probability[0] = paths[0] = 1.0
    for n in np.flatnonzero(form.mover == CHANCE).tolist():  # in topological order
        if paths[n] == 0:
            return None  # chance moves after a player has
        edges = slice(int(form.first_edge[n]), int(form.first_edge[n + 1]))
        possible = form.chance[edges] > 0
        np.add.at(probability, form.child[edges][possible], probability[n] * form.chance[edges][possible])
        np.add.at(paths, form.child[edges][possible], paths[n])
    lanes = np.flatnonzero((paths > 0) & (form.mover != CHANCE))
    return lanes, probability[lanes], paths[lanes]


def _walk_in_step(graph: Graph, lanes: Array) -> tuple[Array, Array, Array] | None:
    """Blocks [B, D] in topological order with their edges; None where the moves depend on the deal."""
    form = graph.form
    number = {lanes.tobytes(): 0}
    members, children = [lanes], []
    for block in members:  # grows as it is walked
        begin = form.first_edge[block]
        moves = form.first_edge[block + 1] - begin
        if np.any(form.mover[block] != form.mover[block[0]]) or np.any(moves != moves[0]):
            return None
        below = [form.child[begin + a].astype(lanes.dtype) for a in range(int(moves[0]))]
        for tuple_of_positions in below:
            name = tuple_of_positions.tobytes()
            if name not in number:
                number[name] = len(members)
                members.append(tuple_of_positions)
        children.append([number[positions.tobytes()] for positions in below])
        if len(members) * len(lanes) > MOST_PER_POSITION * graph.positions + len(lanes):
            return None
    table = np.stack(members)
    order = np.argsort(table[:, 0], kind="stable")  # positions are in topological order, so blocks are
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    counts = np.array([len(children[b]) for b in order], np.int64)
    child = [place[c] for b in order for c in children[b]]
    return table[order], np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), np.array(child, np.int32)


def _hands(infosets: Array, deals: int) -> Array:
    """[D] the hand that each deal gives a player; infosets [blocks of the player, D]."""
    if not len(infosets):
        return np.zeros(deals, np.int64)
    columns = np.unique(infosets, axis=1, return_inverse=True)[1]
    return np.asarray(columns, np.int64).reshape(-1)
