"""Merging the infoset tables of several machines: what each has changed since the last merge, added up by key.

All machines begin an iteration with the same table. Walks change numbers of infosets that are in it and append new
infosets, so the change of a machine is a sparse vector and a list of new rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.sampling.infoset_table import LIST_SHIFT, OWNER_SHIFT, SLOT_MASK

__all__ = ["TableChange", "change_of", "merge_changes", "with_change"]

Array = npt.NDArray[Any]
ActionLists = list[tuple[int, ...]]


class TableChange(NamedTuple):
    """What walks have changed in a table; N new infosets."""

    changed: Array  # [k] numbers that changed, ascending
    change: Array  # [k] by how much
    keys: Array  # [N, words + 1] key words and owner of the new infosets
    action_list: Array  # [N] into `lists`
    lists: ActionLists
    values: Array  # numbers of the new infosets, one infoset after the other
    nodes: int  # histories visited

    @property
    def nbytes(self) -> int:
        """Bytes that are sent."""
        return sum(a.nbytes for a in (self.changed, self.change, self.keys, self.action_list, self.values))


def change_of(before: Mapping[str, Array], after: Mapping[str, Array], nodes: int) -> TableChange:
    """What has changed between two states of a table, in the arrays of `TableStore.arrays`."""
    words, _, parts = before["layout"].tolist()
    known, size = len(before["rows"]), len(before["values"])
    index = np.flatnonzero(after["values"][:size] != before["values"])
    rows = after["rows"][known:].reshape(-1, words + 1)
    packed = rows[:, words]
    action_list, lists = packed >> LIST_SHIFT, _lists(after)
    counts = parts * _lengths(lists)[action_list]
    return TableChange(
        changed=index,
        change=after["values"][index] - before["values"][index],
        keys=np.column_stack([rows[:, :words], (packed >> OWNER_SHIFT) & 15]),
        action_list=action_list,
        lists=lists,
        values=after["values"][_ragged(packed & SLOT_MASK, counts)],
        nodes=nodes,
    )


def merge_changes(changes: Sequence[TableChange], parts: int) -> TableChange:
    """The sum of changes of one table; new infosets come in the order in which they are first found."""
    index, where = np.unique(np.concatenate([each.changed for each in changes]), return_inverse=True)
    total = np.zeros(len(index), changes[0].change.dtype)
    np.add.at(total, where, np.concatenate([each.change for each in changes]))
    lists: ActionLists = list(dict.fromkeys(one for each in changes for one in each.lists))
    number = {one: at for at, one in enumerate(lists)}
    keys = np.concatenate([each.keys for each in changes])
    merged = [np.array([number[one] for one in each.lists], np.int64)[each.action_list] for each in changes]
    _, first, row = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    first, row = first[order], np.argsort(order, kind="stable")[row.reshape(-1)]
    action_list = np.concatenate(merged)[first]
    counts = parts * _lengths(lists)[action_list]
    slot = np.cumsum(counts) - counts
    values, begin = np.zeros(int(counts.sum()), total.dtype), 0
    for each in changes:
        mine = row[begin : begin + len(each.keys)]
        begin += len(each.keys)
        values[_ragged(slot[mine], counts[mine])] += each.values
    return TableChange(index, total, keys[first], action_list, lists, values, sum(each.nodes for each in changes))


def with_change(before: Mapping[str, Array], change: TableChange) -> dict[str, Array]:
    """The arrays of a table after a change."""
    words, _, parts = before["layout"].tolist()
    values = np.concatenate([before["values"], change.values])
    values[change.changed] += change.change
    lists = _lists(before)
    number = {one: at for at, one in enumerate(lists)}
    for one in (change.lists[at] for at in change.action_list.tolist()):
        if one not in number:
            number[one] = len(lists)
            lists.append(one)
    place = np.array([number.get(one, -1) for one in change.lists], np.int64)[change.action_list]
    counts = parts * _lengths(change.lists)[change.action_list]
    slot = len(before["values"]) + np.cumsum(counts) - counts
    packed = slot | change.keys[:, words] << OWNER_SHIFT | place << LIST_SHIFT
    rows = np.column_stack([change.keys[:, :words], packed])
    return {
        "layout": before["layout"],
        "rows": np.concatenate([before["rows"], rows.reshape(-1)]),
        "values": values,
        "menu_first": np.concatenate([[0], np.cumsum(_lengths(lists))]).astype(np.int64),
        "menu_items": np.array([action for one in lists for action in one], np.int64),
    }


def _lists(arrays: Mapping[str, Array]) -> ActionLists:
    items = arrays["menu_items"]
    return [tuple(items[begin:end].tolist()) for begin, end in pairwise(arrays["menu_first"].tolist())]


def _lengths(lists: ActionLists) -> Array:
    return np.array([len(one) for one in lists], np.int64)


def _ragged(first: Array, counts: Array) -> Array:
    """first[0], first[0] + 1, … (counts[0] of them), then those of first[1], and so on."""
    total = np.cumsum(counts)
    return np.repeat(first - total + counts, counts) + np.arange(int(total[-1]) if len(total) else 0)
