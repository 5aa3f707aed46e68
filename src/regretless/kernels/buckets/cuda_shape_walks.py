"""`ascend` of `cuda_flop_walks` on the last street, for lines of one shape whose walk is compiled.

A program that is interpreted takes some 2,700 instructions for each hand and line of limit hold'em, and compiled about
900. The order of the sums is the same. Differences: folds are paid when the value of the root is computed, by a thread
for each hand and line; the reach of a hand stays in registers between the parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from regretless.kernels.buckets.cuda_flop_layout import (
    ADD_AFTER,
    ADD_BEFORE,
    COUNT_SHIFT,
    GROUP_RECORD,
    HIGH_SHIFT,
    NET,
    OWN_ROW,
    PAYOFF,
    PAYOFFS,
    THEIR_ROW,
    TIES_SHIFT,
    VALUES,
    WHAT_SHIFT,
)
from regretless.kernels.buckets.cuda_flop_walks import BYTE, ENTRY, bucket_of, clear, strategy_at
from regretless.kernels.cuda_target import (
    cuda,
    device,
    divided,
    field,
    int32,
    kernel,
    like,
    load,
    put,
    smaller,
    store,
)
from regretless.kernels.public.cuda_walks import leave_queue, next_item

__all__ = ["ShapeSizes", "shape_kernel"]

REGISTERS = 80
"""Five blocks of 128 threads and 41 KB run on a multiprocessor at once; their threads may have 102 registers."""

ALL_PARTS = ADD_BEFORE + VALUES + ADD_AFTER


class ShapeSizes(NamedTuple):
    """What is compiled into the kernel of a shape."""

    lanes: int
    """Those with two sums first, those with a fold only last."""
    shows: int
    """Lanes with a showdown."""
    boths: int
    """Lanes with two sums."""
    sums: int
    cards: int
    """Of the deck."""
    wide: int
    """Lines side by side."""
    width: int
    """From row to row in shared memory."""
    two: bool
    """Whether hands have two cards."""
    rows: int
    """Where the lanes' rows of reach begin in shared memory, behind the sums."""
    values: int
    """Where the values of showdowns begin."""
    numbers: int
    """Numbers in shared memory."""


