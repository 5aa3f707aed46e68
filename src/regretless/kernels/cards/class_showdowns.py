"""Showdowns of all classes of hands against each other, counted exactly: the table of all-in equities.

As in `equities`, hands are sorted by strength on each board, and one sweep counts the hands that each hand beats. Here
the running sums are vectors with one counter for each class of the opponent's hands:

    beaten(h, class) = S[class] − C[c₁, class] − C[c₂, class]

S counts the weaker hands of a class, and C those of them that hold a card: they cannot be dealt together with h.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.cards.equities import DIGIT, LOW, pairs_of, sort_digit
from regretless.kernels.cards.hand_strength import FLUSH, NO_SUITS, class_of_ranks, flush_on_board
from regretless.kernels.numba_ext.compiling import inner, kernel


@kernel
def class_showdowns(boards, counts, hands, classes, cards, tables, wins, draws):
    """Count the showdowns of all pairs of classes on many boards.

    boards [n, 5], and counts [n] the number of boards that each stands for; hands [hands, 2], classes [hands]; cards
    and tables as in `equities.showdowns`. Added to: wins [classes, classes], the number of deals in which a hand of the
    first class beats one of the second, and draws [classes, classes], those that tie.
    """
    words, ranks, suits = cards
    displacement, strength_classes, flushes = tables
    size = hands.shape[0]
    order, spare_order = np.empty(size, np.uint32), np.empty(size, np.uint32)
    strength, spare_strength = np.empty(size, np.int32), np.empty(size, np.int32)
    pair_word, pair_mask = pairs_of(hands, words)
    in_suit = np.zeros(4, np.uint64)
    bins = np.zeros(LOW + 1, np.int64)
    weaker = np.zeros(wins.shape[0], np.int32)  # [classes] hands that are weaker
    holding = np.zeros((ranks.shape[0], wins.shape[0]), np.int32)  # [deck, classes] those of them with each card
    for b in range(boards.shape[0]):
        shared, dealt = NO_SUITS, np.uint64(0)
        in_suit[:] = 0
        for k in range(boards.shape[1]):
            card = boards[b, k]
            shared += words[card]
            dealt |= np.uint64(1) << np.uint64(card)
            in_suit[suits[card]] |= np.uint64(1) << np.uint64(ranks[card])
        live = 0
        for h in range(size):
            if not pair_mask[h] & dealt:
                word = shared + pair_word[h]
                if word & FLUSH:
                    strength[live] = flush_on_board(word, hands, h, ranks, suits, in_suit, flushes)
                else:
                    strength[live] = class_of_ranks(word, displacement, strength_classes)
                order[live] = h
                live += 1
        sort_digit(order, strength, spare_order, spare_strength, live, 0, bins)
        sort_digit(spare_order, spare_strength, order, strength, live, DIGIT, bins)
        weaker[:] = 0
        holding[:] = 0
        count_board(order[:live], strength, hands, classes, counts[b], weaker, holding, wins, draws)


@inner
def count_board(order, strength, hands, classes, count, weaker, holding, wins, draws):
    """Add the showdowns of one board, which occurs `count` times; `order` lists the hands by strength."""
    begin = 0
    while begin < order.shape[0]:
        end = begin
        while end < order.shape[0] and strength[end] == strength[begin]:
            add_opponents(hands[order[end]], classes[order[end]], count, 0, weaker, holding, wins, draws)
            end += 1
        for k in range(begin, end):
            own = classes[order[k]]
            weaker[own] += 1
            holding[hands[order[k], 0], own] += 1
            holding[hands[order[k], 1], own] += 1
        for k in range(begin, end):
            add_opponents(hands[order[k]], classes[order[k]], count, 1, weaker, holding, wins, draws)
        begin = end


@inner
def add_opponents(hand, own, count, tied, weaker, holding, wins, draws):
    """Add what a hand beats, by class: before its equals are among the weaker hands (tied = 0), or after (tied = 1).

    The second call adds what the hand beats or ties to `draws`. The hand itself, subtracted twice there, is added.
    """
    first, second = holding[hand[0]], holding[hand[1]]
    target = draws[own] if tied else wins[own]
    for c in range(weaker.shape[0]):
        target[c] += count * (weaker[c] - first[c] - second[c])
    if tied:
        target[own] += count
