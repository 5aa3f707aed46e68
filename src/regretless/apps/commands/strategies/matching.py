"""`regretless match`: what the strategy in one file wins from the strategy in another."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from regretless.apps.commands.game_opening import open_tree
from regretless.apps.commands.strategies.holdem_matching import HOLDEM_KINDS, match_holdem_and_tell
from regretless.apps.commands.strategies.named_strategies import is_named
from regretless.apps.startup import started
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.game import Game
    from regretless.sampling.playing.matches import Match
    from regretless.tree import Tree

__all__ = ["facts_of", "match_and_tell"]


def match_and_tell(
    spec: str,
    a: str,
    b: str,
    *,
    hands: int | None,
    boards: int | None,
    seed: int | None,
    threads: int | None,
    ray: str | None,
    json: bool,
) -> None:
    """The whole command: read both, compute or play, print."""
    from regretless.apps.printing import console, facts, print_json
    from regretless.lookup.games import find_game
    from regretless.poker.games import PublicGame
    from regretless.problem import refuse_to_list
    from regretless.sampling.playing.matches import match
    from regretless.strategy import Strategy

    found = find_game(spec)
    if isinstance(found, PublicGame):
        if hands is not None:
            raise OptionError("of hold'em all hands play on each board: give --boards N instead of --hands")
        match_holdem_and_tell(spec, found, a, b, boards=boards, seed=seed, threads=threads, ray=ray, json=json)
        return
    refuse_to_list(found)
    _refuse_options_of_holdem(spec, {"boards": boards, "ray": ray})
    one, other = strategy_in(a, spec), strategy_in(b, spec)
    game: Game | Tree
    if isinstance(one, Strategy) and isinstance(other, Strategy):
        game = open_tree(spec, say=None if json else print)
        for path, strategy in ((a, one), (b, other)):
            try:
                strategy.check_same_game(game.labels)
            except OptionError as error:
                raise OptionError(f"{path}: {error}") from None
    else:  # of a game that may be too large to list
        game = found
    started()
    options: dict[str, Any] = {} if hands is None else {"hands": hands, "exact": False}
    result = match(game, one, other, seed=seed or 0, threads=threads, **options)
    if json:
        print_json({"command": "match", "game": spec, "a": a, "b": b, **dataclasses.asdict(result)})
    else:
        console().print(facts(facts_of(spec, a, b, result)))


def _refuse_options_of_holdem(spec: str, options: Mapping[str, Any]) -> None:
    for name, given in options.items():
        if given is not None:
            raise OptionError(f"--{name} is for matches of hold'em, and {spec} is another game: leave it out")


def strategy_in(path: str, spec: str) -> Any:
    """The strategy in a file; of a run, the average. A run of hold'em is refused: it is no run of this game."""
    if is_named(path):
        raise OptionError(f"{path} plays hold'em such as hulh, hunl or fhp, and {spec} is another game")
    from regretless.lookup.problems import kind_in
    from regretless.run import Run, load
    from regretless.storage import read_header

    if kind_in(read_header(path)) in HOLDEM_KINDS:
        raise OptionError(
            f"{path} is a run of hold'em, and {spec} is another game: a match is between runs of one game"
        )
    loaded = load(path)
    return loaded.strategy if isinstance(loaded, Run) else loaded


def facts_of(spec: str, a: str, b: str, result: Match) -> list[tuple[str, str]]:
    """The rows that tell a result as text."""
    from regretless.apps.printing import chips

    rows = [("game", spec), ("a", a), ("b", b), ("result", str(result))]
    return rows + [(f"seat {seat}", f"{chips(won)} chips a hand to a") for seat, won in enumerate(result.by_seat)]
