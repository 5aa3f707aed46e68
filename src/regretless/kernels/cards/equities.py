"""Showdowns of two ranges over many boards: hands sorted by strength, and one sweep over them.

On one board a hand beats the hands before it in that order. Their weight is a running sum S; hands that hold one of its
two cards cannot be dealt, and are subtracted by running sums per card C (no weaker hand holds both). So a board costs a
sort and one sweep, not a comparison of every pair:

    beaten(h) = S − C[c₁] − C[c₂]                       before the hands as strong as h are added
    beaten(h) + tied(h) = S − C[c₁] − C[c₂] + w(h)      after; the hand itself was subtracted twice
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.cards.hand_strength import FLUSH, NO_SUITS, class_of_ranks, flush_on_board
from regretless.kernels.numba_ext.compiling import inner, kernel

DIGIT = 7
LOW = (1 << DIGIT) - 1


@kernel
def distinct_boards(left, size, images, boards, counts):
    """One board of each kind of `size` cards out of left [cards], and the size of each kind; returns how many kinds.

    images [symmetries, deck]: the image of each card under permutations of suits; boards that are images of each other
    are of one kind. Written: boards [capacity, size], counts [capacity].
    """
    chosen = np.arange(size)
    written = 0
    while True:
        own = np.uint64(0)
        for k in range(size):
            own |= np.uint64(1) << np.uint64(left[chosen[k]])
        fixed = 0
        for symmetry in range(images.shape[0]):
            image = np.uint64(0)
            for k in range(size):
                image |= np.uint64(1) << np.uint64(images[symmetry, left[chosen[k]]])
            if image < own:
                fixed = -1
                break
            fixed += image == own
        if fixed > 0:
            for k in range(size):
                boards[written, k] = left[chosen[k]]
            counts[written] = images.shape[0] // fixed
            written += 1
        k = size - 1
        while k >= 0 and chosen[k] == left.shape[0] - size + k:
            k -= 1
        if k < 0:
            return written
        chosen[k] += 1
        for later in range(k + 1, size):
            chosen[later] = chosen[later - 1] + 1


@kernel
def showdowns(board, boards, counts, hands, weights, cards, tables, sums, shares):
    """Show two ranges down on many boards.

    board [cards]: the cards dealt already; boards [n, cards] those to come, and counts [n] how often each. hands
    [hands, 2]; weights [hands, 2] of both players. cards: word, rank and suit of each card [deck]; tables:
    displacement, classes and flushes of `hand_strength`. Added to: sums [hands, 3, 2], for each player's hand the
    weight of the opponent's hands that it beats, beats or ties, and all that can be dealt. Written: shares [2, n], on
    each board the weight of pairs that player 0 wins, a tie counting half, and of all pairs.
    """
    words, ranks, suits = cards
    displacement, classes, flushes = tables
    order, strength, spare_order, spare_strength, beaten = sweep_buffers(hands.shape[0])
    pair_word, pair_mask = pairs_of(hands, words)
    in_suit = np.zeros(4, np.uint64)
    held = np.zeros((ranks.shape[0], 2))  # [deck, players] weight of hands with each card, so far
    bins = np.zeros(LOW + 1, np.int64)
    for b in range(boards.shape[0]):
        shared, dealt = NO_SUITS, np.uint64(0)
        for suit in range(4):
            in_suit[suit] = 0
        for k in range(board.shape[0] + boards.shape[1]):
            card = board[k] if k < board.shape[0] else boards[b, k - board.shape[0]]
            shared += words[card]
            dealt |= np.uint64(1) << np.uint64(card)
            in_suit[suits[card]] |= np.uint64(1) << np.uint64(ranks[card])
        live = 0
        for h in range(hands.shape[0]):
            if not pair_mask[h] & dealt:
                word = shared + pair_word[h]
                if word & FLUSH:
                    strength[live] = flush_on_board(word, hands, h, ranks, suits, in_suit, flushes)
                else:
                    strength[live] = class_of_ranks(word, displacement, classes)
                order[live] = h
                live += 1
        sort_digit(order, strength, spare_order, spare_strength, live, 0, bins)
        sort_digit(spare_order, spare_strength, order, strength, live, DIGIT, bins)
        shares[0, b], shares[1, b] = sweep(order, strength, live, hands, weights, counts[b], held, beaten, sums)


@inner
def pairs_of(hands, words):
    """The words of both cards of each hand added, and their bits in a set of cards."""
    word = np.empty(hands.shape[0], np.uint64)
    mask = np.empty(hands.shape[0], np.uint64)
    for h in range(hands.shape[0]):
        word[h] = words[hands[h, 0]] + words[hands[h, 1]]
        mask[h] = (np.uint64(1) << np.uint64(hands[h, 0])) | (np.uint64(1) << np.uint64(hands[h, 1]))
    return word, mask


@inner
def sweep_buffers(hands):
    """Buffers for hands in order and their strengths, twice, and for what each player's hand beats [hands, 2]."""
    return (
        np.empty(hands, np.uint32),
        np.empty(hands, np.int32),
        np.empty(hands, np.uint32),
        np.empty(hands, np.int32),
        np.empty((hands, 2)),
    )


