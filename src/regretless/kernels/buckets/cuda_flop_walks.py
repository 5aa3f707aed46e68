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

from regretless.kernels.buckets.cuda_flop_layout import (
    ACTIONS,
    ADD_AFTER,
    ADD_BEFORE,
    ALL_SUM,
    CHILD_ROW,
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
    EVERY,
    FOLD,
    FOLDED,
    GROUP_RECORD,
    HIGH_SHIFT,
    LANE_END,
    LANE_FIRST,
    LANE_RECORD,
    LANE_ROW,
    NET,
    OWN,
    OWN_ROW,
    OWN_STRATEGY,
    PAYOFF,
    PAYOFFS,
    RAKED,
    REACH_END,
    REACH_FIRST,
    REACH_RECORD,
    ROOT,
    ROW,
    SHOW,
    SHOW_SUM,
    SLOT,
    SOURCE,
    STRATEGY,
    SUMS,
    TARGET,
    THEIR_ROW,
    TIES_SHIFT,
    VALUES,
    WHAT_SHIFT,
    Spot,
)
from regretless.kernels.cuda_target import at_least, cuda, device, divided, field, int32, kernel, like, load, store
from regretless.kernels.public.cuda_walks import leave_queue, next_item

BYTE, ENTRY = 255, 4095
"""Masks of a card in a hand, and of a number in a step."""


@device
def spot_of(lines, street, player, board, parent, group):
    """A group of lines on a board."""
    record = int32((player * street.groups + group) * GROUP_RECORD)
    return Spot(record, int32(player), int32(board), int32(parent), int32(group * street.wide))


@device
def strategy_at(player, bucket, street):
    """Where the strategy of a player in a bucket begins; indices from there on have 32 bits."""
    if player == 0:
        return bucket * street.first_rows
    return street.second_table + bucket * street.second_rows


@device
def bucket_of(boards, street, player, number):
    """The bucket of a hand [boards · hands] as a player knows it."""
    return boards.bucket[player * street.bucket_apart + number]


@device
def write_reach(lines, street, boards, spot, k, lane, reach, strategies, rows, at, width):
    """The other player's reach at all nodes of a line with hand k, to a column of `rows`."""
    number = spot.board * street.hands + k
    board_above = int(spot.player) * street.above + spot.parent
    entry = (board_above * street.hands_above + boards.above[number]) * street.lines + spot.line + lane
    store(rows, at, reach[entry])
    other = 1 - spot.player
    strategy = strategies[strategy_at(other, bucket_of(boards, street, other, number), street) :]
    begin = int32(field(lines.group, spot.group, THEIR_ROW) * street.wide + lane)
    decision = int32(field(lines.group, spot.group, REACH_FIRST) * REACH_RECORD)
    end = int32(field(lines.group, spot.group, REACH_END) * REACH_RECORD)
    while decision < end:
        here = load(rows, at + field(lines.reach, decision, ROW) * width)
        child = int32(at + field(lines.reach, decision, CHILD_ROW) * width)
        entry = int32(begin + field(lines.reach, decision, STRATEGY) * street.wide)
        last = int32(entry + field(lines.reach, decision, ACTIONS) * street.wide)
        while entry < last:
            store(rows, child, here * load(strategy, entry))
            entry, child = int32(entry + street.wide), int32(child + width)
        decision = int32(decision + REACH_RECORD)


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
def clear(shared, count, thread, threads):
    """Set the first numbers of shared memory to 0."""
    at = thread
    while at < count:
        store(shared, at, like(shared, 0))
        at = int32(at + threads)


@device
def sum_at(number, lane, street):
    """Where the sums of a lane's line begin: those of card c are at + c · W, and of all hands behind them."""
    return int32(number * (street.cards + 1) * street.wide + lane)


@device
def total_reach(lines, street, boards, spot, begin, count, shared, plan, thread, threads):
    """Part 2 of the first pass: add some hands to the sums of all lanes."""
    wide, hand = street.wide, spot.board * street.hands + begin
    first, end = field(lines.group, spot.group, LANE_FIRST), field(lines.group, spot.group, LANE_END)
    job, jobs = thread, int32((end - first) * wide)
    while job < jobs:
        nth = divided(job, wide)
        lane, record = int32(job - nth * wide), int32((first + nth) * LANE_RECORD)
        number = field(lines.lane, record, SHOW_SUM)
        if number < 0:
            number = field(lines.lane, record, ALL_SUM)
        at = sum_at(number, lane, street)
        row = int32(plan.reach + field(lines.lane, record, LANE_ROW) * plan.width + lane)
        every = int32(at + street.cards * wide)
        total, k = load(shared, every), int32(0)
        while k < count:
            cards, here = load(boards.hand, hand + k), load(shared, row + k * wide)
            total += here
            low, high = int32(at + (cards & BYTE) * wide), int32(at + (cards >> HIGH_SHIFT & BYTE) * wide)
            if street.two:
                of_low, of_high = load(shared, low) + here, load(shared, high) + here
                store(shared, low, of_low)
                store(shared, high, of_high)
            else:
                store(shared, low, load(shared, low) + here)
            k = int32(k + 1)
        store(shared, every, total)
        job = int32(job + threads)


