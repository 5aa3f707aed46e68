"""What one thread does at the decisions of a line, for one hand class: reach goes down, values come up.

A thread's numbers are a column of an array of rows: `at` is its place in row 0, and rows are `width` apart, so that
neighbouring threads touch neighbours. Regrets and averages lie in memory likewise, neighbouring classes side by side:
`place` is where the class has its first number on the board. `line` is where the record of the line begins.

Loops are written with `while`, since Numba counts ranges in 64 bits: on a GPU the counting would take longer than what
is counted.
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
from regretless.kernels.public.cuda_target import as_number, at_least, device, discounted, field, put, short, take


@device
def total_of(source, number, end, stride):
    """The sum of what is positive at a decision."""
    none = as_number(source, 0)
    total = none
    while number < end:
        total += at_least(take(source, number), none)
        number = short(number + stride)
    return total


@device
def share_of(source, number, share, certain):
    """The reach of a child: `share` is reach ÷ total if something is positive for certain, else reach ÷ actions."""
    return at_least(take(source, number), as_number(source, 0)) * share if certain else share


@device
def reach_line(lines, line, whose, source, place, stride, rows, at, width, smallest):
    """A player's reach in all rows of a line, from its root's in row 0: σ ∝ max(source, 0), uniform if that is none."""
    record = short(field(lines.line, line, LINE_DECISIONS) * DECISION_RECORD)
    last = short(field(lines.line, line, LINE_DECISIONS + 1) * DECISION_RECORD)
    while record < last:
        if field(lines.decision, record, DECIDER) == whose:
            actions = field(lines.decision, record, ACTIONS)
            here = take(rows, at + field(lines.decision, record, ROW) * width)
            child = short(at + field(lines.decision, record, CHILD_ROW) * width)
            number = short(place + field(lines.decision, record, SLOT) * stride)
            end = short(number + actions * stride)
            total = total_of(source, number, end, stride)
            certain = total >= smallest
            share = here / (total if certain else as_number(rows, actions))
            while number < end:
                put(rows, child, share_of(source, number, share, certain))
                number, child = short(number + stride), short(child + width)
        record = short(record + DECISION_RECORD)


@device
def held_still(lines, record, store, blocks):
    """Whether the strategy of a decision is locked; `blocks` is the board's first block."""
    return store.locked.size > 0 and take(store.locked, blocks + field(lines.decision, record, BLOCK))


@device
def play_line(lines, line, player, store, blocks, source, place, stride, rows, at, width, smallest, step):
    """As `reach_line`, and what is played goes to the average, except where it is locked.

    average ← average · decay + weight · reach.
    """
    record = short(field(lines.line, line, LINE_DECISIONS) * DECISION_RECORD)
    last = short(field(lines.line, line, LINE_DECISIONS + 1) * DECISION_RECORD)
    while record < last:
        if field(lines.decision, record, DECIDER) == player:
            actions = field(lines.decision, record, ACTIONS)
            here = take(rows, at + field(lines.decision, record, ROW) * width)
            child = short(at + field(lines.decision, record, CHILD_ROW) * width)
            number = short(place + field(lines.decision, record, SLOT) * stride)
            end = short(number + actions * stride)
            total = total_of(source, number, end, stride)
            certain, still = total >= smallest, held_still(lines, record, store, blocks)
            share = here / (total if certain else as_number(rows, actions))
            while number < end:
                reach = share_of(source, number, share, certain)
                put(rows, child, reach)
                if not still:
                    put(store.average, number, take(store.average, number) * step[DECAY] + step[WEIGHT] * reach)
                number, child = short(number + stride), short(child + width)
        record = short(record + DECISION_RECORD)


@device
def sum_of(rows, child, end, width):
    """The sum of the children's values, where the other player decides."""
    total = take(rows, child)
    child = short(child + width)
    while child < end:
        total += take(rows, child)
        child = short(child + width)
    return total


@device
def best_of(rows, child, end, width):
    """The largest of the children's values."""
    best = take(rows, child)
    child = short(child + width)
    while child < end:
        best = at_least(take(rows, child), best)
        child = short(child + width)
    return best


@device
def expected(source, number, stride, actions, rows, child, end, width, smallest):
    """Σ σ · value of the children, σ as in `reach_line`."""
    none = as_number(rows, 0)
    total, weighted, plain = none, none, none
    while child < end:
        positive, worth = at_least(take(source, number), none), take(rows, child)
        total += positive
        weighted += positive * worth
        plain += worth
        number, child = short(number + stride), short(child + width)
    certain = total >= smallest
    return (weighted if certain else plain) / (total if certain else as_number(rows, actions))


@device
def learn(regret, guess, number, stride, rows, child, end, width, here, step):
    """R ← max(discount(R) + r, floor), r = value of the child − value of the node; and what a guess makes of it."""
    while child < end:
        missed = take(rows, child) - here
        now = at_least(discounted(take(regret, number), step[POSITIVE], step[NEGATIVE]) + missed, step[FLOOR])
        put(regret, number, now)
        if guess.size > 0:
            ahead = discounted(now, step[NEXT_POSITIVE], step[NEXT_NEGATIVE])
            put(guess, number, step[PREDICTION] * missed + ahead)
        number, child = short(number + stride), short(child + width)


@device
def climb(lines, line, player, store, blocks, source, place, stride, best, learning, rows, at, width, smallest, step):
    """Values of a line's decisions from its leaves up: of the best response, or of the strategy, which may learn."""
    first = short(field(lines.line, line, LINE_DECISIONS) * DECISION_RECORD)
    record = short((field(lines.line, line, LINE_DECISIONS + 1) - 1) * DECISION_RECORD)
    while record >= first:
        actions = field(lines.decision, record, ACTIONS)
        child = short(at + field(lines.decision, record, CHILD) * width)
        end = short(child + actions * width)
        if field(lines.decision, record, DECIDER) != player:
            here = sum_of(rows, child, end, width)
        else:
            still = held_still(lines, record, store, blocks)
            if best and not still:
                here = best_of(rows, child, end, width)
            else:
                number = short(place + field(lines.decision, record, SLOT) * stride)
                here = expected(source, number, stride, actions, rows, child, end, width, smallest)
                if learning and not still:
                    learn(store.regret, store.guess, number, stride, rows, child, end, width, here, step)
        put(rows, at + field(lines.decision, record, NODE) * width, here)
        record = short(record - DECISION_RECORD)
