"""Strategies of hold'em that go by a name, for calibration: those of `regretless play --acpc`, without a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regretless.apps.acpc.agents import NAMED_AGENTS
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.poker.results.bucket_strategy import BucketStrategy

__all__ = ["NamedRun", "is_named", "named_run", "named_strategy"]

KINDS: dict[str, dict[str, float]] = {
    "always-call": {"call": 1},
    "always-fold": {"fold": 1},
    "always-raise": {"raise_": 1},
    "random": {"fold": 1, "call": 1, "raise_": 1},
}
"""The weight of each kind of action; where there are several sizes, each has an equal part."""

assert tuple(KINDS) == NAMED_AGENTS


@dataclass(frozen=True)
class NamedRun:
    """What commands need of a run."""

    problem: Any
    strategy: BucketStrategy


def is_named(path: str) -> bool:
    """Whether a word is the name of a strategy, and no file of that name exists."""
    return path in KINDS and not Path(path).exists()


def named_strategy(name: str, game: Any) -> BucketStrategy:
    """The strategy of a name in a game of hold'em; OptionError for other games."""
    from regretless.poker.abstraction.bucketed_tree import with_abstraction
    from regretless.poker.games import PublicGame
    from regretless.poker.results.card_blind import card_blind

    if not isinstance(game, PublicGame):
        raise OptionError(f"{name} plays hold'em such as hulh, hunl or fhp, and {game!r} is another game")
    return card_blind(with_abstraction(game, None), **KINDS[name])


def named_run(name: str, game: str | None) -> NamedRun:
    """The same as a run, of a game that the user names."""
    from regretless.lookup.games import find_game

    if game is None:
        raise OptionError(f"{name} needs the game that it plays: add --game hulh, hunl, fhp or FILE.game")
    strategy = named_strategy(name, find_game(game))
    return NamedRun(strategy.tree, strategy)
