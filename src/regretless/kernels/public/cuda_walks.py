"""Walks over a public tree on a GPU: a street at a time, a block of threads for each line on each board.

Going down, `descend` works out both players' reach where lines of the next street begin. Coming up, `ascend` works out
the other player's reach again, evaluates folds and showdowns, adds what is played to the average, brings values from
the leaves to the root and updates regrets; `add_boards` sums what the boards of a street are worth to the street above.
So a walk over S streets is 3 · S − 2 launches, four for flop hold'em, and the host waits for none of them. No sum
depends on which block comes first: results are the same on every run.

Blocks stay on the chip and draw their next item, a line on a board, from a queue. The chip's own memory serves twice
for an item: for sums of lanes, and as the *tile*, a column for each thread with own reach and the values of nodes. What
else a block must remember goes through its *room* in device memory (`Plan`), small enough to stay in the cache.

**Cost.** In an iteration each regret is read by both players, by its owner a second time from the cache, and written;
averages are read and written: five times four bytes for each number, 4.7 GB for the 234 million numbers of flop
hold'em, 1.1 ms at 4.3 TB/s. Its two players have 18 million (class, line) pairs, each with 13 lanes and 27 nodes. For
such a pair the room takes and gives about 75 numbers (5 GB through the cache), tables are 50 bytes, the chip's memory
is touched some 350 times, and about 3,900 instructions are issued: 2.2 billion for a warp, 2.4 ms if each of 132
multiprocessors issued four in every cycle, and twice that in practice. So instructions are what limits it, most of them
for finding the way through records and rows, and the memory's stream comes second.
"""

from __future__ import annotations

from regretless.kernels.public.cuda_decisions import climb, play_line, reach_line
from regretless.kernels.public.cuda_layout import (
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
    LEAF_NODE,
    LEAF_RECORD,
    LEAF_ROW,
    LINE_DEALS,
    LINE_LANES,
    LINE_LEAVES,
    LINE_NODES,
    LINE_RECORD,
    LINE_ROWS,
    MINE,
    RISE_FIRST,
    RISEN,
    STRIDE,
    THEIRS,
    UNIT_RECORD,
)
from regretless.kernels.public.cuda_target import as_number, cuda, device, divided, field, kernel, put, short, take
from regretless.kernels.public.cuda_terminals import (
    add_lists,
    bring_reach,
    carry_over,
    join_segments,
    number_of,
    numbers_per_lane,
    worth_of_lanes,
    worth_of_lanes_for_two_cards,
)


