"""Spots as TOML files: read for the command line and for `rg.solve("spot.toml", …)`, and written back.

    board = "Qs Jh 2h"
    ranges = { oop = "QQ+,AKs", ip = "22+,A2s+" }
    pot = 100
    stack = 400
    big_blind = 2

    [sizes]
    flop = { bet = "33% 75%", raise = "2.5x" }
    turn = "bet 66%, raise 60%"
    river = { oop = "bet 50% all-in, raise 60%", ip = "bet 75%, raise all-in" }

    [[lock]]
    line = "check bet"
    strategy = { fold = 0.5, call = 0.5 }

Everything that `rg.poker.Spot` takes can be said. Of sizes, those for a player on a street count more than those for
the street, these more than those for a player, and these more than those for everybody; a text says all of them at
once, a table only those that it names.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from regretless.errors import FileError, OptionError, suggest
from regretless.kernels.constants import DEAL
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.sizes import Sizes
from regretless.poker.cards.deck import STANDARD
from regretless.poker.games import Lock, Spot
from regretless.poker.ranges.range import Range

__all__ = ["KEYS", "LISTS", "PLAYERS", "RULES", "STREETS", "read_spot", "spot_from_text"]

PLAYERS = ("oop", "ip")
"""Player 0, out of position, and player 1, in position."""

STREETS = ("flop", "turn", "river")
LISTS = ("bet", "raise", "donk")
"""The lists of sizes of a player on a street."""

RULES = tuple(
    field.name for field in fields(NoLimit) if field.name not in ("pot", "stack", "streets", "sizes", "blinds")
)
"""Settings of the betting that a spot passes on: caps, rake, min_bet, …"""

KEYS = ("board", "ranges", *PLAYERS, "pot", "stack", "sizes", "big_blind", "isomorphism", "lock", *RULES)
EXAMPLES = {
    "board": 'board = "Qs Jh 2h"',
    "ranges": 'ranges = { oop = "QQ+,AKs", ip = "22+,A2s+" }',
    "pot": "pot = 100",
    "stack": "stack = 400",
    "line": 'line = "check bet"',
    "strategy": "strategy = { fold = 0.5, call = 0.5 }",
}


class Mistake(OptionError):
    """Something wrong in a spot file, with the key where it is."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(f"{key}: {sentence}")
        self.key, self.sentence = key, sentence


@contextmanager
def within(key: str) -> Iterator[None]:
    """Mistakes made in here are told with the key."""
    try:
        yield
    except Mistake as mistake:
        raise Mistake(f"{key}.{mistake.key}", mistake.sentence) from None
    except OptionError as error:
        raise Mistake(key, str(error)) from None


