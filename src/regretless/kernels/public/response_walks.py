"""Walks over a public tree with strategies given by buckets: values against them, one player at a time.

`board_walks` reads a strategy by hand class, which takes a table for each board. Here a strategy is one table for each
betting node, with a column for each bucket, and a hand class looks up the column of its bucket. So a flop of limit
hold'em needs megabytes instead of tens of gigabytes.

A walk returns the values of one player: those of a best response, which knows all own cards, or those of another
strategy by buckets. Roots are handled like the lines of any later street: their reach comes from `entry`, and their
values go to `exits`. A game can therefore begin with several lines at once, such as all lines to the flop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from regretless.kernels.constants import DEAL
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import offset, pointer, pointers
from regretless.kernels.public.board_walks import (
    STREETS,
    clear_risen,
    load_roots,
    raise_roots,
    rooms_of,
    sizes_of,
    street_of,
    take_leaves,
)
from regretless.kernels.public.decision_rows import add_up, best_of
from regretless.kernels.public.layout import DOWN, UP, Floats
from regretless.kernels.public.terminal_lanes import evaluate_terminals
from regretless.kernels.public.walk_pointers import (
    Walk,
    bundle_at,
    classes_of,
    lanes_of,
    nodes_of,
    room_of,
    side_of,
)


class BucketTable(NamedTuple):
    """A strategy by buckets, as a walk reads it; N nodes in the order of walks, S streets, C classes."""

    first: Any  # [N] int64: where the table [actions, known] of a node begins
    known: Any  # [S] int64: columns of the tables of a street
    bucket: Any  # [C] int32: the column of each class
    probability: Any  # [numbers]; [0] for a player who plays a best response


class Ends(NamedTuple):
    """Reach and values of the roots of the first street; L lines."""

    entry: Floats  # [L, classes] the other player's reach
    exits: Floats  # [L, classes] the values of the player


@inner
def load_entries(nodes, side, bundle, row_from, entry, reach, width):
    """The reach of a player at the roots of a bundle of the first street."""
    stride = side.stride[bundle.board]
    for node in range(bundle.begin, bundle.end):
        line = nodes.line_in[node]
        if line >= 0:
            target = offset(reach, (side.row[node] - row_from) * width)
            for k in range(stride):
                target[k] = entry[line * width + k]


@inner
def any_reach(nodes, side, bundle, row_from, reach, width):
    """Whether the player reaches a root of a bundle with any class."""
    stride = side.stride[bundle.board]
    for node in range(bundle.begin, bundle.end):
        if nodes.line_in[node] >= 0:
            row = offset(reach, (side.row[node] - row_from) * width)
            for k in range(stride):
                if row[k] != 0:
                    return True
    return False


@inner
def pass_down_by_bucket(table, known, bucket, classes, stride, actions, reach, here, below, width):
    """reach[child] ← reach · σ(action, bucket of the class)."""
    for action in range(actions):
        sigma, source, target = offset(table, action * known), offset(reach, here), below + action * width
        for k in range(classes):
            reach[target + k] = source[k] * sigma[bucket[k]]
        for k in range(classes, stride):
            reach[target + k] = 0


@inner
def descend_by_bucket(walk, theirs, bundle, reach, width):
    """The other player's reach at the nodes of a bundle."""
    nodes, side, board = walk.nodes, walk.other, bundle.board
    classes, stride, known = np.int64(side.count[board]), np.int64(side.stride[board]), theirs.known[bundle.street]
    bucket = offset(theirs.bucket, side.begin[board])
    for node in range(bundle.begin, bundle.end):
        if nodes.kind[node] == side.player:
            here = (side.row[node] - bundle.theirs) * width
            below = (side.row[nodes.first_child[node]] - bundle.theirs) * width
            table, actions = offset(theirs.probability, theirs.first[node]), np.int64(nodes.children[node])
            pass_down_by_bucket(table, known, bucket, classes, stride, actions, reach, here, below, width)


@inner
def expect_by_bucket(table, known, bucket, classes, stride, actions, value, here, below, width):
    """value[node] ← Σ σ(action, bucket of the class) · value[child]."""
    for k in range(stride):
        value[here + k] = 0
    for action in range(actions):
        sigma, source = offset(table, action * known), offset(value, below + action * width)
        for k in range(classes):
            value[here + k] += source[k] * sigma[bucket[k]]


@inner
def ascend_by_bucket(walk, mine, responding, bundle, room):
    """Values of the nodes of a bundle from their leaves up."""
    nodes, me, board, width = walk.nodes, walk.me, bundle.board, room.width
    classes, stride, known = np.int64(me.count[board]), np.int64(me.stride[board]), mine.known[bundle.street]
    bucket = offset(mine.bucket, me.begin[board])
    for node in range(bundle.end - 1, bundle.begin - 1, -1):
        kind = nodes.kind[node]
        if kind >= DEAL:
            continue
        actions, here = np.int64(nodes.children[node]), (node - bundle.node) * width
        below = (nodes.first_child[node] - bundle.node) * width
        if kind != me.player:
            add_up(room.value, here, below, width, actions, stride)
        elif responding:
            best_of(room.value, here, below, width, actions, stride)
        else:
            table = offset(mine.probability, mine.first[node])
            expect_by_bucket(table, known, bucket, classes, stride, actions, room.value, here, below, width)


