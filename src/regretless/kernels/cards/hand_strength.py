"""Strength of hands: two loads from tables, for any number of cards.

Every card has one word [uint64]: a key of its rank in the low half, and a counter of its suit in the high half. The
words of a hand are added. The sum of rank keys identifies the multiset of ranks, because the keys are chosen so that no
two multisets of equal size have the same sum; a perfect hash (rows of a sparse table laid over each other, Tarjan & Yao
1979) maps that sum to a class. Five cards of a suit set the top bit of a counter; only then is the set of ranks in that
suit, 13 bits, looked up in the table of flushes. With at most seven cards, a hand with a flush has neither four of a
kind nor a full house, so the flush is the better class whenever there is one.

A class is a number that rises with the strength; hands of one class tie. Classes are 0 … 7,461 from five cards on.

Cost of a hand of n cards: n words from a table of 416 bytes, one displacement (16 KB) and one class (100 KB for seven
cards, 12 KB for five), all in the second-level cache: about ten nanoseconds, in any order of hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.compiling import inner, kernel

Array = npt.NDArray[Any]

RANK_KEYS = np.array(
    [0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181], np.uint64
)  # [ranks] chosen one after the other, each the smallest with which all multisets of seven ranks have different sums
SUIT_SHIFT, COUNTER_BITS = np.uint64(32), np.uint64(4)
NO_SUITS = np.uint64(0x3333) << SUIT_SHIFT
"""Counters start at 3, so that the fifth card of a suit sets their top bit."""
FLUSH = np.uint64(0x8888) << SUIT_SHIFT
KEY = np.uint64(0xFFFFFFFF)
ROW, COLUMN_SHIFT = np.uint64(8191), np.uint64(13)
MOST_CARDS = 7

HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH_CATEGORY, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)
CATEGORY_SHIFT = 20
WHEEL = 0b1_0000_0000_1111
"""The ranks of an ace-low straight: A, 5, 4, 3, 2."""


@inner
def straight_top(ranks):
    """The highest rank of the best straight within a set of ranks [13 bits]; the wheel ends at the five; −1: none."""
    for top in range(12, 3, -1):
        if (ranks >> (top - 4)) & 31 == 31:
            return top
    return 3 if ranks & WHEEL == WHEEL else -1


@kernel
def flush_score(ranks):
    """The score of a set of at least five ranks [13 bits] of one suit."""
    top = straight_top(ranks)
    if top >= 0:
        return (STRAIGHT_FLUSH << CATEGORY_SHIFT) | top
    score, taken = FLUSH_CATEGORY, 0
    for rank in range(12, -1, -1):
        if (ranks >> rank) & 1 and taken < 5:
            score = (score << 4) | rank
            taken += 1
    return score


@inner
def best_groups(held, left):
    """The ranks that count for `left` cards, four bits each, and the sizes of the first two groups.

    Groups are taken from the largest, among equal ones from the highest rank. The last group is cut to the cards that
    are left: the second of two threes of a kind counts as a pair, a third pair as one card.
    """
    ranks, used, taken, first, second = 0, 0, 0, 0, 0
    while left > 0:
        best, size = -1, 0
        for rank in range(12, -1, -1):
            if not (used >> rank) & 1 and min(held[rank], left) > size:
                best, size = rank, min(held[rank], left)
        used |= 1 << best
        left -= size
        ranks |= best << (4 * (4 - taken))
        if taken == 0:
            first = size
        elif taken == 1:
            second = size
        taken += 1
    return ranks, first, second


@inner
def rank_score(held):
    """The score of the best five cards, whatever their suits; held [13] number of cards of each rank.

    Fewer than five cards make no straight.
    """
    present, cards = 0, 0
    for rank in range(13):
        cards += held[rank]
        if held[rank] > 0:
            present |= 1 << rank
    ranks, first, second = best_groups(held, min(cards, 5))
    category = HIGH_CARD
    if first == 4:
        category = FOUR
    elif first == 3:
        category = FULL_HOUSE if second == 2 else THREE
    elif first == 2:
        category = TWO_PAIR if second == 2 else PAIR
    top = straight_top(present) if cards >= 5 else -1
    if top >= 0 and category < STRAIGHT:
        return (STRAIGHT << CATEGORY_SHIFT) | top
    return (category << CATEGORY_SHIFT) | ranks


def rank_multisets(cards: int, keys: Array, scores: Array) -> int:
    """All multisets of `cards` ranks, at most four of each: writes their sums of keys and scores; returns their number.

    keys [multisets], scores [multisets] are written as far as they are long.
    """
    return int(write_multisets(cards, np.zeros(13, np.int64), keys, scores))


@kernel
def write_multisets(cards, held, keys, scores):
    """`rank_multisets`, with held [13] all zero as scratch: compiling an allocation takes long."""
    count = 0
    depth, left = 0, cards  # ranks below `depth` are decided
    while True:
        if left == 0 or depth == 13:
            if left == 0 and count < keys.shape[0]:
                key = np.uint64(0)
                for rank in range(13):
                    key += np.uint64(held[rank]) * RANK_KEYS[rank]
                keys[count] = key
                scores[count] = rank_score(held)
            count += left == 0
            depth -= 1
            while depth >= 0 and held[depth] == 0:
                depth -= 1
            if depth < 0:
                return count
            held[depth] -= 1
            left += 1
        else:
            held[depth] = min(left, 4)
            left -= held[depth]
        depth += 1


@kernel
def overlay(columns, first, order, taken, displacement):
    """Lay rows over each other: displacement [rows] such that displacement[row] + column is different for all keys.

    columns [keys] sorted by row; first [rows + 1] where each row begins; order [rows] in which rows are placed, full
    ones first; taken [words of 64 bits] all zero, long enough for every row. Every row goes to the first position where
    it fits; 64 positions are tried at once.
    """
    one, full = np.uint64(1), ~np.uint64(0)
    used_up = 0  # words before this one are full
    for row in order:
        begin, end = first[row], first[row + 1]
        if begin == end:
            continue
        while taken[used_up] == full:
            used_up += 1
        start = 64 * max(used_up - 1 - columns[begin] // 64, 0)
        while True:
            clash = np.uint64(0)
            for k in range(begin, end):
                clash |= bits_at(taken, start + columns[k])
                if clash == full:
                    break
            if clash != full:
                break
            start += 64
        while clash & one:
            clash >>= one
            start += 1
        displacement[row] = start
        for k in range(begin, end):
            position = start + columns[k]
            taken[position >> 6] |= one << np.uint64(position & 63)


@inner(forceinline=True)
def bits_at(words, position):
    """64 bits of a bit set, from `position` on."""
    shift = np.uint64(position & 63)
    bits = words[position >> 6] >> shift
    if shift:
        bits |= words[(position >> 6) + 1] << (np.uint64(64) - shift)
    return bits


@inner(forceinline=True)
def class_of_ranks(word, displacement, classes):
    """The class of a sum of words by its ranks, without flushes."""
    key = word & KEY
    return classes[np.uint64(displacement[key & ROW]) + (key >> COLUMN_SHIFT)]


def strengths_on_board(
    board: Array, hands: Array, deck: tuple[Array, Array, Array], tables: tuple[Array, Array, Array], strengths: Array
) -> None:
    """Strengths [hands] of hands [hands, cards] together with a board [cards]; −1 for a hand with a card of the board.

    deck: the word, the rank 0 … 12 and the suit of each card. tables: displacement and classes, the hash for as many
    cards as a hand and the board have together, and flushes [8192], classes by the set of ranks.
    """
    write_strengths(board, hands, deck, tables, np.zeros(4, np.uint64), strengths)


@kernel
def write_strengths(board, hands, deck, tables, in_suit, strengths):
    """`strengths_on_board`, with in_suit [suits] for the ranks on the board, 13 bits, all zero."""
    (words, ranks, suits), (displacement, classes, flushes) = deck, tables
    shared, dealt = NO_SUITS, np.uint64(0)
    for k in range(board.shape[0]):
        card = board[k]
        shared += words[card]
        dealt |= np.uint64(1) << np.uint64(card)
        in_suit[suits[card]] |= np.uint64(1) << np.uint64(ranks[card])
    for h in range(hands.shape[0]):
        word, seen, twice = shared, dealt, np.uint64(0)
        for k in range(hands.shape[1]):
            card = np.uint64(hands[h, k])
            bit = np.uint64(1) << card
            word += words[card]
            twice |= seen & bit
            seen |= bit
        if twice:
            strengths[h] = -1
        elif word & FLUSH:
            strengths[h] = flush_on_board(word, hands, h, ranks, suits, in_suit, flushes)
        else:
            strengths[h] = class_of_ranks(word, displacement, classes)


@inner
def flush_on_board(word, hands, h, ranks, suits, in_suit, flushes):
    """The class of hand h, which has five cards of one suit together with the board."""
    suit = 0
    while not (word >> (SUIT_SHIFT + COUNTER_BITS * np.uint64(suit))) & np.uint64(8):
        suit += 1
    held = in_suit[suit]
    for k in range(hands.shape[1]):
        if suits[hands[h, k]] == suit:
            held |= np.uint64(1) << np.uint64(ranks[hands[h, k]])
    return flushes[held]


@kernel
def strengths_of_rows(cards, words, displacement, classes, flushes, strengths):
    """Strengths [n] of standard cards [n, 5 … 7]; returns the first row with an invalid or repeated card, or −1.

    words [64]: those of the 52 cards, and zeros.
    """
    for row in range(cards.shape[0]):
        word, dealt, twice, largest = NO_SUITS, np.uint64(0), np.uint64(0), np.uint64(0)
        for k in range(cards.shape[1]):
            card = np.uint64(cards[row, k])
            word += words[card & np.uint64(63)]
            bit = np.uint64(1) << (card & np.uint64(63))
            twice |= dealt & bit
            dealt |= bit
            largest = max(largest, card)
        if twice or largest > np.uint64(51):
            return row
        if word & FLUSH:
            strengths[row] = flush_of_row(word, cards, row, flushes)
        else:
            strengths[row] = class_of_ranks(word, displacement, classes)
    return -1


@inner
def flush_of_row(word, cards, row, flushes):
    """The class of a row of standard cards with five of one suit."""
    suit = 0
    while not (word >> (SUIT_SHIFT + COUNTER_BITS * np.uint64(suit))) & np.uint64(8):
        suit += 1
    held = np.uint64(0)
    for k in range(cards.shape[1]):
        if cards[row, k] & 3 == suit:
            held |= np.uint64(1) << np.uint64(cards[row, k] >> 2)
    return flushes[held]
