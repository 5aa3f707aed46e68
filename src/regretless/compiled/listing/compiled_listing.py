"""Listing a compiled game: subtrees by several threads, joined into the listing that one walk would have made.

A history gets its number when its parent is visited, depth first, so the histories below a subtree's root are a run of
numbers. Joined in the order of the walk, a subtree's histories, terminals and infosets get their numbers by adding what
was listed before; an infoset that an earlier subtree has visited keeps the number that it got there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.compiled.compiling import CompiledGame
from regretless.compiled.listing.listing_pages import first_pages, infosets_in, with_space_for
from regretless.compiled.listing.subtree_listing import Subtree, TopHistories, above_the_cut, list_subtree
from regretless.game import Game
from regretless.kernels.coded_numbers import CodedBuffer, CodedNumbers, coded, grown, resized
from regretless.kernels.compiled_games.infoset_buckets import InfosetArrays, merge_infosets, renumber_subtree
from regretless.kernels.constants import TERMINAL
from regretless.kernels.numba_ext.uncounted_arrays import uncounted_view
from regretless.method import processors

__all__ = ["CompiledListing", "list_compiled"]

AHEAD = 2
"""Subtrees that wait to be joined, beside those that threads are at: each holds infosets of its own."""

WORTH_THREADS = 1 << 18
"""Histories that one thread lists alone, before others are started."""

LOOK_EVERY = 1 << 16
"""Histories between two reports of progress and checks of the memory."""

SECONDS_BETWEEN_LOOKS = 0.1
"""How long to wait for a thread before progress is looked at."""

DIGIT = np.uint64(0x9E3779B97F4A7C15)
"""The base of digests of action lists."""

Array = npt.NDArray[Any]
LookAround = Callable[[int, int], None]


@dataclass(frozen=True)
class CompiledListing:
    """The arrays of all histories; H histories, T terminals, I infosets."""

    mover: npt.NDArray[np.int8]  # [H]
    index: npt.NDArray[np.int32]  # [H]
    first_child: npt.NDArray[np.int32]  # [H]
    children: npt.NDArray[np.int32]  # [H]
    chance: CodedNumbers  # [H] probabilities
    payoff: CodedNumbers  # [T, P] chips
    owner: list[int]  # [I]
    infoset: list[Hashable]  # [I] as the game returns it
    actions: list[tuple[int, ...]]  # [I] as the game returns them; equal tuples are one object


def list_compiled(
    compiled: CompiledGame, look_around: LookAround, threads: int | None = None
) -> CompiledListing | None:
    """List a game; None where it breaks a rule, which the interpreted listing finds and describes.

    `look_around` is called now and then with the histories and terminals listed so far, and may raise. threads: None
    for one on each processor; the result does not depend on it.
    """
    top = above_the_cut(compiled)
    if top is None:
        return None
    joining = _Joining(compiled, top)
    roots = [number for number in joining.walk_order() if number not in top.visited]
    subtrees = _in_order(compiled, [top.paths[number] for number in roots], look_around, threads or processors())
    for number in joining.walk_order():
        if number in top.visited:
            ended = joining.visit(number)
        else:
            found = next(subtrees)
            ended = found is not None and joining.append(number, found)
        if not ended:
            subtrees.close()
            return None
    return joining.listing()


class _Stopped(Exception):
    """Ends the work of a thread whose result is no longer needed."""


class _Progress:
    """Histories and terminals of all subtrees so far."""

    def __init__(self, subtrees: int, look_around: LookAround) -> None:
        self.counts = np.zeros((subtrees, 2), np.int64)
        self.look_around, self.looked_at, self.stopped = look_around, 0, False

    @property
    def histories(self) -> int:
        return int(self.counts[:, 0].sum())

    def look(self) -> None:
        """Report progress and check the memory, unless that was done not long ago; by the calling thread only."""
        histories = self.histories
        if histories >= self.looked_at + LOOK_EVERY:
            self.looked_at = histories
            self.look_around(histories, int(self.counts[:, 1].sum()))

    def note(self, number: int, look: bool, histories: int, terminals: int) -> None:
        """What is listed of a subtree; ends the work of threads whose results are no longer needed."""
        self.counts[number] = histories, terminals
        if self.stopped:
            raise _Stopped
        if look:
            self.look()


def _in_order(
    compiled: CompiledGame, paths: list[tuple[int, ...]], look_around: LookAround, threads: int
) -> Generator[Subtree | None]:
    """The subtrees below some paths, in their order; threads list the next ones meanwhile."""
    progress, alone = _Progress(len(paths), look_around), 0
    while alone < len(paths) and (threads == 1 or progress.histories < WORTH_THREADS):
        yield list_subtree(compiled, paths[alone], partial(progress.note, alone, True))
        alone += 1
    waiting: deque[Future[Subtree | None]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for number, path in enumerate(paths[alone:], alone):
                waiting.append(pool.submit(list_subtree, compiled, path, partial(progress.note, number, False)))
                if len(waiting) >= threads + AHEAD:
                    yield _result(waiting.popleft(), progress)
            while waiting:
                yield _result(waiting.popleft(), progress)
        finally:
            progress.stopped = True
            for later in waiting:
                later.cancel()


def _result(future: Future[Subtree | None], progress: _Progress) -> Subtree | None:
    """What a thread has listed; until then, reports of progress and checks of the memory."""
    while not future.done():
        wait([future], timeout=SECONDS_BETWEEN_LOOKS)
        progress.look()
    found = future.result()
    progress.look()
    return found


class _Joining:
    """The listing of the whole game, as far as it is joined: buffers in the final numbering."""

    def __init__(self, compiled: CompiledGame, top: TopHistories) -> None:
        self.compiled, self.top = compiled, top
        kernels, players = compiled.kernels("compiled_games.game_listing"), compiled.game.players
        self.infosets: InfosetArrays = infosets_in(first_pages(kernels, players))
        self.known = self.terminals = self.histories = 0
        self.arrays: dict[str, Array] = {"mover": np.zeros(0, np.int8)}
        self.arrays |= {name: np.zeros(0, np.int32) for name in ("index", "first_child", "children")}
        self.chance, self.payoff = CodedBuffer(()), CodedBuffer((players,))
        self.number: dict[int, int] = {}  # final numbers of the histories of the top
        self._number_top(0, 1)

    def walk_order(self) -> Iterator[int]:
        """The histories above the cut and the roots of subtrees, as a depth-first walk visits them."""
        pages, stack = self.top.pages, [0]
        while stack:
            number = stack.pop()
            yield number
            if number in self.top.visited:
                first = int(pages.first_child[number])
                stack += reversed(range(first, first + int(pages.children[number])))

    def _number_top(self, first: int, count: int) -> None:
        """Number histories of the top, which are not visited yet."""
        self.chance.append(coded(self.top.pages.probability[first : first + count]))
        self.number |= {first + child: self.histories + child for child in range(count)}
        self._extend(count)

    def _extend(self, count: int) -> None:
        """Add `count` histories behind those that have numbers."""
        end = self.histories + count
        for name, array in self.arrays.items():
            if end > len(array):
                self.arrays[name] = resized(array, grown(len(array), end))
        self.histories = end

    def visit(self, number: int) -> bool:
        """Join a history above the cut; False where its actions are not those that its infoset had before."""
        pages, players = self.top.pages, self.compiled.game.players
        mover, index, count = int(pages.mover[number]), int(pages.index[number]), int(pages.children[number])
        if mover == TERMINAL:
            self.payoff.append(coded(pages.payoff[index * players : (index + 1) * players].reshape(1, players)))
            self._write(number, mover, self.terminals, 0, 0)
            self.terminals += 1
            return True
        if mover >= 0:
            base = self.number[number] - int(pages.first_history[index])
            final = self._merge(infosets_in(pages), index, index + 1, base)
            if final is None:
                return False
            index = int(final[index])
        self._write(number, mover, index, self.histories, count)
        self._number_top(int(pages.first_child[number]), count)
        return True

    def _write(self, number: int, mover: int, index: int, first_child: int, children: int) -> None:
        for array, value in zip(self.arrays.values(), (mover, index, first_child, children), strict=True):
            array[self.number[number]] = value

    def append(self, number: int, found: Subtree) -> bool:
        """Join the subtree of a history; False where actions of an infoset are not those that it had before."""
        begin, base = self.histories, self.histories - 1  # number 1 of the subtree, the first after its root, is next
        before, final = self.known, self._merge(found.infosets, 0, found.infoset_count, base)
        if final is None:
            return False
        if found.mover[0] >= 0 and final[found.index[0]] >= before:  # first visited at the root, which has a number
            self.infosets.first_history[final[found.index[0]]] = self.number[number]
        subtree = found.mover, found.index, found.first_child, found.children
        renumber_subtree(*subtree, final, self.terminals, base)
        self._extend(len(found.mover) - 1)
        self._write(number, *(int(array[0]) for array in subtree))
        for whole, array in zip(self.arrays.values(), subtree, strict=True):
            whole[begin : self.histories] = array[1:]
        self.chance.append(found.chance)
        self.payoff.append(found.payoff)
        self.terminals += len(found.payoff)
        return True

    def _merge(self, found: InfosetArrays, begin: int, end: int, base: int) -> Array | None:
        """Enter infosets begin … end − 1; returns their final numbers [end], or None where actions differ."""
        offered = int(found.offer_first[end] - found.offer_first[begin])
        self.infosets = with_space_for(self.infosets, self.known, end - begin, offered)
        final = np.zeros(end, np.int32)
        own, other = (InfosetArrays(*map(uncounted_view, arrays)) for arrays in (self.infosets, found))
        known = int(merge_infosets(own, self.known, other, begin, end, base, final))
        self.known = max(known, self.known)
        return None if known < 0 else final

    def listing(self) -> CompiledListing:
        """The arrays cut to size; the buffers are used up."""
        arrays = {name: resized(array, self.histories) for name, array in self.arrays.items()}
        infosets = self.infosets
        return CompiledListing(
            **arrays,
            chance=self.chance.finish(),
            payoff=self.payoff.finish(),
            owner=infosets.owner[: self.known].tolist(),
            infoset=_infosets(self.compiled, arrays, infosets, self.known),
            actions=_offers(infosets.offer_first[: self.known + 1], infosets.offer),
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


def _infosets(compiled: CompiledGame, arrays: dict[str, Array], infosets: InfosetArrays, count: int) -> list[Hashable]:
    """Infosets as the game returns them: from their keys, or, where these are hashes, at a history of each."""
    keys = infosets.key[:count]
    if compiled.infoset_numbers == 1:
        first: list[Hashable] = keys[:, 0].tolist()
        return first
    if compiled.infoset_numbers == 2:
        return list(zip(keys[:, 0].tolist(), keys[:, 1].tolist(), strict=True))
    return _interpreted(compiled.game, arrays["first_child"], arrays["children"], infosets.first_history[:count])


def _interpreted(game: Game, first_child: Array, children: Array, first_visit: Array) -> list[Hashable]:
    """Infosets from the interpreted game, at the first history of each [I]; only paths to these are walked."""
    histories, inner = len(children), np.flatnonzero(children)
    inner = inner[np.argsort(first_child[inner])]
    parent = np.concatenate([[0], np.repeat(inner, children[inner])])
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
        first, count = int(first_child[history]), int(children[history])
        choices = np.flatnonzero(on_the_way[first : first + count]).tolist()
        if choices:
            actions = game.actions(state)
            stack += [(game.play(state, actions[choice]), first + choice) for choice in choices]
    return found
