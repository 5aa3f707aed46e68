"""Infosets that are kept as they are met: an open-addressing table from 64- or 128-bit keys to places among the values.

A slot holds the number of a row plus one; a row holds the key's words and one packed word: place, owner and menu. A
menu is a list of actions; equal lists are kept once. Keys are compared whole, so two infosets are never taken for one;
where a key is itself a digest of something longer, its second word is the check on the first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.numba_ext.atomics import fetch
from regretless.kernels.numba_ext.pointers import bare
from regretless.kernels.random_streams import FIRST, STEP, mixed
from regretless.kernels.sampling.update_log import MOVES, NAME, NEWCOMERS, PLACED, log_of

OWNER_SHIFT, MENU_SHIFT = 36, 40
PLACE_MASK = (1 << OWNER_SHIFT) - 1
ROWS, VALUES, MENUS, ITEMS = range(4)

AT_A_TIME = 32
"""Keys whose slots are fetched together: a large table is far from any cache, and waiting for one slot after the other
would take most of the time."""


class InfosetTable(NamedTuple):
    """The arrays of a table; N rows of up to 16 players, K key words, M menus."""

    slots: npt.NDArray[np.uint32]  # [a power of two] row + 1, or 0
    rows: npt.NDArray[np.int64]  # [N · (K + 1)] key words, then place | owner << 36 | menu << 40
    menu_slots: npt.NDArray[np.uint32]  # [a power of two] menu + 1, or 0
    menu_first: npt.NDArray[np.int64]  # [M + 1] where the actions of each menu begin
    menu_items: npt.NDArray[np.int64]  # the actions of all menus
    used: npt.NDArray[np.int64]  # [4] rows, values, menus, items in use
    words: int  # K
    lead: int  # numbers before each place: 1 where old regret fades by its sign, else 0
    parts: int  # runs of numbers at each place: regrets, averages, baselines
    mask: int  # slots − 1


@njit(nogil=True)
def bare_infosets(table):
    """The table as a walk holds it."""
    return InfosetTable(
        bare(table.slots), bare(table.rows), bare(table.menu_slots), bare(table.menu_first), bare(table.menu_items),
        bare(table.used), table.words, table.lead, table.parts, table.mask,
    )  # fmt: skip


@njit(nogil=True, forceinline=True)
def hashed(first, second, owner):
    """Where to begin looking for a key."""
    word = mixed(np.uint64(first) + STEP)
    return mixed(word ^ (np.uint64(second) * STEP) ^ np.uint64(owner))


@njit(nogil=True, forceinline=True)
def find(table, first, second, owner):
    """The place of an infoset, or −1."""
    slot = np.int64(hashed(first, second, owner) & np.uint64(table.mask))
    wide = table.words + 1
    while True:
        row = np.int64(table.slots[slot]) - 1
        if row < 0:
            return np.int64(-1)
        at = row * wide
        if table.rows[at] == first and (wide == 2 or table.rows[at + 1] == second):
            packed = table.rows[at + wide - 1]
            if (packed >> OWNER_SHIFT) & 15 == owner:
                return packed & PLACE_MASK
        slot = (slot + 1) & table.mask


@njit(nogil=True, forceinline=True)
def menu_hash(items, at, count):
    """Where to begin looking for a menu."""
    word = np.uint64(count)
    for a in range(count):
        word = word * FIRST + np.uint64(items[at + a]) + STEP
    return mixed(word)


@njit(nogil=True, forceinline=True)
def limits_of(table, values):
    """How much there is room for: rows of the slots and of `rows`, values, menus of their slots and of `menu_first`,
    and items."""
    return (
        np.int64(table.slots.shape[0] * 3 // 4),
        np.int64(table.rows.shape[0] // (table.words + 1)),
        np.int64(values.shape[0]),
        np.int64(table.menu_slots.shape[0]),
        np.int64(table.menu_first.shape[0]),
        np.int64(table.menu_items.shape[0]),
    )


@njit(nogil=True, forceinline=True)
def menu_of(table, limits, moves, at, count):
    """The number of the menu with these actions, new or old; −1 if there is no room for a new one."""
    mask = limits[3] - 1
    slot = np.int64(menu_hash(moves, at, count) & np.uint64(mask))
    used = table.used
    while table.menu_slots[slot]:
        menu = np.int64(table.menu_slots[slot]) - 1
        first = table.menu_first[menu]
        if table.menu_first[menu + 1] - first == count:
            same = True
            for a in range(count):
                same &= table.menu_items[first + a] == moves[at + a]
            if same:
                return menu
        slot = (slot + 1) & mask
    menu = used[MENUS]
    if 2 * menu >= mask or menu + 1 >= limits[4] or used[ITEMS] + count > limits[5]:
        return np.int64(-1)
    for a in range(count):
        table.menu_items[used[ITEMS] + a] = moves[at + a]
    used[ITEMS] += count
    used[MENUS] += 1
    table.menu_first[menu + 1] = used[ITEMS]
    table.menu_slots[slot] = menu + 1
    return menu


@njit(nogil=True)
def insert(table, values, first, second, owner, count, moves, at, step):
    """The place of an infoset, which is given one if it has none; −1 if something must grow first."""
    limits = limits_of(table, values)
    return settled(bare_infosets(table), bare(values), limits, first, second, owner, count, bare(moves), at, step)


@njit(nogil=True, forceinline=True)
def settled(table, values, limits, first, second, owner, count, moves, at, step):
    """`insert`, with everything bare."""
    place = find(table, first, second, owner)
    if place >= 0:
        return place
    used, wide = table.used, table.words + 1
    row = used[ROWS]
    if row >= limits[0] or row >= limits[1] or used[VALUES] + table.lead + table.parts * count > limits[2]:
        return np.int64(-1)
    menu = menu_of(table, limits, moves, at, count)
    if menu < 0:
        return np.int64(-1)
    place = used[VALUES] + table.lead
    used[VALUES] = place + table.parts * count
    if table.lead:
        values[place - 1] = step
    table.rows[row * wide] = first
    if wide == 3:
        table.rows[row * wide + 1] = second
    table.rows[row * wide + wide - 1] = place | np.int64(owner) << OWNER_SHIFT | menu << MENU_SHIFT
    used[ROWS] = row + 1
    enter(table.slots, table.mask, row, hashed(first, second, owner))
    return place


@njit(nogil=True, forceinline=True)
def enter(slots, mask, row, word):
    """Let a free slot point to a row. word: the hash of its key."""
    slot = np.int64(word & np.uint64(mask))
    while slots[slot]:
        slot = (slot + 1) & mask
    slots[slot] = row + 1


@njit(nogil=True, cache=True)
def spread(table, slots):
    """Enter every row into new, empty slots."""
    wide, count, rows, free = table.words + 1, table.used[ROWS], bare(table.rows), bare(slots)
    words, mask = np.empty(AT_A_TIME, np.uint64), slots.shape[0] - 1
    for begin in range(0, count, AT_A_TIME):
        end = min(begin + AT_A_TIME, count)
        for row in range(begin, end):
            at = row * wide
            second = rows[at + 1] if wide == 3 else np.int64(0)
            word = hashed(rows[at], second, (rows[at + wide - 1] >> OWNER_SHIFT) & 15)
            fetch(free, np.int64(word & np.uint64(mask)))
            words[row - begin] = word
        for row in range(begin, end):
            enter(free, mask, row, words[row - begin])


@njit(nogil=True, cache=True)
def spread_menus(table, menu_slots):
    """Enter every menu into new, empty slots."""
    for menu in range(table.used[MENUS]):
        first, last = table.menu_first[menu], table.menu_first[menu + 1]
        enter(menu_slots, menu_slots.shape[0] - 1, menu, menu_hash(table.menu_items, first, last - first))


@njit(nogil=True, cache=True)
def room_for_all(table, values, logs, count):
    """Whether all newcomers of so many logs surely find room, but for their menus."""
    limits, rows, numbers = limits_of(table, values), table.used[ROWS], table.used[VALUES]
    for number in range(count):
        fill = log_of(logs, number).fill
        rows += fill[NEWCOMERS]
        numbers += table.lead * fill[NEWCOMERS] + table.parts * fill[MOVES]
    return rows <= limits[0] and rows <= limits[1] and numbers <= limits[2]


@njit(nogil=True, cache=True)
def place_newcomers(table, values, log, step):
    """Give a place to every newcomer of a log and write it behind the name; False if something must grow first."""
    newcomers, limits = log.fill[NEWCOMERS], limits_of(table, values)
    held, numbers, names = bare_infosets(table), bare(values), log.names
    for begin in range(0, newcomers, AT_A_TIME):
        end = min(begin + AT_A_TIME, newcomers)
        fetch_rows(held, names, begin, end)
        for newcomer in range(begin, end):
            at = NAME * newcomer
            first, second, owner, count = names[at], names[at + 1], names[at + 2], names[at + 3]
            place = settled(held, numbers, limits, first, second, owner, count, log.moves, names[at + 4], step)
            if place < 0:
                return False
            names[at + PLACED] = place
    log.fill[NEWCOMERS] = log.fill[MOVES] = 0
    return True


@njit(nogil=True, forceinline=True)
def fetch_rows(table, names, begin, end):
    """Bring the slots of newcomers begin … end − 1, and the rows that these point to, into the cache: all at once they
    take little longer than one of them."""
    for stage in range(2):
        for newcomer in range(begin, end):
            at = NAME * newcomer
            slot = np.int64(hashed(names[at], names[at + 1], names[at + 2]) & np.uint64(table.mask))
            if stage == 0:
                fetch(table.slots, slot)
            elif table.slots[slot]:
                fetch(table.rows, (np.int64(table.slots[slot]) - 1) * (table.words + 1))


@njit(nogil=True, cache=True)
def row_columns(table, lengths):
    """Of every row: key words [N, 2], place [N], owner [N], menu [N], number of actions [N]. lengths [M] of menus."""
    count, wide = table.used[ROWS], table.words + 1
    keys = np.zeros((count, 2), np.int64)
    place, owner, menu = np.empty(count, np.int64), np.empty(count, np.int32), np.empty(count, np.int32)
    actions = np.empty(count, np.int32)
    for row in range(count):
        for word in range(wide - 1):
            keys[row, word] = table.rows[row * wide + word]
        packed = table.rows[row * wide + wide - 1]
        place[row] = packed & PLACE_MASK
        owner[row] = (packed >> OWNER_SHIFT) & 15
        menu[row] = packed >> MENU_SHIFT
        actions[row] = lengths[menu[row]]
    return keys, place, owner, menu, actions
