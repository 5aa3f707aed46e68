"""From a game to the problem that a method works on: list it, or refuse it in a sentence."""

from __future__ import annotations

from typing import Any

from regretless.compiled import is_compiled
from regretless.errors import OptionError
from regretless.game import Game
from regretless.linter import estimate_size, fits_in_memory
from regretless.method import LearnerTable, Method, Settings
from regretless.problem import Problem, found, open_problem
from regretless.tree import Tree

__all__ = ["open_for_learners", "open_zero_sum", "refuse_fixed", "too_large"]

LISTED, LISTED_COMPILED = 1_000_000, 5_000_000
"""Histories up to which a game is listed rather than walked unlisted; compiled games are listed faster."""


def open_for_learners(method: Method, learners: LearnerTable, game: Any) -> Problem:
    """The problem that a game is, if the method has a learner for it."""
    game = found(game)
    learners.check(method, game)
    return open_problem(game)


def open_zero_sum(method: Method, learners: LearnerTable, game: Any) -> Problem:
    """The tree of a two-player zero-sum game; other games are refused, with the reason."""
    tree = open_for_learners(method, learners, game)
    assert isinstance(tree, Tree)
    if tree.players != 2 or not tree.zero_sum:
        kind = f"{tree.players} players" if tree.players != 2 else "payoffs that do not sum to zero"
        raise OptionError(f"{method.name} needs a two-player zero-sum game; {type(tree.game).__name__} has {kind}")
    return tree


def refuse_fixed(method: Method, settings: Settings) -> None:
    """Refuse players that are held still, for methods that always solve for both."""
    if settings.fixed:
        raise OptionError(
            f"{method.name} solves for both players and cannot hold player {min(settings.fixed)} fixed: use a variant "
            "of CFR, or rg.best_response"
        )


def too_large(game: Game) -> bool:
    """Whether listing a game would take long, or more memory than there is."""
    estimate = estimate_size(game)
    most = LISTED_COMPILED if is_compiled(game) else LISTED
    return estimate.histories > most or fits_in_memory(estimate) is not None