@device
def next_item(queue):
    """The next item of the queue, the same for all threads of a block; behind the queue each block has a number."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        queue[2 + cuda.blockIdx.x] = cuda.atomic.add(queue, 0, 1)
    cuda.syncthreads()
    return queue[2 + cuda.blockIdx.x]


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
    return half + field(hands.unit, unit, ENTRY) + nth * field(hands.unit, unit, ENTRY_STRIDE)


@device
def reach_rows(lines, line, nth, hands, unit, whose, whom, street, source, between, rooms, room, plan, smallest):
    """A player's reach in all rows of a line, for all classes: rows of the block's room, which begins at `room`."""
    entering = between.entering[root_reach(hands, unit, nth, between, whom) :]
    begin, classes = number_of(hands, unit, BEGIN), number_of(hands, unit, COUNT)
    stride, width = number_of(hands, unit, STRIDE), short(plan.width)
    place = short(field(hands.unit, unit, FIRST) - street.window)
    k = cuda.threadIdx.x
    while k < classes:
        put(rooms, room + k, take(entering, take(hands.above, begin + k)))
        reach_line(lines, line, whose, source, short(place + k), stride, rooms, short(room + k), width, smallest)
        k = short(k + cuda.blockDim.x)


@kernel
def descend(lines, hands, street, source, between, rooms, plan, queue, player, roles, smallest):
    """Reach at the leaves of a street that lead to the next one; `roles` is 2, or 1 for the other player's alone."""
    room = short(cuda.blockIdx.x * plan.room)
    while True:
        item = next_item(queue)
        if item >= street.boards * street.lines * roles:
            break
        whom, nth = THEIRS - item % roles, item // roles % street.lines
        whose = player if whom == MINE else 1 - player
        board, line = street.board_first + item // roles // street.lines, (street.line_first + nth) * LINE_RECORD
        unit = short((whose * plan.boards + board) * UNIT_RECORD)
        reach_rows(lines, line, nth, hands, unit, whose, whom, street, source, between, rooms, room, plan, smallest)
        stride, classes = number_of(hands, unit, STRIDE), number_of(hands, unit, COUNT)
        below = between.entering[whom * (between.entering.size // 2) + field(hands.unit, unit, BELOW) :]
        for index in range(field(lines.line, line, LINE_DEALS), field(lines.line, line, LINE_DEALS + 1)):
            row = field(lines.deal, index * DEAL_RECORD, DEAL_ROW + whose)
            target = field(lines.deal, index * DEAL_RECORD, DEAL_LINE) * stride
            k = cuda.threadIdx.x
            while k < classes:
                put(below, target + k, take(rooms, room + row * plan.width + k))
                k = short(k + cuda.blockDim.x)
    leave_queue(queue)


@device
def evaluate(lines, first, end, hands, unit, other, chip, rooms, room, plan):
    """Folds and showdowns of a line: from rows of reach in the room to rows of values."""
    thread, threads, width = cuda.threadIdx.x, cuda.blockDim.x, short(plan.width)
    classes, apart = number_of(hands, other, COUNT), numbers_per_lane(hands, other)
    most = divided(chip.size, apart)
    if most > 4:
        most = short(most & ~3)  # lanes are added up four at a time
    begin, shown = first, short(room + plan.shown)
    while begin < end:
        lanes = short(min(most, end - begin))
        cuda.syncthreads()
        bring_reach(chip, apart, lines, begin, lanes, rooms, room, width, classes, thread, threads)
        cuda.syncthreads()
        add_lists(chip, apart, hands, other, lanes, thread, threads)
        cuda.syncthreads()
        carry_over(chip, apart, hands, other, lanes, thread, threads)
        cuda.syncthreads()
        join_segments(chip, apart, hands, other, lanes, thread, threads)
        cuda.syncthreads()
        rest = (lines, begin, lanes, rooms, room, width, shown, thread, threads)
        if hands.sign.size == 3:
            worth_of_lanes_for_two_cards(chip, apart, hands, unit, other, *rest)
        else:
            worth_of_lanes(chip, apart, hands, unit, other, *rest)
        begin, shown = short(begin + lanes), short(shown + lanes * width)


@device
def take_leaves(lines, line, player, dealt, stride, rooms, room, plan, k, tile, at, threads):
    """Values of a line's leaves for one class, into the tile at `at`; `dealt` begins with the board's."""
    leaf = short(field(lines.line, line, LINE_LEAVES + 2 * player) * LEAF_RECORD)
    end = short(field(lines.line, line, LINE_LEAVES + 2 * player + 1) * LEAF_RECORD)
    while leaf < end:
        node, row = field(lines.leaf, leaf, LEAF_NODE), field(lines.leaf, leaf, LEAF_ROW)
        put(tile, at + node * threads, take(rooms, room + row * short(plan.width) + k))
        leaf = short(leaf + LEAF_RECORD)
    for index in range(field(lines.line, line, LINE_DEALS), field(lines.line, line, LINE_DEALS + 1)):
        node = field(lines.deal, index * DEAL_RECORD, DEAL_NODE)
        value = take(dealt, field(lines.deal, index * DEAL_RECORD, DEAL_LINE) * stride + k)
        put(tile, at + node * threads, value)


@device
def settle(
    lines, line, nth, hands, unit, player, store, blocks, source, place, between, rooms, room, plan, tile, at, learning,
    step, smallest,
):  # fmt: skip
    """Up a line, all classes of a player: what is played goes to the average, values to the root, regrets are updated.

    `place` is where the player's numbers on the board begin, `at` the thread's column of the tile; the root's values
    are left in the room.
    """
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    entering = between.entering[root_reach(hands, unit, nth, between, MINE) :]
    mine, begin = short(at + field(lines.line, line, LINE_NODES) * threads), number_of(hands, unit, BEGIN)
    stride, classes = number_of(hands, unit, STRIDE), number_of(hands, unit, COUNT)
    below, half = field(hands.unit, unit, BELOW), between.dealt.size // 2
    k = thread
    while k < classes:
        own = short(place + k)
        if learning:
            put(tile, mine, take(entering, take(hands.above, begin + k)))
            play_line(lines, line, player, store, blocks, source, own, stride, tile, mine, threads, smallest, step)
        for kind in range(1 if learning else 2):
            dealt = between.dealt[kind * half + below :]
            take_leaves(lines, line, player, dealt, stride, rooms, room, plan, k, tile, at, threads)
            best = kind == BEST and not learning
            climb(
                lines,
                line,
                player,
                store,
                blocks,
                source,
                own,
                stride,
                best,
                learning,
                tile,
                at,
                threads,
                smallest,
                step,
            )
            put(rooms, room + plan.roots + kind * plan.width + k, take(tile, at))
        k = short(k + threads)


@device
def raise_roots(hands, unit, nth, kinds, rooms, room, plan, between):
    """What a line is worth to each class of the board above: the sum over the classes that it becomes on this board."""
    bounds, classes = number_of(hands, unit, RISE_FIRST), number_of(hands, unit, ENTRY_COUNT)
    target = field(hands.unit, unit, RISEN) + nth * field(hands.unit, unit, ENTRY_STRIDE)
    for kind in range(kinds):
        risen = between.risen[kind * (between.risen.size // 2) + target :]
        roots = short(room + plan.roots + kind * plan.width)
        k = cuda.threadIdx.x
        while k < classes:
            total = as_number(risen, 0)
            index, end = take(hands.rise_bounds, bounds + k), take(hands.rise_bounds, bounds + k + 1)
            while index < end:
                total += take(hands.rise_weight, index) * take(rooms, roots + take(hands.rise_class, index))
                index = short(index + 1)
            put(risen, k, total)
            k = short(k + cuda.blockDim.x)


@kernel
def ascend(lines, hands, street, store, source, between, rooms, plan, queue, player, learning, step, smallest):
    """Values of a street's lines on all its boards, and what they teach; `dealt` holds those of the next street."""
    chip = cuda.shared.array(0, rooms.dtype)
    thread, threads, room = cuda.threadIdx.x, cuda.blockDim.x, short(cuda.blockIdx.x * plan.room)
    while True:
        item = next_item(queue)
        if item >= street.boards * street.lines:
            break
        board = divided(item, street.lines)
        nth = short(item - board * street.lines)
        board, line = short(street.board_first + board), short((street.line_first + nth) * LINE_RECORD)
        unit = short((player * plan.boards + board) * UNIT_RECORD)
        other = short(((1 - player) * plan.boards + board) * UNIT_RECORD)
        first = field(lines.line, line, LINE_LANES + 2 * player)
        end = field(lines.line, line, LINE_LANES + 2 * player + 1)
        if first < end:
            reach_rows(
                lines, line, nth, hands, other, 1 - player, THEIRS, street, source, between, rooms, room, plan, smallest
            )
            evaluate(lines, first, end, hands, unit, other, chip, rooms, room, plan)
            cuda.syncthreads()
        tile, at = chip, thread
        if (field(lines.line, line, LINE_NODES) + field(lines.line, line, LINE_ROWS + player)) * threads > chip.size:
            tile, at = rooms, short(room + plan.tile + thread)
        blocks, place = short(take(store.block_first, board)), short(field(hands.unit, unit, FIRST) - street.window)
        settle(
            lines, line, nth, hands, unit, player, store, blocks, source, place, between, rooms, room, plan, tile, at,
            learning, step, smallest,
        )  # fmt: skip
        cuda.syncthreads()
        raise_roots(hands, unit, nth, 1 if learning else 2, rooms, room, plan, between)
    leave_queue(queue)


@kernel
def add_boards(hands, street, next_lines, between, plan, player, kinds, columns, tiles):
    """dealt ← the sum over a board's children of what they are worth to it, a line and `columns` classes at a time.

    The threads of a block share the children out among them and add up in a fixed order; `tiles` · `columns` classes
    are enough for every board of the street.
    """
    chip = cuda.shared.array(0, between.risen.dtype)
    thread, parts = cuda.threadIdx.x, cuda.blockDim.x // columns
    column, part = thread % columns, thread // columns
    for item in range(cuda.blockIdx.x, street.boards * next_lines * kinds * tiles, cuda.gridDim.x):
        k, kind = item % tiles * columns + column, item // tiles % kinds
        nth = item // tiles // kinds % next_lines
        board = street.board_first + item // tiles // kinds // next_lines
        unit = (player * plan.boards + board) * UNIT_RECORD
        stride = field(hands.unit, unit, STRIDE)
        half, below = kind * (between.risen.size // 2), kind * (between.dealt.size // 2)
        total = as_number(chip, 0)
        if k < stride:
            child = field(hands.unit, unit, CHILD_FIRST) + part
            while child < field(hands.unit, unit, CHILD_END):
                risen = field(hands.unit, (player * plan.boards + child) * UNIT_RECORD, RISEN)
                total += between.risen[half + risen + nth * stride + k]
                child += parts
        put(chip, thread, total)
        cuda.syncthreads()
        if part == 0 and k < stride:
            for later in range(1, parts):
                total += take(chip, later * columns + column)
            between.dealt[below + field(hands.unit, unit, BELOW) + nth * stride + k] = total
        cuda.syncthreads()
