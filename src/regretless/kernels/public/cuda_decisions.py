"""The work of one thread at the decisions of a line, for one hand class: reach goes down, values come up.

The numbers of a thread are a column of an array of rows, so that neighbouring threads touch neighbouring numbers.
Regrets and averages have the same layout in memory: neighbouring classes side by side.

Loops are written with `while`, because Numba counts ranges in 64 bits, which would take longer than the loop's body.
"""

from __future__ import annotations

from regretless.kernels.constants import (
    DECAY,
    FLOOR,
    NEGATIVE,
    NEXT_NEGATIVE,
    NEXT_POSITIVE,
    POSITIVE,
    PREDICTION,
    WEIGHT,
)
from regretless.kernels.cuda_target import (
    at_least,
    device,
    expectation,
    field,
    int32,
    is_matched,
    like,
    load,
    predicted,
    share,
    store,
    updated,
)
from regretless.kernels.public.cuda_layout import (
    ACTIONS,
    BLOCK,
    CHILD,
    CHILD_ROW,
    DECIDER,
    DECISION_RECORD,
    LINE_DECISIONS,
    NODE,
    ROW,
    SLOT,
)


@device
def total_of(source, number, end, stride):
    """The sum of what is positive at a decision."""
    none = like(source, 0)
    total = none
    while number < end:
        total += at_least(load(source, number), none)
        number = int32(number + stride)
    return total


@device
def share_of(source, number, part, matched):
    """The reach of a child, from the `regret_rules.share` of its parent's."""
    return at_least(load(source, number), like(source, 0)) * part if matched else part


@device
def reach_line(lines, line, player, policy, column):
    """A player's reach in all rows of a line, from its root's in row 0."""
    source, stride, rows, width = policy.source, policy.stride, column.rows, column.width
    record = int32(field(lines.line, line, LINE_DECISIONS) * DECISION_RECORD)
    last = int32(field(lines.line, line, LINE_DECISIONS + 1) * DECISION_RECORD)
    while record < last:
        if field(lines.decision, record, DECIDER) == player:
            actions = field(lines.decision, record, ACTIONS)
            here = load(rows, column.at + field(lines.decision, record, ROW) * width)
            child = int32(column.at + field(lines.decision, record, CHILD_ROW) * width)
            number = int32(policy.first + field(lines.decision, record, SLOT) * stride)
            end = int32(number + actions * stride)
            total = total_of(source, number, end, stride)
            matched = is_matched(total, policy.smallest)
            part = share(here, total, like(rows, actions), policy.smallest)
            while number < end:
                store(rows, child, share_of(source, number, part, matched))
                number, child = int32(number + stride), int32(child + width)
        record = int32(record + DECISION_RECORD)


@device
def is_locked(lines, record, state, blocks):
    """Whether the strategy of a decision is locked; `blocks` is the board's first block."""
    return state.locked.size > 0 and load(state.locked, blocks + field(lines.decision, record, BLOCK))


@device
def play_line(lines, line, player, policy, column, state, blocks, step):
    """As `reach_line`, and what is played goes to the average, except where it is locked.

    average ← average · decay + weight · reach.
    """
    source, stride, rows, width = policy.source, policy.stride, column.rows, column.width
    record = int32(field(lines.line, line, LINE_DECISIONS) * DECISION_RECORD)
    last = int32(field(lines.line, line, LINE_DECISIONS + 1) * DECISION_RECORD)
    while record < last:
        if field(lines.decision, record, DECIDER) == player:
            actions = field(lines.decision, record, ACTIONS)
            here = load(rows, column.at + field(lines.decision, record, ROW) * width)
            child = int32(column.at + field(lines.decision, record, CHILD_ROW) * width)
            number = int32(policy.first + field(lines.decision, record, SLOT) * stride)
            end = int32(number + actions * stride)
            total = total_of(source, number, end, stride)
            matched, locked = is_matched(total, policy.smallest), is_locked(lines, record, state, blocks)
            part = share(here, total, like(rows, actions), policy.smallest)
            while number < end:
                reach = share_of(source, number, part, matched)
                store(rows, child, reach)
                if not locked:
                    store(state.average, number, load(state.average, number) * step[DECAY] + step[WEIGHT] * reach)
                number, child = int32(number + stride), int32(child + width)
        record = int32(record + DECISION_RECORD)


@device
def sum_of(rows, child, end, width):
    """The sum of the children's values, where the other player decides."""
    total = load(rows, child)
    child = int32(child + width)
    while child < end:
        total += load(rows, child)
        child = int32(child + width)
    return total


@device
def best_of(rows, child, end, width):
    """The largest of the children's values."""
    best = load(rows, child)
    child = int32(child + width)
    while child < end:
        best = at_least(load(rows, child), best)
        child = int32(child + width)
    return best


@device
def expected(policy, number, actions, rows, child, end, width):
    """Σ σ · value of the children."""
    none = like(rows, 0)
    total, weighted, plain = none, none, none
    while child < end:
        positive, worth = at_least(load(policy.source, number), none), load(rows, child)
        total += positive
        weighted += positive * worth
        plain += worth
        number, child = int32(number + policy.stride), int32(child + width)
    return expectation(weighted, plain, total, like(rows, actions), policy.smallest)


@device
def learn(regret, guess, number, stride, rows, child, end, width, here, step):
    """R ← max(discount(R) + r, floor), r = value of the child − value of the node; and the guess of the next R."""
    while child < end:
        gain = load(rows, child) - here
        now = updated(load(regret, number), gain, step[POSITIVE], step[NEGATIVE], step[FLOOR])
        store(regret, number, now)
        if guess.size > 0:
            ahead = predicted(now, gain, step[NEXT_POSITIVE], step[NEXT_NEGATIVE], step[PREDICTION])
            store(guess, number, ahead)
        number, child = int32(number + stride), int32(child + width)


@device
def climb(lines, line, player, policy, column, state, blocks, best, learning, step):
    """Values of a line's decisions from its leaves up: of the best response, or of the strategy, which may learn."""
    rows, width, stride = column.rows, column.width, policy.stride
    first = int32(field(lines.line, line, LINE_DECISIONS) * DECISION_RECORD)
    record = int32((field(lines.line, line, LINE_DECISIONS + 1) - 1) * DECISION_RECORD)
    while record >= first:
        actions = field(lines.decision, record, ACTIONS)
        child = int32(column.at + field(lines.decision, record, CHILD) * width)
        end = int32(child + actions * width)
        if field(lines.decision, record, DECIDER) != player:
            here = sum_of(rows, child, end, width)
        else:
            locked = is_locked(lines, record, state, blocks)
            if best and not locked:
                here = best_of(rows, child, end, width)
            else:
                number = int32(policy.first + field(lines.decision, record, SLOT) * stride)
                here = expected(policy, number, actions, rows, child, end, width)
                if learning and not locked:
                    learn(state.regret, state.guess, number, stride, rows, child, end, width, here, step)
        store(rows, column.at + field(lines.decision, record, NODE) * width, here)
        record = int32(record - DECISION_RECORD)
