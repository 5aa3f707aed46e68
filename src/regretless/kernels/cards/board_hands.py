"""Indices and buckets of all hands on one board.

`suit_indexing.indices` takes about 200 nanoseconds a hand. All hands on one board share most of that work. The cards of
a suit in a hand are a set of at most two ranks, so each suit has at most 1 + 13 + 78 numbers; they are computed once
for the board. A hand then looks up its numbers, sorts those of exchangeable suits, and adds them in a mixed radix: 10
to 20 nanoseconds. The indices are those of `HandIndexer((hand size, cards on the board))`.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.cards.suit_indexing import choose, insert
from regretless.kernels.numba_ext.compiling import inner, kernel


@inner(forceinline=True)
def without_rank(ranks, rank):
    """A set of ranks in which the ranks above `rank` are numbered one lower; it does not hold `rank`."""
    low = (np.int64(1) << rank) - 1
    return (ranks & low) | ((ranks >> 1) & ~low)


@inner
def suit_number_table(board, street, numbers):
    """Write numbers [suits, 1 + ranks + ranks²]: the number of each suit for each set of ranks that a hand can hold.

    Column 0: no card of the suit; 1 + r: the rank r; 1 + ranks + r₁ · ranks + r₂: the ranks r₁ < r₂. Entries of sets
    that share a card with the board are not used. Returns the board's part of the key of the configuration.
    """
    (rank_of, suit_of), key_of, _, (set_number, _), set_count = street
    ranks = set_count.shape[0] - 1
    key = np.int64(0)
    for k in range(board.shape[0]):
        key += key_of[1, suit_of[board[k]]]
    for suit in range(numbers.shape[0]):
        on_board, size = np.int64(0), 0
        for k in range(board.shape[0]):
            if suit_of[board[k]] == suit:
                on_board |= np.int64(1) << rank_of[board[k]]
                size += 1
        numbers[suit, 0] = set_number[on_board]
        for high in range(ranks):
            rest = without_rank(on_board, high)
            held = np.int64(1) << high
            numbers[suit, 1 + high] = set_number[held] * set_count[ranks - 1, size] + set_number[rest]
            for low in range(high):
                number = set_number[held | (np.int64(1) << low)] * set_count[ranks - 2, size]
                numbers[suit, 1 + ranks + low * ranks + high] = number + set_number[without_rank(rest, low)]
    return key


@inner(forceinline=True)
def index_from_numbers(key, by_suit, configurations, sorted_numbers):
    """The index of a hand from the key of its configuration and the numbers of its suits, by_suit [suits]."""
    number_of, order_of, first, groups, members, group_size = configurations
    configuration = number_of[key]
    index, suit = np.int64(0), 0
    for group in range(groups[configuration]):
        count = members[configuration, group]
        if count == 1:
            together = by_suit[order_of[key, suit]]
        else:
            for member in range(count):
                insert(sorted_numbers, member, by_suit[order_of[key, suit + member]])
            together = sorted_numbers[0]
            for member in range(1, count):
                together += choose(sorted_numbers[member] + member, member + 1)
        index = index * group_size[configuration, group] + together
        suit += count
    return first[configuration] + index


@kernel
def hand_indices(board, hands, street, scratch, found):
    """Write found [hands]: the index of each hand [hands, 1 or 2] on a board [cards], −1 where it holds a board card.

    street: rank and suit of each card [deck]; what a card adds to the key of a configuration [rounds, suits]; the
    configurations, as in `suit_indexing.indices` without the last two arrays; numbers and sizes of sets of ranks
    [2^ranks]; numbers of sets by ranks and size [ranks + 1, sizes]. scratch: numbers [suits, 1 + ranks + ranks²] and
    two buffers [4].
    """
    (rank_of, suit_of), key_of, configurations, _, set_count = street
    numbers, by_suit, sorted_numbers = scratch
    ranks = set_count.shape[0] - 1
    board_key = suit_number_table(board, street, numbers)
    dealt = np.uint64(0)
    for k in range(board.shape[0]):
        dealt |= np.uint64(1) << np.uint64(board[k])
    for suit in range(numbers.shape[0]):
        by_suit[suit] = numbers[suit, 0]
    pair = hands.shape[1] == 2
    for h in range(hands.shape[0]):
        low, high = hands[h, 0], hands[h, hands.shape[1] - 1]
        if (dealt >> np.uint64(low) | dealt >> np.uint64(high)) & np.uint64(1):
            found[h] = -1
            continue
        suit, other = suit_of[low], suit_of[high]
        key = board_key + key_of[0, suit]
        by_suit[suit] = numbers[suit, 1 + rank_of[low]]
        if pair:
            key += key_of[0, other]
            if suit == other:
                by_suit[suit] = numbers[suit, 1 + ranks + rank_of[low] * ranks + rank_of[high]]
            else:
                by_suit[other] = numbers[other, 1 + rank_of[high]]
        found[h] = index_from_numbers(key, by_suit, configurations, sorted_numbers)
        by_suit[suit] = numbers[suit, 0]
        by_suit[other] = numbers[other, 0]


@kernel
def hand_buckets(board, hands, street, scratch, bucket_of, buckets):
    """Write buckets [hands]: the bucket of each hand on a board, −1 where it holds a board card.

    bucket_of [indices]: the map of the street. The rest as in `hand_indices`.
    """
    hand_indices(board, hands, street, scratch, buckets)
    for h in range(hands.shape[0]):
        if buckets[h] >= 0:
            buckets[h] = bucket_of[buckets[h]]
