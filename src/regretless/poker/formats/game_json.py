"""Games on public trees as JSON and back; run files hold the game in this form."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.errors import FileError, MissingAbstraction, RegretlessError
from regretless.poker.betting.limit import Limit
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.sizes import Size, Sizes
from regretless.poker.cards.deck import Deck
from regretless.poker.games import FlopHoldem, Lock, PublicGame, Spot
from regretless.poker.ranges.range import Range
from regretless.poker.whole_games import Holdem, LimitHoldem

if TYPE_CHECKING:
    from regretless.poker.abstraction.abstraction import Abstraction

__all__ = ["game_from_json", "game_to_json", "same_game"]

KINDS: dict[str, type[PublicGame]] = {
    kind.__name__: kind for kind in (PublicGame, FlopHoldem, Spot, LimitHoldem, Holdem)
}
BOTH_STACKS = "both_stacks"
"""A key of some descriptions: the stacks of a no-limit game where they differ."""
RULES: dict[str, type[Limit] | type[NoLimit]] = {"Limit": Limit, "NoLimit": NoLimit}


def game_to_json(game: PublicGame) -> dict[str, Any]:
    """A game as values of JSON; of an abstraction its fingerprint and its numbers of buckets.

    Two stacks that differ are written as well, although the game is the one with the smaller: see `same_game`.
    """
    settings = [field.name for field in dataclasses.fields(game.betting) if field.compare]
    rules = {name: _plain(getattr(game.betting, name)) for name in settings}
    if isinstance(game.betting, NoLimit):
        rules["sizes"] = [[_sizes_to_json(sizes) for sizes in street] for street in game.betting.sizes_by_street]
    described: dict[str, Any] = {
        "kind": type(game).__name__,
        "deck": [game.deck.ranks, game.deck.suits],
        "hand_size": game.hand_size,
        "board_cards": list(game.board_cards),
        "rules": type(game.betting).__name__,
        "betting": rules,
        "board": list(game.first_board),
        "ranges": [None if chosen is None else chosen.weights.tolist() for chosen in game.ranges],
        "big_blind": game.big_blind,
        "locks": [[lock.line, _plain(lock.strategy), lock.board] for lock in game.locks],
        "isomorphism": game.isomorphism,
    }
    if game.abstraction is not None:
        described["abstraction"] = {"fingerprint": game.abstraction.fingerprint, "buckets": game.abstraction.name}
    if isinstance(game.betting, NoLimit) and game.betting.stacks_note:
        described[BOTH_STACKS] = _plain(game.betting.both_stacks)
    return described


def same_game(one: PublicGame, other: PublicGame) -> bool:
    """Whether two games are the same; of two stacks only the smaller counts."""
    mine, theirs = game_to_json(one), game_to_json(other)
    return {**mine, BOTH_STACKS: None} == {**theirs, BOTH_STACKS: None}


def _missing(wanted: Mapping[str, Any], given: Abstraction | None, looked_for: str) -> str:
    """Says which abstraction a game needs, and how to give it."""
    needs = (
        f"this game needs its abstraction with {str(wanted['buckets'])[:40]} buckets (fingerprint "
        f"{str(wanted['fingerprint'])[:40]})"
    )
    if given is not None:
        return f"{needs}, and the one given is another, with {given.name} buckets (fingerprint {given.fingerprint})"
    return f"{needs}{looked_for}: give the game with it, at the command line --game GAME:abstraction=FILE"


def game_from_json(
    description: Mapping[str, Any], abstraction: Abstraction | None = None, looked_for: str = ""
) -> PublicGame:
    """The game that `game_to_json` wrote; FileError if the description is damaged.

    A description holds no maps of buckets: the abstraction of such a game is an argument. looked_for: where it was not
    found, for the message.
    """
    try:
        wanted = description.get("abstraction")
        if wanted is not None and (abstraction is None or abstraction.fingerprint != wanted["fingerprint"]):
            raise MissingAbstraction(_missing(wanted, abstraction, looked_for))
        kind = KINDS[description["kind"]]
        deck = Deck(*description["deck"])
        rules = dict(description["betting"])
        if description["rules"] == "NoLimit":
            rules["sizes"] = tuple(tuple(_sizes(sizes) for sizes in street) for street in rules["sizes"])
            rules["stack"] = _stacks(description.get(BOTH_STACKS), rules["stack"])
        betting = RULES[description["rules"]](**{name: _tuples(value) for name, value in rules.items()})
        ranges = [None if w is None else Range.from_weights(w, deck=deck) for w in description["ranges"]]
        values = {
            "deck": deck,
            "hand_size": int(description["hand_size"]),
            "board_cards": tuple(description["board_cards"]),
            "betting": betting,
            "board": tuple(description["board"]),
            "ranges": (ranges[0], ranges[1]),
            "big_blind": description["big_blind"],
            "locks": tuple(_lock(*lock) for lock in description["locks"]),
            "isomorphism": bool(description["isomorphism"]),
            "abstraction": None if wanted is None else abstraction,
        }
        game = object.__new__(kind)
        for name, value in values.items():
            object.__setattr__(game, name, value)
        game.__post_init__()
        return game
    except FileError:
        raise
    except RegretlessError as error:
        raise FileError(f"the description of the game is damaged: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError):
        raise FileError("the description of the game is damaged or from another version") from None


def _sizes_to_json(sizes: Sizes) -> dict[str, Any]:
    return {
        name: None if getattr(sizes, name) is None else [[size.kind, size.amount] for size in getattr(sizes, name)]
        for name in ("bets", "raises", "donks")
    }


def _sizes(described: Mapping[str, Any]) -> Sizes:
    lists = {name: None if given is None else tuple(Size(*size) for size in given) for name, given in described.items()}
    return Sizes(lists["bets"] or (), lists["raises"] or (), lists["donks"])


def _stacks(both: Any, smaller: Any) -> Any:
    """The stacks of a description: both where it has them, else the smaller one."""
    if both is None:
        return smaller
    if not isinstance(both, list) or min(both) != smaller:
        raise ValueError
    return both


def _lock(line: Any, strategy: Any, board: Any) -> Lock:
    if not isinstance(line, str) or not isinstance(strategy, Mapping) or not isinstance(board, str | list | None):
        raise TypeError
    return Lock(line, strategy, board)  # type: ignore[arg-type]  # cards as numbers were accepted as well


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, int | float | str | bool | None) else str(value)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list) else value
