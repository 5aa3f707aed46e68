"""Indices of hands up to a permutation of suits (Waugh 2013, A fast and optimal hand isomorphism algorithm).

Cards are split by suit. The numbers of cards of each suit in each round are the *configuration*; suits are sorted by
it. Within a suit the sets of ranks, one per round, have a number. Suits with equal counts can be exchanged, so their
numbers are sorted and numbered together, as a multiset. The index of a hand is the first index of its configuration
plus these numbers in a mixed radix: all indices are used, and finding one takes no search.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import inner, kernel

MOST_SUITS = 4


@inner(forceinline=True)
def choose(n, k):
    """The number of subsets of size k ≤ 4 of n things."""
    if k == 1:
        return n
    if k == 2:
        return n * (n - 1) // 2
    if k == 3:
        return n * (n - 1) // 2 * (n - 2) // 3
    return n * (n - 1) // 2 * (n - 2) // 3 * (n - 3) // 4


@kernel
def set_numbers(ranks, numbers, sizes):
    """For every set of ranks [2^ranks] its number among sets of its size, in colexicographic order, and its size."""
    pascal = np.zeros((ranks + 1, ranks + 2), np.int64)
    for n in range(ranks + 1):
        pascal[n, 0] = 1
        for k in range(1, n + 1):
            pascal[n, k] = pascal[n - 1, k - 1] + (pascal[n - 1, k] if k < n else 0)
    for held in range(1 << ranks):
        size, number = 0, 0
        for rank in range(ranks):
            if (held >> rank) & 1:
                size += 1
                number += pascal[rank, size]
        numbers[held] = number
        sizes[held] = size


@inner(forceinline=True)
def insert(values, count, value):
    """Insert a value into the first `count` sorted ones."""
    at = count
    while at > 0 and values[at - 1] > value:
        values[at] = values[at - 1]
        at -= 1
    values[at] = value


@kernel
def indices(cards, deck, layout, configurations, sets, found):
    """The index of each row of cards [n, cards], the rounds one after the other; returns the first bad row, or −1.

    deck: rank and suit of each card [deck]. layout: the round of each column [cards] and what a card of a suit adds to
    the key of the configuration [rounds, suits]. configurations: by key, its number [keys] and the suits in its order
    [keys, suits]; by number, its first index [configurations], the number of groups of exchangeable suits, the suits of
    each group, the numbers of a group [configurations, suits], and the number of sets for each suit and round
    [configurations, suits, rounds]. sets: numbers and sizes of sets of ranks [2^ranks]. Written: found [n].
    """
    number_of, order_of, first, groups, members, group_size, set_count, _ = configurations
    (rank_of, suit_of), (round_of, key_of), (set_number, set_size) = deck, layout, sets
    used = np.zeros(MOST_SUITS, np.uint32)
    before = np.zeros(MOST_SUITS, np.uint32)
    held = np.zeros((MOST_SUITS, key_of.shape[0]), np.uint32)  # [suits, rounds] sets of ranks
    numbers = np.zeros(MOST_SUITS, np.int64)
    for row in range(cards.shape[0]):
        key = split_by_suit(cards, row, rank_of, suit_of, round_of, key_of, set_size, used, before, held)
        if key < 0:
            return row
        configuration = number_of[key]
        index, place = 0, 0
        for group in range(groups[configuration]):
            for member in range(members[configuration, group]):
                suit = order_of[key, place]
                number = 0
                for r in range(held.shape[1]):
                    number = number * set_count[configuration, place, r] + set_number[held[suit, r]]
                insert(numbers, member, number)
                place += 1
            together = 0
            for member in range(members[configuration, group]):
                together += choose(numbers[member] + member, member + 1)
            index = index * group_size[configuration, group] + together
        found[row] = first[configuration] + index
    return -1


@inner(forceinline=True)
def split_by_suit(cards, row, rank_of, suit_of, round_of, key_of, set_size, used, before, held):
    """Split a row of cards into held [suits, rounds], sets of ranks; returns the key of its configuration, −1: no hand.

    Ranks of a suit that earlier rounds hold are not counted. used, before [suits]: scratch.
    """
    for suit in range(MOST_SUITS):
        used[suit] = 0
        for r in range(held.shape[1]):
            held[suit, r] = 0
    key, now = 0, -1
    for column in range(cards.shape[1]):
        card = cards[row, column]
        if card < 0 or card >= rank_of.shape[0]:
            return -1
        if round_of[column] != now:
            now = round_of[column]
            for suit in range(MOST_SUITS):
                before[suit] = used[suit]
        suit = suit_of[card]
        bit = np.uint32(1) << np.uint32(rank_of[card])
        if used[suit] & bit:
            return -1
        used[suit] |= bit
        held[suit, now] |= bit >> np.uint32(set_size[before[suit] & (bit - np.uint32(1))])
        key += key_of[now, suit]
    return key


@kernel
def representatives(index, suits, layout, configurations, sets_by_number, cards):
    """The cards [n, cards] of each index [n]: suits in the order of the configuration, ranks ascending in each round.

    layout: the number of cards before each round [rounds + 1]. sets_by_number [ranks + 1, most]: sets of ranks by size
    and number. The rest as in `indices`; the last of configurations is the number of cards of each suit in each round.
    """
    _, _, first, groups, members, group_size, set_count, set_sizes = configurations
    filled = np.zeros(layout.shape[0] - 1, np.int64)  # [rounds] cards written
    numbers = np.zeros(MOST_SUITS, np.int64)
    for row in range(index.shape[0]):
        configuration = np.searchsorted(first, index[row], side="right") - 1
        left = index[row] - first[configuration]
        for r in range(filled.shape[0]):
            filled[r] = 0
        place = suits
        for group in range(groups[configuration] - 1, -1, -1):
            together = left % group_size[configuration, group]
            left //= group_size[configuration, group]
            count = members[configuration, group]
            for member in range(count - 1, -1, -1):
                numbers[member] = largest(together, member)
                together -= choose(numbers[member] + member, member + 1)
            place -= count
            for member in range(count):
                suit = place + member
                number = numbers[member]
                write_suit(
                    number, suit, suits, configuration, set_count, set_sizes, sets_by_number, layout, filled, cards, row
                )


@inner
def largest(together, member):
    """The largest number with choose(number + member, member + 1) ≤ together."""
    low, high = 0, 1
    while choose(high + member, member + 1) <= together:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if choose(middle + member, member + 1) <= together:
            low = middle
        else:
            high = middle
    return low


@inner
def write_suit(number, suit, suits, configuration, set_count, set_sizes, sets_by_number, layout, filled, cards, row):
    """Write the cards of one suit, whose sets of ranks have this number together, to a row, in rising order."""
    rounds = filled.shape[0]
    used = 0
    for r in range(rounds):
        rest = 1
        for later in range(r + 1, rounds):
            rest *= set_count[configuration, suit, later]
        held = sets_by_number[set_sizes[configuration, suit, r], number // rest]
        number %= rest
        taken = used
        rank = 0
        while held:
            if not (taken >> rank) & 1:
                if held & 1:
                    used |= 1 << rank
                    place = layout[r] + filled[r]
                    card = rank * suits + suit
                    while place > layout[r] and cards[row, place - 1] > card:
                        cards[row, place] = cards[row, place - 1]
                        place -= 1
                    cards[row, place] = card
                    filled[r] += 1
                held >>= 1
            rank += 1
