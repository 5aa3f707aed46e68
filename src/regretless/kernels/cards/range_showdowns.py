"""Showdowns of every hand against many ranges at once, summed over boards.

The sweep is that of `equities`, with a lane for each range: a hand beats the hands before it in the order of strength,
less those that hold one of its cards.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import inner, kernel


@kernel
def add_showdowns(order, strength, hands, deck, ranges, beaten, not_lost, met):
    """Add the showdowns of all boards.

    order [boards, hands]: the hands that fit a board by ascending strength, then −1; strength [boards, hands] in the
    same order. hands [hands, 1 or 2] cards, deck: the number of cards; ranges [hands, lanes]. Added to, all
    [hands, lanes]: the weight of a range that each hand beats, that it beats or ties, and that it can be dealt with.
    """
    running = np.zeros(ranges.shape[1])
    held = np.zeros((deck, ranges.shape[1]))
    for board in range(order.shape[0]):
        running[:] = 0.0
        held[:] = 0.0
        row, live = order[board], order.shape[1]
        while live > 0 and row[live - 1] < 0:
            live -= 1
        begin = 0
        while begin < live:
            end = begin
            while end < live and strength[board, end] == strength[board, begin]:
                add_opposing(row[end], hands, ranges, running, held, False, beaten)
                end += 1
            for k in range(begin, end):
                add_hand(row[k], hands, ranges, running, held)
            for k in range(begin, end):
                add_opposing(row[k], hands, ranges, running, held, True, not_lost)
            begin = end
        for k in range(live):
            add_opposing(row[k], hands, ranges, running, held, True, met)


@kernel
def opposing_weights(hands, deck, ranges, out):
    """Write to out [n, hands] the weight of the hands of each range [n, hands] that share no card with a hand."""
    held = np.zeros(deck)
    for row in range(ranges.shape[0]):
        held[:] = 0.0
        total = 0.0
        for hand in range(ranges.shape[1]):
            total += ranges[row, hand]
            for k in range(hands.shape[1]):
                held[hands[hand, k]] += ranges[row, hand]
        for hand in range(ranges.shape[1]):
            left = total
            for k in range(hands.shape[1]):
                left -= held[hands[hand, k]]
            out[row, hand] = left + ranges[row, hand] if hands.shape[1] == 2 else left


@inner
def add_hand(hand, hands, ranges, running, held):
    """Add a hand of every range to the running sums, of all hands [lanes] and by card [deck, lanes]."""
    for lane in range(ranges.shape[1]):
        running[lane] += ranges[hand, lane]
    for k in range(hands.shape[1]):
        card = hands[hand, k]
        for lane in range(ranges.shape[1]):
            held[card, lane] += ranges[hand, lane]


@inner
def add_opposing(hand, hands, ranges, running, held, included, sums):
    """Add to sums [hands, lanes] the running weight of hands without a card of this one.

    included: whether the hand itself is in the running sums; one of two cards is then subtracted twice.
    """
    if hands.shape[1] == 1:
        one = hands[hand, 0]
        for lane in range(ranges.shape[1]):
            sums[hand, lane] += running[lane] - held[one, lane]
        return
    one, other = hands[hand, 0], hands[hand, 1]
    if included:
        for lane in range(ranges.shape[1]):
            sums[hand, lane] += running[lane] - held[one, lane] - held[other, lane] + ranges[hand, lane]
    else:
        for lane in range(ranges.shape[1]):
            sums[hand, lane] += running[lane] - held[one, lane] - held[other, lane]
