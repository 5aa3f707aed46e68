"""Sampled CFR on a compiled game that is never listed: infosets are met on the way, exploitability is bounded from
below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError, OptionError
from regretless.kernels.constants import AVERAGE, REGRET
from regretless.kernels.sampling.walk_records import LEARNS
from regretless.method import Learner, Settings
from regretless.sampling.infoset_store import MOST_PLAYERS, TableStore
from regretless.sampling.iteration_windows import fades_by_sign
from regretless.sampling.lower_bound import LowerBound
from regretless.sampling.mccfr import MCCFR
from regretless.sampling.table_strategy import TableStrategy
from regretless.sampling.unlisted_problem import Unlisted
from regretless.sampling.walks import KERNELS, Walks

__all__ = ["UnlistedLearner"]

Array = npt.NDArray[Any]


class UnlistedLearner(Learner):
    """A sampled method at work on a game that is never listed."""

    grows = True
    known_instead = "only a lower bound is known for a game that is not listed"
    measured_every = 1.5
    """Bounding exploitability takes a while: it is done each time the iterations have grown by this factor."""

    def __init__(self, unlisted: Unlisted, method: MCCFR, settings: Settings) -> None:
        if method.baseline == "history":
            raise OptionError(
                f"baseline='history' needs a listed game and {type(unlisted.game).__name__} is too large to list: use "
                "baseline='infoset'"
            )
        if unlisted.players > MOST_PLAYERS:
            raise OptionError(
                f"a game that is not listed has at most {MOST_PLAYERS} players, {type(unlisted.game).__name__} has "
                f"{unlisted.players}"
            )
        super().__init__(unlisted, settings)
        self.unlisted, self.method = unlisted, method
        self.store = TableStore(
            words=unlisted.compiled.infoset_numbers or 2,
            lead=int(fades_by_sign(method.variant)),
            parts=2 + (unlisted.players if method.baseline == "infoset" else 0),
            dtype=settings.dtype,
            most_bytes=method.memory,
        )
        module, function = KERNELS[str(method.sampling)]
        kernel = getattr(unlisted.compiled.kernels(module), function)
        learning = np.full(unlisted.players, LEARNS, np.int8)
        self.walks = Walks(method, kernel, unlisted.compiled.rules, self.store, learning, settings)
        scheme: Literal["external", "outcome"] = "outcome" if method.sampling == "outcome" else "external"
        self.bound = LowerBound(unlisted.compiled, self.store, settings, scheme)

    def advance(self, iterations: int) -> None:
        """Run more iterations."""

        def note(done: int) -> None:
            self.iteration = done

        self.walks.advance(self.iteration + 1, iterations, note)

    def arrays(self) -> dict[str, Array]:
        """The table: rows, values and action_lists; the number of histories visited and whose turn it is."""
        return {**self.store.arrays(), "nodes": np.array([self.walks.nodes, self.walks.turn])}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        if not np.array_equal(arrays["layout"], self.store.arrays()["layout"]):
            raise FileError(f"the table of this run is not one that {self.method.name} keeps: the file is damaged")
        self.store.restore(arrays)
        self.walks.nodes, self.walks.turn = arrays["nodes"].tolist()
        self.iteration = iteration

    def average_strategy(self) -> TableStrategy:
        """The average strategy so far, at the infosets visited."""
        return TableStrategy(self.unlisted.labels, self.store, AVERAGE)

    def current_strategy(self) -> TableStrategy:
        """What regrets call for now."""
        return TableStrategy(self.unlisted.labels, self.store, REGRET)

    def measure(self) -> dict[str, float]:
        """A lower bound on exploitability with its confidence interval, the value, and how much has been met."""
        bound = self.bound.measured(self.iteration, self.walks.nodes)
        return {
            **bound,
            "nodes": float(self.walks.nodes),
            "infosets": float(self.store.infosets),
        }
