"""Walks over a public tree on a GPU: a street at a time, a block of threads for each line on each board.

Going down, `descend` computes both players' reach where lines of the next street begin. Coming up, `ascend` computes
the other player's reach again, evaluates folds and showdowns, adds what is played to the average, brings values from
the leaves to the root and updates regrets; `add_boards` sums the values of the boards of a street for the street above.
So a walk over S streets is 3 · S − 2 launches, four for flop hold'em, and the host waits for none of them. No sum
depends on the order of blocks: results are the same on every run.

Blocks are persistent and take their next item, a line on a board, from a queue. Shared memory is used twice for an
item: for sums of lanes, and as the *tile*, a column for each thread with own reach and the values of nodes. Everything
else goes through the block's buffer in device memory (`Plan`), which is small enough to stay in the cache.

**Cost.** In an iteration each regret is read by both players, by its owner a second time from the cache, and written;
averages are read and written: five times four bytes for each number, 4.7 GB for the 234 million numbers of flop
hold'em, 1.1 ms at 4.3 TB/s. Its two players have 18 million (class, line) pairs, each with 13 lanes and 27 nodes. A
pair reads and writes about 75 numbers of the buffer (5 GB through the cache) and 50 bytes of tables, accesses shared
memory about 350 times, and issues about 3,900 instructions: 2.2 billion for a warp, 2.4 ms if each of 132
multiprocessors issued four in every cycle, and twice that in practice. So instructions are the limit, most of them for
indexing into records and rows, and memory bandwidth comes second.
"""

from __future__ import annotations

from regretless.kernels.cuda_target import cuda, device, divided, field, int32, kernel, like, load, smaller, store
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
    Block,
    Column,
    Item,
    LaneGroup,
    Policy,
)
from regretless.kernels.public.cuda_terminals import (
    add_lists,
    carry_over,
    copy_reach,
    join_segments,
    number_of,
    numbers_per_lane,
    values_of_lanes,
    values_of_lanes_for_two_cards,
)


