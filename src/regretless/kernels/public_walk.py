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

from regretless.kernels.public_lanes import evaluate_terminals
from regretless.kernels.public_layout import DEAL
from regretless.kernels.public_rows import average_block, expected, held_still, learn_block, match, multiply
from regretless.kernels.rules import at_least


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


@njit(cache=True, nogil=True, error_model="numpy")
def descend(betting, boards, board, player, nodes, row_from, source, reach, play, work):
    """A player's reach at the nodes of a bundle, playing in proportion to `source`."""
    classes, first = boards.count[player, board], boards.first[player, board]
    for node in range(nodes[0], nodes[1]):
        if betting.kind[node] != player:
            continue
        actions, child = betting.children[node], betting.first_child[node]
        match(source, first + betting.slot[node] * classes, classes, actions, play, 0, work.total, work.smallest)
        here = reach[betting.row[player, node] - row_from]
        for action in range(actions):
            multiply(here, play[action], reach[betting.row[player, child + action] - row_from], classes)


@njit(cache=True, nogil=True, error_model="numpy")
def descend_averaging(
    betting, boards, board, player, nodes, row_from, slot_from, numbers, source, reach, play, work, step
):
    """`descend` for the player who learns: its strategy is kept in `play` and added to its average."""
    classes, first = boards.count[player, board], boards.first[player, board]
    for node in range(nodes[0], nodes[1]):
        if betting.kind[node] != player:
            continue
        actions, child, slot = betting.children[node], betting.first_child[node], betting.slot[node]
        place = first + slot * classes
        match(source, place, classes, actions, play, slot - slot_from, work.total, work.smallest)
        here = reach[betting.row[player, node] - row_from]
        row = betting.row[player, child] - row_from  # of the first action; the others follow
        for action in range(actions):
            multiply(here, play[slot - slot_from + action], reach[row + action], classes)
        at = numbers.scale_first[board] + node
        average_block(numbers.average, numbers.scale, at, place, classes, actions, reach, row, work, step)


@njit(cache=True, nogil=True, error_model="numpy")
def ascend_learning(betting, boards, board, player, nodes, slot_from, node_from, numbers, play, value, work, step):
    """Values of the nodes of a bundle from their leaves up, and the player's regrets updated."""
    classes, first = boards.count[player, board], boards.first[player, board]
    for node in range(nodes[1] - 1, nodes[0] - 1, -1):
        kind = betting.kind[node]
        if kind >= DEAL:
            continue
        actions, child = betting.children[node], betting.first_child[node] - node_from
        here = value[node - node_from]
        if kind != player:
            add_up(value, child, actions, classes, here)
            continue
        slot = betting.slot[node]
        place = first + slot * classes
        expected(play, slot - slot_from, value, child, actions, classes, here)
        at = numbers.scale_first[board] + node
        if not held_still(numbers.locked, at):
            learn_block(
                numbers.regret, numbers.guess, numbers.scale, at, place, classes, actions, value, child, here, work, step
            )


@njit(cache=True, nogil=True, error_model="numpy")
def add_up(value, child, actions, classes, out):
    """out ← the sum of the children's values, where the other player decides."""
    out[:classes] = value[child, :classes]
    for action in range(1, actions):
        worth = value[child + action]
        for k in range(classes):
            out[k] += worth[k]


@njit(cache=True, nogil=True, error_model="numpy")
def ascend_measuring(betting, boards, board, player, nodes, node_from, numbers, source, scratch, work):
    """Values of the nodes of a bundle: of the player's best response, and of its own strategy `source`."""
    classes, first = boards.count[player, board], boards.first[player, board]
    value, played, play = scratch.value, scratch.played, scratch.play
    for node in range(nodes[1] - 1, nodes[0] - 1, -1):
        kind = betting.kind[node]
        if kind >= DEAL:
            continue
        actions, child = betting.children[node], betting.first_child[node] - node_from
        best, mean = value[node - node_from], played[node - node_from]
        if kind != player:
            add_up(value, child, actions, classes, best)
            add_up(played, child, actions, classes, mean)
            continue
        match(source, first + betting.slot[node] * classes, classes, actions, play, 0, work.total, work.smallest)
        expected(play, 0, played, child, actions, classes, mean)
        if held_still(numbers.locked, numbers.scale_first[board] + node):
            expected(play, 0, value, child, actions, classes, best)
            continue
        best[:classes] = value[child, :classes]
        for action in range(1, actions):
            offered = value[child + action]
            for k in range(classes):
                best[k] = at_least(offered[k], best[k])


@njit(cache=True, nogil=True, error_model="numpy")
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


@njit(cache=True, nogil=True, error_model="numpy")
def enter(betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, upper, room, work):
    """Down a bundle: both players' reach, the average, and the values of folds and showdowns.

    `origin` [4] is what rooms count from: rows of the player and of the other one, slots, and nodes.
    """
    other = 1 - player
    nodes = betting.bundle_nodes[bundle : bundle + 2]
    mine, theirs, slots, first = origin[0], origin[1], origin[2], origin[3]
    if street > 0:
        load_roots(betting, boards, board, other, street, bundle, theirs, upper.theirs, room.theirs)
    descend(betting, boards, board, other, nodes, theirs, source, room.theirs, work.other_play, work)
    if learning:
        if street > 0:
            load_roots(betting, boards, board, player, street, bundle, mine, upper.mine, room.mine)
        descend_averaging(betting, boards, board, player, nodes, mine, slots, numbers, source, room.mine, room.play, work, step)
    evaluate_terminals(betting, boards, board, player, bundle, theirs, first, room.theirs, room.value, work.lanes)


