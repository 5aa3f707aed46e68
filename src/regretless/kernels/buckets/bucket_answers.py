"""Best responses with all cards, on sampled boards: the other half of CFR-BR with buckets.

One player, who learns, plays by buckets. The other one knows its hand exactly and takes the best action of each hand;
these *choices* are kept by node and hand. The learner then walks against them (`bucket_walks`). On a street before the
last, choices need the values of all boards below, so they are kept between the two walks; on the last street they are
computed again just before they are used.
"""

from __future__ import annotations

from regretless.kernels.buckets.bucket_layout import DOWN
from regretless.kernels.buckets.bucket_rows import Walk, choice_row, match_regrets, play_action, reach_of, value_of
from regretless.kernels.buckets.bucket_terminals import terminal_values
from regretless.kernels.buckets.bucket_walks import (
    board_at,
    load_roots,
    pass_deal,
    return_roots,
    scale_values,
    walk_group,
)
from regretless.kernels.constants import DEAL
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import offset, pointer, pointers
from regretless.kernels.numba_ext.vectors import WIDTH, load, maximum, splat, store, where_positive


@kernel
def best_street(way, work, groups, boards, above, below, known, tables, weights, scratch, answer):
    """Best values of `answer.player` on all boards of a street, and its choices; arguments as in `walk_street`.

    Without `answer.choices`, on the last street, only values are kept.
    """
    tree, dealt, numbers = pointers(groups), pointers(boards), pointers(tables)
    buffers = pointers(scratch)
    row, actions = scratch.reach.shape[2] * WIDTH, scratch.strategy.shape[1]
    for item in range(work.size):
        group = work[item]
        for number in range(boards.parent.size):
            board = board_at(dealt, number, scratch.held.shape[0])
            choices = buffers.choices
            if answer.choices.shape[0] > 0:
                choices = offset(pointer(answer.choices), number * answer.choices.shape[1] * row)
            walk = Walk(
                tree, board, numbers, buffers, row, actions, known, weights[0], weights[1], answer.player, True, choices
            )
            load_roots(walk, group, dealt.parent[number], above)
            walk_best(way, walk, tree.first[group], tree.first[group + 1], number, below)
            if way != DOWN:
                return_roots(walk, group, dealt.parent[number], above)


@kernel
def answer_last_street(way, work, groups, boards, above, below, known, tables, weights, scratch, answer):
    """Walk the last street (`way` BOTH) for the learner, against choices that are computed here group by group."""
    tree, dealt, numbers = pointers(groups), pointers(boards), pointers(tables)
    buffers = pointers(scratch)
    row, actions = scratch.reach.shape[2] * WIDTH, scratch.strategy.shape[1]
    for item in range(work.size):
        group = work[item]
        for number in range(boards.parent.size):
            board = board_at(dealt, number, scratch.held.shape[0])
            walk = Walk(
                tree, board, numbers, buffers, row, actions, known, weights[0], weights[1], answer.player, True,
                buffers.choices,
            )  # fmt: skip
            begin, end = tree.first[group], tree.first[group + 1]
            load_roots(walk, group, dealt.parent[number], above)
            walk_best(way, walk, begin, end, number, below)
            walk_group(way, walk, begin, end, number, below)
            return_roots(walk, group, dealt.parent[number], above)


@inner
def walk_best(way, walk, begin, end, number, below):
    """Walk a group: the learner's reach goes down, the other player's best values come up, with its choices."""
    groups, path, reach_at, other = walk.groups, walk.scratch.path, walk.scratch.reach_at, walk.by_hand
    reach_at[0], reach_at[1] = 0, 0
    for at in range(begin, end):
        depth, kind = groups.depth[at], groups.kind[at]
        path[depth] = at
        if depth > 0:
            if groups.kind[path[depth - 1]] == other:
                reach_at[depth * 2], reach_at[depth * 2 + 1] = reach_at[depth * 2 - 2], reach_at[depth * 2 - 1]
            else:
                play_action(walk, depth, 1 - other, groups.action[at])
        if kind < DEAL:
            if kind != other:
                match_regrets(walk, depth, at)
            continue
        if kind == DEAL:
            pass_deal(way, walk, depth, number, groups.row[at], below)
        elif way != DOWN:
            payoff = offset(groups.payoff, (at * 2 + other) * 3 * WIDTH)
            reach, value = reach_of(walk, depth, 1 - other), value_of(walk, depth, other)
            terminal_values(kind, payoff, walk.board, reach, walk.scratch.held, value)
            scale_values(walk, depth, other)
        while way != DOWN and depth > 0:
            collect_best(walk, depth - 1, path[depth - 1], groups.action[path[depth]])
            if not groups.is_last[path[depth]]:
                break
            depth -= 1


@inner
def collect_best(walk, depth, at, action):
    """Take the values of a child: the largest at the other player's nodes, added up at those of the learner."""
    other = walk.by_hand
    value, child = value_of(walk, depth, other), value_of(walk, depth + 1, other)
    if walk.groups.kind[at] != other:
        none = splat(value, 0.0)
        for h in range(0, walk.board.hands * WIDTH, WIDTH):
            store(value, h, (none if action == 0 else load(value, h)) + load(child, h))
        return
    choice = choice_row(walk, at)
    this = splat(value, action)
    for h in range(0, walk.board.hands * WIDTH, WIDTH):
        found = load(child, h)
        if action == 0:
            store(value, h, found)
            store(choice, h, this)
        else:
            best = load(value, h)
            store(choice, h, where_positive(found - best, this, load(choice, h)))
            store(value, h, maximum(found, best))
