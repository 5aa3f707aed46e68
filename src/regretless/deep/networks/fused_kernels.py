"""A step of the hold'em network's training as two kernels of a GPU, in Triton.

Rows of a batch do not need each other: a program of `carry` takes some rows, draws their samples, and takes them
through all layers and back. Nothing is launched in between: with a kernel for each operation a step takes most of its
time to launch them and to wait for the last row of each. Between two layers, numbers stand in a row of `scratch`, which
is small enough to stay in the chip's cache. What the slopes of weights are made of, the values that layers were given
and the slopes behind them, is kept beside it in sixteen bits; a program of `sum_slopes` adds up one tile of those
slopes over a share of the rows.

All weights are one vector; a layer is known by where its table [to, from] and its bias [to] begin there. Values of all
layers stand side by side in the rows of `values`, and their slopes at the same places of `slopes`.
"""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["carry", "step_down", "sum_slopes"]


@triton.jit
def onward(
    scratch, values, weights, row, FROM: tl.constexpr, TO: tl.constexpr, KEPT: tl.constexpr, TABLE: tl.constexpr,
    BIAS: tl.constexpr, INS: tl.constexpr, OUTS: tl.constexpr, SKIP: tl.constexpr, WIDE: tl.constexpr,
    SCRATCH: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """A rectified layer from column FROM to column TO, kept at column KEPT; with SKIP it adds to what it is given."""
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
def backward(
    scratch, values, slopes, weights, row, FROM: tl.constexpr, TO: tl.constexpr, KEPT: tl.constexpr,
    TABLE: tl.constexpr, INS: tl.constexpr, OUTS: tl.constexpr, SKIP: tl.constexpr, RECTIFIED: tl.constexpr,
    WIDE: tl.constexpr, SCRATCH: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """The slope at column TO, kept at column KEPT, from that of the next layer at column FROM.

    Slopes are those before rectification; with SKIP the next layer had also added what it was given.
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
        tl.store(slopes + kept, total.to(slopes.dtype.element_ty), mask=inside)
    tl.debug_barrier()


@triton.jit
def hot(infosets, which, alive, ROW: tl.constexpr, BEGIN: tl.constexpr, END: tl.constexpr, card):
    """[rows, cards] one where a row holds a card in the places from BEGIN to END."""
    found = tl.zeros((which.shape[0], card.shape[0]), tl.float32)
    for place in range(BEGIN, END):
        held = tl.load(infosets + which * ROW + place, mask=alive, other=-1)
        found += tl.where(held[:, None] == card[None, :], 1.0, 0.0)
    return found


@triton.jit
def carry(
    infosets, numbers, sample_weights, held, share, scale, least, bets, allowed, seed, step,  # what is learned from
    weights, scratch, values, slopes, drawn,
    COUNT, RANKS: tl.constexpr, SUITS: tl.constexpr, GROUPS: tl.constexpr, ENDS: tl.constexpr,
    EMBEDDINGS: tl.constexpr, LAYERS: tl.constexpr, PLACES: tl.constexpr, HEADS: tl.constexpr, BETS: tl.constexpr,
    WIDTH: tl.constexpr, CARD_WIDTH: tl.constexpr, WIDE: tl.constexpr, SCRATCH: tl.constexpr, LOGS: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr, CARD_TILE: tl.constexpr, BOTH_TILE: tl.constexpr,
    DECK: tl.constexpr, OUT: tl.constexpr, BET_BLOCK: tl.constexpr,
):  # fmt: skip
    """Draw some samples, and take them through the network and back.

    ENDS says which cards of an infoset are of which group. PLACES are the columns of: cards, embedded cards, two card
    layers, the last card and bet layers side by side, bets, the first bet layer, three joint layers, the last one
    normalised, and heads. In a row of scratch, layers stand in turn at the places ONE and OTHER, and what both branches
    end in at BOTH_HERE.
    """
    HELD: tl.constexpr = PLACES[0]
    EMBEDDED: tl.constexpr = PLACES[1]
    CARDS_1: tl.constexpr = PLACES[2]
    CARDS_2: tl.constexpr = PLACES[3]
    BOTH: tl.constexpr = PLACES[4]
    BETTING: tl.constexpr = PLACES[5]
    BETS_1: tl.constexpr = PLACES[6]
    JOINT_1: tl.constexpr = PLACES[7]
    JOINT_2: tl.constexpr = PLACES[8]
    JOINT_3: tl.constexpr = PLACES[9]
    NORMAL: tl.constexpr = PLACES[10]
    HEAD: tl.constexpr = PLACES[11]
    BOTH_HERE: tl.constexpr = 0
    ONE: tl.constexpr = 2 * WIDTH
    OTHER: tl.constexpr = (SCRATCH + 2 * WIDTH) // 2
    KIND: tl.constexpr = values.dtype.element_ty
    CARDS: tl.constexpr = ENDS[GROUPS]
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    alive = row < COUNT
    draw = tl.randint(tl.load(seed) + tl.load(step).to(tl.int64) * 0x632BE5AB, row).to(tl.uint32)
    which = (draw.to(tl.uint64) * tl.load(held).to(tl.uint64)) >> 32
    which = which.to(tl.int64)
    tl.store(drawn + row, which, mask=alive)
    decision = tl.load(infosets + which * (CARDS + 1) + CARDS, mask=alive, other=0).to(tl.int64)

    card = tl.arange(0, DECK)
    column = tl.arange(0, TILE)
    real = card < RANKS * SUITS
    for group in tl.static_range(GROUPS):
        cards = hot(infosets, which, alive, CARDS + 1, ENDS[group], ENDS[group + 1], card)
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
            place = group * WIDTH + out[None, :]
            tl.store(scratch + row[:, None] * SCRATCH + ONE + place, embedded, mask=inside)
            tl.store(values + row[:, None] * WIDE + EMBEDDED + place, embedded.to(KIND), mask=inside)
    tl.debug_barrier()
    onward(
        scratch, values, weights, row, ONE, OTHER, CARDS_1, LAYERS[0], LAYERS[1], GROUPS * WIDTH, CARD_WIDTH, False,
        WIDE, SCRATCH, BLOCK, CARD_TILE,
    )  # fmt: skip
    onward(
        scratch, values, weights, row, OTHER, ONE, CARDS_2, LAYERS[2], LAYERS[3], CARD_WIDTH, CARD_WIDTH, False,
        WIDE, SCRATCH, BLOCK, CARD_TILE,
    )  # fmt: skip
    onward(
        scratch, values, weights, row, ONE, BOTH_HERE, BOTH, LAYERS[4], LAYERS[5], CARD_WIDTH, WIDTH, False,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    bet = tl.arange(0, BET_BLOCK)
    made = (bet < BETS)[None, :]
    betting = tl.load(bets + decision[:, None] * BETS + bet[None, :], mask=alive[:, None] & made, other=0.0)
    tl.store(scratch + row[:, None] * SCRATCH + OTHER + bet[None, :], betting, mask=made)
    tl.store(values + row[:, None] * WIDE + BETTING + bet[None, :], betting.to(KIND), mask=made)
    tl.debug_barrier()
    onward(
        scratch, values, weights, row, OTHER, ONE, BETS_1, LAYERS[6], LAYERS[7], BETS, WIDTH, False,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    onward(
        scratch, values, weights, row, ONE, BOTH_HERE + WIDTH, BOTH + WIDTH, LAYERS[8], LAYERS[9], WIDTH, WIDTH, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    onward(
        scratch, values, weights, row, BOTH_HERE, ONE, JOINT_1, LAYERS[10], LAYERS[11], 2 * WIDTH, WIDTH, False,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    onward(
        scratch, values, weights, row, ONE, OTHER, JOINT_2, LAYERS[12], LAYERS[13], WIDTH, WIDTH, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    onward(
        scratch, values, weights, row, OTHER, ONE, JOINT_3, LAYERS[14], LAYERS[15], WIDTH, WIDTH, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip

    whole = tl.arange(0, OUT)
    inside = (whole < WIDTH)[None, :]
    joint = tl.load(scratch + row[:, None] * SCRATCH + ONE + whole[None, :], mask=inside, other=0.0)
    mean = tl.sum(joint, 1) / WIDTH
    apart = tl.where(inside, joint - mean[:, None], 0.0)
    spread = 1.0 / tl.sqrt(tl.sum(apart * apart, 1) / WIDTH + 1e-5)
    normal = apart * spread[:, None]
    head = tl.arange(0, 16)
    legal = (head[None, :] < HEADS) & alive[:, None]
    table = tl.load(
        weights + LAYERS[16] + head[None, :] * WIDTH + whole[:, None],
        mask=(head[None, :] < HEADS) & (whole[:, None] < WIDTH),
        other=0.0,
    )
    said = tl.dot(normal, table) + tl.load(weights + LAYERS[17] + head, mask=head < HEADS, other=0.0)[None, :]
    legal = legal & (tl.load(allowed + decision[:, None] * HEADS + head[None, :], mask=legal, other=0) != 0)
    target = tl.load(numbers + which[:, None] * HEADS + head[None, :], mask=legal, other=0.0)
    target = tl.maximum(target, tl.load(least)) / tl.load(scale)
    weight = tl.load(sample_weights + which, mask=alive, other=0.0) * tl.load(share)
    if LOGS:
        said = tl.where(legal, said, -1e30)
        likely = tl.where(legal, tl.exp(said - tl.max(said, 1)[:, None]), 0.0)
        likely = likely / tl.maximum(tl.sum(likely, 1), 1e-30)[:, None]
        back = (likely * tl.sum(target, 1)[:, None] - target) * weight[:, None]
    else:
        back = tl.where(legal, 2.0 * (said - target), 0.0) * weight[:, None]

    tl.store(values + row[:, None] * WIDE + NORMAL + whole[None, :], normal.to(KIND), mask=inside)
    tl.store(slopes + row[:, None] * WIDE + HEAD + head[None, :], back.to(KIND), mask=head[None, :] < HEADS)
    back_normal = tl.dot(back, tl.trans(table))
    centre = tl.sum(back_normal, 1) / WIDTH
    along = tl.sum(back_normal * normal, 1) / WIDTH
    back_joint = (back_normal - centre[:, None] - normal * along[:, None]) * spread[:, None]
    back_joint = tl.where(joint > 0.0, back_joint, 0.0)
    tl.debug_barrier()  # all have read what is overwritten now
    tl.store(scratch + row[:, None] * SCRATCH + ONE + whole[None, :], back_joint, mask=inside)
    tl.store(slopes + row[:, None] * WIDE + JOINT_3 + whole[None, :], back_joint.to(KIND), mask=inside)
    tl.debug_barrier()

    backward(
        scratch, values, slopes, weights, row, ONE, OTHER, JOINT_2, LAYERS[14], WIDTH, WIDTH, True, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    backward(
        scratch, values, slopes, weights, row, OTHER, ONE, JOINT_1, LAYERS[12], WIDTH, WIDTH, True, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    backward(
        scratch, values, slopes, weights, row, ONE, BOTH_HERE, BOTH, LAYERS[10], 2 * WIDTH, WIDTH, False, True,
        WIDE, SCRATCH, BLOCK, BOTH_TILE,
    )  # fmt: skip
    backward(
        scratch, values, slopes, weights, row, BOTH_HERE + WIDTH, ONE, BETS_1, LAYERS[8], WIDTH, WIDTH, True, True,
        WIDE, SCRATCH, BLOCK, TILE,
    )  # fmt: skip
    backward(
        scratch, values, slopes, weights, row, BOTH_HERE, OTHER, CARDS_2, LAYERS[4], CARD_WIDTH, WIDTH, False, True,
        WIDE, SCRATCH, BLOCK, CARD_TILE,
    )  # fmt: skip
    backward(
        scratch, values, slopes, weights, row, OTHER, ONE, CARDS_1, LAYERS[2], CARD_WIDTH, CARD_WIDTH, False, True,
        WIDE, SCRATCH, BLOCK, CARD_TILE,
    )  # fmt: skip
    backward(
        scratch, values, slopes, weights, row, ONE, OTHER, EMBEDDED, LAYERS[0], GROUPS * WIDTH, CARD_WIDTH, False,
        False, WIDE, SCRATCH, BLOCK, BOTH_TILE,
    )  # fmt: skip


@triton.jit
def sum_slopes(
    values, slopes, slope, tiles, SHARE, WIDE: tl.constexpr, RANKS: tl.constexpr, SUITS: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Add up one tile of a layer's slopes over a share of the rows.

    A row of `tiles` has: columns of values and of slopes, how many of each there are, where table and bias begin, the
    first input and output of the tile, and where the tables of ranks and of suits begin, if the inputs are cards. Below
    0 there is none. Nothing is masked while it is read, which would be slower: there are as many rows as all shares
    have, and what stands beside a layer's columns is not added to anything in the end.
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
        back = tl.load(slopes + row * WIDE + back_at + out[None, :])
        total = tl.dot(tl.trans(back), given, total)
        of_bias += back.to(tl.float32)
    known = (out[:, None] < outs) & (into[None, :] < ins)
    tl.atomic_add(slope + table + out[:, None] * ins + into[None, :], total, mask=known)
    biased = tl.where((bias >= 0) & (first_in == 0), outs, 0)
    tl.atomic_add(slope + bias + out, tl.sum(of_bias, 0), mask=out < biased)
    if ranks >= 0:
        tl.atomic_add(slope + ranks + out[:, None] * RANKS + (into // SUITS)[None, :], total, mask=known)
        tl.atomic_add(slope + suits + out[:, None] * SUITS + (into % SUITS)[None, :], total, mask=known)


@triton.jit
def step_down(
    weights, slope, first_moment, second_moment, mean, length, steps, rate, clip, keep,
    COUNT, FIRST: tl.constexpr, SECOND: tl.constexpr, LOG_FIRST: tl.constexpr, LOG_SECOND: tl.constexpr,
    EPSILON: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A step of Adam on the slope, shortened to `clip` if it is longer, and the mean of weights that are played."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    known = at < COUNT
    done = tl.load(steps)
    shorter = tl.minimum(clip / tl.maximum(tl.load(length), 1e-30), 1.0)
    back = tl.load(slope + at, mask=known, other=0.0) * tl.where(clip > 0.0, shorter, 1.0)
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
