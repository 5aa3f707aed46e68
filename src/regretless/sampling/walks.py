"""Running the walks of a sampled method, on one thread or by a team of them.

All walks of a turn read the numbers that the turn began with. On listed games with many walks, each walk adds its
updates to sums, in lanes that do not depend on the number of threads (`kernels.sampling.turns`). Otherwise walks write
their updates to logs, which are applied in the order of the walks (`kernels.sampling.update_log`). So neither the
number of threads nor their timing changes a bit of the result. One walk per player and iteration on a listed game needs
neither: it visits an own infoset at most once and updates it in place. Where outcome sampling on a listed game has
logs, its walks are made side by side (`kernels.sampling.blocks`), with the same result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import RegretlessError
from regretless.kernels.sampling import walk_records as records
from regretless.kernels.sampling.infoset_rules import MARK_BITS, end_window
from regretless.kernels.sampling.infoset_table import insert_new
from regretless.kernels.sampling.turns import LaneSums, next_turn
from regretless.kernels.sampling.update_log import ALL, NEW, NEW_INFOSETS, LogTarget, apply_log
from regretless.kernels.sampling.walk_records import LISTS_FULL, TABLE_FULL
from regretless.kernels.thread_team import Team
from regretless.method import Settings
from regretless.sampling.block_buffers import BlockBuffers, walks_in_blocks
from regretless.sampling.iteration_windows import IterationWindow, fades_by_sign, window_of
from regretless.sampling.mccfr import MCCFR
from regretless.sampling.thread_buffers import ThreadBuffers
from regretless.threads import ThreadTeam

__all__ = ["KERNELS", "Store", "Walks", "lanes_of"]

Array = npt.NDArray[Any]

KERNELS = {
    "external": ("sampling.walk_external", "external"),
    "average-strategy": ("sampling.walk_external", "external"),
    "outcome": ("sampling.walk_outcome", "outcome"),
    "chance": ("sampling.walk_chance", "every_action"),
    "public-chance": ("sampling.walk_chance", "every_action"),
}
"""The module and the function of each scheme."""

BLEND = {None: 0.0, "infoset": 0.2, "history": 0.5}
"""How far a baseline moves towards what was seen: half the way (Schmid et al. 2019, §5) by history. By infoset less
far, since there the same action is worth something else with every hand that others may hold."""

PRUNING_SHARE = 0.95

EVERY_ACTION = ("chance", "public-chance")
"""Schemes in which all players' actions are walked."""

LANES = (24, 12, 6)
"""How many lanes an iteration's walks are cut into, so that few numbers of threads divide them unevenly."""

