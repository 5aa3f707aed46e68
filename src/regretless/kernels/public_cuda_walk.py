"""Walks over a public tree on a GPU: a street at a time, a block of threads for each line on each board.

Going down, `descend` works out both players' reach where lines of the next street begin. Coming up, `ascend` works out the
other player's reach again, evaluates folds and showdowns, adds what is played to the average, brings values from the
leaves to the root and updates regrets; `add_boards` sums what the boards of a street are worth to the street above. So a
walk over S streets is 3 · S − 2 launches, four for flop hold'em, and the host waits for none of them. No sum depends on
which block comes first: results are the same on every run.

Blocks stay on the chip and draw their next item, a line on a board, from a queue. The chip's own memory serves three
times for an item: as the tile of the other player's reach, for sums of lanes, as the tile of own reach and values. What
threads must leave for each other goes through the block's *room* in device memory, small enough to stay in the cache:

    room:  reach, then free [lanes · width]  ·  shown [lanes · width]  ·  roots [2 · width]  ·  tile, if the chip is small

**Cost.** Per iteration (both players) each regret is read twice by its owner, the second time from the cache, and once by
the other player; averages are read once; both are written once: five times four bytes for each number. For flop hold'em
(234 million numbers) that is 4.7 GB, 1.1 ms at 4.3 TB/s. Through the cache go, per class and line, about 13 rows of
reach out and in and 22 of values out and in: 5 GB in all, and tables of 60 bytes a class. The chip's memory is touched
about 450 times per class and line, 18 million of them: 0.3 ms if no banks collided. 4 to 5 thousand instructions per
class and line, indices included, are about 3 ms of what the processors can issue.
"""

from __future__ import annotations

from regretless.kernels.public_cuda_lanes import (
    add_lists,
    bring_reach,
    carry_over,
    join_segments,
    lanes_that_fit,
    number_of,
    worth_of_lane,
)
from regretless.kernels.public_cuda_layout import (
    BEGIN,
    BELOW,
    BEST,
    CHILD_END,
    CHILD_FIRST,
    COUNT,
    DEAL_LINE,
    DEAL_NODE,
    DEAL_RECORD,
    DEAL_ROW,
    ENTRY,
    ENTRY_COUNT,
    ENTRY_STRIDE,
    FIRST,
    FOLDED,
    LANE_FOLD,
    LANE_PAYOFFS,
    LANE_RECORD,
    LANE_ROW,
    LANE_SHOW,
    LINE_DEALS,
    LINE_LANES,
    LINE_NODES,
    LINE_RECORD,
    LINE_ROWS,
    MINE,
    PLACES,
    RISE_FIRST,
    RISEN,
    STRIDE,
    THEIRS,
    UNIT_RECORD,
    Store,
)
from regretless.kernels.public_cuda_rows import average_line, climb, reach_line
from regretless.kernels.public_cuda_target import as_number, cuda, device, divided, kernel, put, short, take


