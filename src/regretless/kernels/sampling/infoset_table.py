"""A hash table of infosets that grows as they are visited: from keys of 64 or 128 bits to slots among the values.

The table uses open addressing. A bucket holds the number of a row plus one; a row holds the words of a key and one
packed word: slot, owner and action list. Equal action lists are kept once. Keys are compared whole, so two infosets are
never confused; where a key is itself a digest of something longer, its second word is the check on the first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import pointer, pointers, prefetch
from regretless.kernels.random_streams import FIRST, STEP, mixed
from regretless.kernels.sampling.update_log import (
    KEY,
    KEY_COUNT,
    KEY_MOVES,
    KEY_OWNER,
    KEY_SLOT,
    KEY_WORD,
    MOVES,
    NEW_INFOSETS,
    thread_log,
)

OWNER_SHIFT, LIST_SHIFT = 36, 40
SLOT_MASK = (1 << OWNER_SHIFT) - 1
ROWS, VALUES, LISTS, ITEMS = range(4)

BATCH = 32
"""Keys whose buckets are prefetched together: a large table is in no cache, and waiting for one bucket after the other
would take most of the time."""


class InfosetTable(NamedTuple):
    """The arrays of a table; N rows of up to 16 players, K key words, M action lists."""

    buckets: npt.NDArray[np.uint32]  # [a power of two] row + 1, or 0
    rows: npt.NDArray[np.int64]  # [N · (K + 1)] key words, then slot | owner << 36 | action list << 40
    list_buckets: npt.NDArray[np.uint32]  # [a power of two] action list + 1, or 0
    list_first: npt.NDArray[np.int64]  # [M + 1] where the actions of each list begin
    list_items: npt.NDArray[np.int64]  # the actions of all lists
    used: npt.NDArray[np.int64]  # [4] rows, values, lists, items in use
    words: int  # K
    lead: int  # numbers before each slot: 1 where old regret is discounted by its sign, else 0
    parts: int  # runs of numbers at each slot: regrets, averages, baselines
    mask: int  # buckets − 1


class Capacity(NamedTuple):
    """How many of each thing fit into the arrays of a table."""

    filled_buckets: Any
    rows: Any
    values: Any
    list_buckets: Any
    lists: Any
    items: Any


@inner(forceinline=True)
def hashed(first, second, owner):
    """The hash of a key."""
    word = mixed(np.uint64(first) + STEP)
    return mixed(word ^ (np.uint64(second) * STEP) ^ np.uint64(owner))


@inner(forceinline=True)
def find(table, first, second, owner):
    """The slot of an infoset, or −1."""
    bucket = np.int64(hashed(first, second, owner) & np.uint64(table.mask))
    wide = table.words + 1
    while True:
        row = np.int64(table.buckets[bucket]) - 1
        if row < 0:
            return np.int64(-1)
        at = row * wide
        if table.rows[at] == first and (wide == 2 or table.rows[at + 1] == second):
            packed = table.rows[at + wide - 1]
            if (packed >> OWNER_SHIFT) & 15 == owner:
                return packed & SLOT_MASK
        bucket = (bucket + 1) & table.mask


@inner
def list_hash(items, at, count):
    """The hash of an action list."""
    word = np.uint64(count)
    for a in range(count):
        word = word * FIRST + np.uint64(items[at + a]) + STEP
    return mixed(word)


@inner
def capacity_of(table, values):
    """The capacity of a table and its values."""
    return Capacity(
        np.int64(table.buckets.shape[0] * 3 // 4),
        np.int64(table.rows.shape[0] // (table.words + 1)),
        np.int64(values.shape[0]),
        np.int64(table.list_buckets.shape[0]),
        np.int64(table.list_first.shape[0]),
        np.int64(table.list_items.shape[0]),
    )


@inner
def list_number(table, capacity, moves, at, count):
    """The number of the list with these actions, new or old; −1 if a new one does not fit."""
    mask = capacity.list_buckets - 1
    bucket = np.int64(list_hash(moves, at, count) & np.uint64(mask))
    used = table.used
    while table.list_buckets[bucket]:
        number = np.int64(table.list_buckets[bucket]) - 1
        first = table.list_first[number]
        if table.list_first[number + 1] - first == count:
            same = True
            for a in range(count):
                same &= table.list_items[first + a] == moves[at + a]
            if same:
                return number
        bucket = (bucket + 1) & mask
    number = used[LISTS]
    if 2 * number >= mask or number + 1 >= capacity.lists or used[ITEMS] + count > capacity.items:
        return np.int64(-1)
    for a in range(count):
        table.list_items[used[ITEMS] + a] = moves[at + a]
    used[ITEMS] += count
    used[LISTS] += 1
    table.list_first[number + 1] = used[ITEMS]
    table.list_buckets[bucket] = number + 1
    return number


@inner
def insert_key(table, values, capacity, first, second, owner, count, moves, at, step):
    """The slot of an infoset, which gets one if it has none; −1 if something must grow first. Works on pointers."""
    slot = find(table, first, second, owner)
    if slot >= 0:
        return slot
    used, wide = table.used, table.words + 1
    row, end = used[ROWS], used[VALUES] + table.lead + table.parts * count
    if row >= capacity.filled_buckets or row >= capacity.rows or end > capacity.values:
        return np.int64(-1)
    number = list_number(table, capacity, moves, at, count)
    if number < 0:
        return np.int64(-1)
    slot = used[VALUES] + table.lead
    used[VALUES] = end
    if table.lead:
        values[slot - 1] = step
    table.rows[row * wide] = first
    if wide == 3:
        table.rows[row * wide + 1] = second
    table.rows[row * wide + wide - 1] = slot | np.int64(owner) << OWNER_SHIFT | number << LIST_SHIFT
    used[ROWS] = row + 1
    fill_bucket(table.buckets, table.mask, row, hashed(first, second, owner))
    return slot


@kernel
def insert(table, values, first, second, owner, count, moves, at, step):
    """`insert_key` on arrays."""
    capacity = capacity_of(table, values)
    return insert_key(
        pointers(table), pointer(values), capacity, first, second, owner, count, pointer(moves), at, step
    )  # fmt: skip


@inner
def fill_bucket(buckets, mask, row, word):
    """Let a free bucket refer to a row. word: the hash of its key."""
    bucket = np.int64(word & np.uint64(mask))
    while buckets[bucket]:
        bucket = (bucket + 1) & mask
    buckets[bucket] = row + 1


@kernel
def rehash(table, buckets):
    """Enter every row into new, empty buckets."""
    wide, count, rows, free = table.words + 1, table.used[ROWS], pointer(table.rows), pointer(buckets)
    words, mask = np.empty(BATCH, np.uint64), buckets.shape[0] - 1
    for begin in range(0, count, BATCH):
        end = min(begin + BATCH, count)
        for row in range(begin, end):
            at = row * wide
            second = rows[at + 1] if wide == 3 else np.int64(0)
            word = hashed(rows[at], second, (rows[at + wide - 1] >> OWNER_SHIFT) & 15)
            prefetch(free, np.int64(word & np.uint64(mask)))
            words[row - begin] = word
        for row in range(begin, end):
            fill_bucket(free, mask, row, words[row - begin])


@kernel
def rehash_lists(table, buckets):
    """Enter every action list into new, empty buckets."""
    for number in range(table.used[LISTS]):
        first, last = table.list_first[number], table.list_first[number + 1]
        word = list_hash(pointer(table.list_items), first, last - first)
        fill_bucket(pointer(buckets), buckets.shape[0] - 1, number, word)


@inner
def fits_all_new(table, values, logs, count):
    """Whether all new infosets of the logs of `count` threads surely fit, apart from their action lists."""
    capacity, rows, numbers = capacity_of(table, values), table.used[ROWS], table.used[VALUES]
    for number in range(count):
        fill = thread_log(logs, number).fill
        rows += fill[NEW_INFOSETS]
        numbers += table.lead * fill[NEW_INFOSETS] + table.parts * fill[MOVES]
    return rows <= capacity.filled_buckets and rows <= capacity.rows and numbers <= capacity.values


@inner
def insert_logged(table, values, log, step):
    """Give a slot to every new infoset of a log and write it into the log; False if something must grow first."""
    count, capacity, keys = log.fill[NEW_INFOSETS], capacity_of(table, values), log.keys
    entries, numbers = pointers(table), pointer(values)
    for begin in range(0, count, BATCH):
        end = min(begin + BATCH, count)
        prefetch_rows(entries, keys, begin, end)
        for at in range(KEY * begin, KEY * end, KEY):
            slot = insert_key(
                entries, numbers, capacity, keys[at + KEY_WORD], keys[at + KEY_WORD + 1], keys[at + KEY_OWNER],
                keys[at + KEY_COUNT], log.moves, keys[at + KEY_MOVES], step,
            )  # fmt: skip
            if slot < 0:
                return False
            keys[at + KEY_SLOT] = slot
    log.fill[NEW_INFOSETS] = log.fill[MOVES] = 0
    return True


@kernel
def insert_new(table, values, log, step):
    """`insert_logged` for callers in Python."""
    return insert_logged(table, values, pointers(log), step)


@inner
def prefetch_rows(table, keys, begin, end):
    """Load the buckets of new infosets begin … end − 1, and the rows that they refer to, into the cache: loading all of
    them at once takes little longer than loading one."""
    for stage in range(2):
        for at in range(KEY * begin, KEY * end, KEY):
            word = hashed(keys[at + KEY_WORD], keys[at + KEY_WORD + 1], keys[at + KEY_OWNER])
            bucket = np.int64(word & np.uint64(table.mask))
            if stage == 0:
                prefetch(table.buckets, bucket)
            elif table.buckets[bucket]:
                prefetch(table.rows, (np.int64(table.buckets[bucket]) - 1) * (table.words + 1))


@kernel
def row_columns(table, lengths):
    """Of every row: key words [N, 2], slot, owner, action list, number of actions [N]. lengths [M] of action lists."""
    count, wide = table.used[ROWS], table.words + 1
    keys = np.zeros((count, 2), np.int64)
    slot, owner, number = np.empty(count, np.int64), np.empty(count, np.int32), np.empty(count, np.int32)
    actions = np.empty(count, np.int32)
    for row in range(count):
        for word in range(wide - 1):
            keys[row, word] = table.rows[row * wide + word]
        packed = table.rows[row * wide + wide - 1]
        slot[row] = packed & SLOT_MASK
        owner[row] = (packed >> OWNER_SHIFT) & 15
        number[row] = packed >> LIST_SHIFT
        actions[row] = lengths[number[row]]
    return keys, slot, owner, number, actions
