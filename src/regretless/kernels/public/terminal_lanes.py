"""Folds and showdowns of a board: the value of every hand against a vector of reach, card removal included.

For a hand h against reach r over the other player's hands,

    available(h) = Σ r(g) over hands g that share no card with h  =  Σ over subsets s ⊆ h of (−1)^|s| · R[s],

where R[s] is the reach of all hands that hold s; R[∅] is the sum of everything and R[h] is r(h) itself. For two cards
that is the familiar S − C[c₁] − C[c₂] + r(h). A fold has the value of its payoff times available(h). A showdown has

    win · below(h) + tie · equal(h) + lose · above(h)
        = (win − tie) · below(h) + (tie − lose) · (below + equal)(h) + lose · available(h),

and the first two are the same sum over subsets, taken over weaker (and equally strong) hands only: one sweep in order
of strength adds hands to S and R and reads the sums. That is O(hands), for all hands of a board together.

Sixteen terminals go through a sweep side by side, each in its own *lane* of a vector, so the cost of indexing (which
blockers, which strength) is shared by all of them. Per class and sixteen lanes the sweep reads and writes about ten
vectors that stay in the nearest cache; transposing rows of classes into lanes and back costs as much again.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.vectors import (
    WIDTH,
    gather_columns,
    load,
    multiply_add,
    scatter_columns,
    splat,
    store,
)


@inner
def fill_lanes(walk, room, bundle, at, stride):
    """lanes[class, lane] ← the row of reach of each of sixteen lanes from `at` on; padding lanes read the zero row."""
    lanes, row = walk.scratch.lanes, walk.lanes.row
    for lane in range(WIDTH):
        here = row[at + lane]
        lanes.begin[lane] = (here - bundle.theirs if here >= 0 else room.spare_row) * room.width
    for k in range(0, stride, WIDTH):
        gather_columns(room.theirs, lanes.begin, k, lanes.reach, k * WIDTH)


@inner(forceinline=True)
def sum_without(by_blocker, blocker, sign, at, subsets, everything):
    """S + Σ sign · R[s] over the proper subsets of a hand."""
    out = everything
    if subsets == 2:
        return out - load(by_blocker, blocker[at] * WIDTH) - load(by_blocker, blocker[at + 1] * WIDTH)
    for j in range(subsets):
        out = multiply_add(splat(by_blocker, sign[j]), load(by_blocker, blocker[at + j] * WIDTH), out)
    return out


@inner(forceinline=True)
def add_hand(by_blocker, blocker, share, at, subsets, reach):
    """R[s] += the reach of a class, for each of its proper subsets."""
    if subsets == 2 and blocker[at] != blocker[at + 1]:  # neither sum waits for the other
        one, two = blocker[at] * WIDTH, blocker[at + 1] * WIDTH
        first = multiply_add(splat(by_blocker, share[at]), reach, load(by_blocker, one))
        second = multiply_add(splat(by_blocker, share[at + 1]), reach, load(by_blocker, two))
        store(by_blocker, one, first)
        store(by_blocker, two, second)
        return
    for j in range(subsets):
        where = blocker[at + j] * WIDTH
        store(by_blocker, where, multiply_add(splat(by_blocker, share[at + j]), reach, load(by_blocker, where)))


@inner
def clear(by_blocker, blockers):
    """R ← 0."""
    nothing = splat(by_blocker, 0.0)
    for s in range(blockers):
        store(by_blocker, s * WIDTH, nothing)


@inner
def available(walk, board):
    """free[class, lane] ← the reach that shares no card with each of the player's classes."""
    classes, lanes, subsets = walk.classes, walk.scratch.lanes, walk.subsets
    size, blocker, share, sign, twin = classes.size, classes.blocker, classes.share, classes.sign, classes.twin
    reach, free, totals = lanes.reach, lanes.free, lanes.blocked
    clear(totals, walk.blockers)
    begin = walk.other.begin[board]
    everything = splat(reach, 0.0)
    for k in range(walk.other.count[board]):
        theirs = load(reach, k * WIDTH)
        everything = multiply_add(splat(reach, size[begin + k]), theirs, everything)
        add_hand(totals, blocker, share, (begin + k) * subsets, subsets, theirs)
    begin, whole = walk.me.begin[board], sign[subsets]
    for k in range(walk.me.count[board]):
        found = sum_without(totals, blocker, sign, (begin + k) * subsets, subsets, everything)
        same = twin[begin + k]
        if same >= 0:
            found = multiply_add(splat(reach, whole), load(reach, same * WIDTH), found)
        store(free, k * WIDTH, found)