def read_spot(path: str | os.PathLike[str]) -> Spot:
    """The spot in a TOML file."""
    name = os.fspath(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise FileError(f"{name} is no text file, so no spot") from None
    return spot_from_text(text, name)


def spot_from_text(text: str, name: str = "the spot") -> Spot:
    """The spot that a text in TOML describes; `name` is what mistakes are told with.

    >>> spot_from_text('board = "Qs Jh 2h 7c 3d"\\noop = "AA"\\nip = "QQ"\\npot = 100\\nstack = 50').name
    'spot QsJh2h7c3d'
    """
    try:
        return spot_of(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{name} is not written as TOML: {error}") from None
    except Mistake as mistake:
        raise FileError(f"{name}, {mistake.key}: {mistake.sentence}") from None
    except OptionError as error:
        raise FileError(f"{name}: {error}") from None


def spot_of(given: Mapping[str, Any]) -> Spot:
    """The spot that a table of TOML describes."""
    check_keys(given, KEYS)
    with within("board"):
        board = STANDARD.cards(needed(given, "board", str))
        if len(board) not in (3, 4, 5):
            raise OptionError(f"a spot begins with 3, 4 or 5 cards, got {len(board)} in {given['board']!r}")
    ranges = read_ranges(given)
    numbers = {key: read_chips(key, needed(given, key)) for key in ("pot", "stack")}
    if "big_blind" in given:
        numbers["big_blind"] = read_chips("big_blind", given["big_blind"])
    if not isinstance(isomorphism := given.get("isomorphism", True), bool):
        raise Mistake("isomorphism", f"it is true or false, got {isomorphism!r}")
    with within("sizes"):
        sizes = read_sizes(given.get("sizes", {}), STREETS[len(board) - 3 :])
    rules: dict[str, Any] = {key: given[key] for key in RULES if key in given}
    rules = {key: tuple(value) if isinstance(value, list) else value for key, value in rules.items()}
    locks = read_locks(given.get("lock", []))
    spot = Spot(board, ranges, sizes=sizes, isomorphism=isomorphism, locks=locks, **numbers, **rules)
    check_lines(spot)
    return spot


def check_keys(given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuse what nobody reads: it was meant to say something."""
    for key in given:
        if key not in known:
            raise OptionError(f"there is no key {key!r} here: {suggest(key, known)}")


def needed(given: Mapping[str, Any], key: str, kind: type = object) -> Any:
    """A value that must be there."""
    if key not in given:
        raise Mistake(key, f"it is missing: write {EXAMPLES[key]}")
    if not isinstance(given[key], kind):
        raise OptionError(f"{given[key]!r} cannot be meant: write {EXAMPLES[key]}")
    return given[key]


def read_chips(key: str, given: Any) -> float:
    """A number of chips."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < float("inf"):
        raise Mistake(key, f"it is a number of chips above 0, got {given!r}")
    return float(given)


def read_ranges(given: Mapping[str, Any]) -> tuple[Range, Range]:
    """Both ranges: a table with oop and ip, a list of two, or oop and ip beside the other keys."""
    beside = {key: given[key] for key in PLAYERS if key in given}
    if "ranges" in given and beside:
        raise Mistake("ranges", f"{' and '.join(beside)} beside it say the same again: keep one of them")
    found = given.get("ranges", beside)
    if isinstance(found, list) and len(found) == 2:
        found = dict(zip(PLAYERS, found, strict=True))
    if not isinstance(found, Mapping) or not found:
        raise Mistake("ranges", f"two of them are needed: write {EXAMPLES['ranges']}")
    with within("ranges"):
        check_keys(found, PLAYERS)
    ranges = []
    for player in PLAYERS:
        with within(player if beside else f"ranges.{player}"):
            text = found.get(player)
            if not isinstance(text, str):
                said = "it is missing" if text is None else f"{text!r} is no text"
                raise OptionError(f"{said}: write {EXAMPLES['ranges']}")
            ranges.append(Range.parse(text))
    return ranges[0], ranges[1]


def read_sizes(given: Any, streets: tuple[str, ...]) -> Any:
    """The sizes of each player on each street; without any, those that a spot has anyway."""
    if isinstance(given, list):
        if len(given) != len(streets):
            raise OptionError(f"a list has an entry for each street from the {streets[0]} on, got {len(given)} of them")
        given = dict(zip(streets, given, strict=True))
    over = [street for street in STREETS if street not in streets]
    if isinstance(given, Mapping) and (early := [street for street in over if street in given]):
        raise Mistake(early[0], f"the board begins on the {streets[0]}; sizes are for {' and '.join(streets)}")
    general = Layer(given, (*LISTS, *PLAYERS, *streets))
    menu = []
    for street in streets:
        with within(street):
            here = Layer(general.inner.get(street, {}), (*LISTS, *PLAYERS))
        both = []
        for player in PLAYERS:
            with within(player):
                own = Layer(general.inner.get(player, {}), LISTS)
            with within(f"{street}.{player}"):
                most = Layer(here.inner.get(player, {}), LISTS)
            lists = general.lists | own.lists | here.lists | most.lists
            with within(street):
                both.append(Sizes.read(lists))
        menu.append((both[0], both[1]))
    return tuple(menu)


class Layer:
    """What one table or text says about sizes: its lists, and what it says of streets and players within."""

    def __init__(self, given: Any, known: tuple[str, ...]) -> None:
        self.lists: dict[str, Any] = {}
        self.inner: Mapping[str, Any] = {}
        if isinstance(given, str):
            sizes = Sizes.read(given)
            self.lists = {"bet": sizes.bets, "raise": sizes.raises, "donk": sizes.donks}
            return
        if not isinstance(given, Mapping):
            raise OptionError(f"sizes are a text, 'bet 33% 75%, raise 2.5x', or a table, got {given!r}")
        singular = {f"{name}s": name for name in LISTS}
        named: dict[str, Any] = {singular.get(str(key), str(key)): value for key, value in given.items()}
        if len(named) < len(given):
            raise OptionError(f"sizes are given twice, in the singular and in the plural, in {given!r}")
        check_keys(named, known)
        self.lists = {name: named[name] for name in LISTS if name in named}
        self.inner = {key: value for key, value in named.items() if key not in LISTS}
        for name, sizes in self.lists.items():
            with within(name):
                if isinstance(sizes, Mapping):
                    raise OptionError(f"sizes are written like '33% 75%' or [0.33, 0.75], got {sizes!r}")
                Sizes.read({name: sizes})


def read_locks(given: Any) -> tuple[Lock, ...]:
    """The locked nodes."""
    locks = []
    if not isinstance(given, list) or not all(isinstance(entry, Mapping) for entry in given):
        raise Mistake("lock", "every locked node is a table of its own: write [[lock]] above its line and strategy")
    for number, entry in enumerate(given, 1):
        with within(f"lock {number}"):
            check_keys(entry, ("line", "board", "strategy"))
            line, strategy = needed(entry, "line", str), needed(entry, "strategy", Mapping)
            board = entry.get("board")
            if board is not None:
                STANDARD.cards(board)
            locks.append(Lock(line, strategy, board))
    return tuple(locks)


def check_lines(spot: Spot) -> None:
    """Refuse locks at nodes that are not there."""
    if not spot.locks:
        return
    tree = spot.betting_tree()
    for number, lock in enumerate(spot.locks, 1):
        with within(f"lock {number}"):
            if tree.kind[tree.find(lock.line)] >= DEAL:
                raise OptionError(f"nobody decides after {lock.line!r}: there is nothing to lock")
