"""`ascend` of `cuda_flop_walks` on the last street, for lines of one shape whose walk is compiled.

A program that is interpreted takes some 2,700 instructions for each hand and line of limit hold'em, and compiled about
900. The order of the sums is the same. Differences: folds are paid when the value of the root is computed, by a thread
for each hand and line; the reach of a hand stays in registers between the parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from regretless.kernels.cuda_target import cuda, device, divided, field, int32, kernel, like, load, smaller, store
from regretless.kernels.flops.cuda_flop_layout import (
    COUNT_SHIFT,
    GROUP_RECORD,
    HIGH_SHIFT,
    NET,
    OWN_ROW,
    PAYOFF,
    PAYOFFS,
    THEIR_ROW,
    VALUES,
    WHAT_SHIFT,
)
from regretless.kernels.flops.cuda_flop_reach import bucket_of, strategy_at
from regretless.kernels.flops.cuda_flop_terminals import BYTE, ENTRY, clear
from regretless.kernels.flops.cuda_shape_sweeps import ShapeSizes, shape_sweeps
from regretless.kernels.public.cuda_walks import leave_queue, next_item

__all__ = ["shape_kernel"]

REGISTERS = 80
"""Five blocks of 128 threads and 41 KB run on a multiprocessor at once; their threads may have 102 registers."""


class Seat(NamedTuple):
    """What a thread works on: with all others hand `nth` of a step on line `lane`; alone, lane `nth` of this line."""

    thread: Any
    nth: Any
    lane: Any
    at_once: Any  # hands of a step
    sums: Any  # where the sums of its lane begin
    row: Any  # where the reach of its lane begins
    value: Any  # where the values of its lane's showdown begin


class Walk(NamedTuple):
    """A group of lines, as a player walks it on the boards of a run."""

    player: Any
    theirs: Any  # the strategies of the other player and of the player, from the begin of a bucket
    mine: Any
    payoff: Any
    net: Any  # of the thread's lane
    entering: Any  # the other player's reach with the first hand of the board above
    returned: Any  # the value with this hand


def shape_kernel(functions: dict[str, Callable[..., Any]], sizes: ShapeSizes, played: bool) -> Any:
    """The kernel of a shape. functions: lane_reach, root_value and root_played, as `shape_source` writes them."""
    walk_board = board_walk(functions, sizes, played)
    _, shows, _, _, cards, wide, width, _, first_row, first_value, _ = sizes
    apart = (cards + 1) * wide

    @device
    def seat_of(thread, threads):
        """The work of a thread."""
        nth = divided(thread, wide)
        lane = int32(thread - nth * wide)
        row, value = int32(first_row + nth * width + lane), int32(first_value + nth * width + lane)
        return Seat(thread, nth, lane, divided(threads, wide), int32(nth * apart + lane), row, value)

    @device
    def begin_run(lines, street, boards, reach, risen, seat, player, group, run):
        """The walk over the boards of a run, whose values are set to 0."""
        record = int32((player * street.groups + group) * GROUP_RECORD)
        line = int32(group * wide + seat.lane)
        returned = (player * street.runs + run) * street.hands_above * street.lines + line
        k = seat.nth
        while k < street.hands_above:
            risen[returned + k * street.lines] = like(risen, 0)
            k = int32(k + seat.at_once)
        theirs = int32(field(lines.group, record, THEIR_ROW) * wide + seat.lane)
        mine = int32(field(lines.group, record, OWN_ROW) * wide + seat.lane)
        payoff, net = int32(field(lines.group, record, PAYOFF) + seat.lane), like(reach, 0)
        if seat.nth < shows:
            net = load(lines.payoff, payoff + (seat.nth * PAYOFFS + NET) * wide)
        entering = (player * street.above + boards.run_parent[run]) * street.hands_above * street.lines + line
        return Walk(player, theirs, mine, payoff, net, entering, returned)

    def ascend_shape(lines, street, boards, reach, risen, strategies, player, first_group, groups, queue):
        """Values of lines of one shape, from group `first_group` on, for a player, added up in each run of boards."""
        shared = cuda.shared.array(0, reach.dtype)
        seat = seat_of(int32(cuda.threadIdx.x), int32(cuda.blockDim.x))
        while True:
            item = next_item(queue)
            if item >= street.runs * groups:
                break
            run = divided(item, groups)
            group = int32(first_group + item - run * groups)
            walk = begin_run(lines, street, boards, reach, risen, seat, player, group, run)
            board = boards.run[run]
            while board < boards.run[run + 1]:
                walk_board(lines, street, boards, board, reach, risen, strategies, shared, seat, walk)
                cuda.syncthreads()
                board += 1
        leave_queue(queue)

    return kernel(ascend_shape, registers=REGISTERS, cache=False)


def board_walk(functions: dict[str, Callable[..., Any]], sizes: ShapeSizes, played: bool) -> Any:
    """The device function that walks a board."""
    lane_reach = device(functions["lane_reach"])
    root_value = device(functions["root_played" if played else "root_value"])
    add_up, show = shape_sweeps(sizes)
    lanes, shows, boths, _, cards, wide, *_ = sizes
    every, apart = cards * wide, (cards + 1) * wide

    @device
    def reach_of(street, boards, number, reach, strategies, shared, seat, walk):
        """The other player's reach in each lane with a hand [boards · hands]."""
        here, other = reach[walk.entering + boards.above[number] * street.lines], 1 - walk.player
        begin = strategy_at(other, bucket_of(boards, street, other, number), street)
        return lane_reach(strategies[begin:], walk.theirs, here, shared, seat.thread)

    @device
    def sum_board(street, boards, first, reach, strategies, shared, seat, walk):
        """The first pass: sums of all hands, in both sums of a lane that has two."""
        begin = int32(0)
        while begin < street.hands:
            count = int32(seat.at_once if begin + seat.at_once <= street.hands else street.hands - begin)
            number = first + begin + smaller(seat.nth, int32(count - 1))
            cuda.syncthreads()
            reach_of(street, boards, number, reach, strategies, shared, seat, walk)
            cuda.syncthreads()
            if seat.nth < lanes:
                add_up(boards, int32(first + begin), count, seat.sums, seat.row, shared)
            begin = int32(begin + seat.at_once)
        cuda.syncthreads()
        if seat.nth < boths:
            card = int32(0)
            while card < apart:
                store(shared, seat.sums + lanes * apart + card, load(shared, seat.sums + card))
                card = int32(card + wide)

    @device
    def value_of(lines, street, boards, number, kept, strategies, shared, seat, walk):
        """The value of the root with a hand [boards · hands]; kept: the other player's reach in each lane."""
        packed, begin = boards.hand[number], 0
        if played:
            begin = strategy_at(walk.player, bucket_of(boards, street, walk.player, number), street)
        low = int32((packed & BYTE) * wide + seat.lane)
        high = int32((packed >> HIGH_SHIFT & BYTE) * wide + seat.lane)
        return root_value(
            kept, shared, seat.thread, int32(every + seat.lane), low, high, lines.payoff, walk.payoff,
            strategies[begin:], walk.mine,
        )  # fmt: skip

    @device
    def walk_board(lines, street, boards, board, reach, risen, strategies, shared, seat, walk):
        """Both passes over the hands of a board."""
        first = board * street.hands
        clear(shared, int32(lanes * apart), seat.thread, int32(cuda.blockDim.x))
        sum_board(street, boards, first, reach, strategies, shared, seat, walk)
        weight, index = boards.weight[board], int32(0)
        while index < boards.steps[board]:
            step = boards.step[board * street.most_steps + index]
            begin, count = int32(step & ENTRY), int32(step >> COUNT_SHIFT & ENTRY)
            what, last = int32(step >> WHAT_SHIFT), int32(count - 1)
            number = first + begin + smaller(seat.nth, last)  # threads without a hand repeat the last one
            kept = reach_of(street, boards, number, reach, strategies, shared, seat, walk)
            cuda.syncthreads()
            if seat.nth < shows:
                hand = int32(first + begin)
                show(boards, hand, count, what, seat.sums, seat.row, seat.value, walk.net, shared)
            cuda.syncthreads()
            if seat.nth < count and what & VALUES:
                worth = value_of(lines, street, boards, number, kept, strategies, shared, seat, walk)
                risen[walk.returned + boards.above[number] * street.lines] += weight * worth
            index = int32(index + 1)

    return walk_board
