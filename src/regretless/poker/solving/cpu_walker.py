"""Running walks: rooms for each walker, boards shared out among threads, the first street walked by one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.public.board_walks import BOTH, DOWN, UP, add_risen, descend, load_roots, walk_boards
from regretless.kernels.public.layout import Betting, Lanes, Numbers, Room, Work
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["NO_STEP", "Seen", "Walker", "of_one_type"]

Array = npt.NDArray[Any]


NO_STEP = np.zeros(8)
"""Step weights for walks that do not learn."""

USUAL_STREETS = 4
"""Walkers have rooms for as many streets even where a game has fewer: kernels are compiled for a number of rooms."""


class Seen(NamedTuple):
    """A walker's room after it has looked at a board, and what its rows and nodes are counted from."""

    room: Room
    mine: int  # the first row of the player's reach
    theirs: int  # the first row of the other player's reach
    node: int  # the first node
    end: int  # the first node that cannot be seen


class Walker:
    """Walks over a public tree on so many threads; the numbers do not depend on how many."""

    def __init__(self, tree: PublicTree, dtype: str, threads: int, betting: Betting | None = None) -> None:
        self.tree, self.dtype = tree, np.dtype(dtype)
        self.betting = tree.betting if betting is None else betting
        boards = tree.book.arrays
        self.items = np.arange(boards.street_boards[1], boards.street_boards[min(2, tree.streets)], dtype=np.int32)
        self.threads = max(1, min(threads, len(self.items)))
        self.shares = [self.items[first :: self.threads].copy() for first in range(self.threads)]
        self.first_room, unused = self._room(0), Room(*(np.zeros((0,) * axes, self.dtype) for axes in (2, 2, 2, 2, 3)))
        self.rooms = [
            (self.first_room, *(self._room(s) for s in range(1, tree.streets)))
            + (unused,) * (USUAL_STREETS - tree.streets)
            for _ in range(self.threads)
        ]
        self.works = [self._work() for _ in range(self.threads)]
        lines = self._lines(1) if tree.streets > 1 else 0
        self.risen = np.zeros((len(self.items), 2, lines, int(boards.stride[:, 0].max())), self.dtype)
        self.pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    def _lines(self, street: int) -> int:
        lines = self.tree.betting.street_lines
        return int(lines[street + 1] - lines[street]) if street < self.tree.streets else 0

    def _widest(self, street: int) -> int:
        bounds = self.tree.book.arrays.street_boards
        return int(self.tree.book.arrays.stride[:, bounds[street] : bounds[street + 1]].max())

    def _room(self, street: int) -> Room:
        """Room for a whole street, or on the last one for its largest bundle."""
        width = self._widest(street)
        nodes, rows = _sizes(self.tree, self.betting, street)
        make = lambda *shape: np.zeros((*shape, width), self.dtype)  # noqa: E731
        return Room(
            mine=make(rows),
            theirs=make(rows + 1),
            value=make(nodes + 1),
            played=make(nodes),
            risen=make(2, max(1, self._lines(street + 1))),
        )

    def _work(self) -> Work:
        boards = self.tree.book.arrays
        width = int(boards.stride.max())
        actions = int(self.tree.betting.children.max())
        empty = lambda *shape: np.zeros(shape, self.dtype)  # noqa: E731
        blockers = int(boards.blocker.max(initial=0)) + 1
        lanes = Lanes(
            reach=empty(width, 16),
            free=empty(width, 16),
            shown=empty(width, 16),
            blocked=empty(blockers, 16),
            payoffs=empty(5, 16),
            begin=np.zeros(16, np.int64),
        )
        return Work(
            block=empty(actions * width),
            hoped=empty(actions * width),
            phase=empty(32),
            smallest=float(np.finfo(self.dtype).tiny),
            lanes=lanes,
        )

    def set_phase(self, iteration: int) -> None:
        """Where the dither of 16-bit numbers begins in an iteration; a Weyl sequence in both directions."""
        phase = (np.arange(1, 17) * 0.7548776662466927 + iteration * 0.5698402909980532) % 1.0
        for work in self.works:
            work.phase[:16] = phase

    def walk(self, player: int, numbers: Numbers, source: Array, learning: bool, step: Array) -> Room:
        """One walk for one player; returns the room of the first street, whose node 0 holds the root's values."""
        tree, room, work = self.tree, self.first_room, self.works[0]
        betting, boards = self.betting, tree.book.arrays
        self._deal(player)
        rest = (player, of_one_type(numbers), source, learning, step)
        root = np.zeros(1, np.int32)
        if tree.streets == 1:
            walk_boards(betting, boards, root, BOTH, *rest, self.rooms[0], room.risen[None], 0, work)
            return room
        walk_boards(betting, boards, root, DOWN, *rest, self.rooms[0], room.risen[None], 0, work)
        jobs = [
            (betting, boards, share, BOTH, *rest, rooms, self.risen, int(boards.street_boards[1]), own)
            for share, rooms, own in zip(self.shares, self.rooms, self.works, strict=True)
        ]
        if self.pool is None:
            for job in jobs:
                walk_boards(*job)
        else:
            list(self.pool.map(lambda job: walk_boards(*job), jobs))
        add_risen(boards, self.items, player, self.risen, self._lines(1), learning, room)
        walk_boards(betting, boards, root, UP, *rest, self.rooms[0], room.risen[None], 0, work)
        return room

    def _deal(self, player: int) -> None:
        """Both players' reach at the root: the other's range, and one's own hands each for certain."""
        boards, book, room = self.tree.book.arrays, self.tree.book, self.first_room
        room.theirs[0], room.mine[0] = (
            0.0,
            0.0,
        )  # rows are longer than lists of hands: nothing of the last walk may stay
        room.theirs[0, : boards.count[1 - player, 0]] = book.weight[1 - player]
        room.mine[0, : boards.count[player, 0]] = 1.0

    def look(
        self, player: int, numbers: Numbers, source: Array, path: tuple[int, ...], node: int, values: bool = True
    ) -> Seen:
        """Measure along a path of boards, to see reach (own reach as well) and values around a node on the last one.

        What is seen are all nodes of the street; on the last street of the game, where only a bundle is kept at a time,
        those of the node's bundle. Without `values` nothing below the street is walked, and only reach is seen.
        """
        betting, street = self.betting, len(path) - 1
        room, nodes = self.rooms[0][street], betting.street_nodes
        seen = Seen(room, 0, 0, int(nodes[street]), int(nodes[street + 1]))
        if street == self.tree.streets - 1:
            bundle = int(np.searchsorted(betting.bundle_nodes, node, side="right")) - 1
            only = betting.street_bundles.copy()
            only[street : street + 2] = bundle, bundle + 1
            betting = betting._replace(street_bundles=only)
            rows, nodes = betting.bundle_rows[:, bundle], betting.bundle_nodes
            seen = Seen(room, int(rows[player]), int(rows[1 - player]), int(nodes[bundle]), int(nodes[bundle + 1]))
        if street == 0 and self.tree.streets > 1 and values:
            self.walk(player, numbers, source, False, NO_STEP)
        else:
            self._walk_path(player, numbers, source, path, betting, BOTH if values else DOWN)
        self._own_reach(player, source, path, betting, seen)
        return seen

    def _walk_path(
        self, player: int, numbers: Numbers, source: Array, path: tuple[int, ...], last: Betting, way: int
    ) -> None:
        """Down a path of boards; the last one is walked through `last`, the `way` BOTH with everything below it."""
        self._deal(player)
        numbers = of_one_type(numbers)
        for street, board in enumerate(path):
            ending = street == len(path) - 1
            width = self.rooms[0][max(street - 1, 0)].risen.shape[-1]
            nowhere = np.zeros((1, 2, max(1, self._lines(street)), width), self.dtype)  # values rise no further
            walk_boards(
                last if ending else self.betting, self.tree.book.arrays, np.array([board], np.int32),
                way if ending else DOWN, player, numbers, source, False, NO_STEP, self.rooms[0], nowhere, board,
                self.works[0],
            )  # fmt: skip

    def _own_reach(self, player: int, source: Array, path: tuple[int, ...], last: Betting, seen: Seen) -> None:
        """The player's own reach in the rooms of a path, which measuring does not need."""
        boards, rooms, smallest = self.tree.book.arrays, self.rooms[0], self.works[0].smallest
        for street, board in enumerate(path):
            ending = street == len(path) - 1
            betting, row_from = (last, seen.mine) if ending else (self.betting, 0)
            for bundle in range(betting.street_bundles[street], betting.street_bundles[street + 1]):
                if street:
                    upper = rooms[street - 1].mine
                    load_roots(betting, boards, board, player, street, bundle, row_from, upper, rooms[street].mine)
                nodes = betting.bundle_nodes[bundle : bundle + 2]
                descend(betting, boards, board, player, nodes, row_from, source, rooms[street].mine, smallest)

    def worth(self, player: int, values: Array) -> float:
        """Chips per game, from a row of the root's counterfactual values."""
        boards, weight = self.tree.book.arrays, self.tree.book.weight[player]
        begin, count = boards.begin[player, 0], boards.count[player, 0]
        size = boards.size[begin : begin + count]
        return float((size * weight) @ values[:count].astype(np.float64)) / self.tree.normaliser


def of_one_type(numbers: Numbers) -> Numbers:
    """The numbers as kernels take them: empty arrays where there are none."""
    guess = np.zeros(0, numbers.regret.dtype) if numbers.guess is None else numbers.guess
    locked = np.zeros(0, np.bool_) if numbers.locked is None else numbers.locked
    return numbers._replace(guess=guess, locked=locked)


def _sizes(tree: PublicTree, betting: Betting, street: int) -> tuple[int, int]:
    """Nodes and rows of reach that a room for a street must hold."""
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
