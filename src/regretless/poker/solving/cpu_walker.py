"""Walks over public trees on the CPU.

The boards of the second street are divided among threads, and each thread has scratch buffers of its own. One thread
walks the first street.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.public.board_walks import add_boards, add_risen, own_reach, walk_boards
from regretless.kernels.public.layout import (
    BOTH,
    DOWN,
    UP,
    Betting,
    LaneBuffers,
    RisenValues,
    SolveState,
    StreetBuffers,
    ThreadScratch,
    WalkTask,
)
from regretless.poker.tree.all_in_tables import no_all_ins
from regretless.poker.tree.public_tree import PublicTree
from regretless.threads import run_together

__all__ = ["NO_STEP", "StreetView", "Walker", "kernel_state"]

Array = npt.NDArray[Any]


NO_STEP = np.zeros(8)
"""Step weights of walks that do not update regrets."""

FIRST_PHASES = np.arange(1, 17) * 0.7548776662466927

USUAL_STREETS = 4
"""Scratch buffers for this number of streets, also where a game has fewer: kernels are compiled for their number."""


class StreetView(NamedTuple):
    """The scratch buffers of a street after a walk, and the offsets of their rows and nodes."""

    scratch: StreetBuffers
    mine: int  # the first row of the player's reach
    theirs: int  # the first row of the other player's reach
    node: int  # the first node
    end: int  # one past the last node


class Walker:
    """Walks over a public tree on several threads; results do not depend on their number."""

    def __init__(
        self,
        tree: PublicTree,
        dtype: str,
        threads: int,
        betting: Betting | None = None,
        items: range | None = None,
    ) -> None:
        """items: the boards of the second street that `walk_below` walks; None walks all of them.

        Without `betting` all-ins before the last street are looked up in tables; with it, cards are dealt as it says.
        """
        self.tree, self.dtype = tree, np.dtype(dtype)
        self.entering = list(tree.book.weight)  # [2][classes] the reach of each player at the root
        if betting is None:
            self.betting, self.all_ins = tree.all_in_layout
        else:
            self.betting, self.all_ins = betting, no_all_ins(tree.streets, tree.boards)
        boards = tree.book.arrays
        if items is None:
            items = range(int(boards.street_boards[1]), int(boards.street_boards[min(2, tree.streets)]))
        self.items = np.arange(items.start, items.stop, dtype=np.int32)
        self.threads = max(1, min(threads, len(self.items)))
        self.shares = [self.items[first :: self.threads].copy() for first in range(self.threads)]
        unused = StreetBuffers(*(np.zeros((0,) * axes, self.dtype) for axes in (2, 2, 2, 2, 3)))
        self.first_scratch = self._street_scratch(0)
        self.scratch = [  # [threads][streets]
            (self.first_scratch, *(self._street_scratch(s) for s in range(1, tree.streets)))
            + (unused,) * (USUAL_STREETS - tree.streets)
            for _ in range(self.threads)
        ]
        self.root, self.unused_risen = np.zeros(1, np.int32), RisenValues(self.first_scratch.risen[None], 0)
        self.dealt = np.zeros((2, self._widest(0)), self.dtype)
        self.works = [self._work() for _ in range(self.threads)]
        lines = self._lines(1) if tree.streets > 1 else 0
        self.risen = np.zeros((len(self.items), 2, lines, int(boards.stride[:, 0].max())), self.dtype)

    def _lines(self, street: int) -> int:
        lines = self.betting.street_lines
        return int(lines[street + 1] - lines[street]) if street < self.tree.streets else 0

    def _widest(self, street: int) -> int:
        bounds = self.tree.book.arrays.street_boards
        return int(self.tree.book.arrays.stride[:, bounds[street] : bounds[street + 1]].max())

    def _street_scratch(self, street: int) -> StreetBuffers:
        """Buffers for a whole street, or on the last street for its largest bundle."""
        width = self._widest(street)
        nodes, rows = _sizes(self.tree, self.betting, street)
        make = lambda *shape: np.zeros((*shape, width), self.dtype)  # noqa: E731
        return StreetBuffers(
            mine=make(rows),
            theirs=make(rows + 1),
            value=make(nodes + 1),
            played=make(nodes),
            risen=make(2, max(1, self._lines(street + 1))),
        )

    def _work(self) -> ThreadScratch:
        boards = self.tree.book.arrays
        width = int(boards.stride.max())
        actions = int(self.tree.betting.children.max())
        empty = lambda *shape: np.zeros(shape, self.dtype)  # noqa: E731
        blockers = int(boards.blocker.max(initial=0)) + 1
        lanes = LaneBuffers(
            reach=empty(width, 16),
            free=empty(width, 16),
            shown=empty(width, 16),
            blocked=empty(blockers, 16),
            rows=empty(4, width),
            payoffs=empty(5, 16),
            begin=np.zeros(16, np.int64),
        )
        return ThreadScratch(
            block=empty(actions * width),
            guess=empty(actions * width),
            phase=empty(32),
            path=np.zeros((3, USUAL_STREETS), np.int64),
            smallest=float(np.finfo(self.dtype).tiny),
            lanes=lanes,
        )

    def enter_with(self, player: int, reach: Array) -> None:
        """Let a player enter the root with a given reach [classes] instead of the range of the game."""
        self.entering[player] = reach

    def set_phase(self, iteration: int) -> None:
        """Set the phase of the dither of 16-bit numbers for an iteration; a Weyl sequence in both directions."""
        phase = (FIRST_PHASES + iteration * 0.5698402909980532) % 1.0
        for work in self.works:
            work.phase[:16] = phase

    def walk(self, player: int, numbers: SolveState, source: Array, learning: bool, step: Array) -> StreetBuffers:
        """One walk for one player; returns the buffers of the first street, whose node 0 has the values of the root."""
        state = kernel_state(numbers)
        if self.tree.streets == 1:
            self._deal(player)
            self._walk_trunk(BOTH, player, state, source, learning, step)
            return self.first_scratch
        self.walk_down(player, state, source, learning, step)
        self.walk_below(player, state, source, learning, step)
        return self.walk_up(player, state, source, learning, step)

    def advance(self, state: SolveState, source: Array, steps: Array) -> None:
        """Iterations of a game of one street in one call of the kernel, for which a single walk is short."""
        for player in range(2):
            self.dealt[player, : len(self.entering[player])] = self.entering[player]
        task = WalkTask(self.root, BOTH, 0, True, np.ascontiguousarray(steps).ravel(), 2 * len(steps))
        self._walk_root(task, state, source)

    def walk_down(self, player: int, state: SolveState, source: Array, learning: bool, step: Array) -> None:
        """Compute both players' reach on the first street, `first_scratch.mine` and `.theirs`; state of kernels."""
        self._deal(player)
        self._walk_trunk(DOWN, player, state, source, learning, step)

    def walk_below(self, player: int, state: SolveState, source: Array, learning: bool, step: Array) -> None:
        """Walk the boards of the second street with everything below them; their values are left in `risen`."""
        tree = self.betting, self.tree.book.arrays, self.all_ins
        risen = RisenValues(self.risen, int(self.items[0]))
        jobs = [
            (*tree, WalkTask(share, BOTH, player, learning, step), self.dealt, state, source, own, risen, own_work)
            for share, own, own_work in zip(self.shares, self.scratch, self.works, strict=True)
        ]
        run_together(lambda number: walk_boards(*jobs[number]), self.threads)

    def add_below(self, player: int, sums: Array) -> None:
        """sums [1 or 2, lines, classes] += the values in `risen`, in the order of boards."""
        kinds, classes = len(sums), int(self.tree.book.arrays.count[player, 0])
        add_boards(self.risen, len(self.items), kinds, self._lines(1), classes, sums)

    def walk_up(
        self, player: int, state: SolveState, source: Array, learning: bool, step: Array, sums: Array | None = None
    ) -> StreetBuffers:
        """Add the values in `risen` in the order of boards and go up the first street; `sums` has been added before."""
        if sums is None:
            risen, lines = self.risen, self._lines(1)
            add_risen(self.tree.book.arrays, self.items, player, risen, lines, learning, self.first_scratch)
        else:
            self.first_scratch.risen[: len(sums)] = sums
        self._walk_trunk(UP, player, state, source, learning, step)
        return self.first_scratch

    def _walk_trunk(self, way: int, player: int, state: SolveState, source: Array, learning: bool, step: Array) -> None:
        """Walk the first street alone, or a game of one street."""
        self._walk_root(WalkTask(self.root, way, player, learning, step), state, source)

    def _walk_root(self, task: WalkTask, state: SolveState, source: Array) -> None:
        walk_boards(
            self.betting, self.tree.book.arrays, self.all_ins, task, self.dealt, state, source, self.scratch[0],
            self.unused_risen, self.works[0],
        )  # fmt: skip

    def _deal(self, player: int) -> None:
        """Set the reach at the root: that of the other player, and 1 for each hand of the player."""
        boards, scratch = self.tree.book.arrays, self.first_scratch
        scratch.theirs[0] = scratch.mine[0] = 0.0  # rows are longer than the lists of hands
        scratch.theirs[0, : boards.count[1 - player, 0]] = self.entering[1 - player]
        scratch.mine[0, : boards.count[player, 0]] = 1.0

    def view(
        self,
        player: int,
        numbers: SolveState,
        source: Array,
        path: tuple[int, ...],
        node: int,
        *,
        values: bool = True,
        own: bool = True,
    ) -> StreetView:
        """Walk along a path of boards and return both players' reach and the values around a node on the last board.

        The view has all nodes of the street. On the last street of the game, where the buffers hold one bundle, it has
        the nodes of the node's bundle. Without `values` nothing below the street is walked, and only reach is valid.
        Without `own` the player's own reach is valid only where it is 1: before its first action.
        """
        betting, street = self.betting, len(path) - 1
        scratch, nodes = self.scratch[0][street], betting.street_nodes
        view = StreetView(scratch, 0, 0, int(nodes[street]), int(nodes[street + 1]))
        if street == self.tree.streets - 1:
            bundle = int(np.searchsorted(betting.bundle_nodes, node, side="right")) - 1
            only = betting.street_bundles.copy()
            only[street : street + 2] = bundle, bundle + 1
            betting = betting._replace(street_bundles=only)
            rows, nodes = betting.bundle_rows[:, bundle], betting.bundle_nodes
            first, end = int(nodes[bundle]), int(nodes[bundle + 1])
            view = StreetView(scratch, int(rows[player]), int(rows[1 - player]), first, end)
        if street == 0 and self.tree.streets > 1 and values:
            self.walk(player, numbers, source, False, NO_STEP)
        else:
            self._walk_path(player, numbers, source, path, betting, BOTH if values else DOWN)
        if own:
            self._own_reach(player, source, path, betting, view)
        return view

    def _walk_path(
        self, player: int, numbers: SolveState, source: Array, path: tuple[int, ...], last: Betting, way: int
    ) -> None:
        """Walk down a path of boards; the last one uses the arrays `last` and, with `way` BOTH, all boards below."""
        self._deal(player)
        numbers = kernel_state(numbers)
        for street, board in enumerate(path):
            ending = street == len(path) - 1
            width = self.scratch[0][max(street - 1, 0)].risen.shape[-1]
            unused = np.zeros((1, 2, max(1, self._lines(street)), width), self.dtype)  # values for the street above
            task = WalkTask(np.array([board], np.int32), way if ending else DOWN, player, False, NO_STEP)
            walk_boards(
                last if ending else self.betting, self.tree.book.arrays, self.all_ins, task, self.dealt, numbers,
                source, self.scratch[0], RisenValues(unused, board), self.works[0],
            )  # fmt: skip

    def _own_reach(self, player: int, source: Array, path: tuple[int, ...], last: Betting, view: StreetView) -> None:
        """Compute the player's own reach along a path; a walk that only measures does not need it."""
        boards, smallest = self.tree.book.arrays, self.works[0].smallest
        for street, board in enumerate(path):
            ending = street == len(path) - 1
            betting, row_from = (last, view.mine) if ending else (self.betting, 0)
            bundles = betting.street_bundles[street : street + 2]
            own_reach(betting, boards, player, board, street, bundles, row_from, source, self.scratch[0], smallest)

    def worth(self, player: int, values: Array) -> float:
        """The value of a player in chips per game, from a row of counterfactual values at the root."""
        boards, weight = self.tree.book.arrays, self.tree.book.weight[player]
        begin, count = boards.begin[player, 0], boards.count[player, 0]
        size = boards.size[begin : begin + count]
        return float((size * weight) @ values[:count].astype(np.float64)) / self.tree.normaliser


def kernel_state(numbers: SolveState) -> SolveState:
    """The numbers with empty arrays in place of None, so that kernels are compiled for one type."""
    if numbers.guess is not None and numbers.locked is not None:
        return numbers
    guess = np.zeros(0, numbers.regret.dtype) if numbers.guess is None else numbers.guess
    locked = np.zeros(0, np.bool_) if numbers.locked is None else numbers.locked
    return numbers._replace(guess=guess, locked=locked)


def _sizes(tree: PublicTree, betting: Betting, street: int) -> tuple[int, int]:
    """The numbers of nodes and of rows of reach in the buffers of a street."""
    first, end = betting.street_nodes[street], betting.street_nodes[street + 1]
    if street < tree.streets - 1:
        rows = int(betting.row[:, first:end].max()) + 1
        return int(end - first), rows
    nodes = rows = 1
    for bundle in range(betting.street_bundles[street], betting.street_bundles[street + 1]):
        inside = slice(betting.bundle_nodes[bundle], betting.bundle_nodes[bundle + 1])
        nodes = max(nodes, inside.stop - inside.start)
        for player in range(2):
            rows = max(rows, int(betting.row[player, inside].max()) + 1 - int(betting.bundle_rows[player, bundle]))
    return int(nodes), rows
