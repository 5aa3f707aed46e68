"""A `Method` solves problems: it opens a game in the shape it walks, and makes a `Learner` that does the work.

    method.open(game) ──▶ Problem ──method.learner(problem, settings)──▶ Learner: advance, measure, arrays, restore

A method is a small frozen dataclass: its fields are its settings, and a run's file stores them. `Variant` (all tabular
CFR), `MCCFR`, `FSICFR`, `DeepCFR`, `NFSP` and the others are methods, and so is any class of yours with the same four
names. `rg.check_method` tests one.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy.typing as npt

from regretless.errors import OptionError
from regretless.problem import Capabilities, Problem, kind_of

__all__ = ["Learner", "LearnerTable", "Method", "Settings", "load_learners_with", "processors", "switch"]

Array = npt.NDArray[Any]
Factory = Callable[..., "Learner"]
Made = TypeVar("Made", bound=Factory)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def switch(word: str) -> bool:
    """A setting as text that is yes or no."""
    return {"yes": True, "true": True, "no": False, "false": False}[word.lower()]


@dataclass(frozen=True)
class Settings:
    """How to run, as opposed to what to run; `solve` fills it from its options."""

    fixed: Mapping[int, Any] = field(default_factory=dict)
    """{player: strategy} of the players that are held still."""
    dtype: str = "float64"
    threads: int = 1
    seed: int = 0
    device: str = "cpu"
    start: Any = None
    """The strategy to begin with, of methods whose capabilities have `starts`; None for uniform play."""
    started: bool = False
    """Whether the run began with a strategy; also of a run that goes on, whose `start` is not known any more."""


@runtime_checkable
class Method(Protocol):
    """Anything that `rg.solve` takes as its second argument."""

    @property
    def name(self) -> str:
        """The name in plots and tables."""

    @property
    def capabilities(self) -> Capabilities:
        """Precisions, devices, threads, and whether it needs the game listed."""

    def open(self, game: Any) -> Problem:
        """The problem to work on: a problem that the method accepts is returned as it is, a game is laid out.

        Ends in an OptionError where the method cannot work on the game, before anything large is laid out.
        """

    def learner(self, problem: Any, settings: Settings) -> Learner:
        """A fresh learner on a problem that `open` returned."""


class Learner(ABC):
    """A method at work on a problem."""

    measured_every: float = 1.05
    """A run is measured each time its iterations have grown by this factor."""

    measured_at_target: bool = False
    """Whether a solve with `until=` is measured where the target is expected, since measuring costs an iteration."""

    copies: bool = True
    """Whether a run gets copies of the arrays or, where they are too large for that, the arrays themselves."""

    grows: bool = False
    """Whether arrays grow with the run, so that a file's are longer than those of a fresh learner."""

    stops_at: str = "exploitability"
    """The column of a measurement that `until=` looks at."""

    whole: bool = True
    """Whether the state is that after `iteration` whole iterations; not where one has failed and could not be undone.
    """

    known_instead: str = "nothing is known about it"
    """What is known about exploitability where it is not exact, as part of a sentence."""

    def __init__(self, problem: Problem, settings: Settings) -> None:
        self.problem = problem
        self.settings = settings
        self.iteration = 0

    @abstractmethod
    def advance(self, iterations: int) -> None:
        """Run `iterations` more iterations and count them in `iteration`; 0 only compiles what will be needed."""

    @abstractmethod
    def arrays(self) -> dict[str, Array]:
        """Everything the next iteration depends on, by name; views, not copies.

        A problem makes strategies of them: a listed one of `average` [S], a weighted sum of plans.
        """

    @abstractmethod
    def measure(self) -> dict[str, float]:
        """One row of a run's history: at least exploitability, nash_conv and value, in chips."""

    def result_arrays(self) -> dict[str, Array]:
        """`arrays`, and what only strategies need: of a listed problem the last iterate `current` [S]."""
        return self.arrays()

    def stand_ins(self) -> Mapping[str, Any]:
        """For each of `arrays` something of the same type and shape, to compare a file with.

        Methods whose arrays must first be computed, or fetched from a device, return something cheaper here.
        """
        return self.arrays()

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        for name, array in self.arrays().items():
            array[...] = arrays[name]
        self.iteration = iteration

    @property
    def failure(self) -> str | None:
        """Why the average strategy is not that of the last iteration, with what to do; None where it is.

        A solve that ends with one raises it.
        """
        return None

    @property
    def exact(self) -> bool:
        """Whether what `measure` returns as exploitability is exact."""
        return self.problem.exact

    @property
    def learners(self) -> list[int]:
        """The players whose strategies are not fixed."""
        return [p for p in range(self.problem.players) if p not in self.settings.fixed]

    def average_strategy(self) -> Any:
        """The average strategy so far; the current one before anything is averaged."""
        return self.problem.strategy(self.result_arrays(), "average")

    def current_strategy(self) -> Any:
        """The last iterate."""
        return self.problem.strategy(self.result_arrays(), "current")


_loaders: list[Callable[[], None]] = []


def load_learners_with(load: Callable[[], None]) -> None:
    """Set what imports the learners of the package's own methods; the package does so when it is imported."""
    _loaders[:] = [load]


class LearnerTable:
    """The learners of one method, by the kind of problem that they work on.

    >>> table = LearnerTable()
    >>> @table.on("tree")
    ... def start(problem, method, settings): ...
    >>> table.kinds
    ('tree',)
    """

    def __init__(self) -> None:
        self._factories: dict[str, Factory] = {}

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of problems that there is a learner for."""
        return tuple(self._factories)

    def on(self, kind: str) -> Callable[[Made], Made]:
        """Register a class or function (problem, method, settings) → Learner for a kind of problem."""

        def register(factory: Made) -> Made:
            self._factories[kind] = factory
            return factory

        return register

    def check(self, method: Method, game: Any) -> None:
        """Refuse a game or problem of a kind that there is no learner for."""
        kind = kind_of(game)
        if kind not in self._factories and _loaders:
            _loaders[0]()
        if kind not in self._factories:
            known = f"it works on a {' or a '.join(self.kinds)}" if self.kinds else "no learner is registered for it"
            capabilities: Capabilities | None = getattr(game, "capabilities", None)
            advice = capabilities.advice if capabilities else ""
            raise OptionError(f"{method.name} does not work on a {kind}: {advice or known}")

    def start(self, method: Method, problem: Problem, settings: Settings) -> Learner:
        """A fresh learner of a method on a problem."""
        self.check(method, problem)
        return self._factories[problem.kind](problem, method, settings)
