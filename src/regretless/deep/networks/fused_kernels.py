"""A training step of the hold'em network as two Triton kernels, and the Adam step as a third.

The rows of a batch are independent: a program of `forward_backward` draws its rows' samples and takes them through all
layers and back, without a launch in between. With one kernel per operation, a step spends most of its time on launches
and on waiting for the last row of each. Between two layers, values are in a row of `scratch`, which is small enough to
stay in the cache. The factors of the weights' gradients (the inputs of layers and the gradients of their outputs) are
stored in 16 bits; a program of `sum_gradients` adds up one tile of the gradient over a share of the rows.

All weights are one vector; a layer is given by the offsets of its table [to, from] and its bias [to]. `values` has one
row per sample with the values of all layers side by side; `gradients` has the gradients at the same columns.

Parameters: Triton passes pointers and compile-time constants one by one, and records of pointers cannot be timed
without a GPU, so these kernels have more than twelve parameters. Functions called by a kernel are inlined: splitting
`forward_backward` into parts left its machine code unchanged (compared as PTX for compute capability 9.0).
"""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["adam_step", "forward_backward", "sum_gradients"]


@triton.jit
def forward_layer(
    scratch, values, weights, row, FROM: tl.constexpr, TO: tl.constexpr, KEPT: tl.constexpr, TABLE: tl.constexpr,
    BIAS: tl.constexpr, INS: tl.constexpr, OUTS: tl.constexpr, SKIP: tl.constexpr, WIDE: tl.constexpr,
    SCRATCH: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """A rectified layer from scratch column FROM to column TO, stored at column KEPT of values; SKIP adds the input."""
    for first in range(0, OUTS, TILE):
        out = first + tl.arange(0, TILE)
        inside = out[None, :] < OUTS
        total = tl.zeros((row.shape[0], TILE), tl.float32)
        for begin in range(0, INS, BLOCK):
            into = begin + tl.arange(0, BLOCK)
            given = tl.load(
                scratch + row[:, None] * SCRATCH + FROM + into[None, :], mask=into[None, :] < INS, other=0.0
            )
            known = (into[:, None] < INS) & inside
            table = tl.load(weights + TABLE + out[None, :] * INS + into[:, None], mask=known, other=0.0)
            total += tl.dot(given, table)
        total += tl.load(weights + BIAS + out, mask=out < OUTS, other=0.0)[None, :]
        if SKIP:
            total += tl.load(scratch + row[:, None] * SCRATCH + FROM + out[None, :], mask=inside, other=0.0)
        total = tl.maximum(total, 0.0)
        tl.store(scratch + row[:, None] * SCRATCH + TO + out[None, :], total, mask=inside)
        tl.store(values + row[:, None] * WIDE + KEPT + out[None, :], total.to(values.dtype.element_ty), mask=inside)
    tl.debug_barrier()


@triton.jit
def backward_layer(
    scratch, values, gradients, weights, row, FROM: tl.constexpr, TO: tl.constexpr, KEPT: tl.constexpr,
    TABLE: tl.constexpr, INS: tl.constexpr, OUTS: tl.constexpr, SKIP: tl.constexpr, RECTIFIED: tl.constexpr,
    WIDE: tl.constexpr, SCRATCH: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """The gradient at scratch column TO, stored at column KEPT, from that of the next layer at column FROM.

    Gradients are those before rectification; SKIP says that the next layer has a skip connection.
    """
    for begin in range(0, INS, TILE):
        into = begin + tl.arange(0, TILE)
        inside = into[None, :] < INS
        total = tl.zeros((row.shape[0], TILE), tl.float32)
        for first in range(0, OUTS, BLOCK):
            out = first + tl.arange(0, BLOCK)
            back = tl.load(scratch + row[:, None] * SCRATCH + FROM + out[None, :], mask=out[None, :] < OUTS, other=0.0)
            known = (out[:, None] < OUTS) & inside
            total += tl.dot(back, tl.load(weights + TABLE + out[:, None] * INS + into[None, :], mask=known, other=0.0))
        if SKIP:
            total += tl.load(scratch + row[:, None] * SCRATCH + FROM + into[None, :], mask=inside, other=0.0)
        kept = row[:, None] * WIDE + KEPT + into[None, :]
        if RECTIFIED:
            total = tl.where(tl.load(values + kept, mask=inside, other=0.0) > 0.0, total, 0.0)
        tl.store(scratch + row[:, None] * SCRATCH + TO + into[None, :], total, mask=inside)
        tl.store(gradients + kept, total.to(gradients.dtype.element_ty), mask=inside)
    tl.debug_barrier()


@triton.jit
def multi_hot(infosets, which, alive, ROW: tl.constexpr, BEGIN: tl.constexpr, END: tl.constexpr, card):
    """[rows, cards] 1 where columns BEGIN to END of a row's infoset hold a card."""
    found = tl.zeros((which.shape[0], card.shape[0]), tl.float32)
    for column in range(BEGIN, END):
        held = tl.load(infosets + which * ROW + column, mask=alive, other=-1)
        found += tl.where(held[:, None] == card[None, :], 1.0, 0.0)
    return found


@triton.jit
def embed_cards(
    infosets, which, alive, weights, scratch, values, row, RANKS: tl.constexpr, SUITS: tl.constexpr,
    GROUPS: tl.constexpr, ENDS: tl.constexpr, EMBEDDINGS: tl.constexpr, HELD: tl.constexpr, EMBEDDED: tl.constexpr,
    TO: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr, SCRATCH: tl.constexpr, TILE: tl.constexpr,
    DECK: tl.constexpr,
):  # fmt: skip
    """The cards of each group, and the sum of the vectors of their ranks, suits and identities at column TO."""
    KIND: tl.constexpr = values.dtype.element_ty
    CARDS: tl.constexpr = ENDS[GROUPS]
    card = tl.arange(0, DECK)
    column = tl.arange(0, TILE)
    real = card < RANKS * SUITS
    for group in tl.static_range(GROUPS):
        cards = multi_hot(infosets, which, alive, CARDS + 1, ENDS[group], ENDS[group + 1], card)
        there = row[:, None] * WIDE + HELD + group * DECK + card[None, :]
        tl.store(values + there, cards.to(KIND), mask=real[None, :])
        for first in range(0, WIDTH, TILE):
            out = first + column
            inside = out[None, :] < WIDTH
            known = real[:, None] & inside
            own_at = weights + EMBEDDINGS[3 * group + 2] + out[None, :] * (RANKS * SUITS) + card[:, None]
            rank_at = weights + EMBEDDINGS[3 * group] + out[None, :] * RANKS + (card // SUITS)[:, None]
            suit_at = weights + EMBEDDINGS[3 * group + 1] + out[None, :] * SUITS + (card % SUITS)[:, None]
            table = tl.load(own_at, mask=known, other=0.0)
            table += tl.load(rank_at, mask=known, other=0.0) + tl.load(suit_at, mask=known, other=0.0)
            embedded = tl.dot(cards, table)
            offset = group * WIDTH + out[None, :]
            tl.store(scratch + row[:, None] * SCRATCH + TO + offset, embedded, mask=inside)
            tl.store(values + row[:, None] * WIDE + EMBEDDED + offset, embedded.to(KIND), mask=inside)
    tl.debug_barrier()


@triton.jit
def head_gradient(
    numbers, sample_weights, share, scale, lowest, allowed, weights, scratch, values, gradients, row, which, alive,
    decision, HEAD_TABLE: tl.constexpr, HEAD_BIAS: tl.constexpr, AT: tl.constexpr, NORMAL: tl.constexpr,
    HEAD: tl.constexpr, JOINT_3: tl.constexpr, HEADS: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr,
    SCRATCH: tl.constexpr, LOGS: tl.constexpr, OUT: tl.constexpr,
):  # fmt: skip
    """Layer norm, head and loss, and back to the last joint layer at scratch column AT."""
    KIND: tl.constexpr = values.dtype.element_ty
    whole = tl.arange(0, OUT)
    inside = (whole < WIDTH)[None, :]
    joint = tl.load(scratch + row[:, None] * SCRATCH + AT + whole[None, :], mask=inside, other=0.0)
    mean = tl.sum(joint, 1) / WIDTH
    centred = tl.where(inside, joint - mean[:, None], 0.0)
    spread = 1.0 / tl.sqrt(tl.sum(centred * centred, 1) / WIDTH + 1e-5)
    normal = centred * spread[:, None]
    head = tl.arange(0, 16)
    legal = (head[None, :] < HEADS) & alive[:, None]
    table = tl.load(
        weights + HEAD_TABLE + head[None, :] * WIDTH + whole[:, None],
        mask=(head[None, :] < HEADS) & (whole[:, None] < WIDTH),
        other=0.0,
    )
    output = tl.dot(normal, table) + tl.load(weights + HEAD_BIAS + head, mask=head < HEADS, other=0.0)[None, :]
    legal = legal & (tl.load(allowed + decision[:, None] * HEADS + head[None, :], mask=legal, other=0) != 0)
    target = tl.load(numbers + which[:, None] * HEADS + head[None, :], mask=legal, other=0.0)
    target = tl.maximum(target, tl.load(lowest)) / tl.load(scale)
    weight = tl.load(sample_weights + which, mask=alive, other=0.0) * tl.load(share)
    if LOGS:
        output = tl.where(legal, output, -1e30)
        softmax = tl.where(legal, tl.exp(output - tl.max(output, 1)[:, None]), 0.0)
        softmax = softmax / tl.maximum(tl.sum(softmax, 1), 1e-30)[:, None]
        back = (softmax * tl.sum(target, 1)[:, None] - target) * weight[:, None]
    else:
        back = tl.where(legal, 2.0 * (output - target), 0.0) * weight[:, None]

    tl.store(values + row[:, None] * WIDE + NORMAL + whole[None, :], normal.to(KIND), mask=inside)
    tl.store(gradients + row[:, None] * WIDE + HEAD + head[None, :], back.to(KIND), mask=head[None, :] < HEADS)
    back_normal = tl.dot(back, tl.trans(table))
    centre = tl.sum(back_normal, 1) / WIDTH
    along = tl.sum(back_normal * normal, 1) / WIDTH
    back_joint = (back_normal - centre[:, None] - normal * along[:, None]) * spread[:, None]
    back_joint = tl.where(joint > 0.0, back_joint, 0.0)
    tl.debug_barrier()  # all threads have read the values that are overwritten now
    tl.store(scratch + row[:, None] * SCRATCH + AT + whole[None, :], back_joint, mask=inside)
    tl.store(gradients + row[:, None] * WIDE + JOINT_3 + whole[None, :], back_joint.to(KIND), mask=inside)
    tl.debug_barrier()


@triton.jit
def forward_layers(
    bets, decision, alive, weights, scratch, values, row, LAYERS: tl.constexpr, COLUMNS: tl.constexpr,
    GROUPS: tl.constexpr, BETS: tl.constexpr, WIDTH: tl.constexpr, CARD_WIDTH: tl.constexpr, ONE: tl.constexpr,
    OTHER: tl.constexpr, WIDE: tl.constexpr, SCRATCH: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr,
    CARD_TILE: tl.constexpr, BET_BLOCK: tl.constexpr,
):  # fmt: skip
    """From the embedded cards at scratch column ONE to the last joint layer, which ends there too."""
    KIND: tl.constexpr = values.dtype.element_ty
    forward_layer(
        scratch, values, weights, row, ONE, OTHER, COLUMNS[2], LAYERS[0], LAYERS[1], GROUPS * WIDTH, CARD_WIDTH, False,
        WIDE, SCRATCH, BLOCK, CARD_TILE,
    )  # fmt: skip
    forward_layer(
        scratch, values, weights, row, OTHER, ONE, COLUMNS[3], LAYERS[2], LAYERS[3], CARD_WIDTH, CARD_WIDTH, False,
        WIDE, SCRATCH, BLOCK, CARD_TILE,
    )  # fmt: skip
    forward_layer(
        scratch, values, weights, row, ONE, 0, COLUMNS[4], LAYERS[4], LAYERS[5], CARD_WIDTH, WIDTH, False,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    bet = tl.arange(0, BET_BLOCK)
    made = (bet < BETS)[None, :]
    betting = tl.load(bets + decision[:, None] * BETS + bet[None, :], mask=alive[:, None] & made, other=0.0)
    tl.store(scratch + row[:, None] * SCRATCH + OTHER + bet[None, :], betting, mask=made)
    tl.store(values + row[:, None] * WIDE + COLUMNS[5] + bet[None, :], betting.to(KIND), mask=made)
    tl.debug_barrier()
    forward_layer(
        scratch, values, weights, row, OTHER, ONE, COLUMNS[6], LAYERS[6], LAYERS[7], BETS, WIDTH, False,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    forward_layer(
        scratch, values, weights, row, ONE, WIDTH, COLUMNS[4] + WIDTH, LAYERS[8], LAYERS[9], WIDTH, WIDTH, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    forward_layer(
        scratch, values, weights, row, 0, ONE, COLUMNS[7], LAYERS[10], LAYERS[11], 2 * WIDTH, WIDTH, False,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    forward_layer(
        scratch, values, weights, row, ONE, OTHER, COLUMNS[8], LAYERS[12], LAYERS[13], WIDTH, WIDTH, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    forward_layer(
        scratch, values, weights, row, OTHER, ONE, COLUMNS[9], LAYERS[14], LAYERS[15], WIDTH, WIDTH, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip


@triton.jit
def backward_layers(
    scratch, values, gradients, weights, row, LAYERS: tl.constexpr, COLUMNS: tl.constexpr, GROUPS: tl.constexpr,
    WIDTH: tl.constexpr, CARD_WIDTH: tl.constexpr, ONE: tl.constexpr, OTHER: tl.constexpr, WIDE: tl.constexpr,
    SCRATCH: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr, CARD_TILE: tl.constexpr, BOTH_TILE: tl.constexpr,
):  # fmt: skip
    """From the gradient of the last joint layer at scratch column ONE back to the embedded cards."""
    backward_layer(
        scratch, values, gradients, weights, row, ONE, OTHER, COLUMNS[8], LAYERS[14], WIDTH, WIDTH, True, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    backward_layer(
        scratch, values, gradients, weights, row, OTHER, ONE, COLUMNS[7], LAYERS[12], WIDTH, WIDTH, True, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    backward_layer(
        scratch, values, gradients, weights, row, ONE, 0, COLUMNS[4], LAYERS[10], 2 * WIDTH, WIDTH, False, True,
        WIDE, SCRATCH, BLOCK, BOTH_TILE,
    )  # fmt: skip
    backward_layer(
        scratch, values, gradients, weights, row, WIDTH, ONE, COLUMNS[6], LAYERS[8], WIDTH, WIDTH, True, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    backward_layer(
        scratch, values, gradients, weights, row, 0, OTHER, COLUMNS[3], LAYERS[4], CARD_WIDTH, WIDTH, False, True,
        WIDE, SCRATCH, BLOCK, CARD_TILE,
    )  # fmt: skip
    backward_layer(
        scratch, values, gradients, weights, row, OTHER, ONE, COLUMNS[2], LAYERS[2], CARD_WIDTH, CARD_WIDTH, False,
        True, WIDE, SCRATCH, BLOCK, CARD_TILE,
    )  # fmt: skip
    backward_layer(
        scratch, values, gradients, weights, row, ONE, OTHER, COLUMNS[1], LAYERS[0], GROUPS * WIDTH, CARD_WIDTH, False,
        False, WIDE, SCRATCH, BLOCK, BOTH_TILE,
    )  # fmt: skip


@triton.jit
def forward_backward(
    infosets, numbers, sample_weights, held, share, scale, lowest, bets, allowed, seed,  # the memory and the game
    weights, scratch, values, gradients, drawn,
    COUNT, RANKS: tl.constexpr, SUITS: tl.constexpr, GROUPS: tl.constexpr, ENDS: tl.constexpr,
    EMBEDDINGS: tl.constexpr, LAYERS: tl.constexpr, COLUMNS: tl.constexpr, HEADS: tl.constexpr, BETS: tl.constexpr,
    WIDTH: tl.constexpr, CARD_WIDTH: tl.constexpr, WIDE: tl.constexpr, SCRATCH: tl.constexpr, LOGS: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr, CARD_TILE: tl.constexpr, BOTH_TILE: tl.constexpr,
    DECK: tl.constexpr, OUT: tl.constexpr, BET_BLOCK: tl.constexpr,
):  # fmt: skip
    """Draw ROWS samples and take them through the network and back.

    ENDS are the ends of the card groups in an infoset. COLUMNS are the columns of: 0 cards, 1 embedded cards, 2 and 3
    card layers, 4 the last card and bet layers side by side, 5 bets, 6 the first bet layer, 7 to 9 joint layers, 10 the
    last one normalised, 11 heads. In a row of scratch, the last card and bet layers are at column 0; the other layers
    alternate between columns ONE and OTHER.
    """
    ONE: tl.constexpr = 2 * WIDTH
    OTHER: tl.constexpr = (SCRATCH + 2 * WIDTH) // 2
    CARDS: tl.constexpr = ENDS[GROUPS]
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    alive = row < COUNT
    draw = tl.randint(tl.load(seed), row).to(tl.uint32)
    which = (draw.to(tl.uint64) * tl.load(held).to(tl.uint64)) >> 32
    which = which.to(tl.int64)
    tl.store(drawn + row, which, mask=alive)
    decision = tl.load(infosets + which * (CARDS + 1) + CARDS, mask=alive, other=0).to(tl.int64)
    embed_cards(
        infosets, which, alive, weights, scratch, values, row, RANKS, SUITS, GROUPS, ENDS, EMBEDDINGS, COLUMNS[0],
        COLUMNS[1], ONE, WIDTH, WIDE, SCRATCH, TILE, DECK,
    )  # fmt: skip
    forward_layers(
        bets, decision, alive, weights, scratch, values, row, LAYERS, COLUMNS, GROUPS, BETS, WIDTH, CARD_WIDTH, ONE,
        OTHER, WIDE, SCRATCH, BLOCK, TILE, CARD_TILE, BET_BLOCK,
    )  # fmt: skip
    head_gradient(
        numbers, sample_weights, share, scale, lowest, allowed, weights, scratch, values, gradients, row, which, alive,
        decision, LAYERS[16], LAYERS[17], ONE, COLUMNS[10], COLUMNS[11], COLUMNS[9], HEADS, WIDTH, WIDE, SCRATCH, LOGS,
        OUT,
    )  # fmt: skip
    backward_layers(
        scratch, values, gradients, weights, row, LAYERS, COLUMNS, GROUPS, WIDTH, CARD_WIDTH, ONE, OTHER, WIDE, SCRATCH,
        BLOCK, TILE, CARD_TILE, BOTH_TILE,
    )  # fmt: skip


@triton.jit
def sum_gradients(
    values, gradients, gradient, tiles, SHARE, WIDE: tl.constexpr, RANKS: tl.constexpr, SUITS: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Add up one tile of a layer's gradient over a share of the rows.

    A row of `tiles` has: the columns of values and of gradients, the number of inputs and outputs, the offsets of table
    and bias, the first input and output of the tile, and the offsets of the tables of ranks and suits if the inputs are
    cards. An offset below 0 means that there is none. Loads are not masked, which would be slower: the buffers have
    rows for all shares, and columns beyond the layer are not stored.
    """
    tile = tiles + tl.program_id(0) * 10
    given_at, back_at = tl.multiple_of(tl.load(tile), 16), tl.multiple_of(tl.load(tile + 1), 16)
    ins, outs, table, bias = tl.load(tile + 2), tl.load(tile + 3), tl.load(tile + 4), tl.load(tile + 5)
    first_in, first_out = tl.load(tile + 6), tl.load(tile + 7)
    ranks, suits = tl.load(tile + 8), tl.load(tile + 9)
    into = tl.multiple_of(first_in, 16) + tl.arange(0, BLOCK)
    out = tl.multiple_of(first_out, 16) + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    of_bias = tl.zeros((ROWS, BLOCK), tl.float32)
    begin = tl.program_id(1) * SHARE
    for at in range(begin, begin + SHARE, ROWS):
        row = at + tl.arange(0, ROWS)[:, None]
        given = tl.load(values + row * WIDE + given_at + into[None, :])
        back = tl.load(gradients + row * WIDE + back_at + out[None, :])
        total = tl.dot(tl.trans(back), given, total)
        of_bias += back.to(tl.float32)
    known = (out[:, None] < outs) & (into[None, :] < ins)
    tl.atomic_add(gradient + table + out[:, None] * ins + into[None, :], total, mask=known)
    biased = tl.where((bias >= 0) & (first_in == 0), outs, 0)
    tl.atomic_add(gradient + bias + out, tl.sum(of_bias, 0), mask=out < biased)
    if ranks >= 0:
        tl.atomic_add(gradient + ranks + out[:, None] * RANKS + (into // SUITS)[None, :], total, mask=known)
        tl.atomic_add(gradient + suits + out[:, None] * SUITS + (into % SUITS)[None, :], total, mask=known)


@triton.jit
def adam_step(
    weights, gradient, first_moment, second_moment, mean, length, steps, rate, clip, keep,
    COUNT, FIRST: tl.constexpr, SECOND: tl.constexpr, LOG_FIRST: tl.constexpr, LOG_SECOND: tl.constexpr,
    EPSILON: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A step of Adam on the gradient, clipped to length `clip`, and the mean of weights that are played."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    known = at < COUNT
    done = tl.load(steps)
    shorter = tl.minimum(clip / tl.maximum(tl.load(length), 1e-30), 1.0)
    back = tl.load(gradient + at, mask=known, other=0.0) * tl.where(clip > 0.0, shorter, 1.0)
    first = tl.load(first_moment + at, mask=known, other=0.0)
    second = tl.load(second_moment + at, mask=known, other=0.0)
    first += (1.0 - FIRST) * (back - first)
    second = second * SECOND + (1.0 - SECOND) * back * back
    tl.store(first_moment + at, first, mask=known)
    tl.store(second_moment + at, second, mask=known)
    root = tl.sqrt(second / (1.0 - tl.exp(done * LOG_SECOND))) + EPSILON
    now = tl.load(weights + at, mask=known, other=0.0)
    now -= tl.load(rate) / (1.0 - tl.exp(done * LOG_FIRST)) * first / root
    tl.store(weights + at, now, mask=known)
    if keep > 0.0:
        before = tl.load(mean + at, mask=known, other=0.0)
        tl.store(mean + at, before + (1.0 - keep) * (now - before), mask=known)