@device
def next_item(queue):
    """The next item of the queue, the same for all threads of a block; behind the queue each block has an entry."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        queue[2 + cuda.blockIdx.x] = cuda.atomic.add(queue, 0, 1)
    cuda.syncthreads()
    return queue[2 + cuda.blockIdx.x]


@device
def leave_queue(queue):
    """The last block to leave resets the queue for the next launch."""
    if cuda.threadIdx.x == 0 and cuda.atomic.add(queue, 1, 1) == cuda.gridDim.x - 1:
        queue[0] = 0
        queue[1] = 0


@device
def root_reach(hands, unit, nth, between, half):
    """The index in `entering` of the reach with which a player enters the street's nth line on a board."""
    first = half * (between.entering.size // 2)
    return first + field(hands.unit, unit, ENTRY) + nth * field(hands.unit, unit, ENTRY_STRIDE)


@device
def reach_rows(lines, line, nth, hands, unit, player, half, street, source, between, block, smallest):
    """A player's reach in all rows of a line, for all classes: rows of the block's buffer. half: MINE or THEIRS."""
    entering = between.entering[root_reach(hands, unit, nth, between, half) :]
    begin, classes = number_of(hands, unit, BEGIN), number_of(hands, unit, COUNT)
    stride, first = number_of(hands, unit, STRIDE), int32(field(hands.unit, unit, FIRST) - street.window)
    k = cuda.threadIdx.x
    while k < classes:
        store(block.numbers, block.first + k, load(entering, load(hands.above, begin + k)))
        column = Column(block.numbers, int32(block.first + k), block.width)
        policy = Policy(source, int32(first + k), stride, smallest)
        reach_line(lines, line, player, policy, column)
        k = int32(k + cuda.blockDim.x)


@kernel
def descend(lines, hands, street, source, between, buffers, plan, queue, player, roles, smallest):
    """Reach at the leaves of a street that lead to the next one; `roles` is 2, or 1 for the other player's alone."""
    block = Block(buffers, int32(cuda.blockIdx.x * plan.size), int32(plan.width))
    while True:
        item = next_item(queue)
        if item >= street.boards * street.lines * roles:
            break
        half, nth = THEIRS - item % roles, item // roles % street.lines
        whose = player if half == MINE else 1 - player
        board, line = street.board_first + item // roles // street.lines, (street.line_first + nth) * LINE_RECORD
        unit = int32((whose * plan.boards + board) * UNIT_RECORD)
        reach_rows(lines, line, nth, hands, unit, whose, half, street, source, between, block, smallest)
        stride, classes = number_of(hands, unit, STRIDE), number_of(hands, unit, COUNT)
        below = between.entering[half * (between.entering.size // 2) + field(hands.unit, unit, BELOW) :]
        for index in range(field(lines.line, line, LINE_DEALS), field(lines.line, line, LINE_DEALS + 1)):
            row = field(lines.deal, index * DEAL_RECORD, DEAL_ROW + whose)
            target = field(lines.deal, index * DEAL_RECORD, DEAL_LINE) * stride
            k = cuda.threadIdx.x
            while k < classes:
                store(below, target + k, load(buffers, block.first + row * plan.width + k))
                k = int32(k + cuda.blockDim.x)
    leave_queue(queue)


@device
def evaluate(lines, first, end, hands, item, shared, block, plan):
    """Folds and showdowns of a line, lanes first … end − 1: from rows of reach in the buffer to rows of values."""
    thread, threads, other = cuda.threadIdx.x, cuda.blockDim.x, item.other
    classes, apart = number_of(hands, other, COUNT), numbers_per_lane(hands, other)
    most = divided(shared.size, apart)
    if most > 4:
        most = int32(most & ~3)  # lanes are added up four at a time
    begin, shown = first, int32(block.first + plan.shown)
    while begin < end:
        count = int32(smaller(most, end - begin))
        group = LaneGroup(shared, apart, begin, count, shown)
        cuda.syncthreads()
        copy_reach(group, lines, block, classes, thread, threads)
        cuda.syncthreads()
        add_lists(group, hands, other, thread, threads)
        cuda.syncthreads()
        carry_over(group, hands, other, thread, threads)
        cuda.syncthreads()
        join_segments(group, hands, other, thread, threads)
        cuda.syncthreads()
        if hands.sign.size == 3:
            values_of_lanes_for_two_cards(group, hands, item.unit, other, lines, block, thread, threads)
        else:
            values_of_lanes(group, hands, item.unit, other, lines, block, thread, threads)
        begin, shown = int32(begin + count), int32(shown + count * block.width)


@device
def take_leaves(lines, line, player, dealt, stride, block, k, column):
    """Values of a line's leaves for one class, into a column of the tile; `dealt` begins with the board's."""
    leaf = int32(field(lines.line, line, LINE_LEAVES + 2 * player) * LEAF_RECORD)
    end = int32(field(lines.line, line, LINE_LEAVES + 2 * player + 1) * LEAF_RECORD)
    while leaf < end:
        node, row = field(lines.leaf, leaf, LEAF_NODE), field(lines.leaf, leaf, LEAF_ROW)
        store(column.rows, column.at + node * column.width, load(block.numbers, block.first + row * block.width + k))
        leaf = int32(leaf + LEAF_RECORD)
    for index in range(field(lines.line, line, LINE_DEALS), field(lines.line, line, LINE_DEALS + 1)):
        node = field(lines.deal, index * DEAL_RECORD, DEAL_NODE)
        value = load(dealt, field(lines.deal, index * DEAL_RECORD, DEAL_LINE) * stride + k)
        store(column.rows, column.at + node * column.width, value)


@device
def settle(lines, hands, item, turn, state, source, between, block, plan, column, step):
    """Up a line, all classes of a player: what is played goes to the average, values to the root, regrets are updated.

    column: the thread's column of the tile. The root's values are left in the block's buffer.
    """
    line, unit, player, learning = item.line, item.unit, turn.player, turn.learning
    entering = between.entering[root_reach(hands, unit, item.nth, between, MINE) :]
    own = int32(column.at + field(lines.line, line, LINE_NODES) * column.width)
    mine, begin = Column(column.rows, own, column.width), number_of(hands, unit, BEGIN)
    stride, classes = number_of(hands, unit, STRIDE), number_of(hands, unit, COUNT)
    below, half = field(hands.unit, unit, BELOW), between.dealt.size // 2
    k = cuda.threadIdx.x
    while k < classes:
        policy = Policy(source, int32(item.first + k), stride, turn.smallest)
        if learning:
            store(mine.rows, own, load(entering, load(hands.above, begin + k)))
            play_line(lines, line, player, policy, mine, state, item.blocks, step)
        for kind in range(1 if learning else 2):
            dealt = between.dealt[kind * half + below :]
            take_leaves(lines, line, player, dealt, stride, block, k, column)
            best = kind == BEST and not learning
            climb(lines, line, player, policy, column, state, item.blocks, best, learning, step)
            root = block.first + plan.roots + kind * plan.width + k
            store(block.numbers, root, load(column.rows, column.at))
        k = int32(k + cuda.blockDim.x)


@device
def raise_roots(hands, unit, nth, kinds, block, plan, between):
    """The values of a line for each class of the board above: sums over the classes that it becomes on this board."""
    bounds, classes = number_of(hands, unit, RISE_FIRST), number_of(hands, unit, ENTRY_COUNT)
    target = field(hands.unit, unit, RISEN) + nth * field(hands.unit, unit, ENTRY_STRIDE)
    for kind in range(kinds):
        risen = between.risen[kind * (between.risen.size // 2) + target :]
        roots = int32(block.first + plan.roots + kind * plan.width)
        k = cuda.threadIdx.x
        while k < classes:
            total = like(risen, 0)
            index, end = load(hands.rise_bounds, bounds + k), load(hands.rise_bounds, bounds + k + 1)
            while index < end:
                total += load(hands.rise_weight, index) * load(block.numbers, roots + load(hands.rise_class, index))
                index = int32(index + 1)
            store(risen, k, total)
            k = int32(k + cuda.blockDim.x)


@kernel
def ascend(lines, hands, street, state, source, between, buffers, plan, queue, turn, step):
    """Values of a street's lines on all its boards, and the updates; `dealt` holds the values of the next street."""
    shared, player = cuda.shared.array(0, buffers.dtype), turn.player
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    block = Block(buffers, int32(cuda.blockIdx.x * plan.size), int32(plan.width))
    while True:
        number = next_item(queue)
        if number >= street.boards * street.lines:
            break
        board = divided(number, street.lines)
        nth = int32(number - board * street.lines)
        board, line = int32(street.board_first + board), int32((street.line_first + nth) * LINE_RECORD)
        unit = int32((player * plan.boards + board) * UNIT_RECORD)
        other = int32(((1 - player) * plan.boards + board) * UNIT_RECORD)
        blocks = int32(load(state.block_first, board))
        item = Item(line, nth, unit, other, blocks, int32(field(hands.unit, unit, FIRST) - street.window))
        first = field(lines.line, line, LINE_LANES + 2 * player)
        end = field(lines.line, line, LINE_LANES + 2 * player + 1)
        if first < end:
            reach_rows(
                lines, line, nth, hands, other, 1 - player, THEIRS, street, source, between, block, turn.smallest
            )
            evaluate(lines, first, end, hands, item, shared, block, plan)
            cuda.syncthreads()
        tile, at = shared, thread
        if (field(lines.line, line, LINE_NODES) + field(lines.line, line, LINE_ROWS + player)) * threads > shared.size:
            tile, at = buffers, int32(block.first + plan.tile + thread)
        settle(lines, hands, item, turn, state, source, between, block, plan, Column(tile, at, threads), step)
        cuda.syncthreads()
        raise_roots(hands, unit, nth, 1 if turn.learning else 2, block, plan, between)
    leave_queue(queue)


@kernel
def add_boards(hands, street, next_lines, between, plan, player, kinds, columns, tiles):
    """dealt ← the sum over a board's children of their values for it, a line and `columns` classes at a time.

    The threads of a block divide the children among them and add up in a fixed order; `tiles` · `columns` classes are
    enough for every board of the street.
    """
    shared = cuda.shared.array(0, between.risen.dtype)
    thread, parts = cuda.threadIdx.x, cuda.blockDim.x // columns
    column, part = thread % columns, thread // columns
    for item in range(cuda.blockIdx.x, street.boards * next_lines * kinds * tiles, cuda.gridDim.x):
        k, kind = item % tiles * columns + column, item // tiles % kinds
        nth = item // tiles // kinds % next_lines
        board = street.board_first + item // tiles // kinds // next_lines
        unit = (player * plan.boards + board) * UNIT_RECORD
        stride = field(hands.unit, unit, STRIDE)
        half, below = kind * (between.risen.size // 2), kind * (between.dealt.size // 2)
        total = like(shared, 0)
        if k < stride:
            child = field(hands.unit, unit, CHILD_FIRST) + part
            while child < field(hands.unit, unit, CHILD_END):
                risen = field(hands.unit, (player * plan.boards + child) * UNIT_RECORD, RISEN)
                total += between.risen[half + risen + nth * stride + k]
                child += parts
        store(shared, thread, total)
        cuda.syncthreads()
        if part == 0 and k < stride:
            for later in range(1, parts):
                total += load(shared, later * columns + column)
            between.dealt[below + field(hands.unit, unit, BELOW) + nth * stride + k] = total
        cuda.syncthreads()
