"""Public chance sampling with buckets on a GPU: the walks of `bucket_walks`, a block of threads for each line.

An iteration matches all strategies to their regrets once (`match_street`). For each batch of boards it walks the
streets down (`descend`: both players' reach where lines of the next street begin) and up again (`ascend`), and in the
end updates all regrets (`update_regrets`). A batch of S streets is 2 · S − 1 launches.

`ascend` gives a line and a player to a block, which walks all boards of the street in their order: reach of the other
player, folds and showdowns (`public.cuda_terminals`), values up to the root, then sums by bucket. No other block writes
to the tables of these decisions or to the values of this line, and in a block a bucket belongs to one thread. So there
are no atomic operations on numbers, boards are added in the order of the CPU, and the same seed gives the same bits on
every run. Blocks are persistent and take their next line from a queue.

**Memory.** Blocks share the queue alone, by atomic operations. Everything else that a block writes is its own in this
launch: its buffer, the tables of a line's decisions of one player, and the values that the line returns. What one
launch writes the next one reads. Within a block, a thread reads what another one wrote only after a barrier:

    reach of the other player  →  lanes     barriers of `evaluate`: a thread sums hands of other threads
    lanes  →  values of a hand              barrier: the tile lies over the lanes in shared memory
    values of hands  →  sums by bucket      barrier: a bucket has hands of several threads
    one board  →  the next one              barrier: tables and returned values belong to other threads there

All conditions around barriers are the same for all threads of a block. Copies of boards are in the order of launches,
so a batch is copied when the walks of the batch before are done.

**Cost.** The last street of limit hold'em has 567 lines, each with 10 decisions, 26 actions and 17 folds and showdowns;
a board has 1,081 hands. That makes 1.2 million (hand, line, player) triples for each board, next to 18 million in an
iteration of flop hold'em (`public.cuda_walks`), whose walk is the same but for the sums. A triple reads and writes

    of the block's buffer      about 75 numbers for reach, folds and showdowns, and 18 written and read for the sums
    of tables                  about 39 strategies, neighbouring threads in the same bucket: from the first cache
    of hands and lists         about 50 bytes
    of reach and values        4 numbers between streets

so about 440 bytes go through the second cache, 0.54 GB for a board: 0.1 ms at 5.5 TB/s, and 0.11 ms at the 4.8 TB/s of
device memory, where a part goes, since 528 buffers of 117 KB are a little more than the cache of 50 MB. At each of the
14,742 actions of the street, a board reads the strategies of its buckets for both players and adds gains and averages:
six accesses of four bytes. With 200 buckets these are 70 MB for a board, from a table of 35 MB which mostly stays in
the cache. With 9,000 buckets nearly every hand has a sector of 32 bytes to itself, and 6 sectors · 1,020 buckets ·
14,742 actions are 2.9 GB, 0.6 ms. Matching and the update pass over the tables once in an iteration with 24 bytes for
each number: 0.02 ms with 200 buckets and 0.75 ms with 9,000, for all boards of the iteration together.

    limit of a board by bytes            0.13 ms with 200 buckets, 0.7 ms with 9,000
    by instructions                      0.25 to 0.5 ms: 2.4 to 4.8 ms of flop hold'em, scaled, and a half for the sums
    the host, while the GPU walks        0.26 ms with boards=64 (measured on one core), and 54 KB to copy
    target                               2 ms

So instructions are the limit, and above a few thousand buckets the tables. Streets above the last walk one board for
eight below (boards=64), on a ninth of the lines each, and with few blocks: about 1 ms for a batch, which small batches
do not make up for. `ascend` needs 56 registers and spills none (compiled for compute capability 9.0), so four blocks
run on a multiprocessor at once. None of the times of the GPU has been measured yet.
"""

from __future__ import annotations

from regretless.kernels.buckets.cuda_bucket_layout import Place
from regretless.kernels.buckets.cuda_bucket_rows import (
    add_bucket,
    climb,
    match_bucket,
    reach_line,
    take_leaves,
    update_number,
)
from regretless.kernels.cuda_target import cuda, device, divided, field, int32, kernel, like, load, store
from regretless.kernels.public.cuda_layout import (
    BEGIN,
    BELOW,
    COUNT,
    DEAL_LINE,
    DEAL_RECORD,
    DEAL_ROW,
    DECIDER,
    DECISION_RECORD,
    ENTRY,
    ENTRY_STRIDE,
    LINE_DEALS,
    LINE_DECISIONS,
    LINE_LANES,
    LINE_NODES,
    LINE_RECORD,
    LINE_ROWS,
    STRIDE,
    UNIT_RECORD,
    Block,
    Column,
    Item,
)
from regretless.kernels.public.cuda_terminals import number_of
from regretless.kernels.public.cuda_walks import evaluate, leave_queue, next_item


