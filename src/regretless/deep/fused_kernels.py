"""A step of the hold'em network's training as one kernel of a GPU, in Triton.

Rows of a batch do not need each other: a program takes some rows, draws their samples, and takes them through all
layers and back. Only the slopes of weights are sums over all rows, and those are added up in memory. What lies between
two layers is written to memory too, but it is a few megabytes that never leave the chip's cache, and nothing is
launched in between: with a kernel for each operation a step takes most of its time to launch them and to wait for the
last row of each.

All weights are one vector; a layer is known by where its table [to, from] and its bias [to] begin there. Values of all
layers stand side by side in the rows of `values`, and their slopes at the same places of `slopes`.
"""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["learn", "step_down"]


@triton.jit
def onward(
    values, weights, row, WIDE: tl.constexpr, FROM: tl.constexpr, TO: tl.constexpr, TABLE: tl.constexpr,
    BIAS: tl.constexpr, INS: tl.constexpr, OUTS: tl.constexpr, SKIP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A rectified layer from column FROM to column TO; with SKIP it adds to what it is given."""
    for first in range(0, OUTS, BLOCK):
        out = first + tl.arange(0, BLOCK)
        total = tl.zeros((row.shape[0], BLOCK), tl.float32)
        for begin in range(0, INS, BLOCK):
            into = begin + tl.arange(0, BLOCK)
            given = tl.load(values + row[:, None] * WIDE + FROM + into[None, :], mask=into[None, :] < INS, other=0.0)
            known = (into[:, None] < INS) & (out[None, :] < OUTS)
            table = tl.load(weights + TABLE + out[None, :] * INS + into[:, None], mask=known, other=0.0)
            total += tl.dot(given, table)
        total += tl.load(weights + BIAS + out, mask=out < OUTS, other=0.0)[None, :]
        if SKIP:
            total += tl.load(values + row[:, None] * WIDE + FROM + out[None, :], mask=out[None, :] < OUTS, other=0.0)
        tl.store(values + row[:, None] * WIDE + TO + out[None, :], tl.maximum(total, 0.0), mask=out[None, :] < OUTS)
    tl.debug_barrier()


@triton.jit
def add_slopes(
    values, slopes, slope, row, WIDE: tl.constexpr, FROM: tl.constexpr, TO: tl.constexpr, TABLE: tl.constexpr,
    BIAS: tl.constexpr, INS: tl.constexpr, OUTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Turn the slope at column TO into that before rectification, and add up the slopes of the layer's weights."""
    for first in range(0, OUTS, BLOCK):
        out = first + tl.arange(0, BLOCK)
        there = row[:, None] * WIDE + TO + out[None, :]
        back = tl.load(slopes + there, mask=out[None, :] < OUTS, other=0.0)
        back = tl.where(tl.load(values + there, mask=out[None, :] < OUTS, other=0.0) > 0.0, back, 0.0)
        tl.store(slopes + there, back, mask=out[None, :] < OUTS)
        tl.atomic_add(slope + BIAS + out, tl.sum(back, 0), mask=out < OUTS)
        for begin in range(0, INS, BLOCK):
            into = begin + tl.arange(0, BLOCK)
            given = tl.load(values + row[:, None] * WIDE + FROM + into[None, :], mask=into[None, :] < INS, other=0.0)
            known = (out[:, None] < OUTS) & (into[None, :] < INS)
            tl.atomic_add(slope + TABLE + out[:, None] * INS + into[None, :], tl.dot(tl.trans(back), given), mask=known)
    tl.debug_barrier()


@triton.jit
def backward(
    slopes, weights, row, WIDE: tl.constexpr, FROM: tl.constexpr, TO: tl.constexpr, TABLE: tl.constexpr,
    INS: tl.constexpr, OUTS: tl.constexpr, SKIP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The slope at column FROM from that at column TO, before rectification."""
    for begin in range(0, INS, BLOCK):
        into = begin + tl.arange(0, BLOCK)
        total = tl.zeros((row.shape[0], BLOCK), tl.float32)
        for first in range(0, OUTS, BLOCK):
            out = first + tl.arange(0, BLOCK)
            back = tl.load(slopes + row[:, None] * WIDE + TO + out[None, :], mask=out[None, :] < OUTS, other=0.0)
            known = (out[:, None] < OUTS) & (into[None, :] < INS)
            total += tl.dot(back, tl.load(weights + TABLE + out[:, None] * INS + into[None, :], mask=known, other=0.0))
        if SKIP:
            total += tl.load(slopes + row[:, None] * WIDE + TO + into[None, :], mask=into[None, :] < INS, other=0.0)
        tl.store(slopes + row[:, None] * WIDE + FROM + into[None, :], total, mask=into[None, :] < INS)
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
def learn(
    infosets, numbers, sample_weights, held, share, scale, bets, allowed, seed, step,  # what is learned from
    weights, slope, values, slopes, drawn,
    COUNT, RANKS: tl.constexpr, SUITS: tl.constexpr, GROUPS: tl.constexpr, FIRST: tl.constexpr, SECOND: tl.constexpr,
    EMBEDDINGS: tl.constexpr, LAYERS: tl.constexpr, PLACES: tl.constexpr, HEADS: tl.constexpr, BETS: tl.constexpr,
    WIDTH: tl.constexpr, CARD_WIDTH: tl.constexpr, WIDE: tl.constexpr, LOGS: tl.constexpr, ROWS: tl.constexpr,
    BLOCK: tl.constexpr, DECK: tl.constexpr, OUT: tl.constexpr, BET_BLOCK: tl.constexpr,
):  # fmt: skip
    """Draw some samples, take them through the network, and add up the slopes of all weights.

    PLACES are the columns of: embedded cards, two card layers, the last card and bet layers side by side, the first bet
    layer, three joint layers, and the bets themselves.
    """
    EMBEDDED: tl.constexpr = PLACES[0]
    CARDS_1: tl.constexpr = PLACES[1]
    CARDS_2: tl.constexpr = PLACES[2]
    BOTH: tl.constexpr = PLACES[3]
    BETS_1: tl.constexpr = PLACES[4]
    JOINT_1: tl.constexpr = PLACES[5]
    JOINT_2: tl.constexpr = PLACES[6]
    JOINT_3: tl.constexpr = PLACES[7]
    BETTING: tl.constexpr = PLACES[8]
    CARDS: tl.constexpr = FIRST + SECOND
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    alive = row < COUNT
    draw = tl.randint(tl.load(seed) + tl.load(step).to(tl.int64) * 0x632BE5AB, row).to(tl.uint32)
    which = (draw.to(tl.uint64) * tl.load(held).to(tl.uint64)) >> 32
    which = which.to(tl.int64)
    tl.store(drawn + row, which, mask=alive)
    decision = tl.load(infosets + which * (CARDS + 1) + CARDS, mask=alive, other=0).to(tl.int64)

    card = tl.arange(0, DECK)
    column = tl.arange(0, BLOCK)
    real = card < RANKS * SUITS
    for group in tl.static_range(GROUPS):
        cards = hot(infosets, which, alive, CARDS + 1, FIRST * group, FIRST + SECOND * group, card)
        for first in range(0, WIDTH, BLOCK):
            out = first + column
            known = real[:, None] & (out[None, :] < WIDTH)
            rank = tl.load(
                weights + EMBEDDINGS[3 * group] + out[None, :] * RANKS + (card // SUITS)[:, None], mask=known, other=0.0
            )
            suit = tl.load(
                weights + EMBEDDINGS[3 * group + 1] + out[None, :] * SUITS + (card % SUITS)[:, None],
                mask=known,
                other=0.0,
            )
            own = tl.load(
                weights + EMBEDDINGS[3 * group + 2] + out[None, :] * (RANKS * SUITS) + card[:, None],
                mask=known,
                other=0.0,
            )
            embedded = tl.dot(cards, rank + suit + own)
            tl.store(
                values + row[:, None] * WIDE + EMBEDDED + group * WIDTH + out[None, :],
                embedded,
                mask=out[None, :] < WIDTH,
            )
    bet = tl.arange(0, BET_BLOCK)
    betting = tl.load(
        bets + decision[:, None] * BETS + bet[None, :], mask=alive[:, None] & (bet[None, :] < BETS), other=0.0
    )
    tl.store(values + row[:, None] * WIDE + BETTING + bet[None, :], betting, mask=bet[None, :] < BETS)
    tl.debug_barrier()

    onward(
        values, weights, row, WIDE, EMBEDDED, CARDS_1, LAYERS[0], LAYERS[1], GROUPS * WIDTH, CARD_WIDTH, False, BLOCK
    )
    onward(values, weights, row, WIDE, CARDS_1, CARDS_2, LAYERS[2], LAYERS[3], CARD_WIDTH, CARD_WIDTH, False, BLOCK)
    onward(values, weights, row, WIDE, CARDS_2, BOTH, LAYERS[4], LAYERS[5], CARD_WIDTH, WIDTH, False, BLOCK)
    onward(values, weights, row, WIDE, BETTING, BETS_1, LAYERS[6], LAYERS[7], BETS, WIDTH, False, BLOCK)
    onward(values, weights, row, WIDE, BETS_1, BOTH + WIDTH, LAYERS[8], LAYERS[9], WIDTH, WIDTH, True, BLOCK)
    onward(values, weights, row, WIDE, BOTH, JOINT_1, LAYERS[10], LAYERS[11], 2 * WIDTH, WIDTH, False, BLOCK)
    onward(values, weights, row, WIDE, JOINT_1, JOINT_2, LAYERS[12], LAYERS[13], WIDTH, WIDTH, True, BLOCK)
    onward(values, weights, row, WIDE, JOINT_2, JOINT_3, LAYERS[14], LAYERS[15], WIDTH, WIDTH, True, BLOCK)

    whole = tl.arange(0, OUT)
    inside = (whole < WIDTH)[None, :]
    joint = tl.load(values + row[:, None] * WIDE + JOINT_3 + whole[None, :], mask=inside, other=0.0)
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
    target = tl.load(numbers + which[:, None] * HEADS + head[None, :], mask=legal, other=0.0) / tl.load(scale)
    weight = tl.load(sample_weights + which, mask=alive, other=0.0) * tl.load(share)
    if LOGS:
        said = tl.where(legal, said, -1e30)
        likely = tl.where(legal, tl.exp(said - tl.max(said, 1)[:, None]), 0.0)
        likely = likely / tl.maximum(tl.sum(likely, 1), 1e-30)[:, None]
        back = (likely * tl.sum(target, 1)[:, None] - target) * weight[:, None]
    else:
        back = tl.where(legal, 2.0 * (said - target), 0.0) * weight[:, None]

    tl.atomic_add(slope + LAYERS[17] + head, tl.sum(back, 0), mask=head < HEADS)
    tl.atomic_add(
        slope + LAYERS[16] + head[:, None] * WIDTH + whole[None, :],
        tl.dot(tl.trans(back), normal),
        mask=(head[:, None] < HEADS) & inside,
    )
    back_normal = tl.dot(back, tl.trans(table))
    centre = tl.sum(back_normal, 1) / WIDTH
    along = tl.sum(back_normal * normal, 1) / WIDTH
    back_joint = (back_normal - centre[:, None] - normal * along[:, None]) * spread[:, None]
    tl.store(slopes + row[:, None] * WIDE + JOINT_3 + whole[None, :], back_joint, mask=inside)
    tl.debug_barrier()

    add_slopes(values, slopes, slope, row, WIDE, JOINT_2, JOINT_3, LAYERS[14], LAYERS[15], WIDTH, WIDTH, BLOCK)
    backward(slopes, weights, row, WIDE, JOINT_2, JOINT_3, LAYERS[14], WIDTH, WIDTH, True, BLOCK)
    add_slopes(values, slopes, slope, row, WIDE, JOINT_1, JOINT_2, LAYERS[12], LAYERS[13], WIDTH, WIDTH, BLOCK)
    backward(slopes, weights, row, WIDE, JOINT_1, JOINT_2, LAYERS[12], WIDTH, WIDTH, True, BLOCK)
    add_slopes(values, slopes, slope, row, WIDE, BOTH, JOINT_1, LAYERS[10], LAYERS[11], 2 * WIDTH, WIDTH, BLOCK)
    backward(slopes, weights, row, WIDE, BOTH, JOINT_1, LAYERS[10], 2 * WIDTH, WIDTH, False, BLOCK)
    add_slopes(values, slopes, slope, row, WIDE, BETS_1, BOTH + WIDTH, LAYERS[8], LAYERS[9], WIDTH, WIDTH, BLOCK)
    backward(slopes, weights, row, WIDE, BETS_1, BOTH + WIDTH, LAYERS[8], WIDTH, WIDTH, True, BLOCK)
    add_slopes(values, slopes, slope, row, WIDE, BETTING, BETS_1, LAYERS[6], LAYERS[7], BETS, WIDTH, BLOCK)
    add_slopes(values, slopes, slope, row, WIDE, CARDS_2, BOTH, LAYERS[4], LAYERS[5], CARD_WIDTH, WIDTH, BLOCK)
    backward(slopes, weights, row, WIDE, CARDS_2, BOTH, LAYERS[4], CARD_WIDTH, WIDTH, False, BLOCK)
    add_slopes(values, slopes, slope, row, WIDE, CARDS_1, CARDS_2, LAYERS[2], LAYERS[3], CARD_WIDTH, CARD_WIDTH, BLOCK)
    backward(slopes, weights, row, WIDE, CARDS_1, CARDS_2, LAYERS[2], CARD_WIDTH, CARD_WIDTH, False, BLOCK)
    add_slopes(
        values, slopes, slope, row, WIDE, EMBEDDED, CARDS_1, LAYERS[0], LAYERS[1], GROUPS * WIDTH, CARD_WIDTH, BLOCK
    )
    backward(slopes, weights, row, WIDE, EMBEDDED, CARDS_1, LAYERS[0], GROUPS * WIDTH, CARD_WIDTH, False, BLOCK)

    for group in tl.static_range(GROUPS):
        cards = hot(infosets, which, alive, CARDS + 1, FIRST * group, FIRST + SECOND * group, card)
        for first in range(0, WIDTH, BLOCK):
            out = first + column
            back = tl.load(
                slopes + row[:, None] * WIDE + EMBEDDED + group * WIDTH + out[None, :],
                mask=out[None, :] < WIDTH,
                other=0.0,
            )
            known = (out[:, None] < WIDTH) & real[None, :]
            tl.atomic_add(
                slope + EMBEDDINGS[3 * group + 2] + out[:, None] * (RANKS * SUITS) + card[None, :],
                tl.dot(tl.trans(back), cards),
                mask=known,
            )


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