@device
def next_item(queue, ticket):
    """The next item of the queue, the same for all threads of a block."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        ticket[0] = cuda.atomic.add(queue, 0, 1)
    cuda.syncthreads()
    return ticket[0]


@device
def leave_queue(queue):
    """The last block to leave sets the queue back for the next launch."""
    if cuda.threadIdx.x == 0 and cuda.atomic.add(queue, 1, 1) == cuda.gridDim.x - 1:
        queue[0] = 0
        queue[1] = 0


@device
def root_reach(hands, unit, nth, between, whom):
    """Where `entering` has the reach with which a player enters the street's nth line on a board."""
    half = whom * (between.entering.size // 2)
    return half + take(hands.unit, unit + ENTRY) + nth * take(hands.unit, unit + ENTRY_STRIDE)


@device
def reach_class(lines, line, hands, unit, whose, source, entering, k, tile, threads, smallest):
    """One class's reach in all rows of a line: a column of the tile. `entering` begins with the line's root."""
    thread = cuda.threadIdx.x
    put(tile, thread, take(entering, take(hands.above, number_of(hands, unit, BEGIN) + k)))
    reach_line(lines, line, whose, source, k, number_of(hands, unit, STRIDE), tile, thread, threads, smallest)


@kernel
def descend(lines, hands, street, source, between, rooms, plan, queue, player, roles, smallest):
    """Reach at the leaves of a street that lead to the next one; `roles` is 2, or 1 for the other player's alone."""
    chip = cuda.shared.array(0, rooms.dtype)
    ticket = cuda.shared.array(1, queue.dtype)
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    while True:
        item = next_item(queue, ticket)
        if item >= street.boards * street.lines * roles:
            break
        whom, nth = THEIRS - item % roles, item // roles % street.lines
        whose = player if whom == MINE else 1 - player
        board, line = street.board_first + item // roles // street.lines, (street.line_first + nth) * LINE_RECORD
        unit = (whose * plan.boards + board) * UNIT_RECORD
        stride, classes = number_of(hands, unit, STRIDE), number_of(hands, unit, COUNT)
        below = between.entering[whom * (between.entering.size // 2) + take(hands.unit, unit + BELOW) :]
        numbers = source[take(hands.unit, unit + FIRST) :]
        entering = between.entering[root_reach(hands, unit, nth, between, whom) :]
        tile = chip
        if take(lines.line, line + LINE_ROWS + whose) * threads > chip.size:
            tile = rooms[cuda.blockIdx.x, plan.tile :]
        k = thread
        while k < classes:
            reach_class(lines, line, hands, unit, whose, numbers, entering, k, tile, threads, smallest)
            for index in range(take(lines.line, line + LINE_DEALS), take(lines.line, line + LINE_DEALS + 1)):
                row = take(lines.deal, index * DEAL_RECORD + DEAL_ROW + whose)
                at = take(lines.deal, index * DEAL_RECORD + DEAL_LINE) * stride + k
                put(below, at, take(tile, row * threads + thread))
            k = short(k + threads)
    leave_queue(queue)


@device
def reach_lanes(lines, line, nth, first, end, hands, other, whose, source, between, chip, room, plan, smallest):
    """The other player's reach at the folds and showdowns of a line: a row of the room for each lane."""
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    numbers = source[take(hands.unit, other + FIRST) :]
    entering = between.entering[root_reach(hands, other, nth, between, THEIRS) :]
    classes, width = number_of(hands, other, COUNT), short(plan.width)
    tile = chip
    if take(lines.line, line + LINE_ROWS + whose) * threads > chip.size:
        tile = room[plan.tile :]
    k = thread
    while k < classes:
        reach_class(lines, line, hands, other, whose, numbers, entering, k, tile, threads, smallest)
        lane, target = first, k
        while lane < end:
            row = take(lines.lane, lane * LANE_RECORD + LANE_ROW)
            put(room, target, take(tile, row * threads + thread))
            lane, target = short(lane + 1), short(target + width)
        k = short(k + threads)


@device
def evaluate(lines, first, end, hands, unit, other, chip, room, plan):
    """Folds and showdowns of a line: rows of reach in the room become rows of free reach and of showdowns."""
    thread, threads, width = cuda.threadIdx.x, cuda.blockDim.x, short(plan.width)
    classes, last = number_of(hands, other, COUNT), short(number_of(hands, other, PLACES) - 1)
    most = lanes_that_fit(hands, other, chip.size)
    begin = first
    while begin < end:
        lanes = short(min(most, end - begin))
        row, base = short((begin - first) * width), short(classes * lanes)
        cuda.syncthreads()
        bring_reach(chip, room, row, width, classes, lanes, thread, threads)
        cuda.syncthreads()
        add_lists(chip, base, hands, other, lanes, thread, threads)
        cuda.syncthreads()
        carry_over(chip, base, hands, other, lanes, thread, threads)
        cuda.syncthreads()
        join_segments(chip, base, hands, other, lanes, thread, threads)
        cuda.syncthreads()
        lane = short(0)
        while lane < lanes:
            number, sums, free = short(begin + lane), short(base + lane), short(row + lane * width)
            shown = short(plan.shown + free)
            worth_of_lane(
                chip, sums, hands, unit, lines, number, lane, lanes, last, room, free, shown, thread, threads
            )
            lane = short(lane + 1)
        begin = short(begin + lanes)


@device
def take_leaves(lines, line, first, end, dealt, stride, room, plan, k, tile, thread, threads):
    """Values of a line's leaves for one class, into the tile; `dealt` begins with the board's."""
    lane, free, shown = first, k, short(plan.shown + k)
    while lane < end:
        show = take(lines.lane, lane * LANE_RECORD + LANE_SHOW)
        fold = take(lines.lane, lane * LANE_RECORD + LANE_FOLD)
        if show >= 0:
            put(tile, show * threads + thread, take(room, shown))
        if fold >= 0:
            put(tile, fold * threads + thread, take(lines.payoff, lane * LANE_PAYOFFS + FOLDED) * take(room, free))
        lane, free, shown = short(lane + 1), short(free + plan.width), short(shown + plan.width)
    for index in range(take(lines.line, line + LINE_DEALS), take(lines.line, line + LINE_DEALS + 1)):
        node = take(lines.deal, index * DEAL_RECORD + DEAL_NODE)
        at = take(lines.deal, index * DEAL_RECORD + DEAL_LINE) * stride + k
        put(tile, node * threads + thread, take(dealt, at))


@device
def settle(
    lines, line, nth, first, end, hands, unit, player, own, source, between, chip, room, plan, learning, step, smallest
):
    """Up a line, all classes of a player: what is played goes to the average, values to the root, regrets are updated.

    `own` and `source` begin with the player's numbers on the board; the root's values are left in the room.
    """
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    nodes = take(lines.line, line + LINE_NODES)
    tile = chip
    if (nodes + take(lines.line, line + LINE_ROWS + player)) * threads > chip.size:
        tile = room[plan.tile :]
    mine, entering = tile[nodes * threads :], between.entering[root_reach(hands, unit, nth, between, MINE) :]
    stride, classes = number_of(hands, unit, STRIDE), number_of(hands, unit, COUNT)
    below, half = take(hands.unit, unit + BELOW), between.dealt.size // 2
    k = thread
    while k < classes:
        if learning:
            reach_class(lines, line, hands, unit, player, source, entering, k, mine, threads, smallest)
            average_line(lines, line, player, own.average, k, stride, mine, thread, threads, step)
        for kind in range(1 if learning else 2):
            dealt = between.dealt[kind * half + below :]
            take_leaves(lines, line, first, end, dealt, stride, room, plan, k, tile, thread, threads)
            best = kind == BEST and not learning
            climb(lines, line, player, own, source, k, stride, best, learning, tile, thread, threads, smallest, step)
            put(room, plan.roots + kind * plan.width + k, take(tile, thread))
        k = short(k + threads)


@device
def raise_roots(hands, unit, nth, kinds, room, plan, between):
    """What a line is worth to each class of the board above: the sum over the classes that it becomes on this board."""
    bounds, classes = number_of(hands, unit, RISE_FIRST), number_of(hands, unit, ENTRY_COUNT)
    target = take(hands.unit, unit + RISEN) + nth * take(hands.unit, unit + ENTRY_STRIDE)
    for kind in range(kinds):
        risen = between.risen[kind * (between.risen.size // 2) + target :]
        roots = short(plan.roots + kind * plan.width)
        k = cuda.threadIdx.x
        while k < classes:
            total = as_number(risen, 0)
            index, end = take(hands.rise_bounds, bounds + k), take(hands.rise_bounds, bounds + k + 1)
            while index < end:
                total += take(hands.rise_weight, index) * take(room, roots + take(hands.rise_class, index))
                index = short(index + 1)
            put(risen, k, total)
            k = short(k + cuda.blockDim.x)


@kernel
def ascend(lines, hands, street, store, source, between, rooms, plan, queue, player, learning, step, smallest):
    """Values of all lines of a street, on all its boards, and what they teach; `dealt` holds those of the next street."""
    chip = cuda.shared.array(0, rooms.dtype)
    ticket = cuda.shared.array(1, queue.dtype)
    room = rooms[cuda.blockIdx.x]
    while True:
        item = next_item(queue, ticket)
        if item >= street.boards * street.lines:
            break
        board = divided(item, street.lines)
        nth = short(item - board * street.lines)
        board, line = short(street.board_first + board), short((street.line_first + nth) * LINE_RECORD)
        unit = short((player * plan.boards + board) * UNIT_RECORD)
        other = short(((1 - player) * plan.boards + board) * UNIT_RECORD)
        first = take(lines.line, line + LINE_LANES + 2 * player)
        end = take(lines.line, line + LINE_LANES + 2 * player + 1)
        if first < end:
            reach_lanes(
                lines, line, nth, first, end, hands, other, 1 - player, source, between, chip, room, plan, smallest
            )
            evaluate(lines, first, end, hands, unit, other, chip, room, plan)
            cuda.syncthreads()
        place = take(hands.unit, unit + FIRST)
        own = Store(
            store.regret[place:],
            store.guess[place:],
            store.average[place:],
            store.locked[take(store.block_first, board) :],
            store.block_first,
        )
        settle(
            lines, line, nth, first, end, hands, unit, player, own, source[place:], between, chip, room, plan, learning,
            step, smallest,
        )  # fmt: skip
        cuda.syncthreads()
        raise_roots(hands, unit, nth, 1 if learning else 2, room, plan, between)
    leave_queue(queue)


@kernel
def add_boards(hands, street, next_lines, between, plan, player, kinds, columns, tiles):
    """dealt ← the sum over a board's children of what they are worth to it, a line and `columns` classes at a time.

    The threads of a block share the children out among them and add up in a fixed order; `tiles` · `columns` classes are
    enough for every board of the street.
    """
    chip = cuda.shared.array(0, between.risen.dtype)
    thread, parts = cuda.threadIdx.x, cuda.blockDim.x // columns
    column, part = thread % columns, thread // columns
    for item in range(cuda.blockIdx.x, street.boards * next_lines * kinds * tiles, cuda.gridDim.x):
        k, kind = item % tiles * columns + column, item // tiles % kinds
        nth = item // tiles // kinds % next_lines
        board = street.board_first + item // tiles // kinds // next_lines
        unit = (player * plan.boards + board) * UNIT_RECORD
        stride = take(hands.unit, unit + STRIDE)
        half, below = kind * (between.risen.size // 2), kind * (between.dealt.size // 2)
        total = as_number(chip, 0)
        if k < stride:
            child = take(hands.unit, unit + CHILD_FIRST) + part
            while child < take(hands.unit, unit + CHILD_END):
                risen = take(hands.unit, (player * plan.boards + child) * UNIT_RECORD + RISEN)
                total += between.risen[half + risen + nth * stride + k]
                child += parts
        put(chip, thread, total)
        cuda.syncthreads()
        if part == 0 and k < stride:
            for later in range(1, parts):
                total += take(chip, later * columns + column)
            between.dealt[below + take(hands.unit, unit + BELOW) + nth * stride + k] = total
        cuda.syncthreads()
