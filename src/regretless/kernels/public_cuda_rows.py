"""What one thread does at the decisions of a line, for one hand class: reach goes down, values come up.

A thread's numbers are a column of the block's *tile*: row r of thread t is tile[r · threads + t], so threads of a warp
touch neighbours; `at` is the thread's row 0. Regrets and averages lie in memory likewise, neighbouring classes side by
side: the arrays given here begin with the player's numbers on the board, and `k` is the class. `line` is where the
record of the line begins.

Loops are written with `while`, since Numba counts ranges in 64 bits: on a GPU the counting would take longer than what is
counted.
"""

from __future__ import annotations

from regretless.kernels.layout import DECAY, FLOOR, NEGATIVE, NEXT_NEGATIVE, NEXT_POSITIVE, POSITIVE, PREDICTION, WEIGHT
from regretless.kernels.public_cuda_layout import (
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
from regretless.kernels.public_cuda_target import as_number, at_least, device, discounted, put, short, take


@device
def pass_down(source, place, stride, actions, tile, at, below, threads, smallest):
    """Reach of the children ← reach · σ with σ ∝ max(source, 0), uniform where nothing is positive."""
    none = as_number(tile, 0)
    end = short(place + actions * stride)
    total, number = none, place
    while number < end:
        total += at_least(take(source, number), none)
        number = short(number + stride)
    here = take(tile, at)
    certain = total >= smallest
    share = here / (total if certain else as_number(tile, actions))
    number, child = place, below
    while number < end:
        positive = at_least(take(source, number), none)
        put(tile, child, positive * share if certain else share)
        number, child = short(number + stride), short(child + threads)


@device
def reach_line(lines, line, whose, source, k, stride, tile, at, threads, smallest):
    """A player's reach in all rows of a line, from its root's in row 0, playing in proportion to `source`."""
    record = short(take(lines.line, line + LINE_DECISIONS) * DECISION_RECORD)
    end = short(take(lines.line, line + LINE_DECISIONS + 1) * DECISION_RECORD)
    while record < end:
        if take(lines.decision, record + DECIDER) == whose:
            actions = take(lines.decision, record + ACTIONS)
            here = short(at + take(lines.decision, record + ROW) * threads)
            below = short(at + take(lines.decision, record + CHILD_ROW) * threads)
            place = short(k + take(lines.decision, record + SLOT) * stride)
            pass_down(source, place, stride, actions, tile, here, below, threads, smallest)
        record = short(record + DECISION_RECORD)


@device
def average_line(lines, line, player, average, k, stride, tile, at, threads, step):
    """average ← average · decay + weight · reach, for all that a player does on a line."""
    record = short(take(lines.line, line + LINE_DECISIONS) * DECISION_RECORD)
    end = short(take(lines.line, line + LINE_DECISIONS + 1) * DECISION_RECORD)
    while record < end:
        if take(lines.decision, record + DECIDER) == player:
            child = short(at + take(lines.decision, record + CHILD_ROW) * threads)
            number = short(k + take(lines.decision, record + SLOT) * stride)
            last = short(number + take(lines.decision, record + ACTIONS) * stride)
            while number < last:
                put(average, number, take(average, number) * step[DECAY] + step[WEIGHT] * take(tile, child))
                number, child = short(number + stride), short(child + threads)
        record = short(record + DECISION_RECORD)


@device
def sum_of(tile, child, end, threads):
    """The sum of the children's values, where the other player decides."""
    total = take(tile, child)
    child = short(child + threads)
    while child < end:
        total += take(tile, child)
        child = short(child + threads)
    return total


@device
def best_of(tile, child, end, threads):
    """The largest of the children's values."""
    best = take(tile, child)
    child = short(child + threads)
    while child < end:
        best = at_least(take(tile, child), best)
        child = short(child + threads)
    return best


@device
def expected(source, number, stride, actions, tile, child, end, threads, smallest):
    """Σ σ · value of the children, σ as in `pass_down`."""
    none = as_number(tile, 0)
    total, weighted, plain = none, none, none
    while child < end:
        positive, worth = at_least(take(source, number), none), take(tile, child)
        total += positive
        weighted += positive * worth
        plain += worth
        number, child = short(number + stride), short(child + threads)
    certain = total >= smallest
    return (weighted if certain else plain) / (total if certain else as_number(tile, actions))


@device
def learn(regret, guess, number, stride, tile, child, end, threads, here, step):
    """R ← max(discount(R) + r, floor), r = value of the child − value of the node; and what a guess makes of it."""
    while child < end:
        missed = take(tile, child) - here
        now = at_least(discounted(take(regret, number), step[POSITIVE], step[NEGATIVE]) + missed, step[FLOOR])
        put(regret, number, now)
        if guess.size > 0:
            ahead = discounted(now, step[NEXT_POSITIVE], step[NEXT_NEGATIVE])
            put(guess, number, step[PREDICTION] * missed + ahead)
        number, child = short(number + stride), short(child + threads)


@device
def climb(lines, line, player, store, source, k, stride, best, learning, tile, at, threads, smallest, step):
    """Values of a line's decisions from its leaves up: of the best response, or of the strategy; the latter may learn."""
    first = short(take(lines.line, line + LINE_DECISIONS) * DECISION_RECORD)
    record = short((take(lines.line, line + LINE_DECISIONS + 1) - 1) * DECISION_RECORD)
    while record >= first:
        actions = take(lines.decision, record + ACTIONS)
        child = short(at + take(lines.decision, record + CHILD) * threads)
        end = short(child + actions * threads)
        if take(lines.decision, record + DECIDER) != player:
            here = sum_of(tile, child, end, threads)
        else:
            held_still = store.locked.size > 0 and take(store.locked, take(lines.decision, record + BLOCK))
            if best and not held_still:
                here = best_of(tile, child, end, threads)
            else:
                place = short(k + take(lines.decision, record + SLOT) * stride)
                here = expected(source, place, stride, actions, tile, child, end, threads, smallest)
                if learning and not held_still:
                    learn(store.regret, store.guess, place, stride, tile, child, end, threads, here, step)
        put(tile, at + take(lines.decision, record + NODE) * threads, here)
        record = short(record - DECISION_RECORD)
