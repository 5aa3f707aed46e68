"""Best responses to strategies by buckets on all boards below a flop, on a GPU: a thread for each line of play.

`descend` brings the other player's reach to the next street, `ascend` brings values of one street to the boards above,
and `gather` adds up the boards of a street. All lines and both players are walked at once. See `cuda_flop_layout`.

A block of `ascend` takes a group of lines and some boards, one after the other. A board is passed twice, a few hands at
a time, with a barrier after each part:

    (1) each thread takes a hand and a line: the other player's reach at all nodes, to shared memory
    (2) each thread takes a lane and a line, and all hands of the step: sums by card, and values from them
    (3) each thread takes a hand and a line: values from the ends of the line to its root

The first pass only adds up. In the second one hands come from weak to strong, and the sums are those of the stronger
hands less those of the weaker ones. For a hand h with cards c and d, X over all hands and C by card,

    stronger − weaker  =  X − C(c) − C(d)        while hands as strong as h are counted neither way
    all                =  X − C(c) − C(d) + r(h)  at a fold

so a showdown pays (win + lose) / 2 · all + (win − lose) / 2 · (weaker − stronger). That is right if a tie pays the mean
of win and lose, which is so wherever a tie divides the pot. A hand that ties with no other moves from the stronger to
the weaker hands in one go. Many equally strong hands, more than a step has, are taken out first, then valued, and then
added to the weaker ones.

All threads of a warp read the same hand, so the cards of a hand are no bank conflict. Every sum has a fixed order, so
two runs have the same bits.

**Cost.** Limit hold'em has 567 lines on the river, each with 13 lanes; up to suits there are 2.55 million rivers in an
order of deals with 1,081 hands. That makes 3.1 · 10¹² (river, line, player, hand), with about 310 accesses to shared
memory each: 126 s at one access for a warp in each cycle of 132 multiprocessors with 1.9 GHz. About 800 instructions
each are 86 s at four in a cycle. Strategies come from the second cache, 100 bytes each: 70 s. So shared memory is the
limit, and the exploitability of a strategy takes at least 2.1 minutes of an H200.
"""

from __future__ import annotations

from regretless.kernels.cuda_target import at_least, cuda, device, divided, field, int32, kernel, like, load, store
from regretless.kernels.flops.cuda_flop_layout import (
    CHILDREN,
    CLIMB_END,
    CLIMB_FIRST,
    CLIMB_RECORD,
    COUNT_SHIFT,
    DEAL_END,
    DEAL_FIRST,
    DEAL_RECORD,
    DEAL_ROW,
    DEAL_SLOT,
    OWN,
    OWN_ROW,
    OWN_STRATEGY,
    ROOT,
    SLOT,
    SOURCE,
    SUMS,
    TARGET,
    VALUES,
    WHAT_SHIFT,
)
from regretless.kernels.flops.cuda_flop_reach import bucket_of, spot_of, strategy_at, write_reach
from regretless.kernels.flops.cuda_flop_terminals import ENTRY, clear, keep_totals, total_reach, value_lanes
from regretless.kernels.public.cuda_walks import leave_queue, next_item


@kernel
def descend(lines, street, boards, reach, below, strategies, plan, queue):
    """The other player's reach where lines of the next street begin, for both players' walks."""
    shared, thread = cuda.shared.array(0, reach.dtype), int32(cuda.threadIdx.x)
    nth = divided(thread, street.wide)
    lane, hands_at_once = int32(thread - nth * street.wide), divided(int32(cuda.blockDim.x), street.wide)
    while True:
        item = next_item(queue)
        if item >= 2 * street.boards * street.groups:
            break
        pair = divided(item, street.groups)
        board = divided(pair, 2)
        spot = spot_of(lines, street, pair - 2 * board, board, boards.run_parent[board], item - pair * street.groups)
        k = nth
        while k < street.hands:
            at = int32(plan.reach + thread)
            write_reach(lines, street, boards, spot, k, lane, reach, strategies, shared, at, plan.width)
            board_here = int(spot.player) * street.boards + spot.board
            target = below[(board_here * street.hands + k) * street.next_lines :]
            deal, end = field(lines.group, spot.group, DEAL_FIRST), field(lines.group, spot.group, DEAL_END)
            line = int32(field(lines.group, spot.group, TARGET) + lane)
            while deal < end:
                row = field(lines.deal, deal * DEAL_RECORD, DEAL_ROW)
                store(target, load(lines.target, line), load(shared, at + row * plan.width))
                deal, line = deal + 1, int32(line + street.wide)
            k = int32(k + hands_at_once)
    leave_queue(queue)


@device
def climb(lines, street, boards, spot, k, lane, dealt, own, values, at, width, played):
    """Part 3: the value of the root of a line with hand k. values: a column with the values of ends. own: strategy."""
    board_here = int(spot.player) * street.boards + spot.board
    below = dealt[(board_here * street.hands + k) * street.next_lines :]
    deal, end = field(lines.group, spot.group, DEAL_FIRST), field(lines.group, spot.group, DEAL_END)
    line = int32(field(lines.group, spot.group, TARGET) + lane)
    while deal < end:
        slot = field(lines.deal, deal * DEAL_RECORD, DEAL_SLOT)
        store(values, at + slot * width, load(below, load(lines.target, line)))
        deal, line = deal + 1, int32(line + street.wide)
    begin = int32(field(lines.group, spot.group, OWN_ROW) * street.wide + lane)
    decision = int32(field(lines.group, spot.group, CLIMB_FIRST) * CLIMB_RECORD)
    last = int32(field(lines.group, spot.group, CLIMB_END) * CLIMB_RECORD)
    while decision < last:
        source = field(lines.climb, decision, SOURCE)
        stop = source + field(lines.climb, decision, CHILDREN)
        mine = field(lines.climb, decision, OWN)
        worth = load(values, at + load(lines.source, source) * width)
        entry = int32(begin + field(lines.climb, decision, OWN_STRATEGY) * street.wide)
        if mine and played:
            worth *= load(own, entry)
        source += 1
        while source < stop:
            child = load(values, at + load(lines.source, source) * width)
            entry = int32(entry + street.wide)
            if not mine:
                worth += child
            elif played:
                worth += load(own, entry) * child
            else:
                worth = at_least(child, worth)
            source += 1
        store(values, at + field(lines.climb, decision, SLOT) * width, worth)
        decision = int32(decision + CLIMB_RECORD)
    return load(values, at + field(lines.group, spot.group, ROOT) * width)


