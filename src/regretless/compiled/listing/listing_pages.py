"""The buffers that the listing kernel fills, and how they grow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.coded_numbers import resized
from regretless.kernels.compiled_games.infoset_buckets import InfosetArrays, rehash
from regretless.kernels.numba_ext.uncounted_arrays import uncounted_view

__all__ = ["HISTORY_PAGES", "first_pages", "infosets_in", "with_larger_pages", "with_space_for"]

GROWTH = 1.6

HISTORY_PAGES = ("mover", "index", "first_child", "children", "probability")
INFOSET_PAGES = ("owner", "key", "first_history", "offer_first")
PATH_PAGES = ("number", "choice", "begin")

Array = npt.NDArray[Any]


def first_pages(kernels: Any, players: int) -> Any:
    """Buffers for a listing that begins; memory that is never written to costs nothing."""
    histories, infosets, deep = 1 << 16, 1 << 12, 64
    return kernels.ListingArrays(
        mover=np.empty(histories, np.int8),
        index=np.zeros(histories, np.int32),
        first_child=np.zeros(histories, np.int32),
        children=np.zeros(histories, np.int32),
        probability=np.empty(histories),
        payoff=np.empty(histories // 2 * players),
        owner=np.empty(infosets, np.int32),
        key=np.empty((infosets, 2), np.int64),
        first_history=np.empty(infosets, np.int32),
        offer_first=np.zeros(infosets, np.int64),
        offer=np.empty(8 * infosets, np.int64),
        buckets=np.zeros(4 * infosets, np.int32),
        number=np.zeros(deep, np.int64),
        choice=np.zeros(deep, np.int64),
        begin=np.zeros(deep, np.int64),
        moves=np.empty(64 * deep, np.int64),
    )


def infosets_in(pages: Any) -> InfosetArrays:
    """The infosets of a listing, for kernels that join them with others."""
    return InfosetArrays(*(getattr(pages, name) for name in InfosetArrays._fields))


def with_larger_pages(kernels: Any, pages: Any, counters: Array, players: int) -> Any:
    """Pages that the next history fits into; their contents are kept."""
    names = ("HISTORIES", "TERMINALS", "INFOSETS", "OFFERED", "DEPTH", "NEEDED")
    histories, terminals, infosets, offered, depth, needed = (int(counters[getattr(kernels, name)]) for name in names)
    larger: dict[str, Array] = {}
    if histories + needed > len(pages.mover):
        larger |= {name: _longer(getattr(pages, name), needed) for name in HISTORY_PAGES}
    if (terminals + 1) * players > len(pages.payoff):
        larger["payoff"] = _longer(pages.payoff, players)
    if infosets + 1 >= len(pages.owner):
        larger |= {name: _longer(getattr(pages, name), 2) for name in INFOSET_PAGES}
    if 2 * infosets >= len(pages.buckets):
        larger["buckets"] = _more_buckets(pages, infosets, 4 * len(pages.buckets))
    if offered + needed > len(pages.offer):
        larger["offer"] = _longer(pages.offer, needed)
    if depth + 1 >= len(pages.number):
        larger |= {name: _longer(getattr(pages, name), 2) for name in PATH_PAGES}
    if pages.begin[depth] + needed > len(pages.moves):
        larger["moves"] = _longer(pages.moves, needed)
    return pages._replace(**larger)


def with_space_for(arrays: InfosetArrays, infosets: int, more: int, offered: int) -> InfosetArrays:
    """Buffers that `more` infosets with `offered` actions fit into, behind the `infosets` that are there."""
    larger: dict[str, Array] = {}
    if infosets + more + 1 >= len(arrays.owner):
        larger |= {name: _longer(getattr(arrays, name), more + 2) for name in INFOSET_PAGES}
    if int(arrays.offer_first[infosets]) + offered > len(arrays.offer):
        larger["offer"] = _longer(arrays.offer, offered)
    size = len(arrays.buckets)
    while 2 * (infosets + more) >= size:
        size *= 2
    if size > len(arrays.buckets):
        larger["buckets"] = _more_buckets(arrays, infosets, size)
    return arrays._replace(**larger)


def _more_buckets(arrays: Any, infosets: int, size: int) -> Array:
    buckets = np.zeros(size, np.int32)
    rehash(*map(uncounted_view, (buckets, arrays.owner, arrays.key)), infosets)
    return buckets


def _longer(page: Array, needed: int) -> Array:
    return resized(page, int(len(page) * GROWTH) + needed)