@inner
def compare(walk, board):
    """shown[class, lane] ← the value of a showdown, and free[class, lane] as `available` has it.

    payoffs [3, lane]: win − tie, tie − lose, lose. After the sweep all hands are in the sums, so reach that shares no
    card with a class needs no pass of its own over the other player's hands.
    """
    classes, lanes, subsets = walk.classes, walk.scratch.lanes, walk.subsets
    size, blocker, share, sign = classes.size, classes.blocker, classes.share, classes.sign
    twin, strength = classes.twin, classes.strength
    reach, shown, weaker = lanes.reach, lanes.shown, lanes.blocked
    win, tie = load(lanes.payoffs, 0), load(lanes.payoffs, WIDTH)
    clear(weaker, walk.blockers)
    mine, own = walk.me.begin[board], walk.me.count[board]
    theirs, other = walk.other.begin[board], walk.other.count[board]
    whole = sign[subsets]
    everything = splat(reach, 0.0)
    i, j = 0, 0
    while i < own:
        level = strength[mine + i]
        while j < other and strength[theirs + j] < level:
            here = load(reach, j * WIDTH)
            everything = multiply_add(splat(reach, size[theirs + j]), here, everything)
            add_hand(weaker, blocker, share, (theirs + j) * subsets, subsets, here)
            j += 1
        end = i
        while end < own and strength[mine + end] == level:
            below = sum_without(weaker, blocker, sign, (mine + end) * subsets, subsets, everything)
            store(shown, end * WIDTH, win * below)
            end += 1
        while j < other and strength[theirs + j] == level:
            here = load(reach, j * WIDTH)
            everything = multiply_add(splat(reach, size[theirs + j]), here, everything)
            add_hand(weaker, blocker, share, (theirs + j) * subsets, subsets, here)
            j += 1
        for k in range(i, end):
            upto = sum_without(weaker, blocker, sign, (mine + k) * subsets, subsets, everything)
            same = twin[mine + k]
            if same >= 0:
                upto = multiply_add(splat(reach, whole), load(reach, same * WIDTH), upto)
            store(shown, k * WIDTH, multiply_add(tie, upto, load(shown, k * WIDTH)))
        i = end
    while j < other:
        here = load(reach, j * WIDTH)
        everything = multiply_add(splat(reach, size[theirs + j]), here, everything)
        add_hand(weaker, blocker, share, (theirs + j) * subsets, subsets, here)
        j += 1
    add_lost(walk, board, everything)


@inner
def add_lost(walk, board, everything):
    """free[class, lane] ← reach that shares no card with a class, and shown += lose · free."""
    classes, lanes, subsets = walk.classes, walk.scratch.lanes, walk.subsets
    blocker, sign, twin = classes.blocker, classes.sign, classes.twin
    reach, free, shown, totals = lanes.reach, lanes.free, lanes.shown, lanes.blocked
    lose = load(lanes.payoffs, 2 * WIDTH)
    begin, whole = walk.me.begin[board], sign[subsets]
    for k in range(walk.me.count[board]):
        found = sum_without(totals, blocker, sign, (begin + k) * subsets, subsets, everything)
        same = twin[begin + k]
        if same >= 0:
            found = multiply_add(splat(reach, whole), load(reach, same * WIDTH), found)
        store(free, k * WIDTH, found)
        store(shown, k * WIDTH, multiply_add(lose, found, load(shown, k * WIDTH)))


@inner
def empty_lanes(walk, room, bundle, source, nodes, payoff, at, stride):
    """value[node] ← payoff · its lane; lanes without a node go to the spare row, which is never read."""
    lanes = walk.scratch.lanes
    for lane in range(WIDTH):
        node = nodes[at + lane]
        lanes.begin[lane] = (node - bundle.node if node >= 0 else room.spare_node) * room.width
    factor = load(lanes.payoffs, payoff * WIDTH)
    for k in range(0, stride, WIDTH):
        scatter_columns(source, k * WIDTH, factor, room.value, lanes.begin, k)


@inner
def pad_lanes(lanes, classes, stride):
    """Zeros where rows are padded to a multiple of sixteen classes."""
    for k in range(classes, stride):
        store(lanes, k * WIDTH, splat(lanes, 0.0))


@inner
def evaluate_terminals(walk, room, bundle):
    """value[node, class] ← the counterfactual value of every fold and showdown of a bundle for a player."""
    board, terminals, lanes = bundle.board, walk.lanes, walk.scratch.lanes
    classes, stride = walk.me.count[board], walk.me.stride[board]
    for at in range(terminals.bounds[bundle.number], terminals.bounds[bundle.number + 1], WIDTH):
        fill_lanes(walk, room, bundle, at, walk.other.stride[board])
        payoffs = lanes.payoffs
        for lane in range(WIDTH):
            payoffs[lane] = terminals.win[at + lane]
            payoffs[WIDTH + lane] = terminals.tie[at + lane]
            payoffs[2 * WIDTH + lane] = terminals.lose[at + lane]
            payoffs[3 * WIDTH + lane] = terminals.folded[at + lane]
            payoffs[4 * WIDTH + lane] = 1
        if terminals.show[at] >= 0:  # showdowns come first
            compare(walk, board)
            pad_lanes(lanes.shown, classes, stride)
            empty_lanes(walk, room, bundle, lanes.shown, terminals.show, np.int64(4), at, stride)
        else:
            available(walk, board)
        pad_lanes(lanes.free, classes, stride)
        empty_lanes(walk, room, bundle, lanes.free, terminals.fold, np.int64(3), at, stride)
