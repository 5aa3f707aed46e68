"""Walks over a public tree: reach goes down, counterfactual values come up, one player at a time.

A walk does one of two things. To *learn*, it plays the current strategies, adds them to the average and updates the
player's regrets on the way up. To *measure*, it plays given numbers (the averages, or the regrets) and brings up two
values: that of the player's own strategy and that of its best response.

Boards above the last street are entered, their children walked, and left again, by a loop instead of recursion. On the
last street a board is walked bundle by bundle, so that everything it touches stays in the cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.constants import DEAL, DECAY, WEIGHT
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import offset, pointer, pointers
from regretless.kernels.public.all_ins import evaluate_all_ins
from regretless.kernels.public.decision_rows import (
    add_up,
    average_block,
    best_of,
    expect,
    is_locked,
    learn_block,
    pass_down,
)
from regretless.kernels.public.layout import DOWN, UP
from regretless.kernels.public.terminal_lanes import evaluate_terminals
from regretless.kernels.public.walk_pointers import (
    Sizes,
    Walk,
    bundle_at,
    classes_of,
    lanes_of,
    nodes_of,
    room_of,
    room_pointers,
    side_of,
    state_pointers,
)

STREETS = 4
"""Streets that there are buffers for."""


@inner
def load_roots(nodes, above, side, bundle, row_from, line_from, upper, upper_width, reach, width):
    """The reach with which a player enters the lines of a bundle, from the rows of the board above."""
    classes, above = side.count[bundle.board], offset(above, side.begin[bundle.board])
    for node in range(bundle.begin, bundle.end):
        line = nodes.line_in[node]
        if line >= 0:
            source = offset(upper, side.row[nodes.deal[line_from + line]] * upper_width)
            target = offset(reach, (side.row[node] - row_from) * width)
            for k in range(classes):
                target[k] = source[above[k]]
            for k in range(classes, side.stride[bundle.board]):
                target[k] = 0


@inner
def descend(nodes, side, bundle, row_from, source, reach, width, smallest):
    """A player's reach at the nodes of a bundle, strategies matched to `source`."""
    stride, first = np.int64(side.stride[bundle.board]), side.first[bundle.board]
    for node in range(bundle.begin, bundle.end):
        if nodes.kind[node] == side.player:
            here, below = side.row[node] - row_from, side.row[nodes.first_child[node]] - row_from
            begin, actions = first + nodes.slot[node] * stride, np.int64(nodes.children[node])
            pass_down(source, begin, stride, actions, reach, here * width, below * width, width, smallest)


@inner
def average_down(walk, bundle, room):
    """Add what the player plays at the nodes of a bundle to its average."""
    nodes, me, state, board = walk.nodes, walk.me, walk.state, bundle.board
    stride, first = np.int64(me.stride[board]), me.first[board]
    for node in range(bundle.begin, bundle.end):
        if nodes.kind[node] == me.player:
            row, begin = me.row[nodes.first_child[node]] - bundle.mine, first + nodes.slot[node] * stride
            at, actions = state.scale_first[board] + nodes.block[node], np.int64(nodes.children[node])
            if not is_locked(state, at):  # the average of a lock is the lock, also for hands that never come here
                average_block(
                    state, state.scale, walk.scratch, at, begin, stride, actions, room.mine, row * room.width,
                    room.width, walk.step,
                )  # fmt: skip


@inner
def ascend_learning(walk, bundle, room):
    """Values of the nodes of a bundle from their leaves up, and the player's regrets updated."""
    nodes, me, state, board, width = walk.nodes, walk.me, walk.state, bundle.board, room.width
    stride, first = np.int64(me.stride[board]), me.first[board]
    for node in range(bundle.end - 1, bundle.begin - 1, -1):
        kind = nodes.kind[node]
        if kind >= DEAL:
            continue
        actions, here = np.int64(nodes.children[node]), (node - bundle.node) * width
        below = (nodes.first_child[node] - bundle.node) * width
        if kind != me.player:
            add_up(room.value, here, below, width, actions, stride)
            continue
        begin, at = first + nodes.slot[node] * stride, state.scale_first[board] + nodes.block[node]
        expect(walk.source, begin, stride, actions, room.value, here, below, width, walk.scratch.smallest)
        if not is_locked(state, at):
            learn_block(
                state, state.scale, walk.scratch, at, begin, stride, actions, room.value, here, below, width, walk.step
            )


@inner
def ascend_measuring(walk, bundle, room):
    """Values of the nodes of a bundle: of the player's best response, and of its own strategy."""
    nodes, me, state, board, width = walk.nodes, walk.me, walk.state, bundle.board, room.width
    stride, first = np.int64(me.stride[board]), me.first[board]
    for node in range(bundle.end - 1, bundle.begin - 1, -1):
        kind = nodes.kind[node]
        if kind >= DEAL:
            continue
        actions, here = np.int64(nodes.children[node]), (node - bundle.node) * width
        below = (nodes.first_child[node] - bundle.node) * width
        if kind != me.player:
            add_up(room.value, here, below, width, actions, stride)
            add_up(room.played, here, below, width, actions, stride)
            continue
        begin = first + nodes.slot[node] * stride
        expect(walk.source, begin, stride, actions, room.played, here, below, width, walk.scratch.smallest)
        if is_locked(state, state.scale_first[board] + nodes.block[node]):
            expect(walk.source, begin, stride, actions, room.value, here, below, width, walk.scratch.smallest)
        else:
            best_of(room.value, here, below, width, actions, stride)


