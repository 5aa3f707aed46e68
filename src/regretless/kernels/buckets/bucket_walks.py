"""Public chance sampling with buckets: all hands of both players on sampled boards, tables by bucket.

A walk covers one street of one board, group by group (see `bucket_layout`). At every node it holds a reach for each
live hand (those without a card of the board) of both players, and brings up the values of both players' hands
(Johanson, Bard, Lanctot, Gibson & Bowling 2012). A strategy depends on the bucket b of a hand alone, so what the hands
of a bucket gain needs only the sums of their values:

    r(a, b) += V(a, b) − Σ σ(c, b) V(c, b),   V(a, b) = Σ over its hands of v(a, hand)

Boards are drawn uniformly, and all pairs of hands that share no card with each other or with the board are equally
likely given the board. A hand that ends before the last street counts with the probability that the rest of the board
holds none of both players' cards; it is part of the payoffs. So the sums are, up to a constant factor, unbiased
estimates of counterfactual regrets.

Groups write to tables and rows of their own. A thread walks its groups on all boards in their order, so results do not
depend on the number of threads.
"""

from __future__ import annotations

from regretless.kernels.buckets.bucket_layout import DOWN, UP
from regretless.kernels.buckets.bucket_rows import (
    Board,
    Walk,
    add_gains,
    add_to_average,
    clear_bucket_values,
    collect,
    match_regrets,
    play_action,
    reach_of,
    take_choices,
    value_of,
)
from regretless.kernels.buckets.bucket_terminals import terminal_values
from regretless.kernels.constants import DEAL
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import offset, pointer, pointers
from regretless.kernels.numba_ext.vectors import WIDTH, load, splat, store
from regretless.kernels.regret_rules import updated


@kernel
def walk_street(way, work, groups, boards, above, below, known, tables, weights, scratch, answer):
    """Walk the groups of `work` [groups] on all boards of a street.

    above, below: `DealRows` between this street and its neighbours; of the first street, `above.reach` holds the
    ranges. weights: of this iteration in the average, and the smallest normal number of the tables. answer: the
    player of CFR-BR who does not learn; it has no average, and on its choices no regret.
    """
    tree, dealt, numbers = pointers(groups), pointers(boards), pointers(tables)
    buffers = pointers(scratch)
    row, actions = scratch.reach.shape[2] * WIDTH, scratch.strategy.shape[1]
    for item in range(work.size):
        group = work[item]
        for number in range(boards.parent.size):
            board = board_at(dealt, number, scratch.held.shape[0])
            choices = offset(pointer(answer.choices), number * answer.choices.shape[1] * row)
            walk = Walk(
                tree, board, numbers, buffers, row, actions, known, weights[0], weights[1], answer.player,
                answer.chosen, choices,
            )  # fmt: skip
            load_roots(walk, group, dealt.parent[number], above)
            walk_group(way, walk, tree.first[group], tree.first[group + 1], number, below)
            if way != DOWN:
                return_roots(walk, group, dealt.parent[number], above)


@inner(forceinline=True)
def board_at(boards, number, cards):
    """One board of a batch. boards: pointers."""
    first, bucket_first = boards.first[number], boards.bucket_first[number]
    return Board(
        boards.first[number + 1] - first, cards, boards.bucket_first[number + 1] - bucket_first,
        offset(boards.low, first), offset(boards.high, first), offset(boards.group_end, first),
        offset(boards.above, first), offset(boards.local, first), offset(boards.bucket, bucket_first),
        boards.complete[number],
    )  # fmt: skip


@inner(forceinline=True)
def deal_row(rows, board, row, player):
    """Where a row of `DealRows` begins."""
    _, count, _, hands, _ = rows.shape
    return ((board * count + row) * 2 + player) * hands * WIDTH


@inner(forceinline=True)
def comes_as_a_whole(walk, group):
    """Whether the lanes of a group are those of one row of the street above."""
    rows, lanes = offset(walk.groups.source_row, group * WIDTH), offset(walk.groups.source_lane, group * WIDTH)
    for lane in range(WIDTH):
        if rows[lane] >= 0 and (rows[lane] != rows[0] or lanes[lane] != lane):
            return False
    return rows[0] >= 0