@kernel
def match_street(decision, first, end, known, numbers, smallest):
    """Strategies of the decisions first … end − 1, all of one street: a block for each, a thread for each bucket."""
    at = int32(first + cuda.blockIdx.x)
    while at < end:
        bucket = int32(cuda.threadIdx.x)
        while bucket < known:
            match_bucket(decision, int32(at * DECISION_RECORD), bucket, int32(known), numbers, smallest)
            bucket = int32(bucket + cuda.blockDim.x)
        at = int32(at + cuda.gridDim.x)


@kernel
def update_regrets(numbers, begin, end, positive, negative, floor, share):
    """The regret update of a part of the tables, with gains times `share`; clears the gains."""
    at = begin + cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while at < end:
        update_number(numbers, at, positive, negative, floor, share)
        at += cuda.gridDim.x * cuda.blockDim.x


@kernel
def decay_average(numbers, begin, end, factor):
    """Multiply a part of the average by a factor."""
    at = begin + cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while at < end:
        store(numbers.average, at, load(numbers.average, at) * factor)
        at += cuda.gridDim.x * cuda.blockDim.x


@device
def root_index(hands, unit, nth, between, player):
    """The index in `entering` and `dealt` of what a player's nth line on a board begins with and returns."""
    half = player * (between.entering.size // 2)
    return half + field(hands.unit, unit, ENTRY) + nth * field(hands.unit, unit, ENTRY_STRIDE)


@device
def reach_rows(lines, place, player, hands, known, strategy, between, block):
    """A player's reach in all rows of a line, for all hands: rows of the block's buffer."""
    entering = between.entering[root_index(hands, place.unit, place.nth, between, player) :]
    begin, classes = number_of(hands, place.unit, BEGIN), number_of(hands, place.unit, COUNT)
    k = int32(cuda.threadIdx.x)
    while k < classes:
        store(block.numbers, block.first + k, load(entering, load(hands.above, begin + k)))
        column = Column(block.numbers, int32(block.first + k), block.width)
        reach_line(lines, place.line, player, strategy, load(hands.bucket, begin + k), known, column)
        k = int32(k + cuda.blockDim.x)


@kernel
def descend(lines, hands, street, numbers, between, buffers, plan, queue):
    """Reach at the leaves of a street that lead to the next one, of both players; clears the values there."""
    block = Block(buffers, int32(cuda.blockIdx.x * plan.size), int32(plan.width))
    while True:
        item = next_item(queue)
        if item >= 2 * street.boards * street.lines:
            break
        pair = divided(item, 2)
        player, number = int32(item - 2 * pair), divided(pair, street.lines)
        nth, board = int32(pair - number * street.lines), int32(street.board_first + number)
        line, unit = int32((street.line_first + nth) * LINE_RECORD), int32(board * UNIT_RECORD)
        place = Place(line, nth, unit, board, player)
        reach_rows(lines, place, player, hands, int32(street.known), numbers.strategy, between, block)
        stride, classes = number_of(hands, unit, STRIDE), number_of(hands, unit, COUNT)
        below = player * (between.entering.size // 2) + field(hands.unit, unit, BELOW)
        entering, dealt = between.entering[below:], between.dealt[below:]
        for index in range(field(lines.line, line, LINE_DEALS), field(lines.line, line, LINE_DEALS + 1)):
            row = field(lines.deal, index * DEAL_RECORD, DEAL_ROW + player)
            target = int32(field(lines.deal, index * DEAL_RECORD, DEAL_LINE) * stride)
            k = int32(cuda.threadIdx.x)
            while k < classes:
                store(entering, target + k, load(buffers, block.first + row * plan.width + k))
                store(dealt, target + k, like(buffers, 0))
                k = int32(k + cuda.blockDim.x)
    leave_queue(queue)


@device
def settle(lines, hands, place, known, complete, strategy, between, block, column):
    """Up a line, all hands of a player: values to the root, reach and values of decisions to the rows of sums.

    column: the thread's column of the tile.
    """
    line, unit, player = place.line, place.unit, place.player
    root = root_index(hands, unit, place.nth, between, player)
    entering, returned = between.entering[root:], between.dealt[root:]
    dealt = between.dealt[player * (between.dealt.size // 2) + field(hands.unit, unit, BELOW) :]
    own = int32(column.at + field(lines.line, line, LINE_NODES) * column.width)
    mine, begin = Column(column.rows, own, column.width), number_of(hands, unit, BEGIN)
    stride, classes = number_of(hands, unit, STRIDE), number_of(hands, unit, COUNT)
    k = int32(cuda.threadIdx.x)
    while k < classes:
        above, bucket = load(hands.above, begin + k), load(hands.bucket, begin + k)
        store(mine.rows, own, load(entering, above))
        reach_line(lines, line, player, strategy, bucket, known, mine)
        take_leaves(lines, line, player, dealt, stride, block, k, column, complete)
        climb(lines, line, player, strategy, bucket, known, column, own, block, k)
        value = load(column.rows, column.at)
        if place.board > 0:  # the first street has one board, which begins the sum
            value += load(returned, above)
        store(returned, above, value)
        k = int32(k + cuda.blockDim.x)


@device
def add_buckets(lines, hands, segments, place, known, weight, numbers, block):
    """Gains and averages of a player's decisions on a line, from the rows of sums: a thread for each bucket of each."""
    begin, first = number_of(hands, place.unit, BEGIN), load(segments.first, place.board)
    count = int32(load(segments.first, place.board + 1) - first)
    decision = field(lines.line, place.line, LINE_DECISIONS)
    jobs = int32((field(lines.line, place.line, LINE_DECISIONS + 1) - decision) * count)
    job = int32(cuda.threadIdx.x)
    while job < jobs:
        nth = divided(job, count)
        record = int32((decision + nth) * DECISION_RECORD)
        if field(lines.decision, record, DECIDER) == place.player:
            segment = int32(first + job - nth * count)
            hand, end = load(segments.begin, segment), load(segments.begin, segment + 1)
            bucket, k = load(hands.bucket, hand), int32(hand - begin)
            add_bucket(lines, record, bucket, known, numbers, block, k, int32(end - hand), weight)
        job = int32(job + cuda.blockDim.x)


@device
def walk_board(lines, hands, segments, place, known, weight, numbers, between, block, plan, shared, column):
    """One line on one board for one player: reach, folds and showdowns, values, and sums by bucket."""
    line, player = place.line, place.player
    first = field(lines.line, line, LINE_LANES + 2 * player)
    end = field(lines.line, line, LINE_LANES + 2 * player + 1)
    if first < end:
        reach_rows(lines, place, int32(1 - player), hands, known, numbers.strategy, between, block)
        item = Item(line, place.nth, place.unit, place.unit, int32(0), int32(0))
        evaluate(lines, first, end, hands, item, shared, block, plan)
        cuda.syncthreads()
    complete = load(segments.complete, place.board)
    settle(lines, hands, place, known, complete, numbers.strategy, between, block, column)
    cuda.syncthreads()
    add_buckets(lines, hands, segments, place, known, weight * complete, numbers, block)
    cuda.syncthreads()


@kernel
def ascend(lines, hands, segments, street, numbers, between, buffers, plan, queue, weight):
    """Values, gains and averages of a street's lines on all its boards; `dealt` holds the values of the next street."""
    shared, threads = cuda.shared.array(0, buffers.dtype), cuda.blockDim.x
    block = Block(buffers, int32(cuda.blockIdx.x * plan.size), int32(plan.width))
    while True:
        item = next_item(queue)
        if item >= 2 * street.lines:
            break
        nth = divided(item, 2)
        player, line = int32(item - 2 * nth), int32((street.line_first + nth) * LINE_RECORD)
        tile, at = shared, int32(cuda.threadIdx.x)
        if (field(lines.line, line, LINE_NODES) + field(lines.line, line, LINE_ROWS + player)) * threads > shared.size:
            tile, at = buffers, int32(block.first + plan.tile + cuda.threadIdx.x)
        column = Column(tile, at, int32(threads))
        board = int32(street.board_first)
        while board < street.board_first + street.boards:
            place = Place(line, nth, int32(board * UNIT_RECORD), board, player)
            walk_board(
                lines, hands, segments, place, int32(street.known), weight, numbers, between, block, plan, shared,
                column,
            )  # fmt: skip
            board = int32(board + 1)
    leave_queue(queue)
