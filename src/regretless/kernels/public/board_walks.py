"""Walks over a public tree: reach goes down, counterfactual values come up, one player at a time.

A walk does one of two things. To *learn*, it plays the current strategies, adds what is played to the average and
updates the player's regrets on the way up. To *measure*, it plays given numbers (the averages, or the regrets) and
brings up two values: that of the player's own strategy and that of its best response.

Boards above the last street are entered, their children walked, and left again; a list of steps says so, hence no
recursion. On the last street a board is walked bundle by bundle, so that all it touches stays in the cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.constants import DEAL
from regretless.kernels.public.decision_rows import (
    add_up,
    average_block,
    best_of,
    expect,
    held_still,
    learn_block,
    pass_down,
)
from regretless.kernels.public.layout import INNER
from regretless.kernels.public.terminal_lanes import evaluate_terminals

BOTH, DOWN, UP = 0, 1, 2
"""Which way `walk_boards` goes."""


@njit(cache=True, nogil=True, error_model="numpy")
def load_roots(betting, boards, board, player, street, bundle, row_from, upper, reach):
    """The reach with which a player enters the lines of a bundle, from the rows of the board above."""
    classes, begin = boards.count[player, board], boards.begin[player, board]
    above = boards.above[begin : begin + classes]
    for node in range(betting.bundle_nodes[bundle], betting.bundle_nodes[bundle + 1]):
        line = betting.line_in[node]
        if line >= 0:
            source = upper[betting.row[player, betting.deal[betting.street_lines[street] + line]]]
            target = reach[betting.row[player, node] - row_from]
            for k in range(classes):
                target[k] = source[above[k]]
            for k in range(classes, boards.stride[player, board]):
                target[k] = 0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def descend(betting, boards, board, player, nodes, row_from, source, reach, smallest):
    """A player's reach at the nodes of a bundle, playing in proportion to `source`."""
    stride, first = boards.stride[player, board], boards.first[player, board]
    for node in range(nodes[0], nodes[1]):
        if betting.kind[node] == player:
            row, below = betting.row[player, node], betting.row[player, betting.first_child[node]]
            place = first + betting.slot[node] * stride
            pass_down(source, place, stride, betting.children[node], reach, row - row_from, below - row_from, smallest)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def average_down(betting, boards, board, player, nodes, row_from, numbers, reach, work, step):
    """What a player plays at the nodes of a bundle, added to its average."""
    stride, first = boards.stride[player, board], boards.first[player, board]
    for node in range(nodes[0], nodes[1]):
        if betting.kind[node] == player:
            row = betting.row[player, betting.first_child[node]] - row_from
            place, at = first + betting.slot[node] * stride, numbers.scale_first[board] + betting.block[node]
            if held_still(numbers.locked, at):
                continue  # its average is the lock itself, also for hands that never come here
            average_block(
                numbers.average, numbers.scale, at, place, stride, betting.children[node], reach, row, work, step
            )


@njit(**INNER)
def ascend_learning(betting, boards, board, player, nodes, node_from, numbers, source, value, work, step):
    """Values of the nodes of a bundle from their leaves up, and the player's regrets updated."""
    stride, first = boards.stride[player, board], boards.first[player, board]
    for node in range(nodes[1] - 1, nodes[0] - 1, -1):
        kind = betting.kind[node]
        if kind >= DEAL:
            continue
        actions, child, here = betting.children[node], betting.first_child[node] - node_from, node - node_from
        if kind != player:
            add_up(value, here, child, actions, stride)
            continue
        place, at = first + betting.slot[node] * stride, numbers.scale_first[board] + betting.block[node]
        expect(source, place, stride, actions, value, here, child, work.smallest)
        if not held_still(numbers.locked, at):
            learn_block(
                numbers.regret, numbers.guess, numbers.scale, at, place, stride, actions, value, here, child, work, step
            )


@njit(**INNER)
def ascend_measuring(betting, boards, board, player, nodes, node_from, numbers, source, room, work):
    """Values of the nodes of a bundle: of the player's best response, and of its own strategy `source`."""
    stride, first = boards.stride[player, board], boards.first[player, board]
    for node in range(nodes[1] - 1, nodes[0] - 1, -1):
        kind = betting.kind[node]
        if kind >= DEAL:
            continue
        actions, child, here = betting.children[node], betting.first_child[node] - node_from, node - node_from
        if kind != player:
            add_up(room.value, here, child, actions, stride)
            add_up(room.played, here, child, actions, stride)
            continue
        place = first + betting.slot[node] * stride
        expect(source, place, stride, actions, room.played, here, child, work.smallest)
        if held_still(numbers.locked, numbers.scale_first[board] + betting.block[node]):
            expect(source, place, stride, actions, room.value, here, child, work.smallest)
        else:
            best_of(room.value, here, child, actions, stride)


