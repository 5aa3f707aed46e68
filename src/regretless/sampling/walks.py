"""Running the walks of a sampled method: one kernel call on one thread, or the walks of each iteration shared by
several.

A walk reads what its iteration began with and writes what it found to a log; logs are carried out in the order of the
walks, each infoset by one thread, so neither the number of threads nor their timing changes a bit of the result. One
walk per player and iteration on a listed game needs no log: it meets an own infoset at most once and changes it on the
spot.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import RegretlessError
from regretless.kernels.borrowed import lend
from regretless.kernels.chance_tables import sweep
from regretless.kernels.table import place_newcomers
from regretless.kernels.walk_outcome import BY_HISTORY, BY_INFOSET, NO_BASELINE
from regretless.kernels.walk_rules import (
    FRAME,
    LOG_FULL,
    SCRATCH_FULL,
    SUMS,
    TABLE_FULL,
    Log,
    Scratch,
    carry_out,
    move_on,
)
from regretless.methods.learner import Settings
from regretless.methods.mccfr import MCCFR
from regretless.sampling.windows import Stretch, fades_by_sign, stretch_of

__all__ = ["KERNELS", "Store", "Walks"]

Array = npt.NDArray[Any]

KERNELS = {
    "external": ("walk_external", "external"),
    "average-strategy": ("walk_external", "external"),
    "outcome": ("walk_outcome", "outcome"),
    "chance": ("walk_all", "every_action"),
    "public-chance": ("walk_all", "every_action"),
}
"""The module and the function of each scheme."""

BLEND = {None: 0.0, "infoset": 0.2, "history": 0.5}
"""How far a baseline moves towards what was seen: half the way (Schmid et al. 2019, §5) by history. By infoset less
far, since there the same action is worth something else with every hand that others may hold."""

PRUNING_SHARE = 0.95


class Store(ABC):
    """The numbers of all infosets, and the table that finds them."""

    table: Any
    values: Array
    memory: Array
    """Baselines by history."""
    listed: bool
    histories: int
    """How many histories have numbers; 0 where the game is not listed."""

    @abstractmethod
    def columns(self) -> tuple[Array, Array]:
        """Place [I] and number of actions [I] of every infoset."""

    @abstractmethod
    def grow(self) -> None:
        """Make room for more infosets, or say why there is none."""


@dataclass
class Room:
    """What one thread works with; it grows when a walk says that it is too small."""

    players: int
    deepest: int
    widest: int
    scratch: Scratch = field(init=False)
    log: Log = field(init=False)

    def __post_init__(self) -> None:
        self.make_scratch(self.deepest, self.widest)
        self.make_log(1024)

    def make_scratch(self, deepest: int, widest: int) -> None:
        """Room for walks of so many decisions with so many actions in all."""
        self.scratch = Scratch(
            np.empty(deepest * FRAME, np.int64), np.empty(deepest * SUMS), lend(np.empty(widest, np.int64)),
            lend(np.empty(widest)), np.empty(widest), np.empty(widest), lend(np.empty(self.players)), deepest, widest,
        )  # fmt: skip

    def make_log(self, entries: int) -> None:
        """Room for so many updates, of four numbers each on average."""
        self.log = Log(
            np.empty(2 * entries, np.int64), np.empty(4 * entries), np.empty(5 * entries, np.int64),
            np.empty(4 * entries, np.int64), np.zeros(4, np.int64), entries, 4 * entries,
        )  # fmt: skip

    def grow(self, status: int) -> None:
        """More of what a walk found too small."""
        if status == SCRATCH_FULL:
            self.make_scratch(2 * self.scratch.deepest, 2 * self.scratch.widest)
        elif status == LOG_FULL:
            self.make_log(2 * self.log.entries)


class Walks:
    """A sampled method at work on a store of infosets."""

    def __init__(
        self,
        method: MCCFR,
        kernel: Any,
        rules: Any,
        store: Store,
        learning: Array,
        settings: Settings,
        against: Store | None = None,
        room: tuple[int, int] = (64, 1024),
    ) -> None:
        """room: the decisions and the actions of a walk that there is room for; where walks change numbers on the spot
        it must be enough from the start, since they cannot be walked again."""
        self.method, self.kernel, self.rules, self.store = method, kernel, rules, store
        self.learning, self.seed = learning, np.uint64(settings.seed)
        self.fades = fades_by_sign(method.variant)
        self.against = store if against is None else against
        """Whose averages the others play; the store itself where everybody learns."""
        self.options = _options(method, store, against is not None)
        self.blend = BLEND[method.baseline]
        self.threads = max(1, min(settings.threads, method.traversals))
        self.rooms = [Room(len(learning), *room) for _ in range(self.threads)]
        self.pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self.nodes = 0
        self.turn = 0
        """Whose walks come next: player 0's, unless an iteration could not be finished for want of memory."""

    def advance(self, first: int, count: int, note: Callable[[int], None]) -> None:
        """Run iterations first, first + 1, …; `note` is told the last one of each stretch that is done."""
        if count == 0:  # compile, or load what was compiled
            stretch = stretch_of(self.method.variant, first)
            self._call(self.rooms[0], np.array([first, first, 0, 0]), (0, 0), self.learning, stretch, settles=True)
        done = first - 1
        while done < first + count - 1:
            stretch = stretch_of(self.method.variant, done + 1)
            last = min(stretch.last, first + count - 1)
            span = np.array([done + 1, last + 1, self.turn, 0])
            try:
                self._walk(span, stretch)
            except RegretlessError:  # no room for more infosets: what was done before this player's turn is done
                note(int(span[0]) - 1)
                raise
            finally:
                self.turn = int(span[2])
            done = last
            if done == stretch.last:
                self._sweep(stretch)
            note(done)

    def _walk(self, span: Array, stretch: Stretch) -> None:
        """Iterations span[0] … span[1] − 1, from player span[2] on; span is moved on as work is done."""
        while span[0] < span[1]:
            if self.pool is None:
                self._alone(span, stretch)
                continue
            if self.learning[span[2]]:
                self._shared(int(span[0]), int(span[2]), stretch, self.pool)
            move_on(span, len(self.learning))

    def _alone(self, span: Array, stretch: Stretch) -> None:
        """As many iterations as there is room for, on this thread."""
        room, walks = self.rooms[0], (0, self.method.traversals)
        nodes, status = self._call(room, span, walks, self.learning, stretch, settles=True)
        self.nodes += nodes
        if status == TABLE_FULL:
            step = int(span[0]) - stretch.origin
            self._settle([room], step)
            self._carry(room.log, stretch, step, 0, 1)
            room.log.fill[:] = 0
            self.nodes += int(span[3])
            move_on(span, len(self.learning))

    def _shared(self, iteration: int, player: int, stretch: Stretch, pool: ThreadPoolExecutor) -> None:
        """One player's walks of an iteration, shared by all threads, and then their updates, shared as well."""
        walks, step = self.method.traversals, iteration - stretch.origin
        cuts = [walks * k // self.threads for k in range(self.threads + 1)]
        mine = np.where(np.arange(len(self.learning)) == player, self.learning, 0)

        def walk(k: int) -> int:
            status, nodes = 1, 0
            while status:
                span = np.array([iteration, iteration + 1, player, 0])
                nodes, status = self._call(self.rooms[k], span, (cuts[k], cuts[k + 1]), mine, stretch, settles=False)
            return nodes

        def carry(k: int) -> None:
            for room in self.rooms:
                self._carry(room.log, stretch, step, k, self.threads)

        nodes = sum(pool.map(walk, range(self.threads)))
        self._settle(self.rooms, step)
        list(pool.map(carry, range(self.threads)))
        for room in self.rooms:
            room.log.fill[:] = 0
        self.nodes += nodes

    def _carry(self, log: Log, stretch: Stretch, step: int, share: int, shares: int) -> None:
        store = self.store
        carry_out(log, store.values, store.memory, stretch.window, step, self.fades, self.blend, share, shares)

    def _call(
        self, room: Room, span: Array, walks: tuple[int, int], learning: Array, stretch: Stretch, settles: bool
    ) -> tuple[int, int]:
        """One call of the kernel: the histories visited, and 0 or what must grow; what is this thread's own has
        grown."""
        at_once = settles and self.store.listed and self.method.traversals == 1
        store = self.store
        others: tuple[Any, ...] = ()
        if self.method.sampling in ("external", "average-strategy", "outcome"):
            others = (self.against.table, self.against.values)
        nodes, status = self.kernel(
            self.rules, store.table, store.values, store.memory, stretch.window, learning, span, walks, self.seed,
            stretch.origin, (self.fades, at_once, settles), self.options, room.scratch, room.log, *others,
        )  # fmt: skip
        room.grow(status)
        return int(nodes), int(status)

    def _settle(self, rooms: list[Room], step: int) -> None:
        """Give every newcomer of the rooms' logs its place; if there is none, nothing of these logs is done."""
        try:
            for room in rooms:
                while room.log.fill[2] and not place_newcomers(self.store.table, self.store.values, room.log, step):
                    self.store.grow()
        except RegretlessError:
            for room in rooms:
                room.log.fill[:] = 0
            raise

    def _sweep(self, stretch: Stretch) -> None:
        place, actions = self.store.columns()
        step = stretch.last - stretch.origin
        scales = stretch.regret_scale, stretch.average_scale
        sweep(self.store.values, place, actions, self.fades, stretch.window, step, *scales)


def _options(method: MCCFR, store: Store, fixed: bool) -> tuple[Any, ...]:
    """What the kernel of a scheme is told."""
    pruning = (-method.prune if method.prune else 0.0, PRUNING_SHARE)
    if method.sampling == "outcome":
        kind = {None: NO_BASELINE, "infoset": BY_INFOSET, "history": BY_HISTORY}[method.baseline]
        return (method.exploration, BLEND[method.baseline], kind, store.histories, fixed)
    if method.sampling in ("chance", "public-chance"):
        return (method.sampling == "public-chance", *pruning)
    least = method.exploration if method.sampling == "average-strategy" else 1.0
    return (least, method.beta, method.tau, *pruning, fixed)
