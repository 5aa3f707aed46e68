"""From a game to the problem that a method works on: list it, or refuse it in a sentence."""

from __future__ import annotations

import time
from itertools import islice
from typing import Any

from regretless.compiled import is_compiled
from regretless.errors import OptionError
from regretless.game import TERMINAL, Game
from regretless.linter import estimate_size, fits_in_memory
from regretless.method import LearnerTable, Method, Settings
from regretless.problem import Problem, found, open_problem
from regretless.tree import Tree

__all__ = ["open_for_learners", "open_zero_sum", "refuse_fixed", "too_large"]

LISTED, LISTED_COMPILED = 1_000_000, 5_000_000
"""Histories up to which a game is listed rather than walked unlisted; compiled games are listed faster."""

SMALL, SMALL_SECONDS = 20_000, 0.1
"""Histories that are visited, and the seconds this may take, before the size of a game is estimated."""


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
    if _is_small(game):
        return False
    estimate = estimate_size(game)
    most = LISTED_COMPILED if is_compiled(game) else LISTED
    return estimate.histories > most or fits_in_memory(estimate) is not None


def _is_small(game: Game) -> bool:
    """Whether a game has few histories, found by visiting them: for a small game that is faster than an estimate."""
    count, ahead, deadline = 0, [game.root()], time.perf_counter() + SMALL_SECONDS
    try:
        while ahead:
            state = ahead.pop()
            count += 1
            if count + len(ahead) > SMALL or time.perf_counter() > deadline:
                return False
            if game.player(state) != TERMINAL:
                ahead.extend(game.play(state, action) for action in islice(game.actions(state), SMALL))
    except Exception:
        return False  # the estimate reports mistakes of a game
    return True
