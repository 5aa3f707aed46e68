"""How exploitable the strategy of a game is that nobody can list: at least as much as somebody who learns can win from
it.

A responder minimises regret against the average strategy, one player at a time, by external sampling; then hands are
played between the two. Whatever the responder wins more than its share, a best response wins at least: the mean is a
lower bound on exploitability up to the luck of the hands, and its confidence interval says how much that may be.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.compiled import CompiledGame
from regretless.errors import OptionError
from regretless.kernels.walk_rules import AVERAGE, LEARNS, REGRET
from regretless.methods.learner import Settings
from regretless.methods.mccfr import MCCFR
from regretless.sampling.playing import compiled_play
from regretless.sampling.table import TableStore
from regretless.sampling.walks import Walks
from regretless.variants import LINEAR_CFR

__all__ = ["LowerBound"]

Array = npt.NDArray[Any]

LESSONS = 200
"""The least number of walks for each player before hands are played."""

PART = 0.25
"""The responder walks this part of the iterations that the solve has done since it was last measured."""

HANDS = 40_000
WORD = (1 << 64) - 1
CONFIDENT = 1.96
"""Standard errors to each side of a 95 % interval."""


class LowerBound:
    """A responder that goes on learning from measurement to measurement."""

    def __init__(self, compiled: CompiledGame, store: TableStore, settings: Settings) -> None:
        self.compiled, self.store, self.settings = compiled, store, settings
        method = MCCFR(sampling="external", variant=LINEAR_CFR)
        table = store.table
        room = max(int(store.most_bytes * 0.4), 1 << 20)
        self.responder = TableStore(words=table.words, lead=0, parts=2, dtype="float32", most_bytes=room)
        learning = np.full(compiled.game.players, LEARNS, np.int8)
        kernel = compiled.kernels("walk_external").external
        own = Settings(seed=settings.seed ^ 0x5DEECE66D)
        self.walks = Walks(method, kernel, compiled.rules, self.responder, learning, own, against=store)
        self.lessons, self.seen, self.full = 0, 0, False

    def _note(self, done: int) -> None:
        self.lessons = done

    def measured(self, iteration: int) -> dict[str, float]:
        """One row of a run's history: the bound, its interval, and the value of the strategy to player 0."""
        walks = max(LESSONS, int(PART * (iteration - self.seen))) if iteration else 0
        self.seen = iteration
        if not self.full:
            try:
                self.walks.advance(self.lessons + 1, walks, self._note)
            except OptionError:  # no room for more infosets: what has been learned still plays
                self.full = True
        mine = self.responder.table, np.asarray(self.responder.values, self.store.values.dtype), REGRET
        theirs = self.store.table, self.store.values, AVERAGE
        seed = (self.settings.seed ^ (iteration << 20)) & WORD
        won, _ = compiled_play(self.compiled, mine, theirs, None, seed, False)(0, HANDS)
        # All seatings of a deal are one hand where everybody plays the same: with zero sum `before` is exactly zero.
        plain, _ = compiled_play(self.compiled, theirs, theirs, None, seed ^ 1, True)(0, HANDS)
        players = won.shape[1]
        gains, before = won.sum(axis=1), plain.sum(axis=1)
        conv = float(gains.mean() - before.mean())
        error = float(gains.var() + before.var()) / HANDS
        margin = CONFIDENT * error**0.5
        return {
            "exploitability": conv / players,
            "nash_conv": conv,
            "value": float(plain[:, 0].mean()),
            "exploitability_low": (conv - margin) / players,
            "exploitability_high": (conv + margin) / players,
        }