@njit(**INNER)
def raise_roots(betting, boards, board, player, bundle, node_from, value, risen):
    """risen[line, class above] += rise · value, for the lines that begin in a bundle."""
    classes, begin = boards.count[player, board], boards.begin[player, board]
    above, rise = boards.above[begin : begin + classes], boards.rise[begin : begin + classes]
    for node in range(betting.bundle_nodes[bundle], betting.bundle_nodes[bundle + 1]):
        line = betting.line_in[node]
        if line >= 0:
            target, source = risen[line], value[node - node_from]
            for k in range(classes):
                target[above[k]] += rise[k] * source[k]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def enter(betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, upper, room, work):
    """Down a bundle: both players' reach, the average, and the values of folds and showdowns.

    `origin` [3] is what rooms count from: rows of the player and of the other one, and nodes.
    """
    other = 1 - player
    nodes = betting.bundle_nodes[bundle : bundle + 2]
    mine, theirs, first = origin[0], origin[1], origin[2]
    if street > 0:
        load_roots(betting, boards, board, other, street, bundle, theirs, upper.theirs, room.theirs)
    descend(betting, boards, board, other, nodes, theirs, source, room.theirs, work.smallest)
    if learning:
        if street > 0:
            load_roots(betting, boards, board, player, street, bundle, mine, upper.mine, room.mine)
        descend(betting, boards, board, player, nodes, mine, source, room.mine, work.smallest)
        average_down(betting, boards, board, player, nodes, mine, numbers, room.mine, work, step)
    evaluate_terminals(betting, boards, board, player, bundle, theirs, first, room.theirs, room.value, work.lanes)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def leave(betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, room, risen, work):
    """Up a bundle: values, regrets, and what its lines are worth to the board above."""
    nodes = betting.bundle_nodes[bundle : bundle + 2]
    first = origin[2]
    take_leaves(betting, nodes, first, boards.stride[player, board], room, learning)
    if learning:
        ascend_learning(betting, boards, board, player, nodes, first, numbers, source, room.value, work, step)
    else:
        ascend_measuring(betting, boards, board, player, nodes, first, numbers, source, room, work)
    if street > 0:
        raise_roots(betting, boards, board, player, bundle, first, room.value, risen[0])
        if not learning:
            raise_roots(betting, boards, board, player, bundle, first, room.played, risen[1])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def take_leaves(betting, nodes, node_from, classes, room, learning):
    """What the next street is worth at the nodes that lead to it; and while measuring, leaves are worth it twice."""
    for node in range(nodes[0], nodes[1]):
        kind = betting.kind[node]
        at = node - node_from
        if kind == DEAL:
            line = betting.line_out[node]
            for k in range(classes):
                room.value[at, k] = room.risen[0, line, k]
            if not learning:
                for k in range(classes):
                    room.played[at, k] = room.risen[1, line, k]
        elif kind > DEAL and not learning:
            for k in range(classes):
                room.played[at, k] = room.value[at, k]


@njit(cache=True, nogil=True, error_model="numpy")
def walk_boards(betting, boards, items, way, player, numbers, source, learning, step, rooms, risen, risen_from, work):
    """Walk the boards `items`, which are all of one street, and everything below them.

    `way` is DOWN or UP to do only that on the first street, whose children others walk in between, and BOTH to go down
    and up. rooms [street] is the walker's own scratch, except for the first, which walkers of the second street share
    and only read; risen [board − risen_from, 2, line, class] gets what each board is worth to the street above.
    """
    last = betting.street_nodes.size - 2
    cursor, end = np.zeros(len(rooms), np.int64), np.zeros(len(rooms), np.int64)
    here = np.zeros(len(rooms), np.int64)
    top = street_of(boards, items[0])
    for item in range(items.size):
        street = top
        here[street] = items[item]
        at = items[item] - risen_from
        if way != UP:
            risen[at] = 0
        entering = way != UP
        while street >= top:
            # Each turn of this loop takes one bundle, or all bundles of a street above the last, down or up.
            board, room = here[street], rooms[street]
            first, stop = betting.street_bundles[street], betting.street_bundles[street + 1]
            if entering:
                cursor[street] = boards.child_first[board]
                end[street] = boards.child_first[board + 1]
                if street < last:
                    lines = betting.street_lines[street + 2] - betting.street_lines[street + 1]
                    room.risen[: 1 if learning else 2, :lines, : boards.stride[player, board]] = 0
            up = risen[at] if street == top else rooms[max(street - 1, 0)].risen
            upper = rooms[max(street - 1, 0)]
            for bundle in range(first, stop):
                origin = (0, 0, betting.street_nodes[street])
                if street == last:
                    mine, theirs = betting.bundle_rows[player, bundle], betting.bundle_rows[1 - player, bundle]
                    origin = (mine, theirs, betting.bundle_nodes[bundle])
                if entering:
                    enter(
                        betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, upper,
                        room, work,
                    )  # fmt: skip
                if not entering or street == last:
                    leave(
                        betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, room,
                        up, work,
                    )  # fmt: skip
            if entering and street < last:
                if way == DOWN:
                    break
            else:
                street -= 1
            if street >= top:
                entering = cursor[street] < end[street]
                if entering:
                    street += 1
                    here[street] = cursor[street - 1]
                    cursor[street - 1] += 1


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def street_of(boards, board):
    """The street of a board."""
    street = 0
    while boards.street_boards[street + 1] <= board:
        street += 1
    return street


@njit(cache=True, nogil=True, error_model="numpy")
def add_risen(boards, items, player, risen, lines, learning, room):
    """The first street's `risen` ← the sum over the boards of the second, in their order."""
    classes = boards.count[player, 0]
    kinds = 1 if learning else 2
    room.risen[:kinds, :lines, :classes] = 0
    for item in range(items.size):
        for kind in range(kinds):
            for line in range(lines):
                source, target = risen[item, kind, line], room.risen[kind, line]
                for k in range(classes):
                    target[k] += source[k]
