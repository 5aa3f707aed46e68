"""Walks with buckets at a decision, sixteen nodes at once: strategies, reach, averages, values and gains."""

from __future__ import annotations

from typing import Any, NamedTuple

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import offset
from regretless.kernels.numba_ext.vectors import (
    WIDTH,
    divide,
    load,
    maximum,
    multiply_add,
    splat,
    store,
    where_at_least,
    where_positive,
)


class Board(NamedTuple):
    """One board of a street, as pointers to its hands and buckets."""

    hands: int
    cards: int  # of the deck
    buckets: int  # that occur on it
    low: Any
    high: Any
    group_end: Any
    above: Any
    local: Any
    bucket: Any
    complete: Any  # boards below it that are complete


class Walk(NamedTuple):
    """Everything a walk of one group on one board reads and writes; pointers."""

    groups: Any
    board: Board
    tables: Any
    scratch: Any
    row: int  # numbers in a row of reach, strategies, …: hands · 16
    actions: int
    known: int  # buckets of the street
    weight: float  # of this iteration in the average
    smallest: float
    by_hand: int  # the player who plays by hand and not by bucket; −1: neither
    chosen: bool  # whether that player plays `choices`, not regrets
    choices: Any  # rows of the numbers of actions


@inner(forceinline=True)
def local_of(walk, player):
    """Which of a player's buckets each hand is in; who plays by hand has a bucket for each hand."""
    if player == walk.by_hand:
        return walk.scratch.identity
    return walk.board.local


@inner(forceinline=True)
def bucket_of(walk, player):
    """The buckets of a player on the board."""
    if player == walk.by_hand:
        return walk.scratch.identity
    return walk.board.bucket


@inner(forceinline=True)
def buckets_of(walk, player):
    """The number of a player's buckets on the board."""
    return walk.board.hands if player == walk.by_hand else walk.board.buckets


@inner(forceinline=True)
def known_to(walk, player):
    """The number of a player's buckets in the tables."""
    return walk.row // WIDTH if player == walk.by_hand else walk.known


@inner(forceinline=True)
def choice_row(walk, at):
    """The choices [hands, 16] at a position."""
    return offset(walk.choices, walk.groups.choice[at] * walk.row)


@inner(forceinline=True)
def reach_of(walk, depth, player):
    """The reach of a player at a depth."""
    return offset(walk.scratch.reach, (walk.scratch.reach_at[depth * 2 + player] * 2 + player) * walk.row)


@inner(forceinline=True)
def value_of(walk, depth, player):
    """The values of a player at a depth."""
    return offset(walk.scratch.value, (depth * 2 + player) * walk.row)


@inner(forceinline=True)
def strategy_of(walk, depth, action):
    """The strategy [buckets, 16] of an action at a depth."""
    return offset(walk.scratch.strategy, (depth * walk.actions + action) * walk.row)


@inner(forceinline=True)
def bucket_value_of(walk, depth, action):
    """The summed values [buckets, 16] of an action at a depth."""
    return offset(walk.scratch.bucket_value, (depth * walk.actions + action) * walk.row)


@inner
def match_regrets(walk, depth, at):
    """Write the strategy of each bucket on the board, by regret matching."""
    groups, regret, player = walk.groups, walk.tables.regret, walk.groups.kind[at]
    bucket, buckets, known = bucket_of(walk, player), buckets_of(walk, player), known_to(walk, player)
    tables, actions = offset(groups.table, at * WIDTH), groups.children[at]
    for action in range(actions):
        target = strategy_of(walk, depth, action)
        for lane in range(WIDTH):
            first = (tables[lane] if tables[lane] >= 0 else tables[0]) + action * known
            for b in range(buckets):
                target[b * WIDTH + lane] = regret[first + bucket[b]]
    buffer = walk.scratch.strategy
    none, least, even = splat(buffer, 0.0), splat(buffer, walk.smallest), splat(buffer, 1.0 / actions)
    for b in range(0, buckets * WIDTH, WIDTH):
        total = none
        for action in range(actions):
            total = total + maximum(load(strategy_of(walk, depth, action), b), none)
        for action in range(actions):
            here = strategy_of(walk, depth, action)
            store(here, b, where_at_least(total, least, divide(maximum(load(here, b), none), total), even))