@inner
def enter(walk, theirs, entry, bundle, upper, room):
    """Down a bundle: the other player's reach and the values of terminals; False if that player never comes here."""
    nodes, other, width = walk.nodes, walk.other, room.width
    if bundle.street > 0:
        load_roots(
            nodes, walk.classes.above, other, bundle, bundle.theirs, nodes.street_lines[bundle.street], upper.theirs,
            upper.width, room.theirs, width,
        )  # fmt: skip
    else:
        load_entries(nodes, other, bundle, bundle.theirs, entry, room.theirs, width)
    if not any_reach(nodes, other, bundle, bundle.theirs, room.theirs, width):
        return False
    descend_by_bucket(walk, theirs, bundle, room.theirs, width)
    evaluate_terminals(walk, room, bundle)
    return True


@inner
def clear_bundle(walk, bundle, room):
    """Zeros for a bundle that the other player never reaches: rows of reach and values of all nodes."""
    stride, other, width = walk.me.stride[bundle.board], walk.other.stride[bundle.board], room.width
    for node in range(bundle.begin, bundle.end):
        row, here = (walk.other.row[node] - bundle.theirs) * width, (node - bundle.node) * width
        for k in range(other):
            room.theirs[row + k] = 0
        for k in range(stride):
            room.value[here + k] = 0


@inner
def walk_bundles(walk, seats, ends, at, last, upper, room, up, up_width):
    """Take the bundles of a board, all down or all up; on the last street each one down and up.

    seats: the tables of both, and whether the player plays a best response; at: board, street and direction.
    """
    (mine, theirs, responding), (board, street, entering) = seats, at
    nodes = walk.nodes
    for number in range(nodes.street_bundles[street], nodes.street_bundles[street + 1]):
        bundle = bundle_at(nodes, walk.me, walk.other, last, board, street, number)
        reached = True
        if entering:
            reached = enter(walk, theirs, ends.entry, bundle, upper, room)
            if not reached and street < last:
                clear_bundle(walk, bundle, room)
        if reached and (not entering or street == last):
            take_leaves(walk, bundle, room)
            ascend_by_bucket(walk, mine, responding, bundle, room)
            raise_roots(walk, bundle, room.value, room.width, up, up_width)


@inner
def clear_values(values, first, end):
    """Zeros where values will be added up."""
    for k in range(first, end):
        values[k] = 0


@kernel
def respond_boards(betting, boards, mine, theirs, task, ends, streets, risen, scratch):
    """Walk the boards of a task and everything below them; `task.player` gets values.

    With `way` DOWN or UP the walk does only that on the first street, as `board_walks.walk_boards` does. The values of
    the first street go to `ends.exits`, those of boards of later streets to `risen`. mine, theirs: the tables of the
    player and of the other one; the player plays a best response if its table is empty.
    """
    tree, hands, sizes = pointers(betting), pointers(boards), sizes_of(betting, boards)
    me, other = side_of(tree, hands, sizes, task.player), side_of(tree, hands, sizes, 1 - task.player)
    walk = Walk(
        nodes_of(tree), classes_of(hands), me, other, lanes_of(tree, sizes, task.player), None, None, None,
        pointers(scratch), boards.blocker.shape[1], scratch.lanes.blocked.shape[0], True, False, None, 0,
    )  # fmt: skip  # learning=True: one kind of value
    seats, roots = (pointers(mine), pointers(theirs), mine.probability.size == 0), pointers(ends)
    rooms, nodes, last = rooms_of(streets), walk.nodes, betting.street_nodes.size - 2
    here, cursor, end = walk.scratch.path, offset(walk.scratch.path, STREETS), offset(walk.scratch.path, 2 * STREETS)
    top, values = street_of(hands, task.items[0]), pointer(risen.values)
    _, _, lines, width = risen.values.shape
    for item in range(task.items.size):
        street, entering = top, task.way != UP
        here[street] = task.items[item]
        up_first = (task.items[item] - risen.first) * 2 * lines * width
        if street > 0:
            clear_values(values, up_first, up_first + lines * width)
        else:
            clear_values(roots.exits, 0, ends.exits.size)
        while street >= top:
            # Each turn of this loop takes all bundles of a street's board: down, up, or on the last street both.
            board, room, upper = here[street], room_of(rooms, street), room_of(rooms, max(street - 1, 0))
            if entering:
                cursor[street], end[street] = hands.child_first[board], hands.child_first[board + 1]
                if street < last:
                    clear_risen(walk, board, nodes.street_lines[street + 2] - nodes.street_lines[street + 1], room)
            up, up_width = upper.risen, upper.width
            if street == 0:
                up, up_width = roots.exits, room.width
            elif street == top:
                up, up_width = offset(values, up_first), width
            walk_bundles(walk, seats, roots, (board, street, entering), last, upper, room, up, up_width)
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
