"""The table of a game that is never listed: infosets get a slot at their first visit, and the arrays grow with them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.sampling.infoset_table import (
    ITEMS,
    LIST_SHIFT,
    LISTS,
    ROWS,
    SLOT_MASK,
    VALUES,
    InfosetTable,
    rehash,
    rehash_lists,
    row_columns,
)
from regretless.linter.memory import available_memory, in_units
from regretless.sampling.walks import Store

__all__ = ["MOST_PLAYERS", "TableStore", "table_fits"]

Array = npt.NDArray[Any]

SHARE_OF_FREE = 0.55
"""The share of the free memory that a table may take by default; a responder's table takes less."""

CROWDED = 0.7
"""The share of slots in use from which on their number is doubled: 6 to 12 bytes of slots for each infoset."""

GROWTH = 1.5

MOST_PLAYERS = 13
"""A row stores its owner in four bits, and an update log the player whose baseline changes."""

WIDEST = 1024
"""Actions of a new action list that always fit; for wider ones the buffer grows several times."""


class TableStore(Store):
    """Infosets by key, with the numbers of each."""

    listed = False
    histories = 0

    def __init__(self, *, words: int, lead: int, parts: int, dtype: str, most_bytes: int | None = None) -> None:
        free = available_memory()
        self.most_bytes = most_bytes if most_bytes is not None else int(SHARE_OF_FREE * free) if free else 1 << 62
        self.memory = np.zeros(1)
        self.values = np.zeros(1 << 14, dtype)
        self.table = InfosetTable(
            buckets=np.zeros(1 << 12, np.uint32),
            rows=np.zeros((words + 1) << 11, np.int64),
            list_buckets=np.zeros(1 << 8, np.uint32),
            list_first=np.zeros(1 << 7, np.int64),
            list_items=np.zeros(1 << 9, np.int64),
            used=np.zeros(4, np.int64),
            words=words,
            lead=lead,
            parts=parts,
            mask=(1 << 12) - 1,
        )

    @property
    def infosets(self) -> int:
        """Infosets visited so far."""
        return int(self.table.used[ROWS])

    @property
    def nbytes(self) -> int:
        """Bytes in use: rows, slots, values and action lists."""
        used, table = self.table.used, self.table
        rows = int(used[ROWS]) * (table.words + 1) * 8
        lists = table.list_buckets.nbytes + 8 * int(used[LISTS] + used[ITEMS])
        return int(rows + table.buckets.nbytes + used[VALUES] * self.values.itemsize + lists)

    def columns(self) -> tuple[Array, Array]:
        """Where the values of every infoset begin [I], and its number of actions [I]."""
        _, slots, _, _, actions = self.rows()
        return slots, actions

    def rows(self) -> tuple[Array, Array, Array, Array, Array]:
        """Of every infoset: key words [I, 2], where its values begin [I], owner [I], action list [I], actions [I]."""
        columns: tuple[Array, Array, Array, Array, Array] = row_columns(self.table, np.diff(self.table.list_first))
        return columns

    def action_lists(self) -> list[tuple[int, ...]]:
        """[M] the different action lists of infosets."""
        table = self.table
        ends = table.list_first[: table.used[LISTS] + 1]
        return [tuple(table.list_items[a:b].tolist()) for a, b in pairwise(ends)]

    def grow(self, *, lists_only: bool = False) -> None:
        """Enlarge the arrays that are nearly full, as far as memory allows; or only those of action lists."""
        table, used = self.table, self.table.used
        if lists_only:
            lists = self._with_more_lists(table)
            if lists is table:  # one action list alone is longer than the reserve
                lists = table._replace(list_items=_longer(table.list_items, 2 * len(table.list_items)))
            self.table = lists
            return
        slots, rows, values = len(table.buckets), len(table.rows), len(self.values)
        crowded = used[ROWS] > CROWDED * slots
        if crowded:
            slots *= 2
        if 1.2 * (used[ROWS] + 64) * (table.words + 1) > rows:
            rows = int(rows * GROWTH)
        if 1.2 * (used[VALUES] + 4096) > values:
            values = int(values * GROWTH) + 4096
        lists = self._with_more_lists(table)
        if (slots, rows, values) == (len(table.buckets), len(table.rows), len(self.values)) and lists is table:
            values *= 2  # one infoset alone is larger than the reserve
            lists = table._replace(list_items=_longer(table.list_items, 2 * len(table.list_items)))
        needed = 4 * slots + 8 * rows + values * self.values.itemsize
        if needed > self.most_bytes:
            raise OptionError(
                f"the table has {self.infosets:,} infosets in {in_units(self.nbytes)} and would grow to "
                f"{in_units(needed)}, more than the {in_units(self.most_bytes)} it may take: give MCCFR more memory=, "
                "solve with dtype='float32', or make the game smaller"
            )
        self.values = _longer(self.values, values)
        table = lists._replace(rows=_longer(table.rows, rows))
        if crowded:
            table = table._replace(buckets=np.zeros(slots, np.uint32), mask=slots - 1)
            rehash(table, table.buckets)
        self.table = table

    @staticmethod
    def _with_more_lists(table: InfosetTable) -> InfosetTable:
        """Arrays of action lists of twice the length, where they are half full."""
        used = table.used
        if 2 * used[LISTS] + 4 > len(table.list_first):
            table = table._replace(list_first=_longer(table.list_first, 2 * len(table.list_first)))
        if 2 * used[ITEMS] + WIDEST > len(table.list_items):
            table = table._replace(list_items=_longer(table.list_items, 2 * len(table.list_items)))
        if 4 * used[LISTS] + 4 > len(table.list_buckets):
            table = table._replace(list_buckets=np.zeros(2 * len(table.list_buckets), np.uint32))
            rehash_lists(table, table.list_buckets)
        return table

    def arrays(self, used: Array | None = None) -> dict[str, Array]:
        """Everything in use, for a file; or, as entries are appended, all that was when `table.used` was `used`."""
        table, used = self.table, self.table.used if used is None else used
        return {
            "layout": np.array([table.words, table.lead, table.parts]),
            "rows": table.rows[: used[ROWS] * (table.words + 1)],
            "values": self.values[: used[VALUES]],
            "menu_first": table.list_first[: used[LISTS] + 1],
            "menu_items": table.list_items[: used[ITEMS]],
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> TableStore:
        """A table to read, from the arrays of a file."""
        words, lead, parts = (int(number) for number in arrays["layout"])
        store = cls(words=words, lead=lead, parts=parts, dtype=str(arrays["values"].dtype))
        store.restore(arrays)
        return store

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take over the arrays of a file."""
        table = self.table
        count = len(arrays["rows"]) // (table.words + 1)
        size, lists = 1 << 12, 1 << 8
        while CROWDED * size < count:
            size *= 2
        while lists < 4 * len(arrays["menu_first"]):
            lists *= 2
        used = np.array([count, len(arrays["values"]), len(arrays["menu_first"]) - 1, len(arrays["menu_items"])])
        self.values = _longer(np.asarray(arrays["values"], self.values.dtype), len(arrays["values"]) + 4096)
        self.table = table._replace(
            buckets=np.zeros(size, np.uint32),
            rows=_longer(arrays["rows"], len(arrays["rows"]) + 3 * 1024),
            list_buckets=np.zeros(lists, np.uint32),
            list_first=_longer(arrays["menu_first"], 2 * len(arrays["menu_first"]) + 64),
            list_items=_longer(arrays["menu_items"], 2 * len(arrays["menu_items"]) + 256),
            used=used,
            mask=size - 1,
        )
        rehash(self.table, self.table.buckets)
        rehash_lists(self.table, self.table.list_buckets)


def _longer(array: Array, size: int) -> Array:
    """The same numbers followed by zeros; pages of memory that are never written to cost nothing."""
    if size <= len(array):
        return array
    out = np.zeros(size, array.dtype)
    out[: len(array)] = array
    return out


def table_fits(arrays: Mapping[str, Array]) -> bool:
    """Whether the arrays of a table, as a file holds them, fit each other: no row points outside."""
    whole = [arrays[name] for name in ("layout", "rows", "menu_first", "menu_items", "nodes")]
    if any(array.dtype.kind != "i" or array.ndim != 1 for array in whole):
        return False
    layout, rows, ends, items, nodes = whole
    values = arrays["values"]
    if values.dtype.kind != "f" or values.ndim != 1 or len(nodes) != 2 or len(layout) != 3:
        return False
    words, lead, parts = layout.tolist()
    if words not in (1, 2) or lead not in (0, 1) or not 2 <= parts <= 2 + MOST_PLAYERS or len(rows) % (words + 1):
        return False
    if len(ends) < 1 or ends[0] != 0 or np.any(np.diff(ends) < 1) or ends[-1] != len(items):
        return False
    packed = rows[words :: words + 1]
    action_list, slots = packed >> LIST_SHIFT, packed & SLOT_MASK
    if np.any(action_list < 0) or np.any(action_list >= len(ends) - 1):
        return False
    last = slots + parts * np.diff(ends)[action_list]
    return bool(np.all(slots >= lead) and np.all(last <= len(values)))