@inner
def take_choices(walk, depth, at):
    """Write the strategy of each hand that plays its choice."""
    choice, none, one = choice_row(walk, at), splat(walk.choices, 0.0), splat(walk.choices, 1.0)
    for action in range(walk.groups.children[at]):
        target, this = strategy_of(walk, depth, action), splat(walk.choices, action)
        for h in range(0, walk.board.hands * WIDTH, WIDTH):
            apart = load(choice, h) - this
            store(target, h, where_positive(apart * apart, none, one))


@inner
def play_action(walk, depth, player, action):
    """The reach after an action of a player, from the depth above."""
    reach_at, local = walk.scratch.reach_at, local_of(walk, player)
    reach_at[depth * 2], reach_at[depth * 2 + 1] = reach_at[depth * 2 - 2], reach_at[depth * 2 - 1]
    source, strategy = reach_of(walk, depth - 1, player), strategy_of(walk, depth - 1, action)
    reach_at[depth * 2 + player] = depth
    target = reach_of(walk, depth, player)
    for h in range(walk.board.hands):
        store(target, h * WIDTH, load(source, h * WIDTH) * load(strategy, local[h] * WIDTH))


@inner
def add_to_average(walk, depth, at):
    """Add the strategy at a node, weighted by the reach of each bucket's hands, to the average."""
    board, groups, sums, average = walk.board, walk.groups, walk.scratch.bucket_sum, walk.tables.average
    reach, factor = reach_of(walk, depth, groups.kind[at]), splat(sums, walk.weight * board.complete)
    for b in range(board.buckets):
        store(sums, b * WIDTH, splat(sums, 0.0))
    for h in range(board.hands):
        bucket = board.local[h] * WIDTH
        store(sums, bucket, load(sums, bucket) + load(reach, h * WIDTH))
    for b in range(board.buckets):
        store(sums, b * WIDTH, load(sums, b * WIDTH) * factor)
    tables = offset(groups.table, at * WIDTH)
    for action in range(groups.children[at]):
        strategy = strategy_of(walk, depth, action)
        for lane in range(WIDTH):
            if tables[lane] >= 0:
                first = tables[lane] + action * walk.known
                for b in range(board.buckets):
                    average[first + board.bucket[b]] += sums[b * WIDTH + lane] * strategy[b * WIDTH + lane]


@inner
def clear_bucket_values(walk, depth, at):
    """V ← 0."""
    buckets = buckets_of(walk, walk.groups.kind[at])
    for action in range(walk.groups.children[at]):
        target = bucket_value_of(walk, depth, action)
        for b in range(buckets):
            store(target, b * WIDTH, splat(target, 0.0))


@inner
def collect(walk, depth, player, action):
    """Take the values of a child: weighted by the strategy for the player who moves, added up for the other."""
    board, local = walk.board, local_of(walk, player)
    mine, theirs = value_of(walk, depth, player), value_of(walk, depth, 1 - player)
    child, other = value_of(walk, depth + 1, player), value_of(walk, depth + 1, 1 - player)
    strategy, sums = strategy_of(walk, depth, action), bucket_value_of(walk, depth, action)
    none = splat(mine, 0.0)
    for h in range(board.hands):
        at, bucket = h * WIDTH, local[h] * WIDTH
        found = load(child, at)
        store(sums, bucket, load(sums, bucket) + found)
        before = none if action == 0 else load(mine, at)
        store(mine, at, multiply_add(load(strategy, bucket), found, before))
        before = none if action == 0 else load(theirs, at)
        store(theirs, at, before + load(other, at))


@inner
def add_gains(walk, depth, at):
    """Add the gains of a node: V(a, b) − Σ σ(c, b) V(c, b)."""
    groups, gain, mean, player = walk.groups, walk.tables.gain, walk.scratch.bucket_sum, walk.groups.kind[at]
    bucket, buckets, known = bucket_of(walk, player), buckets_of(walk, player), known_to(walk, player)
    actions, tables = groups.children[at], offset(groups.table, at * WIDTH)
    for b in range(0, buckets * WIDTH, WIDTH):
        total = splat(mean, 0.0)
        for action in range(actions):
            here = load(strategy_of(walk, depth, action), b)
            total = multiply_add(here, load(bucket_value_of(walk, depth, action), b), total)
        store(mean, b, total)
    for action in range(actions):
        found = bucket_value_of(walk, depth, action)
        for lane in range(WIDTH):
            if tables[lane] >= 0:
                first = tables[lane] + action * known
                for b in range(buckets):
                    gain[first + bucket[b]] += found[b * WIDTH + lane] - mean[b * WIDTH + lane]
