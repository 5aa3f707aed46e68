"""What every solution method looks like from the solver's side: something that advances and can be put into a file."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.evaluation.responses import Gaps, plan_gaps, plan_of
from regretless.layout.labels import Labels
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["Learner", "Settings", "average_strategy", "processors"]

Array = npt.NDArray[Any]


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Settings:
    """How to run, as opposed to what to run."""

    fixed: Mapping[int, Strategy] = field(default_factory=dict)
    dtype: str = "float64"
    threads: int = 1
    seed: int = 0
    device: str = "cpu"

    def opening(self, tree: Tree) -> Strategy:
        """Where everybody begins: uniform, or what is fixed."""
        strategy = Strategy.uniform(tree)
        for player, fixed in self.fixed.items():
            strategy = strategy.with_player(player, fixed)
        return strategy


class Learner(ABC):
    """A solution method at work on a tree."""

    measured_every = 1.05
    """A run is measured each time its iterations have grown by this factor."""

    copies = True
    """Whether a run gets copies of the arrays, or, where they are too large for that, the arrays themselves."""

    grows = False
    """Whether arrays grow with the run, so that a file's are longer than those of a learner that has just begun."""

    def __init__(self, tree: Tree, settings: Settings) -> None:
        self.tree = tree
        self.settings = settings
        self.iteration = 0

    @abstractmethod
    def advance(self, iterations: int) -> None:
        """Run so many more iterations."""

    @abstractmethod
    def arrays(self) -> dict[str, Array]:
        """Everything the next iteration depends on, by name; not copies.

        One name is the same for every method: `average` [S], a weighted sum of plans.
        """

    def stand_ins(self) -> Mapping[str, Any]:
        """Something of the same type and shape for each of `arrays`, whatever it holds: files are compared with it.

        Methods whose arrays must first be computed, or fetched from a device, have something cheaper here.
        """
        return self.arrays()

    @abstractmethod
    def current(self) -> Array:
        """[S] the action probabilities of the last iterate."""

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        for name, array in self.arrays().items():
            array[...] = arrays[name]
        self.iteration = iteration

    @property
    def exact(self) -> bool:
        """Whether what `measure` calls exploitability is exactly that: it is on a tree."""
        return isinstance(self.tree, Tree)

    @property
    def learners(self) -> list[int]:
        """The players whose strategies are not fixed."""
        return [p for p in range(self.tree.players) if p not in self.settings.fixed]

    def profile(self) -> Array:
        """[S] the plan (or sum of plans) to be measured: the average, or the current one before there is any."""
        average = self.arrays()["average"]
        if np.all(average[self.tree.form.sequence_first[:-1]] > 0):
            return average
        return plan_of(self.tree, Strategy(self.tree.labels, self.current()))

    def average_strategy(self) -> Any:
        """The average strategy so far; the current one before anything is averaged."""
        return average_strategy(self.tree.labels, self.arrays()["average"], self.current())

    def current_strategy(self) -> Any:
        """The last iterate."""
        return Strategy(self.tree.labels, self.current())

    def gaps(self) -> Gaps:
        """Values and best-response values of the learning players."""
        return plan_gaps(self.tree, self.profile(), self.learners)

    def measure(self) -> dict[str, float]:
        """One row of a run's history."""
        gaps = self.gaps()
        conv = gaps.nash_conv
        first = self.learners[0] if self.learners else 0
        worth = gaps.values[0] if first == 0 else plan_gaps(self.tree, self.profile(), 0).values[0]
        return {"exploitability": conv / max(len(self.learners), 1), "nash_conv": conv, "value": float(worth)}


def average_strategy(labels: Labels, average: Array, current: Array) -> Strategy:
    """The strategy that a weighted sum of plans [S] amounts to; the current one [S] before anything is averaged."""
    averaged = average[labels.infoset_of_sequence < 0] > 0  # by player: what the empty sequence holds
    return Strategy.from_plan(labels, average) if np.all(averaged) else Strategy(labels, current)