@inner
def sort_digit(order, strength, new_order, new_strength, count, shift, bins):
    """A stable sort by one digit of the strength; two such passes sort by strength."""
    for digit in range(LOW + 1):
        bins[digit] = 0
    for k in range(count):
        bins[(strength[k] >> shift) & LOW] += 1
    start = 0
    for digit in range(LOW + 1):
        start, bins[digit] = start + bins[digit], start
    for k in range(count):
        digit = (strength[k] >> shift) & LOW
        new_order[bins[digit]] = order[k]
        new_strength[bins[digit]] = strength[k]
        bins[digit] += 1


@inner
def sweep(order, strength, live, hands, weights, count, held, beaten, sums):
    """Add one board, which occurs `count` times, to the sums; returns player 0's share of the pairs, and all pairs."""
    for card in range(held.shape[0]):
        held[card, 0] = held[card, 1] = 0.0
    total_0, total_1 = 0.0, 0.0
    begin = 0
    while begin < live:
        end = begin
        while end < live and strength[end] == strength[begin]:
            low, high = hands[order[end], 0], hands[order[end], 1]
            beaten[end, 0] = total_1 - held[low, 1] - held[high, 1]
            beaten[end, 1] = total_0 - held[low, 0] - held[high, 0]
            end += 1
        for k in range(begin, end):
            h = order[k]
            low, high = hands[h, 0], hands[h, 1]
            mine, theirs = weights[h, 0], weights[h, 1]
            total_0 += mine
            total_1 += theirs
            held[low, 0] += mine
            held[low, 1] += theirs
            held[high, 0] += mine
            held[high, 1] += theirs
        for k in range(begin, end):
            h = order[k]
            low, high = hands[h, 0], hands[h, 1]
            upto_0 = total_1 - held[low, 1] - held[high, 1] + weights[h, 1]
            upto_1 = total_0 - held[low, 0] - held[high, 0] + weights[h, 0]
            sums[h, 0, 0] += count * beaten[k, 0]
            sums[h, 0, 1] += count * beaten[k, 1]
            sums[h, 1, 0] += count * upto_0
            sums[h, 1, 1] += count * upto_1
            beaten[k, 0] += upto_0
        begin = end
    share, pairs = 0.0, 0.0
    for k in range(live):
        h = order[k]
        low, high = hands[h, 0], hands[h, 1]
        all_0 = total_1 - held[low, 1] - held[high, 1] + weights[h, 1]
        all_1 = total_0 - held[low, 0] - held[high, 0] + weights[h, 0]
        sums[h, 2, 0] += count * all_0
        sums[h, 2, 1] += count * all_1
        share += weights[h, 0] * beaten[k, 0] / 2
        pairs += weights[h, 0] * all_0
    return share, pairs
