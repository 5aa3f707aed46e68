"""The boards below a flop, laid out for `cuda_flop_walks`: hands from weak to strong, in steps of a few hands."""

from __future__ import annotations

from regretless.kernels.cards.board_hands import hand_buckets
from regretless.kernels.cards.hand_strength import write_strengths
from regretless.kernels.flops.cuda_flop_layout import (
    ADD_AFTER,
    ADD_BEFORE,
    COUNT_SHIFT,
    HIGH_SHIFT,
    TIES_SHIFT,
    VALUES,
    WHAT_SHIFT,
)
from regretless.kernels.numba_ext.compiling import inner, kernel

__all__ = ["bucket_rows", "lay_out_boards"]


@inner
def add_step(steps, count, first, hands, what):
    """Append a step; returns the number of steps."""
    steps[count] = first | hands << COUNT_SHIFT | what << WHAT_SHIFT
    return count + 1


@inner
def write_steps(strength, number, tile, hand, steps):
    """Cut hands in order of strength into steps of at most `tile` hands; returns the number of steps.

    Hands of equal strength that fit into a step stay together. More than that are taken out of the stronger hands in
    steps of their own, then valued, then added to the weaker ones.
    """
    count, first, k, hands = 0, 0, 0, len(number)
    while k < hands:
        end = k + 1
        while end < hands and strength[number[end]] == strength[number[k]]:
            end += 1
        if end - first > tile and first < k:
            count = add_step(steps, count, first, k - first, ADD_BEFORE + VALUES + ADD_AFTER)
            first = k
        if end - k <= tile:
            hand[k] |= (end - k) << TIES_SHIFT
        else:
            for what in (ADD_BEFORE, VALUES, ADD_AFTER):
                for part in range(k, end, tile):
                    held = min(tile, end - part)
                    count = add_step(steps, count, part, held, what)
                    if what == VALUES:
                        hand[part] |= held << TIES_SHIFT
            first = end
        k = end
    if first < hands:
        count = add_step(steps, count, first, hands - first, ADD_BEFORE + VALUES + ADD_AFTER)
    return count


@kernel
def lay_out_boards(boards, parent, place_above, hands, compared, deck, tables, tile, scratch, place, number, found):
    """Lay out boards [n, cards], which follow the boards `parent` [n] with places of hands place_above [above, deck].

    Written: place [n, deck] the place of each hand of the deck on a board, or −1; number [n, live] the hand in each
    place; found: hand, above [n, live], step [n, most] and steps [n], see `FlopBoards`. `compared`: this is the last
    street, and hands are sorted by strength; deck, tables: as in `strengths_on_board`. scratch: in_suit [suits],
    strength [hands of the deck] and counts [strengths + 1].
    """
    in_suit, strength, first = scratch
    hand, above, step, steps = found
    for b in range(boards.shape[0]):
        dealt = 0
        for k in range(boards.shape[1]):
            dealt |= 1 << int(boards[b, k])
        if compared:
            in_suit[:] = 0
            write_strengths(boards[b], hands, deck, tables, in_suit, strength)
        else:
            for h in range(hands.shape[0]):
                low, high = int(hands[h, 0]), int(hands[h, hands.shape[1] - 1])
                strength[h] = -1 if (dealt >> low | dealt >> high) & 1 else 0
        first[:] = 0
        for h in range(hands.shape[0]):
            if strength[h] >= 0:
                first[strength[h] + 1] += 1
        for s in range(first.shape[0] - 1):
            first[s + 1] += first[s]
        for h in range(hands.shape[0]):
            place[b, h] = -1
            if strength[h] >= 0:
                k = first[strength[h]]
                first[strength[h]] += 1
                place[b, h], number[b, k] = k, h
                hand[b, k] = int(hands[h, 0]) | int(hands[h, hands.shape[1] - 1]) << HIGH_SHIFT
                above[b, k] = place_above[parent[b], h]
        if compared:
            steps[b] = write_steps(strength, number[b], tile, hand[b], step[b])
        else:
            steps[b] = 0
            for k in range(0, number.shape[1], tile):
                steps[b] = add_step(step[b], steps[b], k, min(tile, number.shape[1] - k), VALUES)


@kernel
def bucket_rows(boards, number, hands, street, scratch, bucket_of, column, out):
    """Write out [n, live]: the bucket of each hand number [n, live] on each of the boards [n, cards].

    The rest as in `hand_buckets`, with column [hands of the deck] as scratch.
    """
    for b in range(boards.shape[0]):
        hand_buckets(boards[b], hands, street, scratch, bucket_of, column)
        for k in range(number.shape[1]):
            out[b, k] = column[number[b, k]]