NUMBERS_PER_WALK = 128
"""Numbers in sums for each walk at most: adding them up takes a small part of the time that a walk takes."""


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
        """Slot [I] and number of actions [I] of every infoset."""

    @abstractmethod
    def grow(self, *, lists_only: bool = False) -> None:
        """Enlarge the table for more infosets, or say why that is impossible; or only its action lists."""


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
        path_sizes: tuple[int, int] = (64, 1024),
    ) -> None:
        """path_sizes: the decisions, and their actions together, that fit the scratch of a walk. It must be enough from
        the start where walks update values directly or add to sums, since they cannot be walked again."""
        self.method, self.kernel, self.rules, self.store = method, kernel, rules, store
        self.learning, self.seed = learning, np.uint64(settings.seed)
        self.by_sign = fades_by_sign(method.variant)
        self.against = store if against is None else against
        """Whose averages the others play; the store itself where all players learn."""
        self.options = _options(method, store, against is not None)
        self.blend = BLEND[method.baseline]
        self.in_place = store.listed and method.traversals == 1 and method.sampling not in EVERY_ACTION
        can_sum = store.listed and method.baseline is None and method.traversals > 1
        self.lanes = lanes_of(method.traversals, len(store.values)) if can_sum else 0
        self.sums = np.zeros(self.lanes * len(store.values))
        self.marks = np.zeros(max(self.lanes, 1) * self._runs(), np.uint8)
        self.threads = max(1, min(settings.threads, self.lanes or method.traversals))
        self.buffers = ThreadBuffers(self.threads, len(learning), *path_sizes)
        self.blocks = (
            self._block_buffers(path_sizes[0]) if store.listed and against is None and not self.lanes else None
        )
        self.team = ThreadTeam(self.threads)
        self.nodes = 0
        self.turn = 0
        """Whose walks come next: player 0's, unless an iteration could not be finished for want of memory."""

    def advance(self, first: int, count: int, note: Callable[[int], None]) -> None:
        """Run iterations first, first + 1, …; `note` is told the last one of each window."""
        if count == 0:  # compile, or load what was compiled
            nothing = np.array([[first, first, 0, 0]])
            self.call(nothing, np.zeros(2, np.int64), self.learning, window_of(self.method.variant, first))
        done = first - 1
        while done < first + count - 1:
            window = window_of(self.method.variant, done + 1)
            last = min(window.last, first + count - 1)
            span = np.array([done + 1, last + 1, self.turn, 0])
            try:
                self._walk(span, window)
            except RegretlessError:  # the table cannot grow: the turns before this one are done
                note(int(span[0]) - 1)
                raise
            finally:
                self.turn = int(span[2])
            done = last
            if done == window.last:
                self._sweep(window)
            note(done)

    def walk_turn(self, iteration: int, player: int, walks: range) -> None:
        """Walk some of the walks of one player's turn; the random numbers are those of these walks in `advance`."""
        learning, self.learning = self.learning, np.where(np.arange(len(self.learning)) == player, self.learning, 0)
        try:
            span = np.array([iteration, iteration + 1, player, 0])
            self._walk(span, window_of(self.method.variant, iteration), walks)
        finally:
            self.learning = learning

    def _walk(self, span: Array, window: IterationWindow, walks: range | None = None) -> None:
        """Iterations span[0] … span[1] − 1, from player span[2] on; span is moved on as work is done."""
        lanes = self.lanes or self.threads
        walks = range(self.method.traversals) if walks is None else walks
        cuts = walks.start + len(walks) * np.arange(lanes + 1) // lanes
        while span[0] < span[1]:
            spans = np.tile(span, (self.threads, 4))  # each thread's own, on cache lines of its own
            nodes, status = self.call(spans, cuts, self.learning, window)
            self.nodes += nodes
            span[:] = spans[0, :4]
            if status in (TABLE_FULL, LISTS_FULL):
                self._settle(window, int(span[0]) - window.origin, NEW if status == LISTS_FULL else ALL)
                self.nodes += int(spans[:, 3].sum())
                next_turn(span, len(self.learning))
            elif status:
                self.buffers.grow(status)

    def call(
        self, spans: Array, cuts: Array, learning: Array, window: IterationWindow, *, end_turns: bool = True
    ) -> tuple[int, int]:
        """Let a thread walk for each row of `spans` [T, 4 or more]; the histories visited, and 0 or what must grow.

        cuts [lanes + 1]: where the lanes of a turn's walks begin. Without end_turns what they find stays in the logs.
        """
        if self.blocks is not None and end_turns:
            return self._call_blocks(self.blocks, spans, cuts, learning, window), 0
        of_threads, sums = self.buffers, self._sums()
        store, others = (records.Store(each.table, each.values, each.memory) for each in (self.store, self.against))
        flags = self.by_sign, self.in_place and end_turns, end_turns

        def work(team: Team) -> tuple[int, int]:
            number = team.number
            task = records.Task(learning, spans[number], cuts, self.seed, window.origin, *flags)
            buffers = records.ThreadBuffers(of_threads.scratches[number], of_threads.log, sums, team)
            visited, status = self.kernel(self.rules, store, others, window.weights, task, self.options, buffers)
            return int(visited), int(status)

        visited, statuses = zip(*self.team.run(work, len(spans)), strict=True)
        return sum(visited), min(statuses)

    def _block_buffers(self, deepest: int) -> BlockBuffers | None:
        """Buffers for walks side by side, where the method allows them."""
        method = self.method
        if not walks_in_blocks(method, self.store.columns()[1], deepest, self.threads):
            return None
        return BlockBuffers(self.threads, method.traversals, deepest, method.exploration)

    def _call_blocks(
        self, buffers: BlockBuffers, spans: Array, cuts: Array, learning: Array, window: IterationWindow
    ) -> int:
        """`call` where walks are made side by side: the histories visited."""
        from regretless.kernels.sampling.blocks.outcome_blocks import outcome_blocks

        store = records.Store(self.store.table, self.store.values, self.store.memory)

        def work(team: Team) -> int:
            task = records.Task(
                learning, spans[team.number], cuts, self.seed, window.origin, self.by_sign, False, True
            )  # fmt: skip
            block = buffers.blocks[team.number]
            return int(outcome_blocks(self.rules, store, window.weights, task, self.options, block, buffers.log, team))

        return sum(self.team.run(work, len(spans)))

    def _sums(self) -> LaneSums:
        """Where walks add what they find."""
        if not self.lanes:
            none = np.zeros(0, np.int64)
            return LaneSums(self.store.values, self.marks, none, none, 0, 0, 0, 0)
        slots, actions = self.store.columns()
        sizes = len(slots), self.lanes, len(self.store.values), self._runs()
        return LaneSums(self.sums, self.marks, slots, actions, *sizes)

    def _runs(self) -> int:
        """Runs of numbers with a mark of their own, where walks add to sums or to the values themselves."""
        return (len(self.store.values) >> MARK_BITS) + 1 if self.store.listed else 0

    def _settle(self, window: IterationWindow, step: int, left: int) -> None:
        """Give every new infoset of the logs its slot and apply the rest; where the table is too small, do nothing.

        Where only new infosets are left, all fit but their action lists, whose arrays can always grow.
        """
        store, logs = self.store, [self.buffers.log_of(number) for number in range(self.threads)]
        try:
            for each in logs:
                while each.fill[NEW_INFOSETS] and not insert_new(store.table, store.values, each, step):
                    store.grow(lists_only=left == NEW)
            for each in logs:
                target = LogTarget(store.values, store.memory, self.blend)
                apply_log(each, target, window.weights, step, self.by_sign, left)
        finally:
            self.buffers.log.fill[:] = 0

    def end_iteration(self, iteration: int) -> None:
        """Rescale the table if a window ends with this iteration, as `advance` does after the walks."""
        window = window_of(self.method.variant, iteration)
        if iteration == window.last:
            self._sweep(window)

    def _sweep(self, window: IterationWindow) -> None:
        slots, actions = self.store.columns()
        step = window.last - window.origin
        scales = window.regret_scale, window.average_scale
        end_window(self.store.values, slots, actions, self.by_sign, window.weights, step, *scales)


def lanes_of(traversals: int, numbers: int) -> int:
    """The number of lanes that walks are divided among, with `numbers` per lane; 0 where there are too few walks."""
    for lanes in LANES:
        if lanes <= traversals and lanes * numbers <= NUMBERS_PER_WALK * traversals:
            return lanes
    return 0


def _options(method: MCCFR, store: Store, fixed: bool) -> tuple[Any, ...]:
    """What the kernel of a scheme is told."""
    pruning = (-method.prune if method.prune else 0.0, PRUNING_SHARE)
    if method.sampling == "outcome":
        kinds = {None: records.NO_BASELINE, "infoset": records.BY_INFOSET, "history": records.BY_HISTORY}
        kind = kinds[method.baseline]
        return records.OutcomeOptions(method.exploration, BLEND[method.baseline], kind, store.histories, fixed)
    if method.sampling in EVERY_ACTION:
        return records.ChanceOptions(method.sampling == "public-chance", *pruning)
    least = method.exploration if method.sampling == "average-strategy" else 1.0
    return records.ExternalOptions(least, method.beta, method.tau, *pruning, fixed)
