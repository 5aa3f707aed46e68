"""All-ins before the last street: no player decides any more, so the rest of the cards is summed once, in a table.

With D(h, g) = wins − losses of a hand h against all hands of the class g, over all runs of cards, and n runs for each
pair of hands that share no card,

    value(h) = Σ over g of r(g) · ((win − lose) / 2 · D(h, g) / n + tie · (hands of g that share no card with h)),

because a tie pays the mean of a win and a loss (with rake as well: the winner pays it whole, and in a tie both pay
half). One table serves both players: size(h) · D(h, g) counts pairs of hands, and is the negative of what player 1's
table would have.

Sixteen all-ins are evaluated side by side. For n₀ and n₁ classes that is n₀ · n₁ vector multiply-adds, two of which a
processor starts in a cycle, and 2 · n₀ · n₁ bytes are read. Walking the cards instead takes, for each of 44 rivers and
sixteen all-ins, about 25 · (n₀ + n₁) vector operations, and for each all-in and river about 4 · (n₀ + n₁) single ones
to carry reach down and values up. On the turn a table is 3 to 10 times as fast, on the flop hundreds of times.
"""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import offset, pointer, pointers
from regretless.kernels.numba_ext.vectors import (
    WIDTH,
    gather_columns,
    load,
    multiply_add,
    scatter_columns,
    splat,
    store,
)
from regretless.kernels.public.terminal_lanes import available, pad_lanes

AT_ONCE = 4
"""Rows of a table that are multiplied at once."""


@inner
def decode_rows(table, first, count, rows):
    """rows ← whole numbers of a table as floating-point numbers."""
    for k in range(count):
        rows[k] = table[first + k]


@inner
def times_rows(table, strides, columns, rows, reach, shown):
    """shown[h, lane] ← Σ over g of D(h, g) · reach[g, lane]; strides: padded rows and columns of the table."""
    height, width = strides
    for i in range(0, height, AT_ONCE):
        decode_rows(table, i * width, AT_ONCE * width, rows)
        one, two, three, four = splat(reach, 0.0), splat(reach, 0.0), splat(reach, 0.0), splat(reach, 0.0)
        for g in range(columns):
            theirs = load(reach, g * WIDTH)
            one = multiply_add(splat(reach, rows[g]), theirs, one)
            two = multiply_add(splat(reach, rows[width + g]), theirs, two)
            three = multiply_add(splat(reach, rows[2 * width + g]), theirs, three)
            four = multiply_add(splat(reach, rows[3 * width + g]), theirs, four)
        store(shown, i * WIDTH, one)
        store(shown, (i + 1) * WIDTH, two)
        store(shown, (i + 2) * WIDTH, three)
        store(shown, (i + 3) * WIDTH, four)


@inner
def times_columns(table, strides, columns, rows, reach, shown):
    """shown[g, lane] ← Σ over h of D(h, g) · reach[h, lane]."""
    height, width = strides
    for g in range(columns):
        store(shown, g * WIDTH, splat(reach, 0.0))
    for i in range(0, height, AT_ONCE):
        decode_rows(table, i * width, AT_ONCE * width, rows)
        one, two = load(reach, i * WIDTH), load(reach, (i + 1) * WIDTH)
        three, four = load(reach, (i + 2) * WIDTH), load(reach, (i + 3) * WIDTH)
        for g in range(columns):
            total = multiply_add(splat(reach, rows[g]), one, load(shown, g * WIDTH))
            total = multiply_add(splat(reach, rows[width + g]), two, total)
            total = multiply_add(splat(reach, rows[2 * width + g]), three, total)
            store(shown, g * WIDTH, multiply_add(splat(reach, rows[3 * width + g]), four, total))


@inner
def scale_lanes(lanes, size, classes, inverse):
    """lanes[class] ← lanes[class] times the size of the class, or with `inverse` divided by it, negated."""
    for k in range(classes):
        factor = -1.0 / size[k] if inverse else size[k]
        store(lanes, k * WIDTH, load(lanes, k * WIDTH) * splat(lanes, factor))


