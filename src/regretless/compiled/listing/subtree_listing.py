"""A compiled game cut into subtrees: the histories above the cut, and the listing of one subtree.

The cut goes down from the root, a level at a time, until there are enough subtrees to share among threads. Histories
above it are few; the kernel visits them one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.compiled.compiling import CompiledGame
from regretless.compiled.listing.listing_pages import first_pages, infosets_in, with_larger_pages
from regretless.kernels.coded_numbers import CodedNumbers, coded, resized
from regretless.kernels.compiled_games.infoset_buckets import InfosetArrays
from regretless.kernels.numba_ext.uncounted_arrays import uncounted_view

__all__ = ["Subtree", "TopHistories", "above_the_cut", "list_subtree"]

SUBTREES = 32
"""Subtrees that a game is cut into, at least, if it has as many within a few levels: more than there are threads, so
that all threads have work until the end, and few enough that joining their infosets takes little time."""

MOST_SUBTREES = 2_048
"""Subtrees at most: a level with more is left below the cut."""

MOST_LEVELS = 6
"""Levels above the cut, at most."""

HISTORIES_PER_CALL = 1 << 16
"""Histories that one call of the kernel lists; between calls progress is reported and memory is checked."""

DEEPEST = 100_000
"""Moves of a path that goes in a cycle."""

Array = npt.NDArray[Any]


@dataclass
class TopHistories:
    """The histories above the cut, and the roots of the subtrees below it, numbered level by level."""

    pages: Any
    counters: Array
    paths: list[tuple[int, ...]] = field(default_factory=lambda: [()])  # the actions that lead to each history
    visited: set[int] = field(default_factory=set)  # above the cut


@dataclass(frozen=True)
class Subtree:
    """The listing of a subtree with numbers of its own: H histories, its root the first; T terminals, I infosets."""

    mover: Array  # [H] int8
    index: Array  # [H] int32
    first_child: Array  # [H] int32
    children: Array  # [H] int32
    chance: CodedNumbers  # [H − 1] without the root
    payoff: CodedNumbers  # [T, P] chips
    infosets: InfosetArrays
    infoset_count: int


def above_the_cut(compiled: CompiledGame) -> TopHistories | None:
    """Visit histories level by level until enough are waiting; None where the game breaks a rule there."""
    kernels, players = compiled.kernels("compiled_games.game_listing"), compiled.game.players
    top = TopHistories(first_pages(kernels, players), np.zeros(kernels.COUNTERS, np.int64))
    top.counters[kernels.HISTORIES], top.pages.probability[0] = 1, 1.0
    waiting = [0]
    for _ in range(MOST_LEVELS):
        if len(waiting) >= SUBTREES:
            break
        level, waiting = waiting, []
        for number in level:
            if not _visit(top, number, compiled, kernels):
                return None
            first, count = int(top.pages.first_child[number]), int(top.pages.children[number])
            waiting += range(first, first + count)
        if len(waiting) > MOST_SUBTREES:
            top.visited.difference_update(level)
            break
    return top


def _visit(top: TopHistories, number: int, compiled: CompiledGame, kernels: Any) -> bool:
    """Visit one history above the cut, and name its children; False where the game breaks a rule."""
    players, path = compiled.game.players, top.paths[number]
    _start_at(top.pages, top.counters, kernels, path, number)
    while True:
        arrays, counters = kernels.ListingArrays(*map(uncounted_view, top.pages)), uncounted_view(top.counters)
        only_this = int(counters[kernels.HISTORIES])  # the kernel stops once there are more
        try:
            kernels.list_histories(compiled.rules, arrays, counters, players, only_this)
        except Exception:  # raised by the game's own code
            return False
        if top.counters[kernels.STATUS] != kernels.BUFFERS_FULL:
            break
        top.pages = with_larger_pages(kernels, top.pages, top.counters, players)
    if top.counters[kernels.STATUS] not in (kernels.CONTINUES, kernels.DONE):
        return False
    begin = int(top.pages.begin[len(path)])
    moves = top.pages.moves[begin : begin + int(top.pages.children[number])]
    top.paths += [(*path, action) for action in moves.tolist()]
    top.visited.add(number)
    return True


def _start_at(pages: Any, counters: Array, kernels: Any, path: tuple[int, ...], number: int) -> None:
    """Let the kernel begin at the end of a path, whose history has this number."""
    depth = len(path)
    pages.moves[:depth], pages.choice[: depth + 1], pages.begin[: depth + 1] = path, 0, np.arange(depth + 1)
    pages.number[depth] = number
    counters[kernels.DEPTH] = counters[kernels.TOP] = depth


def list_subtree(compiled: CompiledGame, path: tuple[int, ...], report: Callable[[int, int], None]) -> Subtree | None:
    """List what follows a path; None where the game breaks a rule. Threads may do this at the same time.

    `report` is called now and then with the histories and terminals listed so far, and may raise to end the listing.
    """
    kernels, players = compiled.kernels("compiled_games.game_listing"), compiled.game.players
    pages, counters = first_pages(kernels, players), uncounted_view(np.zeros(kernels.COUNTERS, np.int64))
    counters[kernels.HISTORIES], pages.probability[0] = 1, 1.0
    _start_at(pages, counters, kernels, path, 0)
    status = kernels.CONTINUES
    while status != kernels.DONE:
        until = int(counters[kernels.HISTORIES]) + HISTORIES_PER_CALL
        try:
            arrays = kernels.ListingArrays(*map(uncounted_view, pages))
            kernels.list_histories(compiled.rules, arrays, counters, players, until)
        except Exception:  # raised by the game's own code
            return None
        status = counters[kernels.STATUS]
        if status == kernels.FAULT or counters[kernels.DEPTH] > DEEPEST:
            return None
        if status == kernels.BUFFERS_FULL:
            pages = with_larger_pages(kernels, pages, counters, players)
        report(int(counters[kernels.HISTORIES]), int(counters[kernels.TERMINALS]))
    return _cut_to_size(kernels, pages, counters, players)


def _cut_to_size(kernels: Any, pages: Any, counters: Array, players: int) -> Subtree:
    histories, terminals = int(counters[kernels.HISTORIES]), int(counters[kernels.TERMINALS])
    names = ("mover", "index", "first_child", "children")
    return Subtree(
        **{name: resized(getattr(pages, name), histories) for name in names},
        chance=coded(pages.probability[1:histories]),
        payoff=coded(pages.payoff[: terminals * players].reshape(terminals, players)),
        infosets=infosets_in(pages),
        infoset_count=int(counters[kernels.INFOSETS]),
    )
