"""A lower bound on the exploitability of a strategy, for games that are too large to list.

A responder minimises regret against the average strategy, one player at a time, by sampling as the solve itself does;
then hands are played between the two. A best response wins at least as much as the responder: the mean is a lower
bound on exploitability up to the noise of the hands, which the confidence interval measures.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from regretless.compiled import CompiledGame
from regretless.errors import OptionError
from regretless.kernels.constants import AVERAGE, REGRET
from regretless.kernels.sampling.infoset_table import VALUES
from regretless.kernels.sampling.walk_records import LEARNS
from regretless.method import Settings
from regretless.sampling.infoset_store import TableStore
from regretless.sampling.mccfr import MCCFR
from regretless.sampling.playing.match_play import compiled_play
from regretless.sampling.walks import KERNELS, Walks
from regretless.variants import LINEAR_CFR

__all__ = ["LowerBound"]

Array = npt.NDArray[Any]

PART = 0.5
"""From one measurement to the next the responder visits this part of the histories that the solve has visited …"""

LESSON = 200_000
"""… but at least this many: without them a bound early in a run would be close to 0."""

REMEMBERED = 0.1
"""The weight of regrets from earlier measurements: they were against an older strategy."""

FEWEST_HANDS, MOST_HANDS = 2_000, 100_000
HANDS_PER_NODE = 1 / 50
"""Hands that are played for every history that the solve has visited: measuring takes a part of the time, not most."""

WORD = (1 << 64) - 1
CONFIDENT = 1.96
"""Standard errors to each side of a 95 % interval."""


class LowerBound:
    """A responder that goes on learning from measurement to measurement."""

    def __init__(
        self, compiled: CompiledGame, store: TableStore, settings: Settings, sampling: Literal["external", "outcome"]
    ) -> None:
        self.compiled, self.store, self.settings = compiled, store, settings
        method = MCCFR(sampling=sampling, variant=LINEAR_CFR)
        table = store.table
        limit = max(int(store.most_bytes * 0.4), 1 << 20)
        # The store's own precision: another type would be another compilation of the walk, which takes seconds.
        dtype = store.values.dtype.name
        self.responder = TableStore(words=table.words, lead=0, parts=2, dtype=dtype, most_bytes=limit)
        learning = np.full(compiled.game.players, LEARNS, np.int8)
        module, function = KERNELS[sampling]
        kernel = getattr(compiled.kernels(module), function)
        own = Settings(seed=settings.seed ^ 0x5DEECE66D)
        self.walks = Walks(method, kernel, compiled.rules, self.responder, learning, own, against=store)
        self.lessons, self.seen, self.full = 0, 0, False

    def _note(self, done: int) -> None:
        self.lessons = done

    def learn(self, nodes: int) -> None:
        """Visit `nodes` more histories, in growing batches of walks."""
        walks, last = 0, self.walks.nodes + nodes
        self.responder.values[: self.responder.table.used[VALUES]] *= REMEMBERED
        try:
            self.walks.advance(self.lessons + 1, walks, self._note)  # compiles where needed
            while self.walks.nodes < last:
                walks = max(1, min(2 * walks, 10_000))
                self.walks.advance(self.lessons + 1, walks, self._note)
        except OptionError:  # the table is full: what has been learned is still used
            self.full = True

    def measured(self, iteration: int, nodes: int) -> dict[str, float]:
        """One row of a run's history: the bound, its interval, and the value of the strategy to player 0.

        nodes: the histories that the solve has visited so far.
        """
        if not self.full:
            self.learn(max(LESSON, int(PART * (nodes - self.seen))) if nodes else 0)
        self.seen = nodes
        hands = int(min(max(nodes * HANDS_PER_NODE, FEWEST_HANDS), MOST_HANDS))
        mine = self.responder.table, self.responder.values, REGRET
        theirs = self.store.table, self.store.values, AVERAGE
        seed = (self.settings.seed ^ (iteration << 20)) & WORD
        won, _ = compiled_play(self.compiled, mine, theirs, None, seed, False)(0, hands)
        # All seatings of a deal are one hand where all players have the same strategy: with zero sum `before` is 0.
        plain, _ = compiled_play(self.compiled, theirs, theirs, None, seed ^ 1, True)(0, hands)
        players = won.shape[1]
        gains, before = won.sum(axis=1), plain.sum(axis=1)
        conv = float(gains.mean() - before.mean())
        error = float(gains.var() + before.var()) / hands
        margin = CONFIDENT * error**0.5
        low, middle, high = (max(0.0, conv + away) for away in (-margin, 0.0, margin))  # a best response loses nothing
        return {
            "exploitability": middle / players,
            "nash_conv": middle,
            "value": float(plain[:, 0].mean()),
            "exploitability_low": low / players,
            "exploitability_high": high / players,
        }
