"""From a game to the problem that a method works on: list it, or refuse it in a sentence."""

from __future__ import annotations

from typing import Any

from regretless.compiled import is_compiled
from regretless.game import Game
from regretless.linter import estimate_size, fits_in_memory
from regretless.method import LearnerTable, Method
from regretless.problem import Problem, found, open_problem

__all__ = ["open_for_learners", "too_large"]

LISTED, LISTED_COMPILED = 1_000_000, 5_000_000
"""Histories up to which a game is listed rather than walked unlisted; compiled games are listed faster."""


def open_for_learners(method: Method, learners: LearnerTable, game: Any) -> Problem:
    """The problem that a game is, if the method has a learner for it."""
    game = found(game)
    learners.check(method, game)
    return open_problem(game)


def too_large(game: Game) -> bool:
    """Whether listing a game would take long, or more memory than there is."""
    estimate = estimate_size(game)
    most = LISTED_COMPILED if is_compiled(game) else LISTED
    return estimate.histories > most or fits_in_memory(estimate) is not None