@inner
def multiply_table(walk, board):
    """shown[class, lane] ← Σ D · reach for the player's classes."""
    lanes, me, other, size = walk.scratch.lanes, walk.me, walk.other, walk.classes.size
    table = offset(walk.all_ins.table, walk.all_ins.first[board])
    if me.player == 0:
        strides = me.stride[board], other.stride[board]
        times_rows(table, strides, other.count[board], lanes.rows, lanes.reach, lanes.shown)
    else:
        strides = other.stride[board], me.stride[board]
        scale_lanes(lanes.reach, offset(size, other.begin[board]), other.count[board], False)
        times_columns(table, strides, me.count[board], lanes.rows, lanes.reach, lanes.shown)
        scale_lanes(lanes.shown, offset(size, me.begin[board]), me.count[board], True)


@inner
def evaluate_all_ins(walk, room, board, street):
    """value[node, class] ← the counterfactual value of every tabulated all-in of a street for a player."""
    all_ins, lanes = walk.all_ins, walk.scratch.lanes
    classes, stride = walk.me.count[board], walk.me.stride[board]
    of_player, node_from = walk.me.player * walk.all_in_count, walk.nodes.street_nodes[street]
    stake, tie = offset(all_ins.stake, of_player), offset(all_ins.tie, of_player)
    row, payoffs = offset(all_ins.row, of_player), lanes.payoffs
    for at in range(all_ins.street[street], all_ins.street[street + 1], WIDTH):
        for lane in range(WIDTH):
            here = row[at + lane]
            lanes.begin[lane] = (here if here >= 0 else room.spare_row) * room.width
            payoffs[lane], payoffs[WIDTH + lane], payoffs[2 * WIDTH + lane] = stake[at + lane], tie[at + lane], 1
        for k in range(0, walk.other.stride[board], WIDTH):
            gather_columns(room.theirs, lanes.begin, k, lanes.reach, k * WIDTH)
        if all_ins.raked:
            available(walk, board)
        multiply_table(walk, board)
        won, dropped = load(payoffs, 0), load(payoffs, WIDTH)
        for k in range(classes):
            worth = load(lanes.shown, k * WIDTH) * won
            if all_ins.raked:
                worth = multiply_add(dropped, load(lanes.free, k * WIDTH), worth)
            store(lanes.shown, k * WIDTH, worth)
        pad_lanes(lanes.shown, classes, stride)
        for lane in range(WIDTH):
            node = all_ins.node[at + lane]
            lanes.begin[lane] = (node - node_from if node >= 0 else room.spare_node) * room.width
        for k in range(0, stride, WIDTH):
            scatter_columns(lanes.shown, k * WIDTH, load(payoffs, 2 * WIDTH), room.value, lanes.begin, k)


@inner
def free_hands(hands, subsets, i, g):
    """The hands of the class g, without the hand itself, that share no card with a hand of the class i."""
    free = hands.size[g]
    for a in range(subsets):
        for b in range(subsets):
            if hands.blocker[i * subsets + a] == hands.blocker[g * subsets + b]:
                free += hands.sign[a] * hands.share[g * subsets + b]
    return free


@inner
def add_hand(hands, subsets, i, begin, count, row):
    """row += wins − losses of the class i against classes of the other player, by their class on the board above."""
    weight, own = hands.rise[i], hands.strength[i]
    for k in range(count):
        g = begin + k
        if hands.strength[g] != own:  # the hand itself has the same strength
            free = weight * free_hands(hands, subsets, i, g)
            row[hands.above[g]] += free if own > hands.strength[g] else -free


@kernel
def add_showdowns(boards, first, end, step, sums):
    """sums += wins − losses on every `step`-th of some last boards; rows of player 0, columns of player 1.

    Rows and columns are classes of the board above. A class of a board counts with its weight in the class above.
    """
    hands, other, subsets, width = pointers(boards), boards.begin.shape[1], boards.blocker.shape[1], sums.shape[1]
    target = pointer(sums)
    for board in range(first, end, step):
        begin, theirs, count = hands.begin[board], hands.begin[other + board], hands.count[other + board]
        for i in range(begin, begin + hands.count[board]):
            add_hand(hands, subsets, i, theirs, count, offset(target, hands.above[i] * width))


@kernel
def add_table(boards, board, table, sums):
    """sums of the board above += the table of a board, each class with its weight in the class above."""
    hands, other, width, below = pointers(boards), boards.begin.shape[1], sums.shape[1], table.shape[1]
    first, second, count = hands.begin[board], hands.begin[other + board], hands.count[other + board]
    above = offset(hands.above, second)
    for i in range(hands.count[board]):
        row, source = offset(pointer(sums), hands.above[first + i] * width), offset(pointer(table), i * below)
        for j in range(count):
            row[above[j]] += hands.rise[first + i] * source[j]
