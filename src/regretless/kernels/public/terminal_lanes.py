"""Folds and showdowns of a board: what every hand is worth against a vector of reach, card removal included.

For a hand h against reach r over the other player's hands,

    available(h) = Σ r(g) over hands g that share no card with h  =  Σ over subsets s ⊆ h of (−1)^|s| · R[s],

where R[s] is the reach of all hands that hold s; R[∅] is the sum of everything and R[h] is r(h) itself. For two cards
that is the familiar S − C[c₁] − C[c₂] + r(h). A fold is worth its payoff times available(h). A showdown is worth

    win · below(h) + tie · equal(h) + lose · above(h)
        = (win − tie) · below(h) + (tie − lose) · (below + equal)(h) + lose · available(h),

and the first two are the same sum over subsets, taken over weaker (and equally strong) hands only: one sweep in order
of strength adds hands to S and R and reads them off. That is O(hands), for all hands of a board together.

Sixteen terminals go through a sweep side by side, each in its own *lane* of a vector, so the cost of finding one's way
(whose blockers, which strength) is shared by all of them. Per class and sixteen lanes the sweep reads and writes about
ten vectors that stay in the nearest cache; turning rows of classes into lanes and back costs as much again.
"""

from __future__ import annotations

from numba import njit

from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.numba_ext.vectors import WIDTH, fused, put, spread, take, turn_in, turn_out
from regretless.kernels.public.layout import INNER


@njit(**INNER)
def fill_lanes(rows, lane_row, row_from, first, stride, lanes, begin):
    """lanes[class, lane] ← the row of reach of each of sixteen lanes from `first` on; begin [16] is scratch.

    Lanes that only fill up their group read the last row, which is kept at zero.
    """
    width, spare = rows.shape[1], rows.shape[0] - 1
    for lane in range(WIDTH):
        row = lane_row[first + lane]
        begin[lane] = (row - row_from if row >= 0 else spare) * width
    source, target, offsets = bare(rows), bare(lanes), bare(begin)
    for k in range(0, stride, WIDTH):
        turn_in(source, offsets, k, target, k * WIDTH)


@njit(**INNER, forceinline=True)
def held(by_blocker, blocker, sign, at, subsets, everything):
    """S + Σ sign · R[s] over the proper subsets of a hand."""
    out = everything
    if subsets == 2:
        return out - take(by_blocker, blocker[at] * WIDTH) - take(by_blocker, blocker[at + 1] * WIDTH)
    for j in range(subsets):
        out = fused(spread(by_blocker, sign[j]), take(by_blocker, blocker[at + j] * WIDTH), out)
    return out


@njit(**INNER, forceinline=True)
def hold(by_blocker, blocker, share, at, subsets, reach):
    """R[s] += the reach of a class, for each of its proper subsets."""
    for j in range(subsets):
        where = blocker[at + j] * WIDTH
        put(by_blocker, where, fused(spread(by_blocker, share[at + j]), reach, take(by_blocker, where)))


@njit(**INNER)
def clear(by_blocker, blockers):
    """R ← 0."""
    numbers = bare(by_blocker)
    nothing = spread(numbers, 0.0)
    for s in range(blockers):
        put(numbers, s * WIDTH, nothing)


@njit(**INNER)
def available(boards, board, player, lanes, free, by_blocker):
    """free[class, lane] ← the reach that shares no card with each of the player's classes."""
    size, blocker, share, sign = bare(boards.size), bare(boards.blocker), bare(boards.share), bare(boards.sign)
    twin, subsets = bare(boards.twin), boards.blocker.shape[1]
    reach, out, totals = bare(lanes), bare(free), bare(by_blocker)
    clear(by_blocker, by_blocker.shape[0])
    begin = boards.begin[1 - player, board]
    everything = spread(reach, 0.0)
    for k in range(boards.count[1 - player, board]):
        mine = take(reach, k * WIDTH)
        everything = fused(spread(reach, size[begin + k]), mine, everything)
        hold(totals, blocker, share, (begin + k) * subsets, subsets, mine)
    begin = boards.begin[player, board]
    whole = sign[subsets]
    for k in range(boards.count[player, board]):
        found = held(totals, blocker, sign, (begin + k) * subsets, subsets, everything)
        same = twin[begin + k]
        if same >= 0:
            found = fused(spread(reach, whole), take(reach, same * WIDTH), found)
        put(out, k * WIDTH, found)