def shape_kernel(functions: dict[str, Callable[..., Any]], sizes: ShapeSizes, played: bool) -> Any:
    """The kernel of a shape. functions: lane_reach, root_value and root_played, as `shape_source` writes them."""
    lane_reach = device(functions["lane_reach"])
    root_value = device(functions["root_played" if played else "root_value"])
    lanes, shows, boths, _, cards, wide, width, two, first_row, first_value, _ = sizes
    every, apart = cards * wide, (cards + 1) * wide

    @device
    def add_up(boards, hand, count, at, row, shared):
        """Add the hands of a step to the sum of a lane."""
        total, k = field(shared, at, every), int32(0)
        while k < count:
            packed, here = load(boards.hand, hand + k), field(shared, row, 0)
            low = int32(at + (packed & BYTE) * wide)
            total += here
            if two:
                high = int32(at + (packed >> HIGH_SHIFT & BYTE) * wide)
                of_low, of_high = load(shared, low) + here, load(shared, high) + here
                store(shared, low, of_low)
                store(shared, high, of_high)
            else:
                store(shared, low, load(shared, low) + here)
            k, row = int32(k + 1), int32(row + wide)
        put(shared, at, every, total)

    @device
    def take_out(boards, hand, k, end, at, row, total, shared):
        """Subtract hands k … end − 1 of a step from a sum whose total is given; returns what is left of the total."""
        while k < end:
            packed, here = load(boards.hand, hand + k), load(shared, row + k * wide)
            low = int32(at + (packed & BYTE) * wide)
            total -= here
            if two:
                high = int32(at + (packed >> HIGH_SHIFT & BYTE) * wide)
                of_low, of_high = load(shared, low) - here, load(shared, high) - here
                store(shared, low, of_low)
                store(shared, high, of_high)
            else:
                store(shared, low, load(shared, low) - here)
            k = int32(k + 1)
        return total

    @device
    def show(boards, hand, count, what, at, row, value, net, shared):
        """The showdown of a lane for the hands of a step: see `show_hands` of `cuda_flop_walks`."""
        total, k = field(shared, at, every), int32(0)
        while k < count:
            packed = load(boards.hand, hand + k)
            ties = int32(packed >> TIES_SHIFT)
            if ties == 1 and what == ALL_PARTS:  # a hand that ties with no other
                here, low = load(shared, row + k * wide), int32(at + (packed & BYTE) * wide)
                of_low, twice = load(shared, low), here + here
                stronger = total - of_low
                if two:
                    high = int32(at + (packed >> HIGH_SHIFT & BYTE) * wide)
                    of_high = load(shared, high)
                    stronger += here - of_high
                    store(shared, high, of_high - twice)
                store(shared, low, of_low - twice)
                total -= twice
                store(shared, value + k * wide, -net * stronger)
                k = int32(k + 1)
                continue
            end = int32(k + ties)
            if what & ADD_BEFORE:
                total = take_out(boards, hand, k, end, at, row, total, shared)
            if what & VALUES:
                member = k
                while member < end:
                    packed = load(boards.hand, hand + member)
                    stronger = total - load(shared, at + (packed & BYTE) * wide)
                    if two:
                        stronger -= load(shared, at + (packed >> HIGH_SHIFT & BYTE) * wide)
                    store(shared, value + member * wide, -net * stronger)
                    member = int32(member + 1)
            if what & ADD_AFTER:
                total = take_out(boards, hand, k, end, at, row, total, shared)
            k = end
        put(shared, at, every, total)

    @device
    def reach_of(street, boards, number, entering, line, theirs, other, reach, strategies, shared, column):
        """The other player's reach in each lane with a hand [boards · hands]."""
        here = reach[entering + boards.above[number] * street.lines]
        begin = strategy_at(other, bucket_of(boards, street, other, number), street)
        return lane_reach(strategies[begin:], theirs, here, shared, column)

    def ascend_shape(lines, street, boards, reach, risen, strategies, player, first_group, groups, queue):
        """Values of lines of one shape, from group `first_group` on, for a player, added up in each run of boards."""
        shared, thread, threads = cuda.shared.array(0, reach.dtype), int32(cuda.threadIdx.x), int32(cuda.blockDim.x)
        nth = divided(thread, wide)
        lane, at_once, other = int32(thread - nth * wide), divided(threads, wide), 1 - player
        own_sum, own_row = int32(nth * apart + lane), int32(first_row + nth * width + lane)
        own_value = int32(first_value + nth * width + lane)
        while True:
            item = next_item(queue)
            if item >= street.runs * groups:
                break
            run = divided(item, groups)
            group = int32(first_group + item - run * groups)
            record = int32((player * street.groups + group) * GROUP_RECORD)
            line = int32(group * wide + lane)
            returned = (player * street.runs + run) * street.hands_above * street.lines + line
            k = nth
            while k < street.hands_above:
                risen[returned + k * street.lines] = like(risen, 0)
                k = int32(k + at_once)
            theirs = int32(field(lines.group, record, THEIR_ROW) * wide + lane)
            mine = int32(field(lines.group, record, OWN_ROW) * wide + lane)
            payoff = int32(field(lines.group, record, PAYOFF) + lane)
            net = like(reach, 0)
            if nth < shows:
                net = load(lines.payoff, payoff + (nth * PAYOFFS + NET) * wide)
            board, parent = boards.run[run], boards.run_parent[run]
            entering = (player * street.above + parent) * street.hands_above * street.lines + line
            while board < boards.run[run + 1]:
                first = board * street.hands
                clear(shared, int32(lanes * apart), thread, threads)
                begin = int32(0)
                while begin < street.hands:
                    count = int32(at_once if begin + at_once <= street.hands else street.hands - begin)
                    number = first + begin + smaller(nth, int32(count - 1))
                    cuda.syncthreads()
                    reach_of(
                        street, boards, number, entering, line, theirs, other, reach, strategies, shared, thread
                    )  # fmt: skip
                    cuda.syncthreads()
                    if nth < lanes:
                        add_up(boards, int32(first + begin), count, own_sum, own_row, shared)
                    begin = int32(begin + at_once)
                cuda.syncthreads()
                if nth < boths:
                    card = int32(0)
                    while card < apart:
                        store(shared, own_sum + lanes * apart + card, load(shared, own_sum + card))
                        card = int32(card + wide)
                weight, index = boards.weight[board], int32(0)
                while index < boards.steps[board]:
                    step = boards.step[board * street.most_steps + index]
                    begin, count = int32(step & ENTRY), int32(step >> COUNT_SHIFT & ENTRY)
                    what, last = int32(step >> WHAT_SHIFT), int32(count - 1)
                    number = first + begin + smaller(nth, last)  # threads without a hand repeat the last one
                    kept = reach_of(
                        street, boards, number, entering, line, theirs, other, reach, strategies, shared, thread
                    )  # fmt: skip
                    cuda.syncthreads()
                    if nth < shows:
                        show(boards, int32(first + begin), count, what, own_sum, own_row, own_value, net, shared)
                    cuda.syncthreads()
                    if nth < count and what & VALUES:
                        packed, begins = boards.hand[number], 0
                        if played:
                            begins = strategy_at(player, bucket_of(boards, street, player, number), street)
                        low = int32((packed & BYTE) * wide + lane)
                        high = int32((packed >> HIGH_SHIFT & BYTE) * wide + lane)
                        worth = root_value(
                            kept, shared, thread, int32(every + lane), low, high, lines.payoff, payoff,
                            strategies[begins:], mine,
                        )  # fmt: skip
                        risen[returned + boards.above[number] * street.lines] += weight * worth
                    index = int32(index + 1)
                cuda.syncthreads()
                board += 1
        leave_queue(queue)

    return kernel(ascend_shape, registers=REGISTERS, cache=False)