@njit(cache=True, nogil=True, error_model="numpy")
def leave(betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, room, risen, work):
    """Up a bundle: values, regrets, and what its lines are worth to the board above."""
    nodes = betting.bundle_nodes[bundle : bundle + 2]
    slots, first = origin[2], origin[3]
    classes = boards.count[player, board]
    take_leaves(betting, nodes, first, classes, room, learning)
    if learning:
        ascend_learning(
            betting, boards, board, player, nodes, slots, first, numbers, room.play, room.value, work, step
        )
    else:
        ascend_measuring(betting, boards, board, player, nodes, first, numbers, source, room, work)
    if street > 0:
        raise_roots(betting, boards, board, player, bundle, first, room.value, risen[0])
        if not learning:
            raise_roots(betting, boards, board, player, bundle, first, room.played, risen[1])


@njit(cache=True, nogil=True, error_model="numpy")
def take_leaves(betting, nodes, node_from, classes, room, learning):
    """What the next street is worth at the nodes that lead to it; and while measuring, leaves are worth it twice."""
    for node in range(nodes[0], nodes[1]):
        kind = betting.kind[node]
        at = node - node_from
        if kind == DEAL:
            room.value[at, :classes] = room.risen[0, betting.line_out[node], :classes]
            if not learning:
                room.played[at, :classes] = room.risen[1, betting.line_out[node], :classes]
        elif kind > DEAL and not learning:
            room.played[at, :classes] = room.value[at, :classes]


@njit(cache=True, nogil=True, error_model="numpy")
def walk_last(betting, boards, board, player, street, numbers, source, learning, step, upper, room, risen, work):
    """A board of the last street, a bundle at a time."""
    for bundle in range(betting.street_bundles[street], betting.street_bundles[street + 1]):
        origin = (
            betting.bundle_rows[player, bundle],
            betting.bundle_rows[1 - player, bundle],
            betting.bundle_slots[player, bundle],
            betting.bundle_nodes[bundle],
        )
        enter(betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, upper, room, work)
        leave(betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, room, risen, work)


@njit(cache=True, nogil=True, error_model="numpy")
def enter_board(betting, boards, board, player, street, numbers, source, learning, step, upper, room, work):
    """Down a whole board above the last street."""
    origin = (0, 0, 0, betting.street_nodes[street])
    for bundle in range(betting.street_bundles[street], betting.street_bundles[street + 1]):
        enter(betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, upper, room, work)
    lines = betting.street_lines[street + 2] - betting.street_lines[street + 1]
    classes = boards.count[player, board]
    room.risen[: 1 if learning else 2, :lines, :classes] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def leave_board(betting, boards, board, player, street, numbers, source, learning, step, room, risen, work):
    """Up a whole board above the last street."""
    origin = (0, 0, 0, betting.street_nodes[street])
    for bundle in range(betting.street_bundles[street], betting.street_bundles[street + 1]):
        leave(betting, boards, board, player, street, bundle, origin, numbers, source, learning, step, room, risen, work)


@njit(cache=True, nogil=True, error_model="numpy")
def walk_boards(betting, boards, items, player, numbers, source, learning, step, rooms, risen, work):
    """Everything below the first street, for the boards `items` of the second.

    rooms [streets] is this walker's own scratch, except for the first, which all share and only read; risen
    [item, 2, line, class] gets what each board is worth to the first street.
    """
    last = len(rooms) - 1
    cursor = np.zeros(len(rooms), np.int64)
    here = np.zeros(len(rooms), np.int64)
    for item in range(items.size):
        board = items[item]
        risen[board - boards.street_boards[1]] = 0
        out = risen[board - boards.street_boards[1]]
        if last == 1:
            walk_last(betting, boards, board, player, 1, numbers, source, learning, step, rooms[0], rooms[1], out, work)
            continue
        street = 1
        here[1], cursor[1] = board, boards.child_first[board]
        enter_board(betting, boards, board, player, 1, numbers, source, learning, step, rooms[0], rooms[1], work)
        while street > 0:
            board = here[street]
            if cursor[street] < boards.child_first[board + 1]:
                child = cursor[street]
                cursor[street] += 1
                below, room = rooms[street + 1], rooms[street]
                if street + 1 == last:
                    walk_last(
                        betting, boards, child, player, last, numbers, source, learning, step, room, below, room.risen, work
                    )
                else:
                    street += 1
                    here[street], cursor[street] = child, boards.child_first[child]
                    enter_board(
                        betting, boards, child, player, street, numbers, source, learning, step, room, below, work
                    )
            else:
                up = out if street == 1 else rooms[street - 1].risen
                leave_board(
                    betting, boards, board, player, street, numbers, source, learning, step, rooms[street], up, work
                )
                street -= 1


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
