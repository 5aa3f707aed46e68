"""`regretless match`: what the strategy in one file wins from the strategy in another."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from regretless.apps.commands.game_opening import open_tree
from regretless.apps.commands.holdem_summary import refuse_holdem
from regretless.apps.startup import started
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.game import Game
    from regretless.sampling.playing.matches import Match
    from regretless.tree import Tree

__all__ = ["match_and_tell"]


def match_and_tell(spec: str, a: str, b: str, *, hands: int | None, seed: int | None, json: bool) -> None:
    """The whole command: read both, compute or play, print."""
    from regretless.apps.printing import print_json
    from regretless.lookup.games import find_game
    from regretless.problem import refuse_to_list
    from regretless.sampling.playing.matches import match
    from regretless.strategy import Strategy

    for path in (a, b):
        bounds = "what either can lose is in its summary, value and exploitability (regretless show)"
        refuse_holdem(path, "match takes games that can be listed or played hand by hand", bounds)
    refuse_to_list(find_game(spec))
    one, other = strategy_in(a), strategy_in(b)
    game: Game | Tree
    if isinstance(one, Strategy) and isinstance(other, Strategy):
        game = open_tree(spec, say=None if json else print)
        for path, strategy in ((a, one), (b, other)):
            try:
                strategy.check_same_game(game.labels)
            except OptionError as error:
                raise OptionError(f"{path}: {error}") from None
    else:  # of a game that may be too large to list
        game = find_game(spec)
    started()
    options: dict[str, Any] = {} if hands is None else {"hands": hands, "exact": False}
    result = match(game, one, other, seed=seed or 0, **options)
    if json:
        print_json({"command": "match", "game": spec, "a": a, "b": b, **dataclasses.asdict(result)})
    else:
        tell(spec, a, b, result)


def strategy_in(path: str) -> Any:
    """The strategy in a file; of a run, the average."""
    from regretless.run import Run, load

    loaded = load(path)
    return loaded.strategy if isinstance(loaded, Run) else loaded


def tell(spec: str, a: str, b: str, result: Match) -> None:
    """Print the result as text."""
    from regretless.apps.printing import chips, console, facts

    rows = [("game", spec), ("a", a), ("b", b), ("result", str(result))]
    rows += [(f"seat {seat}", f"{chips(won)} chips a hand to a") for seat, won in enumerate(result.by_seat)]
    console().print(facts(rows))
