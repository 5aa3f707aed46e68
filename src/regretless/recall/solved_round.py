"""A round of Dudo or liar's dice with perfect recall, solved with vectors of hands: also where it is too large to
list."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.claim_games import ClaimWalks, Replies
from regretless.games.claims import ClaimGame
from regretless.games.parameters import need_whole
from regretless.kernels.numpy_matching import matched
from regretless.linter.memory import available_memory, in_units
from regretless.method import processors

__all__ = ["SolvedRound", "solve_round"]

Array = npt.NDArray[Any]

POWER = 2.0
"""Iteration t counts t² in the average."""

GROWTH = 1.3
"""Measurements are made each time the iterations have grown by this factor; one takes as long as an iteration."""

ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class SolvedRound:
    """A round and the average strategies of a solve. As a function it plays the round, in `rg.match` for example."""

    game: ClaimGame
    iterations: int
    seconds: float
    history: Mapping[str, Array] = field(repr=False)
    """Columns of measurements: iteration, seconds, exploitability, and between which bounds the value of the game
    lies: value_low, value_high."""
    average: Array = field(repr=False)
    """Weights of actions, in the order in which `walks` come to them."""
    walks: ClaimWalks = field(repr=False)

    @property
    def exploitability(self) -> float:
        """Half of what both players' best replies win together, exactly; chips."""
        return float(self.history["exploitability"][-1])

    @property
    def value(self) -> tuple[float, float]:
        """Between which bounds the value of the game to player 0 lies; chips."""
        return float(self.history["value_low"][-1]), float(self.history["value_high"][-1])

    def at(self, state: Any) -> dict[Hashable, float]:
        """The probabilities of the actions at a state of the game, by action label."""
        actions = self.game.actions(state)
        return dict(zip(map(self.game.action_label, actions), self(state, actions), strict=True))

    def __call__(self, state: Any, actions: Sequence[int]) -> list[float]:
        """The probabilities of the actions at a state."""
        hand, claims = self.game.infoset(state)
        if len(actions) == 1:
            return [1.0]
        width, number = self.walks.width[state[0]], int(np.flatnonzero(self.walks.keys(state[0]) == hand)[0])
        weights = self.average[self.walks.place_of(claims) + number :: width][: len(actions)].astype(np.float64)
        found: list[float] = matched(weights).tolist()
        return found


def solve_round(
    game: ClaimGame,
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    progress: Callable[[dict[str, float]], object] | None = None,
) -> SolvedRound:
    """Solve a round of `rg.games.Dudo` or `rg.games.LiarsDice` by CFR+ on all sets of claims, with vectors of hands.

    It stops at the first of: `iterations` (100 unless `until` or `seconds` is given), exploitability at most `until`,
    which is exact, or `seconds`. `progress` is called with every measurement. C claims make 2^C sets: two six-sided
    dice each, with 24 claims, take 6.4 GB and some seconds an iteration. The result is the same on any number of
    threads.

    >>> import regretless as rg
    >>> solved = rg.solve_round(rg.games.Dudo(sides=4), until=1e-3)
    >>> solved.exploitability <= 1e-3, solved.value[0] <= 1 / 16 <= solved.value[1]
    (True, True)
    """
    most = _most_iterations(iterations, until, seconds)
    if threads is not None:
        need_whole("A round", "threads", threads, least=1)
    walks = ClaimWalks.of(game, dtype="float32", threads=processors() if threads is None else threads)
    free = available_memory()
    if free is not None and 8 * walks.size > free:
        raise OptionError(f"{game!r} takes {in_units(8 * walks.size)} where {in_units(free)} are free")
    numbers = np.zeros(walks.size, np.float32), np.zeros(walks.size, np.float32)
    opponent, rows, began = walks.by_tree(), [], time.perf_counter()
    due, iteration, stopped = 1, 0, False
    while not stopped:
        iteration += 1
        for who in range(2):
            walks.walk(who, numbers, opponent, float(iteration) ** POWER, True)
        spent = time.perf_counter() - began
        stopped = iteration >= most or (seconds is not None and spent >= seconds)
        if stopped or iteration >= due:
            due = max(iteration + 1, int(iteration * GROWTH))
            replies = Replies(*(walks.walk(who, numbers, opponent, 0.0, False)[0] for who in range(2)))
            rows.append(_row(iteration, spent, replies))
            stopped |= until is not None and rows[-1]["exploitability"] <= until
            if progress is not None:
                progress(rows[-1])
    history = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return SolvedRound(game, iteration, time.perf_counter() - began, history, numbers[1], walks)


def _row(iteration: int, spent: float, replies: Replies) -> dict[str, float]:
    low, high = replies.bounds
    return {
        "iteration": iteration,
        "seconds": spent,
        "exploitability": replies.nash_conv / 2,
        "value_low": low,
        "value_high": high,
    }


def _most_iterations(iterations: int | None, until: float | None, seconds: float | None) -> float:
    """The limit on iterations."""
    for name, level in (("until", until), ("seconds", seconds)):
        if level is not None and (isinstance(level, bool) or not isinstance(level, int | float) or not level > 0):
            raise OptionError(f"{name} is a positive number, got {level!r}")
    if iterations is not None:
        need_whole("A round", "iterations", iterations, least=1)
        return iterations
    return ITERATIONS if until is None and seconds is None else float("inf")