@device
def walk_board(
    lines, street, boards, spot, reach, dealt, risen, returned, strategies, shared, plan, played
):  # fmt: skip
    """A group of lines on a board; values of the roots are added to `risen`, from `returned` on."""
    thread, threads, wide = int32(cuda.threadIdx.x), int32(cuda.blockDim.x), street.wide
    nth = divided(thread, wide)
    lane, at_once = int32(thread - nth * wide), divided(threads, wide)
    rows, slots = int32(plan.reach + thread), int32(plan.values + thread)
    sums = field(lines.group, spot.group, SUMS)
    clear(shared, int32(sums * (street.cards + 1) * wide), thread, threads)
    begin = int32(0)
    while sums > 0 and begin < street.hands:
        count = int32(at_once if begin + at_once <= street.hands else street.hands - begin)
        if nth < count:
            write_reach(
                lines, street, boards, spot, begin + nth, lane, reach, strategies, shared, rows, plan.width
            )  # fmt: skip
        cuda.syncthreads()
        total_reach(lines, street, boards, spot, begin, count, shared, plan, thread, threads)
        cuda.syncthreads()
        begin = int32(begin + at_once)
    keep_totals(lines, street, spot, shared, thread, threads)
    weight, index = boards.weight[spot.board], int32(0)
    while index < boards.steps[spot.board]:
        step = boards.step[spot.board * street.most_steps + index]
        begin, count, what = int32(step & ENTRY), int32(step >> COUNT_SHIFT & ENTRY), int32(step >> WHAT_SHIFT)
        k = int32(begin + nth)
        if nth < count:
            write_reach(lines, street, boards, spot, k, lane, reach, strategies, shared, rows, plan.width)
        cuda.syncthreads()
        value_lanes(lines, street, boards, spot, begin, count, what, shared, plan, thread, threads)
        cuda.syncthreads()
        if nth < count and what & VALUES:
            number = spot.board * street.hands + k
            own = strategies[strategy_at(spot.player, bucket_of(boards, street, spot.player, number), street) :]
            worth = climb(lines, street, boards, spot, k, lane, dealt, own, shared, slots, plan.width, played)
            target = returned + boards.above[number] * street.lines + lane
            risen[target] += weight * worth
        index = int32(index + 1)
    cuda.syncthreads()


@kernel(registers=96)
def ascend(lines, street, boards, reach, dealt, risen, strategies, plan, queue, played):
    """Values of a street's lines by hand of the board above, added up in each run of boards.

    `dealt` holds those of the next street. played: of the player's own strategy, not of a best response.
    """
    shared, thread, threads = cuda.shared.array(0, reach.dtype), int32(cuda.threadIdx.x), int32(cuda.blockDim.x)
    while True:
        item = next_item(queue)
        if item >= 2 * street.runs * street.groups:
            break
        pair = divided(item, street.groups)
        run, group = divided(pair, 2), int32(item - pair * street.groups)
        player = int32(pair - 2 * run)
        returned = (int(player) * street.runs + run) * street.hands_above * street.lines + group * street.wide
        at = thread
        while at < street.hands_above * street.wide:
            hand = divided(at, street.wide)
            risen[returned + hand * street.lines + at - hand * street.wide] = like(risen, 0)
            at = int32(at + threads)
        cuda.syncthreads()
        board, parent = boards.run[run], boards.run_parent[run]
        while board < boards.run[run + 1]:
            spot = spot_of(lines, street, player, board, parent, group)
            walk_board(
                lines, street, boards, spot, reach, dealt, risen, returned, strategies, shared, plan, played
            )  # fmt: skip
            board += 1
    leave_queue(queue)


@kernel
def gather(street, boards, risen, dealt):
    """dealt ← the values of a street, summed over the runs of each board above; hands alike by suit get the mean."""
    at = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while at < 2 * street.above * street.hands_above * street.lines:
        hand = at // street.lines
        line, board = at - hand * street.lines, hand // street.hands_above
        k = hand - board * street.hands_above
        player = board // street.above
        parent = board - player * street.above
        first = parent * street.hands_above
        end = boards.mate_end[first + k]
        if end > 0:
            total, member = like(risen, 0), k
            while member < end:
                mate = boards.mate[first + member]
                run = boards.parent_run[parent]
                while run < boards.parent_run[parent + 1]:
                    total += risen[((player * street.runs + run) * street.hands_above + mate) * street.lines + line]
                    run += 1
                member += 1
            mean, member = total / like(risen, end - k), k
            while member < end:
                dealt[(board * street.hands_above + boards.mate[first + member]) * street.lines + line] = mean
                member += 1
        at += cuda.gridDim.x * cuda.blockDim.x


@kernel
def transpose(probability, source, rows, strategy, buckets):
    """strategy[bucket, row] ← probability[source[row] + bucket]."""
    at = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while at < rows * buckets:
        row = at // buckets
        bucket = at - row * buckets
        strategy[bucket * rows + row] = probability[source[row] + bucket]
        at += cuda.gridDim.x * cuda.blockDim.x
