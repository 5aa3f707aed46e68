"""Listing a compiled game: the buffers that the kernel fills, and checks between its calls."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.compiled.compiling import CompiledGame
from regretless.game import Game
from regretless.kernels.numba_ext.uncounted_arrays import uncounted_view

__all__ = ["CompiledListing", "list_compiled"]

HISTORIES_PER_CALL = 1 << 16
"""Histories that one call of the kernel lists; between calls progress is reported and memory is checked."""

DEEPEST = 100_000
"""Moves of a path that goes in a cycle."""

GROWTH = 1.6

DIGIT = np.uint64(0x9E3779B97F4A7C15)
"""The base of digests of action lists."""

HISTORY_PAGES = ("mover", "index", "first_child", "children", "probability")
INFOSET_PAGES = ("owner", "key", "first_history", "offer_first")
PATH_PAGES = ("number", "choice", "begin")

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class CompiledListing:
    """The arrays that the kernel filled, cut to size; H histories, T terminals, I infosets."""

    mover: npt.NDArray[np.int8]  # [H]
    index: npt.NDArray[np.int32]  # [H]
    first_child: npt.NDArray[np.int32]  # [H]
    children: npt.NDArray[np.int32]  # [H]
    probability: npt.NDArray[np.float64]  # [H]
    payoffs: npt.NDArray[np.float64]  # [T, P]
    owner: list[int]  # [I]
    infoset: list[Hashable]  # [I] as the game returns it
    actions: list[tuple[int, ...]]  # [I] as the game returns them; equal tuples are one object


def list_compiled(compiled: CompiledGame, look_around: Callable[[int, int], None]) -> CompiledListing | None:
    """List a game; None where it breaks a rule, which the interpreted listing finds and describes.

    `look_around` is called now and then with the histories and terminals listed so far, and may raise.
    """
    kernels, players = compiled.kernels("compiled_games.game_listing"), compiled.game.players
    pages, counters = _first_pages(kernels, players), uncounted_view(np.zeros(7, np.int64))
    counters[kernels.HISTORIES], pages.probability[0] = 1, 1.0
    while True:
        until = int(counters[kernels.HISTORIES]) + HISTORIES_PER_CALL
        try:
            arrays = kernels.ListingArrays(*map(uncounted_view, pages))
            kernels.list_histories(compiled.rules, arrays, counters, players, until)
        except Exception:  # raised by the game's own code
            return None
        status = counters[kernels.STATUS]
        if status == kernels.DONE:
            return _cut(compiled, pages, counters, kernels)
        if status == kernels.FAULT or counters[kernels.DEPTH] > DEEPEST:
            return None
        if status == kernels.BUFFERS_FULL:
            pages = _with_larger_pages(kernels, pages, counters, players)
        else:
            look_around(int(counters[kernels.HISTORIES]), int(counters[kernels.TERMINALS]))


def _first_pages(kernels: Any, players: int) -> Any:
    histories, infosets, deep = 1 << 20, 1 << 15, 64  # memory that is never written to costs nothing
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


def _with_larger_pages(kernels: Any, pages: Any, counters: Array, players: int) -> Any:
    """Pages that the next history fits into; their contents are kept."""
    histories, terminals, infosets, offered, depth, _, needed = (int(n) for n in counters)
    larger: dict[str, Array] = {}
    if histories + needed > len(pages.mover):
        larger |= {name: _longer(getattr(pages, name), needed) for name in HISTORY_PAGES}
    if (terminals + 1) * players > len(pages.payoff):
        larger["payoff"] = _longer(pages.payoff, players)
    if infosets + 1 >= len(pages.owner):
        larger |= {name: _longer(getattr(pages, name), 2) for name in INFOSET_PAGES}
    if 2 * infosets >= len(pages.buckets):
        larger["buckets"] = np.zeros(4 * len(pages.buckets), np.int32)
        kernels.rehash(*map(uncounted_view, (larger["buckets"], pages.owner, pages.key)), infosets)
    if offered + needed > len(pages.offer):
        larger["offer"] = _longer(pages.offer, needed)
    if depth + 1 >= len(pages.number):
        larger |= {name: _longer(getattr(pages, name), 2) for name in PATH_PAGES}
    if pages.begin[depth] + needed > len(pages.moves):
        larger["moves"] = _longer(pages.moves, needed)
    return pages._replace(**larger)


def _longer(page: Array, needed: int) -> Array:
    return _resized(page, int(len(page) * GROWTH) + needed)


def _resized(page: Array, length: int) -> Array:
    """The same page with another length, zeros at its end; nothing is copied where the system can move it."""
    page.resize((length, *page.shape[1:]), refcheck=False)  # uncounted views are made again for every call
    return page


def _cut(compiled: CompiledGame, pages: Any, counters: Array, kernels: Any) -> CompiledListing:
    histories, terminals, infosets = (
        int(counters[n]) for n in (kernels.HISTORIES, kernels.TERMINALS, kernels.INFOSETS)
    )
    players = compiled.game.players
    arrays = {name: _resized(getattr(pages, name), histories) for name in HISTORY_PAGES}
    return CompiledListing(
        **arrays,
        payoffs=_resized(pages.payoff, terminals * players).reshape(terminals, players),
        owner=pages.owner[:infosets].tolist(),
        infoset=_infosets(compiled, pages, histories, infosets),
        actions=_offers(pages.offer_first[: infosets + 1], pages.offer),
    )


def _offers(begin: Array, offer: Array) -> list[tuple[int, ...]]:
    """The actions of every infoset; begin [I + 1], offer [A]. Equal tuples are one object: found by digest, then
    compared."""
    width, offer = np.diff(begin), offer[: begin[-1]]
    if not len(width):
        return []
    place = np.arange(len(offer)) - np.repeat(begin[:-1], width)
    powers = np.cumprod(np.full(int(width.max()), DIGIT, np.uint64))
    digest = np.add.reduceat(offer.astype(np.uint64) * powers[place], begin[:-1]) + width.astype(np.uint64)
    _, first, kind = np.unique(digest, return_index=True, return_inverse=True)
    twin = first[kind]
    if not np.array_equal(width, width[twin]) or np.any(offer != offer[np.repeat(begin[twin], width) + place]):
        twin, first = np.arange(len(width)), np.arange(len(width))  # two action lists with one digest: keep them all
        kind = twin
    rows = [tuple(offer[begin[i] : begin[i + 1]].tolist()) for i in first.tolist()]
    return [rows[number] for number in kind.tolist()]


def _infosets(compiled: CompiledGame, pages: Any, histories: int, infosets: int) -> list[Hashable]:
    """Infosets as the game returns them: from their keys, or, where these are hashes, at a history of each."""
    keys = pages.key[:infosets]
    if compiled.infoset_numbers == 1:
        first: list[Hashable] = keys[:, 0].tolist()
        return first
    if compiled.infoset_numbers == 2:
        return list(zip(keys[:, 0].tolist(), keys[:, 1].tolist(), strict=True))
    return _interpreted(compiled.game, pages, histories, pages.first_history[:infosets])


def _interpreted(game: Game, pages: Any, histories: int, first_visit: Array) -> list[Hashable]:
    """Infosets from the interpreted game, at the first history of each [I]; only paths to these are walked."""
    inner = np.flatnonzero(pages.children[:histories])
    inner = inner[np.argsort(pages.first_child[inner])]
    parent = np.concatenate([[0], np.repeat(inner, pages.children[inner])])
    on_the_way = np.zeros(histories, bool)
    reached = first_visit
    while len(reached):
        on_the_way[reached] = True
        reached = np.unique(parent[reached])
        reached = reached[~on_the_way[reached]]
    wanted = {int(history): infoset for infoset, history in enumerate(first_visit)}
    found: list[Hashable] = [None] * len(first_visit)
    stack = [(game.root(), 0)]
    while stack:
        state, history = stack.pop()
        if history in wanted:
            found[wanted[history]] = game.infoset(state)
        first, count = int(pages.first_child[history]), int(pages.children[history])
        choices = np.flatnonzero(on_the_way[first : first + count]).tolist()
        if choices:
            actions = game.actions(state)
            stack += [(game.play(state, actions[choice]), first + choice) for choice in choices]
    return found
