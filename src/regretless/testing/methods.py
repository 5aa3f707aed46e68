"""`check_method`: whether a method keeps the contract of `Method` and its learners that of `Learner`."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from regretless.errors import RegretlessError
from regretless.lookup.methods import check_storable
from regretless.method import Learner, Method, Settings
from regretless.problem import Capabilities, Problem, found, is_problem
from regretless.run import read_run
from regretless.solver import check_request, resume, solve

__all__ = ["MethodConformance", "check_method"]

MEASURED = ("exploitability", "nash_conv", "value")


@dataclass(frozen=True)
class MethodConformance:
    """What a method was seen to do."""

    name: str
    kind: str
    """The kind of problem it opened the game as."""
    iterations: int
    exploitability: float
    """After that many iterations; NaN where it is unknown."""
    stored: bool
    """Whether its runs can be written to files, read back and resumed."""


def check_method(method: Any, game: Any = "kuhn", *, iterations: int = 6, seed: int = 1) -> MethodConformance:
    """Assert that a method keeps the contract of `Method`; an AssertionError says which part it breaks.

    It must have a name and capabilities; open a game, and accept the problem that it opened; start learners that
    advance by as many iterations as asked, whose measuring changes nothing, that are deterministic for a seed, and
    that continue from their arrays, and from a file, bit for bit.

    >>> import regretless as rg
    >>> rg.check_method(rg.CFR_PLUS)
    MethodConformance(name='CFR+', kind='tree', iterations=6, exploitability=0.0..., stored=True)
    """
    _check_attributes(method)
    problem = _opened(method, game)
    dtype = check_request(method, problem.capabilities, None, "cpu")
    settings = Settings(dtype=dtype, threads=1, seed=seed)
    _check_learner(method, problem, settings, iterations)
    row = _check_restoring(method, problem, settings, iterations)
    stored = _check_files(method, problem, iterations, seed)
    return MethodConformance(method.name, problem.kind, iterations, row["exploitability"], stored)


def _check_attributes(method: Any) -> None:
    assert not isinstance(method, type), f"{method.__name__} is a class: pass a method, {method.__name__}()"
    for name in ("name", "capabilities", "open", "learner"):
        assert hasattr(method, name), f"{type(method).__name__} has no {name!r}"
    assert isinstance(method, Method)
    assert isinstance(method.name, str) and method.name, f"name is a text, got {method.name!r}"
    assert isinstance(method.capabilities, Capabilities), (
        f"capabilities is rg.Capabilities(…), got {method.capabilities!r}"
    )


def _opened(method: Method, game: Any) -> Problem:
    problem = method.open(found(game))
    assert is_problem(problem), f"open() returned {problem!r}, which is no problem: rg.open_problem(game) makes one"
    again = method.open(problem)
    assert again is problem or again.fingerprint == problem.fingerprint, "open() does not accept the problem it opened"
    return problem


def _check_learner(method: Method, problem: Problem, settings: Settings, iterations: int) -> None:
    learner = method.learner(problem, settings)
    assert isinstance(learner, Learner), f"learner() returned {learner!r}, which is no rg.Learner"
    assert learner.problem is problem and learner.iteration == 0, "a fresh learner is at iteration 0 of its problem"
    learner.advance(0)
    assert learner.iteration == 0, "advance(0) compiles what is needed and changes nothing"
    _check_row(learner.measure())
    learner.advance(1)
    learner.advance(iterations - 1)
    assert learner.iteration == iterations, f"after {iterations} iterations the learner is at {learner.iteration}"
    before = _copied(learner.arrays())
    assert "current" not in before, "'current' is the name of the last iterate: call an array of the state otherwise"
    _check_row(learner.measure())
    assert _same(before, learner.arrays()), "measure() changes the state"
    for which in ("average", "current"):
        strategy = learner.average_strategy() if which == "average" else learner.current_strategy()
        _check_strategy(strategy, which)


def _check_row(row: Mapping[str, float]) -> None:
    for name in MEASURED:
        assert name in row, f"measure() returns no {name!r}, only {', '.join(row)}"
        assert isinstance(row[name], int | float), f"measure() returns {row[name]!r} as {name}"
    assert math.isnan(row["exploitability"]) or row["exploitability"] >= 0, "exploitability is negative"


def _check_strategy(strategy: Any, which: str) -> None:
    if not isinstance(strategy, Mapping):
        return
    for infoset, probabilities in strategy.items():
        total = sum(probabilities.values())
        fair = min(probabilities.values()) >= 0 and abs(total - 1) < 1e-6
        assert fair, f"the {which} strategy at {infoset!r} is no distribution: {probabilities}"


def _check_restoring(method: Method, problem: Problem, settings: Settings, iterations: int) -> dict[str, float]:
    """The same bits twice, and again with a stop at every iteration number on the way."""
    whole = _advanced(method.learner(problem, settings), iterations)
    again = _advanced(method.learner(problem, settings), iterations)
    assert _same(whole.arrays(), again.arrays()), "two runs with the same seed differ"
    for stop in range(1, iterations):
        first = _advanced(method.learner(problem, settings), stop)
        second = method.learner(problem, settings)
        second.restore(_copied(first.arrays()), stop)
        assert second.iteration == stop, f"restore() leaves the learner at iteration {second.iteration}, not {stop}"
        second.advance(iterations - stop)
        assert _same(whole.arrays(), second.arrays()), f"a learner restored after {stop} iterations goes on differently"
    return whole.measure()


def _check_files(method: Method, problem: Problem, iterations: int, seed: int) -> bool:
    """A run in a file is the run, and goes on bit for bit."""
    try:
        check_storable(method)
    except RegretlessError:
        return False
    whole = solve(problem, method, iterations=iterations, seed=seed, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "half.run"
        half = solve(problem, method, iterations=iterations // 2, seed=seed, threads=1)
        half.save(path)
        loaded = read_run(path, game=problem.game, method=method)
        assert _same(half.arrays, loaded.arrays), "a run that is read from its file has other arrays"
        resumed = resume(path, iterations=iterations - iterations // 2, game=problem, method=method, threads=1)
        assert _same(whole.arrays, resumed.arrays), "a run that is resumed from its file goes on differently"
    return True


def _advanced(learner: Learner, iterations: int) -> Learner:
    learner.advance(iterations)
    return learner


def _copied(arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {name: np.array(array) for name, array in arrays.items()}


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        np.array_equal(one[name], other[name], equal_nan=np.asarray(one[name]).dtype.kind == "f") for name in one
    )