@njit(**INNER)
def compare(boards, board, player, lanes, free, shown, by_blocker, payoffs):
    """shown[class, lane] ← the worth of a showdown; payoffs [3, lane]: win − tie, tie − lose, lose."""
    size, blocker, share, sign = bare(boards.size), bare(boards.blocker), bare(boards.share), bare(boards.sign)
    twin, strength, subsets = bare(boards.twin), bare(boards.strength), boards.blocker.shape[1]
    reach, spare, out, weaker = bare(lanes), bare(free), bare(shown), bare(by_blocker)
    constants = bare(payoffs)
    win, tie, lose = take(constants, 0), take(constants, WIDTH), take(constants, 2 * WIDTH)
    clear(by_blocker, by_blocker.shape[0])
    mine, own = boards.begin[player, board], boards.count[player, board]
    theirs, other = boards.begin[1 - player, board], boards.count[1 - player, board]
    whole = sign[subsets]
    everything = spread(reach, 0.0)
    i, j = 0, 0
    while i < own:
        level = strength[mine + i]
        while j < other and strength[theirs + j] < level:
            at = take(reach, j * WIDTH)
            everything = fused(spread(reach, size[theirs + j]), at, everything)
            hold(weaker, blocker, share, (theirs + j) * subsets, subsets, at)
            j += 1
        end = i
        while end < own and strength[mine + end] == level:
            below = held(weaker, blocker, sign, (mine + end) * subsets, subsets, everything)
            put(out, end * WIDTH, fused(win, below, lose * take(spare, end * WIDTH)))
            end += 1
        while j < other and strength[theirs + j] == level:
            at = take(reach, j * WIDTH)
            everything = fused(spread(reach, size[theirs + j]), at, everything)
            hold(weaker, blocker, share, (theirs + j) * subsets, subsets, at)
            j += 1
        for k in range(i, end):
            upto = held(weaker, blocker, sign, (mine + k) * subsets, subsets, everything)
            same = twin[mine + k]
            if same >= 0:
                upto = fused(spread(reach, whole), take(reach, same * WIDTH), upto)
            put(out, k * WIDTH, fused(tie, upto, take(out, k * WIDTH)))
        i = end


@njit(**INNER)
def empty_lanes(lanes, nodes, node_from, payoff, first, stride, value, begin):
    """value[node] ← payoff · its lane; lanes without a node go to the last row, which nobody reads."""
    width, spare = value.shape[1], value.shape[0] - 1
    for lane in range(WIDTH):
        node = nodes[first + lane]
        begin[lane] = (node - node_from if node >= 0 else spare) * width
    source, target, offsets = bare(lanes), bare(value), bare(begin)
    factor = take(bare(payoff), 0)
    for k in range(0, stride, WIDTH):
        turn_out(source, k * WIDTH, factor, target, offsets, k)


@njit(**INNER)
def blank(lanes, classes, stride):
    """Zeros where rows are filled up to a multiple of sixteen classes."""
    numbers = bare(lanes)
    for k in range(classes, stride):
        put(numbers, k * WIDTH, spread(numbers, 0.0))


@njit(**INNER)
def evaluate_terminals(betting, boards, board, player, bundle, row_from, node_from, theirs, value, lanes):
    """value[node, class] ← the counterfactual value of every fold and showdown of a bundle for a player."""
    classes, stride = boards.count[player, board], boards.stride[player, board]
    there = boards.stride[1 - player, board]
    first, end = betting.bundle_lanes[player, bundle], betting.bundle_lanes[player, bundle + 1]
    for at in range(first, end, WIDTH):
        fill_lanes(theirs, betting.lane_row[player], row_from, at, there, lanes.reach, lanes.begin)
        available(boards, board, player, lanes.reach, lanes.free, lanes.blocked)
        blank(lanes.free, classes, stride)
        payoffs = lanes.payoffs
        for lane in range(WIDTH):
            payoffs[0, lane] = betting.lane_win[player, at + lane]
            payoffs[1, lane] = betting.lane_tie[player, at + lane]
            payoffs[2, lane] = betting.lane_lose[player, at + lane]
            payoffs[3, lane] = betting.lane_folded[player, at + lane]
            payoffs[4, lane] = 1
        nodes = betting.lane_fold[player]
        empty_lanes(lanes.free, nodes, node_from, payoffs[3], at, stride, value, lanes.begin)
        if betting.lane_show[player, at] >= 0:  # showdowns come first
            compare(boards, board, player, lanes.reach, lanes.free, lanes.shown, lanes.blocked, payoffs)
            blank(lanes.shown, classes, stride)
            nodes = betting.lane_show[player]
            empty_lanes(lanes.shown, nodes, node_from, payoffs[4], at, stride, value, lanes.begin)