@device
def keep_totals(lines, street, spot, shared, thread, threads):
    """Where a lane has two sums, both begin with the totals."""
    wide = street.wide
    first, end = field(lines.group, spot.group, LANE_FIRST), field(lines.group, spot.group, LANE_END)
    job, jobs = thread, int32((end - first) * wide)
    while job < jobs:
        nth = divided(job, wide)
        lane, record = int32(job - nth * wide), int32((first + nth) * LANE_RECORD)
        show, every = field(lines.lane, record, SHOW_SUM), field(lines.lane, record, ALL_SUM)
        if show >= 0 and every >= 0:
            source, target, card = sum_at(show, lane, street), sum_at(every, lane, street), int32(0)
            while card <= street.cards:
                store(shared, target + card * wide, load(shared, source + card * wide))
                card = int32(card + 1)
        job = int32(job + threads)


@device
def without_cards(street, at, cards, shared):
    """X − C(low) − C(high), or X − C(card)."""
    wide = street.wide
    left = load(shared, at + street.cards * wide) - load(shared, at + (cards & BYTE) * wide)
    if street.two:
        left -= load(shared, at + (cards >> HIGH_SHIFT & BYTE) * wide)
    return left


@device
def subtract(street, boards, hand, k, end, row, at, shared):
    """Subtract the reach of hands k … end − 1 of a step from a sum."""
    wide = street.wide
    every = int32(at + street.cards * wide)
    total = load(shared, every)
    while k < end:
        cards, here = load(boards.hand, hand + k), load(shared, row + k * wide)
        total -= here
        low, high = int32(at + (cards & BYTE) * wide), int32(at + (cards >> HIGH_SHIFT & BYTE) * wide)
        if street.two:
            of_low, of_high = load(shared, low) - here, load(shared, high) - here
            store(shared, low, of_low)
            store(shared, high, of_high)
        else:
            store(shared, low, load(shared, low) - here)
        k = int32(k + 1)
    store(shared, every, total)


@device
def pass_alone(street, cards, here, at, shared):
    """Stronger − weaker of a hand that ties with no other, which then is one of the weaker ones."""
    wide, twice = street.wide, here + here
    every, low = int32(at + street.cards * wide), int32(at + (cards & BYTE) * wide)
    total, of_low = load(shared, every), load(shared, low)
    net = total - of_low
    if street.two:
        high = int32(at + (cards >> HIGH_SHIFT & BYTE) * wide)
        of_high = load(shared, high)
        net += here - of_high
        store(shared, high, of_high - twice)
    store(shared, every, total - twice)
    store(shared, low, of_low - twice)
    return net


@device
def show_hands(street, boards, hand, count, what, row, at, target, net, shared):
    """Part 2 of a showdown: values of the hands of a step, as far as they depend on who is stronger."""
    wide, k = street.wide, int32(0)
    while k < count:
        cards = load(boards.hand, hand + k)
        ties = int32(cards >> TIES_SHIFT)
        if ties == 1 and what == ADD_BEFORE + VALUES + ADD_AFTER:
            stronger = pass_alone(street, cards, load(shared, row + k * wide), at, shared)
            store(shared, target + k * wide, -net * stronger)
            k = int32(k + 1)
            continue
        end = int32(k + ties)
        if what & ADD_BEFORE:
            subtract(street, boards, hand, k, end, row, at, shared)
        if what & VALUES:
            member = k
            while member < end:
                stronger = without_cards(street, at, load(boards.hand, hand + member), shared)
                store(shared, target + member * wide, -net * stronger)
                member = int32(member + 1)
        if what & ADD_AFTER:
            subtract(street, boards, hand, k, end, row, at, shared)
        k = end


@device
def available(street, boards, number, here, at, shared):
    """The reach of all hands that share no card with a hand [boards · hands]; here: its own reach."""
    left = without_cards(street, at, load(boards.hand, number), shared)
    return left + here if street.two else left


@device
def value_lanes(lines, street, boards, spot, begin, count, what, shared, plan, thread, threads):
    """Part 2 of the second pass: values of folds and showdowns for the hands of a step."""
    wide, hand = street.wide, int32(spot.board * street.hands + begin)
    first, end = field(lines.group, spot.group, LANE_FIRST), field(lines.group, spot.group, LANE_END)
    job, jobs = thread, int32((end - first) * wide)
    while job < jobs:
        nth = divided(job, wide)
        lane, record = int32(job - nth * wide), int32((first + nth) * LANE_RECORD)
        row = int32(plan.reach + field(lines.lane, record, LANE_ROW) * plan.width + lane)
        payoff = int32(field(lines.group, spot.group, PAYOFF) + nth * PAYOFFS * wide + lane)
        show, fold = field(lines.lane, record, SHOW), field(lines.lane, record, FOLD)
        every = sum_at(field(lines.lane, record, ALL_SUM), lane, street)
        if show >= 0:
            at, target = sum_at(field(lines.lane, record, SHOW_SUM), lane, street), plan.values + show * plan.width
            net = load(lines.payoff, payoff + NET * wide)
            show_hands(street, boards, hand, count, what, row, at, int32(target + lane), net, shared)
        k = int32(0)
        while k < count and what & VALUES:
            if fold >= 0:
                here = available(street, boards, hand + k, load(shared, row + k * wide), every, shared)
                worth = load(lines.payoff, payoff + FOLDED * wide) * here
                store(shared, plan.values + fold * plan.width + k * wide + lane, worth)
            if field(lines.lane, record, RAKED):
                here = available(street, boards, hand + k, load(shared, row + k * wide), every, shared)
                target = int32(plan.values + show * plan.width + k * wide + lane)
                worth = load(lines.payoff, payoff + EVERY * wide) * here
                store(shared, target, load(shared, target) + worth)
            k = int32(k + 1)
        job = int32(job + threads)


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
