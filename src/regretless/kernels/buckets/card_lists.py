"""Boards of a batch as GPU walks read them: hands sorted by bucket, and lists of hands by card.

`public.cuda_layout` says what lists, segments of lists and places are. It runs on the CPU while the GPU walks the batch
before, and takes some microseconds per board.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.public.cuda_layout import (
    BEGIN,
    BLOCKERS,
    COUNT,
    LIST_FIRST,
    LISTS,
    PLACES,
    SEGMENT,
    UNIT_RECORD,
)

Array = npt.NDArray[Any]


class BatchLists(NamedTuple):
    """What is filled for each batch; C hands on all boards, J blockers of a hand (2, or 0 with one card)."""

    unit: npt.NDArray[np.int64]  # [boards · UNIT_RECORD] only some numbers of the records are written
    above: npt.NDArray[np.int32]  # [C] the hand on the board above; on the first street the hand of the deck
    bucket: npt.NDArray[np.int32]  # [C]
    place: npt.NDArray[np.int64]  # [(J + 1) · C]
    list_entries: npt.NDArray[np.int32]  # [lists + boards]
    list_place: npt.NDArray[np.int32]  # [lists + boards]
    entry_class: npt.NDArray[np.int16]  # [(J + 1) · C]
    segment_first: npt.NDArray[np.int32]  # [boards + 1]
    segment_begin: npt.NDArray[np.int32]  # [C + 1]
    position: npt.NDArray[np.int64]  # [C] the number of each hand here, by its number in `StreetBoards`
    complete: Array  # [boards]


class ListScratch(NamedTuple):
    """Buffers of one board."""

    members: npt.NDArray[np.int64]  # [cards, cards] hands with each card, from weak to strong
    holding: npt.NDArray[np.int64]  # [cards] their number


@kernel
def fill_street(boards, board_first, above_first, two, out, scratch):
    """Write the boards of one street; boards before `board_first` are done.

    boards: `StreetBoards`. above_first: the first board of the street above, −1 on the first street. two: whether a
    hand has two cards.
    """
    for number in range(boards.parent.size):
        board = board_first + number
        first = boards.first[number]
        hands = boards.first[number + 1] - first
        record = board * UNIT_RECORD
        begin = out.unit[record + BEGIN]
        out.unit[record + COUNT] = hands
        out.complete[board] = boards.complete[number]
        sort_by_bucket(boards, number, board, begin, out)
        parent = -1
        if above_first >= 0:
            parent = out.unit[(above_first + boards.parent[number]) * UNIT_RECORD + BEGIN]
        for h in range(hands):
            here = boards.above[first + h]
            k = begin + out.position[begin + h]
            out.above[k] = here if parent < 0 else out.position[parent + here]
        entry, at, place = begin * (3 if two else 1), out.unit[record + LIST_FIRST], 1
        lists = at
        if two:
            entry, at, place = list_cards(boards, first, hands, begin, entry, at, place, out, scratch)
        out.unit[record + BLOCKERS] = at - lists
        entry, at, place = list_all(boards, first, hands, begin, entry, at, place, out)
        out.list_entries[at] = entry
        out.list_place[at] = place
        out.unit[record + LISTS] = at - lists
        out.unit[record + PLACES] = place


@inner
def sort_by_bucket(boards, number, board, begin, out):
    """Number the hands of a board by bucket; hands of a bucket keep their order."""
    first, hands = boards.first[number], boards.first[number + 1] - boards.first[number]
    bucket_first = boards.bucket_first[number]
    buckets = boards.bucket_first[number + 1] - bucket_first
    segment = out.segment_first[board]
    for b in range(buckets + 1):
        out.segment_begin[segment + b] = 0
    for h in range(hands):
        out.segment_begin[segment + boards.local[first + h] + 1] += 1
    out.segment_begin[segment] = begin
    for b in range(buckets):
        out.segment_begin[segment + b + 1] += out.segment_begin[segment + b]
    for h in range(hands):  # counts up to the end of each segment, which is the beginning of the next one
        local = boards.local[first + h]
        k = out.segment_begin[segment + local]
        out.segment_begin[segment + local] = k + 1
        out.position[begin + h] = k - begin
        out.bucket[k] = boards.bucket[bucket_first + local]
    for b in range(buckets, 0, -1):
        out.segment_begin[segment + b] = out.segment_begin[segment + b - 1]
    out.segment_begin[segment] = begin
    out.segment_first[board + 1] = segment + buckets


@inner
def list_cards(boards, first, hands, begin, entry, at, place, out, scratch):
    """The lists of all cards; returns the next entry, list and place."""
    members, holding, every = scratch.members, scratch.holding, out.above.size
    for card in range(holding.size):
        holding[card] = 0
    for h in range(hands):
        for card in (boards.low[first + h], boards.high[first + h]):
            members[card, holding[card]] = h
            holding[card] += 1
    for card in range(holding.size):
        count = holding[card]
        if count == 0:
            continue
        out.list_entries[at] = entry
        out.list_place[at] = place
        at += 1
        before, last = place, place + 1
        for n in range(1, count):
            last += boards.group_end[first + members[card, n]] != boards.group_end[first + members[card, n - 1]]
        for n in range(count):
            h = members[card, n]
            k = out.position[begin + h]
            strength = boards.group_end[first + h]
            closes = n + 1 == count or boards.group_end[first + members[card, n + 1]] != strength
            out.entry_class[entry + n] = ~k if closes else k
            which = 1 if boards.low[first + h] == card else 2
            out.place[which * every + begin + k] = before | (before + 1) << 16 | last << 32
            before += closes
        entry += count
        place = last + 1
    return entry, at, place


@inner
def list_all(boards, first, hands, begin, entry, at, place, out):
    """The list of all hands, cut into segments; returns the next entry, list and place."""
    run, before = 0, place
    for h in range(hands):
        strength = boards.group_end[first + h]
        if h % SEGMENT == 0:
            if h > 0:
                place += 1
            out.list_entries[at] = entry + h
            out.list_place[at] = place
            at += 1
        if h == 0 or boards.group_end[first + h - 1] != strength:
            run, before = h, place
        ends = h + 1 == hands or boards.group_end[first + h + 1] != strength
        closes = ends or (h + 1) % SEGMENT == 0
        k = out.position[begin + h]
        out.entry_class[entry + h] = ~k if closes else k
        place += closes
        if ends:
            for equal in range(run, h + 1):
                out.place[begin + out.position[begin + equal]] = before | place << 16
    return entry + hands, at, place + 1
