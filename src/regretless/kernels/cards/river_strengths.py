"""Strengths of all hands on a complete board, in whole numbers, by one sorted sweep.

Against an opponent with any other hand, a hand has 2 points for each hand that it beats and 1 for each that it ties.
Points divided by twice the number of opposing hands are the strength (the share of the pot at a showdown). Hands are
sorted by their class and swept in that order, with a running count of the hands passed, S, and of those with each card,
C, so that hands that share a card with h are not counted (see `equities`):

    points(h) = (S − C[c₁] − C[c₂] before the hands as strong as h) + (S − C[c₁] − C[c₂] + 1 after them)

The same sweep with one count per cluster of opposing hands gives the points against each cluster. Everything is an
integer, so sums do not depend on their order: any number of threads gives the same result.

A board takes a strength (5 ns a hand), two passes of a radix sort (5 ns) and the sweep (10 ns; 25 ns by clusters).
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.cards.equities import DIGIT, sort_digit
from regretless.kernels.cards.hand_strength import FLUSH, NO_SUITS, class_of_ranks, flush_on_board
from regretless.kernels.numba_ext.compiling import inner

CLUSTERS = 8
"""Clusters of opposing hands that the sweep has counters for."""


@inner
def sort_hands(board, completion, hands, hand_words, hand_masks, cards, tables, buffers):
    """Sort the hands that hold no card of a complete board by their strength; returns their number.

    board, completion [cards]: the board. hands [hands, 1 or 2], their words and their sets of cards [hands]. cards:
    word, rank and suit of each card [deck]; tables: displacement, classes and flushes of `hand_strength`. Written to
    buffers: the first two are the hands in order and their strengths.
    """
    words, ranks, suits = cards
    displacement, classes, flushes = tables
    order, strength, spare_order, spare_strength, in_suit, bins = buffers
    shared, dealt = NO_SUITS, np.uint64(0)
    for suit in range(in_suit.shape[0]):
        in_suit[suit] = 0
    for k in range(board.shape[0] + completion.shape[0]):
        card = np.int64(board[k]) if k < board.shape[0] else np.int64(completion[k - board.shape[0]])
        shared += words[card]
        dealt |= np.uint64(1) << np.uint64(card)
        in_suit[suits[card]] |= np.uint64(1) << np.uint64(ranks[card])
    live = 0
    for h in range(hands.shape[0]):
        if not hand_masks[h] & dealt:
            word = shared + hand_words[h]
            if word & FLUSH:
                strength[live] = flush_on_board(word, hands, h, ranks, suits, in_suit, flushes)
            else:
                strength[live] = class_of_ranks(word, displacement, classes)
            order[live] = h
            live += 1
    sort_digit(order, strength, spare_order, spare_strength, live, 0, bins)
    sort_digit(spare_order, spare_strength, order, strength, live, DIGIT, bins)
    return live


@inner
def sweep_points(order, strength, live, hands, held, points):
    """Write points [live] of each hand in order against all other hands. held [deck]: scratch."""
    pair = hands.shape[1] == 2
    last = hands.shape[1] - 1
    for card in range(held.shape[0]):
        held[card] = 0
    total, begin = np.int32(0), 0
    while begin < live:
        end = begin
        while end < live and strength[end] == strength[begin]:
            low, high = hands[order[end], 0], hands[order[end], last]
            points[end] = total - held[low] - (held[high] if pair else 0)
            end += 1
        for k in range(begin, end):
            held[hands[order[k], 0]] += 1
            if pair:
                held[hands[order[k], last]] += 1
        total += end - begin
        for k in range(begin, end):
            low, high = hands[order[k], 0], hands[order[k], last]
            points[k] += total - held[low] - (held[high] - 1 if pair else 0)
        begin = end


@inner
def sweep_clusters(order, strength, live, hands, cluster_of, held, points, opponents):
    """Write points [live, CLUSTERS] of each hand in order against each cluster, and its opponents [live, CLUSTERS].

    cluster_of [hands]. held [deck + 1, CLUSTERS]: scratch, counts by card; the last row counts all hands.
    """
    pair = hands.shape[1] == 2
    last = hands.shape[1] - 1
    total = held.shape[0] - 1
    for card in range(held.shape[0]):
        for c in range(CLUSTERS):
            held[card, c] = 0
    begin = 0
    while begin < live:
        end = begin
        while end < live and strength[end] == strength[begin]:
            subtract_blocked(held, hands[order[end], 0], hands[order[end], last], pair, points, end)
            end += 1
        for k in range(begin, end):
            h = order[k]
            held[hands[h, 0], cluster_of[h]] += 1
            if pair:
                held[hands[h, last], cluster_of[h]] += 1
            held[total, cluster_of[h]] += 1
        for k in range(begin, end):
            h = order[k]
            subtract_blocked(held, hands[h, 0], hands[h, last], pair, opponents, k)
            for c in range(CLUSTERS):
                points[k, c] += opponents[k, c]
            points[k, cluster_of[h]] += pair
        begin = end
    for k in range(live):
        h = order[k]
        subtract_blocked(held, hands[h, 0], hands[h, last], pair, opponents, k)
        opponents[k, cluster_of[h]] += pair


@inner(forceinline=True)
def subtract_blocked(held, low, high, pair, written, k):
    """Write to row k: the counts of all hands in held, less those with the cards `low` and, of a pair, `high`."""
    total = held.shape[0] - 1
    if pair:
        for c in range(CLUSTERS):
            written[k, c] = held[total, c] - held[low, c] - held[high, c]
    else:
        for c in range(CLUSTERS):
            written[k, c] = held[total, c] - held[low, c]