@inner
def load_roots(walk, group, parent, above):
    """Both players' reach at the roots of a group, from the rows of the board above."""
    board, hand_above, given = walk.board, walk.board.above, pointer(above.reach)
    rows, lanes = offset(walk.groups.source_row, group * WIDTH), offset(walk.groups.source_lane, group * WIDTH)
    whole = comes_as_a_whole(walk, group)
    for player in range(2):
        target = offset(walk.scratch.reach, player * walk.row)
        if whole:
            source = offset(given, deal_row(above.reach, parent, rows[0], player))
            for h in range(board.hands):
                store(target, h * WIDTH, load(source, hand_above[h] * WIDTH))
            continue
        for lane in range(WIDTH):
            if rows[lane] < 0:
                for h in range(board.hands):
                    target[h * WIDTH + lane] = 0
                continue
            source = offset(given, deal_row(above.reach, parent, rows[lane], player) + lanes[lane])
            for h in range(board.hands):
                target[h * WIDTH + lane] = source[hand_above[h] * WIDTH]


@inner
def return_roots(walk, group, parent, above):
    """Add the values of the roots of a group to the rows of the board above."""
    board, hand_above, taken = walk.board, walk.board.above, pointer(above.value)
    rows, lanes = offset(walk.groups.source_row, group * WIDTH), offset(walk.groups.source_lane, group * WIDTH)
    whole = comes_as_a_whole(walk, group)
    for player in range(2):
        source = offset(walk.scratch.value, player * walk.row)
        if whole:
            target = offset(taken, deal_row(above.value, parent, rows[0], player))
            for h in range(board.hands):
                at = hand_above[h] * WIDTH
                store(target, at, load(target, at) + load(source, h * WIDTH))
            continue
        for lane in range(WIDTH):
            if rows[lane] >= 0:
                target = offset(taken, deal_row(above.value, parent, rows[lane], player) + lanes[lane])
                for h in range(board.hands):
                    target[hand_above[h] * WIDTH] += source[h * WIDTH + lane]


@inner
def walk_group(way, walk, begin, end, number, below):
    """Walk a group in preorder; values go up as soon as the last child of a node is done. number: of the board."""
    groups, path, reach_at = walk.groups, walk.scratch.path, walk.scratch.reach_at
    reach_at[0], reach_at[1] = 0, 0
    for at in range(begin, end):
        depth, kind = groups.depth[at], groups.kind[at]
        path[depth] = at
        if depth > 0:
            play_action(walk, depth, groups.kind[path[depth - 1]], groups.action[at])
        if kind < DEAL:
            if walk.chosen and kind == walk.by_hand:
                take_choices(walk, depth, at)
            else:
                match_regrets(walk, depth, at)
            if way != UP and kind != walk.by_hand:
                add_to_average(walk, depth, at)
            if way != DOWN:
                clear_bucket_values(walk, depth, at)
            continue
        if kind == DEAL:
            pass_deal(way, walk, depth, number, groups.row[at], below)
        elif way != DOWN:
            for player in range(2):
                terminal_values(
                    kind, offset(groups.payoff, (at * 2 + player) * 3 * WIDTH), walk.board,
                    reach_of(walk, depth, 1 - player), walk.scratch.held, value_of(walk, depth, player),
                )  # fmt: skip
                scale_values(walk, depth, player)
        while way != DOWN and depth > 0:
            collect(walk, depth - 1, groups.kind[path[depth - 1]], groups.action[path[depth]])
            if not groups.is_last[path[depth]]:
                break
            depth -= 1
            if not (walk.chosen and groups.kind[path[depth]] == walk.by_hand):
                add_gains(walk, depth, path[depth])


@inner
def pass_deal(way, walk, depth, number, row, below):
    """Keep the reach for the next street, or take the values that came back from it."""
    for player in range(2):
        if way == DOWN:
            source = reach_of(walk, depth, player)
            target = offset(pointer(below.reach), deal_row(below.reach, number, row, player))
        else:
            source = offset(pointer(below.value), deal_row(below.value, number, row, player))
            target = value_of(walk, depth, player)
        for h in range(walk.board.hands):
            store(target, h * WIDTH, load(source, h * WIDTH))


@inner
def scale_values(walk, depth, player):
    """A hand that ends above the last street counts once for each complete board of the batch."""
    if walk.board.complete == 1.0:
        return
    value = value_of(walk, depth, player)
    factor = splat(value, walk.board.complete)
    for h in range(walk.board.hands):
        store(value, h * WIDTH, load(value, h * WIDTH) * factor)


@kernel
def update_regrets(tables, begin, end, step):
    """The regret update of a part of the tables; clears the gains.

    step: discount of positive and of negative regret, the floor, and a factor of the gains.
    """
    regret, gain, _ = pointers(tables)
    positive, negative, floor, share = step[0], step[1], step[2], step[3]
    for at in range(begin, end):
        regret[at] = updated(regret[at], gain[at] * share, positive, negative, floor)
        gain[at] = 0.0


@kernel
def decay_average(tables, begin, end, factor):
    """Multiply a part of the average by a factor."""
    average = pointer(tables.average)
    for at in range(begin, end):
        average[at] *= factor
