"""The work of one thread of a GPU walk with buckets: a hand on a line, or a bucket at a decision.

The numbers of a hand are a column of an array of rows, as on public trees (`public.cuda_decisions`). Strategies are
read from a table that was matched to the regrets once in the iteration, so a reach takes one product for each action.
"""

from __future__ import annotations

from regretless.kernels.buckets.cuda_bucket_layout import SUMS
from regretless.kernels.cuda_target import (
    at_least,
    device,
    expectation,
    field,
    int32,
    like,
    load,
    store,
    updated,
)
from regretless.kernels.public.cuda_decisions import sum_of, total_of
from regretless.kernels.public.cuda_layout import (
    ACTIONS,
    CHILD,
    CHILD_ROW,
    DEAL_LINE,
    DEAL_NODE,
    DEAL_RECORD,
    DECIDER,
    DECISION_RECORD,
    LEAF_NODE,
    LEAF_RECORD,
    LEAF_ROW,
    LINE_DEALS,
    LINE_DECISIONS,
    LINE_LEAVES,
    NODE,
    ROW,
    SLOT,
)


@device
def match_bucket(decision, record, bucket, known, numbers, smallest):
    """σ ← R⁺ / Σ R⁺ of one bucket at a decision.

    `expectation` of 1 is `probability`, whose own 1.0 would make the division one in double precision.
    """
    actions = field(decision, record, ACTIONS)
    number = int32(field(decision, record, SLOT) + bucket)
    end = int32(number + actions * known)
    total, none, one = total_of(numbers.regret, number, end, known), like(numbers.regret, 0), like(numbers.regret, 1)
    while number < end:
        positive = at_least(load(numbers.regret, number), none)
        store(numbers.strategy, number, expectation(positive, one, total, like(numbers.regret, actions), smallest))
        number = int32(number + known)


@device
def update_number(numbers, at, positive, negative, floor, share):
    """The regret update of one number; clears its gain."""
    gain = load(numbers.gain, at) * share
    store(numbers.regret, at, updated(load(numbers.regret, at), gain, positive, negative, floor))
    store(numbers.gain, at, like(numbers.gain, 0))


@device
def reach_line(lines, line, player, strategy, bucket, known, column):
    """A player's reach in all rows of a line, from its root's in row 0."""
    rows, width = column.rows, column.width
    record = int32(field(lines.line, line, LINE_DECISIONS) * DECISION_RECORD)
    last = int32(field(lines.line, line, LINE_DECISIONS + 1) * DECISION_RECORD)
    while record < last:
        if field(lines.decision, record, DECIDER) == player:
            here = load(rows, column.at + field(lines.decision, record, ROW) * width)
            child = int32(column.at + field(lines.decision, record, CHILD_ROW) * width)
            number = int32(field(lines.decision, record, SLOT) + bucket)
            end = int32(number + field(lines.decision, record, ACTIONS) * known)
            while number < end:
                store(rows, child, here * load(strategy, number))
                number, child = int32(number + known), int32(child + width)
        record = int32(record + DECISION_RECORD)


@device
def take_leaves(lines, line, player, dealt, stride, block, k, column, complete):
    """Values of a line's leaves for one hand, into a column of the tile; `dealt` begins with the board's.

    A hand that ends above the last street counts once for each complete board of the batch.
    """
    leaf = int32(field(lines.line, line, LINE_LEAVES + 2 * player) * LEAF_RECORD)
    end = int32(field(lines.line, line, LINE_LEAVES + 2 * player + 1) * LEAF_RECORD)
    while leaf < end:
        node, row = field(lines.leaf, leaf, LEAF_NODE), field(lines.leaf, leaf, LEAF_ROW)
        value = load(block.numbers, block.first + row * block.width + k)
        store(column.rows, column.at + node * column.width, value * complete)
        leaf = int32(leaf + LEAF_RECORD)
    for index in range(field(lines.line, line, LINE_DEALS), field(lines.line, line, LINE_DEALS + 1)):
        node = field(lines.deal, index * DEAL_RECORD, DEAL_NODE)
        value = load(dealt, field(lines.deal, index * DEAL_RECORD, DEAL_LINE) * stride + k)
        store(column.rows, column.at + node * column.width, value)


@device
def climb(lines, line, player, strategy, bucket, known, column, own, block, k):
    """Values of a line's decisions from its leaves up; reach and values of the player's decisions go to rows of sums.

    own: the player's reach in row 0 of the line, in the column of the values.
    """
    rows, width = column.rows, column.width
    first = int32(field(lines.line, line, LINE_DECISIONS) * DECISION_RECORD)
    record = int32((field(lines.line, line, LINE_DECISIONS + 1) - 1) * DECISION_RECORD)
    while record >= first:
        actions = field(lines.decision, record, ACTIONS)
        child = int32(column.at + field(lines.decision, record, CHILD) * width)
        end = int32(child + actions * width)
        if field(lines.decision, record, DECIDER) != player:
            here = sum_of(rows, child, end, width)
        else:
            here = like(rows, 0)
            number = int32(field(lines.decision, record, SLOT) + bucket)
            target = int32(block.first + field(lines.decision, record, SUMS) * block.width + k)
            store(block.numbers, target, load(rows, own + field(lines.decision, record, ROW) * width))
            while child < end:
                value = load(rows, child)
                here += load(strategy, number) * value
                target = int32(target + block.width)
                store(block.numbers, target, value)
                number, child = int32(number + known), int32(child + width)
        store(rows, column.at + field(lines.decision, record, NODE) * width, here)
        record = int32(record - DECISION_RECORD)


@device
def sum_of_hands(numbers, at, end):
    """The sum of the hands of a bucket in a row, in their order."""
    total = load(numbers, at)
    at = int32(at + 1)
    while at < end:
        total += load(numbers, at)
        at = int32(at + 1)
    return total


@device
def add_bucket(lines, record, bucket, known, numbers, block, k, hands, weight):
    """Add what one bucket, hands k … k + hands − 1, gains at a decision, and its part of the average.

    gain(a) += V(a) − Σ σ(c) V(c), V(a) = Σ over its hands of v(a, hand); average(a) += weight · Σ reach · σ(a).
    The thread owns its hands' columns of the rows of sums, and keeps V(a) in the first one.
    """
    rows, width = block.numbers, block.width
    top = int32(block.first + field(lines.decision, record, SUMS) * width + k)
    begin = int32(field(lines.decision, record, SLOT) + bucket)
    end = int32(begin + field(lines.decision, record, ACTIONS) * known)
    mean, number, row = like(rows, 0), begin, top
    while number < end:
        row = int32(row + width)
        value = sum_of_hands(rows, row, int32(row + hands))
        store(rows, row, value)
        mean += load(numbers.strategy, number) * value
        number = int32(number + known)
    reach = sum_of_hands(rows, top, int32(top + hands)) * weight
    number, row = begin, top
    while number < end:
        row = int32(row + width)
        store(numbers.gain, number, load(numbers.gain, number) + (load(rows, row) - mean))
        store(numbers.average, number, load(numbers.average, number) + reach * load(numbers.strategy, number))
        number = int32(number + known)