@inner
def raise_roots(walk, bundle, value, width, risen, risen_width):
    """risen[line, class above] += rise · value, for the lines that begin in a bundle."""
    classes, begin = walk.me.count[bundle.board], walk.me.begin[bundle.board]
    above, rise = offset(walk.classes.above, begin), offset(walk.classes.rise, begin)
    for node in range(bundle.begin, bundle.end):
        line = walk.nodes.line_in[node]
        if line >= 0:
            target, source = offset(risen, line * risen_width), offset(value, (node - bundle.node) * width)
            for k in range(classes):
                target[above[k]] += rise[k] * source[k]


@inner
def enter(walk, bundle, upper, room):
    """Down a bundle: both players' reach, the average, and the values of folds and showdowns."""
    nodes, classes, me, other = walk.nodes, walk.classes, walk.me, walk.other
    line_from, width = nodes.street_lines[bundle.street], room.width
    if bundle.street > 0:
        load_roots(
            nodes, classes.above, other, bundle, bundle.theirs, line_from, upper.theirs, upper.width, room.theirs, width
        )
    descend(nodes, other, bundle, bundle.theirs, walk.source, room.theirs, width, walk.scratch.smallest)
    if walk.averaging:
        if bundle.street > 0:
            load_roots(
                nodes, classes.above, me, bundle, bundle.mine, line_from, upper.mine, upper.width, room.mine, width
            )
        descend(nodes, me, bundle, bundle.mine, walk.source, room.mine, width, walk.scratch.smallest)
        average_down(walk, bundle, room)
    evaluate_terminals(walk, room, bundle)


@inner
def leave(walk, bundle, room, risen, risen_lines, risen_width):
    """Up a bundle: values, regrets, and the values of its lines for the board above."""
    take_leaves(walk, bundle, room)
    if walk.learning:
        ascend_learning(walk, bundle, room)
    else:
        ascend_measuring(walk, bundle, room)
    if bundle.street > 0:
        raise_roots(walk, bundle, room.value, room.width, risen, risen_width)
        if not walk.learning:
            second = offset(risen, risen_lines * risen_width)
            raise_roots(walk, bundle, room.played, room.width, second, risen_width)


@inner
def take_leaves(walk, bundle, room):
    """Values of the next street at the nodes that lead to it; while measuring, leaves have them twice."""
    nodes, width, second = walk.nodes, room.width, room.lines * room.width
    classes = walk.me.stride[bundle.board]
    for node in range(bundle.begin, bundle.end):
        kind, here = nodes.kind[node], (node - bundle.node) * width
        if kind == DEAL and nodes.line_out[node] >= 0:
            line = nodes.line_out[node] * width
            for k in range(classes):
                room.value[here + k] = room.risen[line + k]
            if not walk.learning:
                for k in range(classes):
                    room.played[here + k] = room.risen[second + line + k]
        elif kind >= DEAL and not walk.learning:
            for k in range(classes):
                room.played[here + k] = room.value[here + k]


@inner
def clear_risen(walk, board, lines, room):
    """Clear the sums of a board's children."""
    for kind in range(1 if walk.learning else 2):
        for line in range(lines):
            first = (kind * room.lines + line) * room.width
            for k in range(walk.me.stride[board]):
                room.risen[first + k] = 0


@inner
def street_of(boards, board):
    """The street of a board."""
    street = 0
    while boards.street_boards[street + 1] <= board:
        street += 1
    return street


@njit(inline="always")  # arrays by value are long for the compiler
def sizes_of(betting, boards):
    """The sizes of arrays with a row for each player."""
    return Sizes(betting.row.shape[1], betting.bundle_rows.shape[1], betting.lane_row.shape[1], boards.begin.shape[1])


@njit(inline="always")
def rooms_of(streets):
    """The buffers of all streets as pointers."""
    return room_pointers(streets[0]), room_pointers(streets[1]), room_pointers(streets[2]), room_pointers(streets[3])


@inner
def counts(step):
    """Whether an iteration changes the average; the player's own reach is needed for nothing else."""
    return step[WEIGHT] != 0 or step[DECAY] != 1


@inner
def deal(me, other, entering, room):
    """Set the reach at the root: that of the other player from entering [hands], and 1 for each hand of the player."""
    for k in range(room.width):
        room.mine[k] = 1 if k < me.count[0] else 0
        room.theirs[k] = entering[k] if k < other.count[0] else 0


