"""`regretless match` for hold'em: exact where the game fits into memory hand by hand, else on drawn boards."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any

from regretless.apps.commands.ray_option import cluster_of
from regretless.apps.commands.strategies.named_strategies import is_named, named_strategy
from regretless.apps.startup import started
from regretless.errors import FileError, MissingAbstraction, OptionError

if TYPE_CHECKING:
    from regretless.poker.games import PublicGame
    from regretless.sampling.playing.matches import Match

__all__ = ["HOLDEM_KINDS", "match_holdem_and_tell"]

HOLDEM_KINDS = ("public tree", "bucketed tree", "sampled hold'em")
"""Problems of hold'em: all hands in memory, buckets of a card abstraction, and networks."""


def match_holdem_and_tell(
    spec: str,
    game: PublicGame,
    a: str,
    b: str,
    *,
    boards: int | None,
    seed: int | None,
    threads: int | None,
    ray: str | None,
    json: bool,
) -> None:
    """The whole command: read both runs, compute or play boards, print."""
    from regretless.sampling.playing.matches import match

    one, other = (strategy_of_game(path, game) for path in (a, b))
    on_boards = _plays_boards({a: one, b: other}, boards)
    if ray is not None:
        _check_ray({a: one, b: other}, on_boards)
    started()
    given: dict[str, Any] = {} if boards is None else {"hands": boards, "exact": False}
    result = match(
        game, one, other, seed=seed or 0, threads=threads, workers=cluster_of(ray, threads),
        progress=not json and sys.stderr.isatty(), **given,
    )  # fmt: skip
    _tell(spec, a, b, result, json)


def strategy_of_game(path: str, game: PublicGame) -> Any:
    """The average strategy of a run of a game of hold'em, or one by name; other files are refused.

    The abstraction of a run is looked for beside it; where it is not found, that of the game is taken.
    """
    if is_named(path):
        return named_strategy(path, game)
    from regretless.poker.abstraction.bucketed_tree import with_abstraction
    from regretless.run import Run, load

    try:
        loaded = load(path)
    except MissingAbstraction:
        try:
            loaded = load(path, game=game)
        except FileError:
            raise FileError(
                f"{path} was solved with a card abstraction that is not found: put its file beside the run, or name it "
                f"in the game, for example hulh:abstraction=FILE"
            ) from None
    if not isinstance(loaded, Run) or loaded.problem.kind not in HOLDEM_KINDS:
        raise OptionError(f"{path} is not a run of hold'em, and {game.name} is: a match is between runs of one game")
    problem: Any = loaded.problem
    try:
        problem.check_same_game(with_abstraction(game, None))
    except OptionError as error:
        raise OptionError(f"{path}: {error}") from None
    return loaded.strategy


def _plays_boards(strategies: dict[str, Any], boards: int | None) -> bool:
    """Whether boards are drawn; --boards is refused where nothing has to be left to luck."""
    from regretless.poker.results.board_strategy import BoardStrategy

    for path, strategy in strategies.items():
        if not isinstance(strategy, BoardStrategy):
            if boards is not None:
                raise OptionError(f"{path} is solved with all hands, so the result is exact: leave out --boards")
            return False
    return boards is not None or all(strategy.needs_flops for strategy in strategies.values())


def _check_ray(strategies: dict[str, Any], on_boards: bool) -> None:
    from regretless.poker.results.bucket_strategy import BucketStrategy

    if not on_boards:
        raise OptionError("--ray divides the boards of a match, and this result is computed exactly: leave it out")
    for path, strategy in strategies.items():
        if not isinstance(strategy, BucketStrategy):
            raise OptionError(f"{path} is a run of networks, which play boards on one machine: leave out --ray")


def _tell(spec: str, a: str, b: str, result: Match, json: bool) -> None:
    """Print the result as text or JSON."""
    from regretless.apps.commands.strategies.matching import facts_of
    from regretless.apps.printing import console, facts, print_json

    blind = result.big_blind
    low, high = (None if not blind else 1_000 * end / blind for end in (result.low, result.high))
    if json:
        told = {"command": "match", "game": spec, "a": a, "b": b, **dataclasses.asdict(result)}
        print_json({**told, "mbb": result.mbb, "mbb_low": low, "mbb_high": high})
        return
    rows = facts_of(spec, a, b, result)
    if result.mbb is not None and low is not None and high is not None:
        interval = "" if result.exact else f" ({low:+,.4g} to {high:+,.4g}, {100 * result.confidence:g} %)"
        rows.insert(4, ("mbb/g", f"{result.mbb:+,.4g}{interval}"))
    console().print(facts(rows))