@inner
def walk_items(walk, hands, task, rooms, last, values, risen_first, lines, width):
    """Walk the boards of a task for one player; values [board, 2, lines, width] get what they are worth above."""
    nodes, me, other = walk.nodes, walk.me, walk.other
    here, cursor, end = walk.scratch.path, offset(walk.scratch.path, STREETS), offset(walk.scratch.path, 2 * STREETS)
    top = street_of(hands, task.items[0])
    for item in range(task.items.size):
        street, entering = top, task.way != UP
        here[street] = task.items[item]
        up_first = (task.items[item] - risen_first) * 2 * lines * width
        if task.way != UP:
            for k in range(up_first, up_first + 2 * lines * width):
                values[k] = 0
        while street >= top:
            # Each turn of this loop takes one bundle, or all bundles of a street above the last, down or up.
            board, room, upper = here[street], room_of(rooms, street), room_of(rooms, max(street - 1, 0))
            if entering:
                cursor[street], end[street] = hands.child_first[board], hands.child_first[board + 1]
                if street < last:
                    clear_risen(walk, board, nodes.street_lines[street + 2] - nodes.street_lines[street + 1], room)
            up, up_lines, up_width = upper.risen, upper.lines, upper.width
            if street == top:
                up, up_lines, up_width = offset(values, up_first), lines, width
            for number in range(nodes.street_bundles[street], nodes.street_bundles[street + 1]):
                bundle = bundle_at(nodes, me, other, last, board, street, number)
                if entering:
                    enter(walk, bundle, upper, room)
                if not entering or street == last:
                    leave(walk, bundle, room, up, up_lines, up_width)
            if entering and street < last:
                evaluate_all_ins(walk, room, board, street)
            if entering and street < last:
                if task.way == DOWN:
                    break
            else:
                street -= 1
            if street >= top:
                entering = cursor[street] < end[street]
                if entering:
                    street += 1
                    here[street] = cursor[street - 1]
                    cursor[street - 1] += 1


@kernel
def walk_boards(betting, boards, all_ins, task, entering, state, source, streets, risen, scratch):
    """Walk the boards of a task, and everything below them.

    With `way` DOWN or UP the walk does only that on the first street; others walk its children in between. streets
    [street] are buffers of this thread, except for the first, which all threads on the second street share and only
    read. risen gets the values of each board for the street above. With several turns, entering [2, hands] is the reach
    of both players at the root; else the buffers of the first street have it.
    """
    tree, hands, sizes = pointers(betting), pointers(boards), sizes_of(betting, boards)
    rooms, reach = rooms_of(streets), pointer(entering)
    _, _, lines, width = risen.values.shape
    for turn in range(task.turns):
        player = (task.player + turn) % 2
        me, other = side_of(tree, hands, sizes, player), side_of(tree, hands, sizes, 1 - player)
        if task.turns > 1:
            deal(me, other, offset(reach, (1 - player) * entering.shape[1]), rooms[0])
        step = offset(pointer(task.step), turn // 2 * 8)
        walk = Walk(
            nodes_of(tree), classes_of(hands), me, other, lanes_of(tree, sizes, player), state_pointers(state),
            pointer(source), step, pointers(scratch), boards.blocker.shape[1], scratch.lanes.blocked.shape[0],
            task.learning, task.learning and counts(step), pointers(all_ins), all_ins.row.shape[1],
        )  # fmt: skip
        last = betting.street_nodes.size - 2
        walk_items(walk, hands, task, rooms, last, pointer(risen.values), risen.first, lines, width)


@kernel
def own_reach(betting, boards, player, board, street, bundles, row_from, source, streets, smallest):
    """The player's own reach on a board, given that on the board above; bundles: first and end."""
    tree, hands, rooms = pointers(betting), pointers(boards), rooms_of(streets)
    side, nodes = side_of(tree, hands, sizes_of(betting, boards), player), nodes_of(tree)
    room, upper = room_of(rooms, street), room_of(rooms, max(street - 1, 0))
    for number in range(bundles[0], bundles[1]):
        bundle = bundle_at(nodes, side, side, betting.street_nodes.size - 2, board, street, number)
        if street > 0:
            load_roots(
                nodes, hands.above, side, bundle, row_from, nodes.street_lines[street], upper.mine, upper.width,
                room.mine, room.width,
            )  # fmt: skip
        descend(nodes, side, bundle, row_from, pointer(source), room.mine, room.width, smallest)


@kernel
def add_risen(boards, items, player, risen, lines, learning, buffers):
    """`risen` of the first street ← the sum over the boards of the second, in their order."""
    classes, kinds = boards.count[player, 0], 1 if learning else 2
    for kind in range(kinds):
        for line in range(lines):
            target = buffers.risen[kind, line]
            for k in range(classes):
                target[k] = 0
    add_boards(risen, items.size, kinds, lines, classes, buffers.risen)


@kernel
def add_boards(risen, boards, kinds, lines, classes, sums):
    """sums [kinds, lines, classes] += the values of boards, in their order."""
    for board in range(boards):
        for kind in range(kinds):
            for line in range(lines):
                source, target = risen[board, kind, line], sums[kind, line]
                for k in range(classes):
                    target[k] += source[k]
