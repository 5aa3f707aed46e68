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

A file can set everything that `rg.poker.Spot` takes. The most specific sizes count: those for a player on a street,
then those for the street, then those for the player, then those for all. A text sets bets, raises and donk bets at
once, a table only those that it names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from regretless.errors import FileError, OptionError, suggest
from regretless.games.not_offered import SEATS, why_not_setting
from regretless.kernels.constants import DEAL
from regretless.poker.betting.checks import LEAST_CHIPS, MOST_CHIPS, as_number
from regretless.poker.betting.no_limit import SETTINGS
from regretless.poker.betting.sizes import Sizes
from regretless.poker.cards.deck import STANDARD
from regretless.poker.formats.text_files import parse_toml, read_text_file
from regretless.poker.games import Lock, Spot
from regretless.poker.quoting import quoted
from regretless.poker.ranges.range import Range

__all__ = ["KEYS", "LISTS", "PLAYERS", "RULES", "STREETS", "read_spot", "spot_from_text", "spot_of"]

PLAYERS = ("oop", "ip")
"""Player 0, out of position, and player 1, in position."""

STREETS = ("flop", "turn", "river")
LISTS = ("bet", "raise", "donk")
"""The lists of sizes of a player on a street."""

RULES = tuple(name for name in SETTINGS if name not in ("pot", "stack", "streets", "sizes", "blinds"))
"""Settings of the betting: caps, rake, min_bet, …"""

KEYS = ("board", "ranges", *PLAYERS, "pot", "stack", "sizes", "big_blind", "isomorphism", "lock", *RULES)
EXAMPLES = {
    "board": 'board = "Qs Jh 2h"',
    "ranges": 'ranges = { oop = "QQ+,AKs", ip = "22+,A2s+" }',
    "pot": "pot = 100",
    "stack": "stack = 400",
    "line": 'line = "check bet"',
    "strategy": "strategy = { fold = 0.5, call = 0.5 }",
}
TYPES: dict[type, str] = {str: "text", Mapping: "table"}


class Mistake(OptionError):
    """An invalid value in a spot file, and the key that has it."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(f"{key}: {sentence}")
        self.key, self.sentence = key, sentence


@contextmanager
def within(key: str) -> Iterator[None]:
    """Adds the key to the mistakes that are raised inside."""
    try:
        yield
    except Mistake as mistake:
        raise Mistake(f"{key}.{mistake.key}", mistake.sentence) from None
    except OptionError as error:
        raise Mistake(key, str(error)) from None


def read_spot(path: str | os.PathLike[str]) -> Spot:
    """The spot in a TOML file."""
    return spot_from_text(read_text_file(path, "spot"), os.fspath(path))


def spot_from_text(text: str, name: str = "the spot") -> Spot:
    """The spot that a text in TOML describes; error messages begin with `name`.

    >>> spot_from_text('board = "Qs Jh 2h 7c 3d"\\noop = "AA"\\nip = "QQ"\\npot = 100\\nstack = 50').name
    'spot QsJh2h7c3d'
    """
    try:
        return spot_of(parse_toml(text, name, "spot"))
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
            raise OptionError(f"a spot begins with 3, 4 or 5 cards, got {len(board)} in {quoted(given['board'])}")
    ranges = read_ranges(given)
    numbers: dict[str, Any] = {"pot": read_chips("pot", needed(given, "pot"))}
    numbers["stack"] = read_stacks(needed(given, "stack"))
    if "big_blind" in given:
        numbers["big_blind"] = read_chips("big_blind", given["big_blind"])
    if not isinstance(isomorphism := given.get("isomorphism", True), bool):
        raise Mistake("isomorphism", f"it is true or false, got {quoted(isomorphism)}")
    with within("sizes"):
        sizes = read_sizes(given.get("sizes", {}), STREETS[len(board) - 3 :])
    rules: dict[str, Any] = {key: given[key] for key in RULES if key in given}
    rules = {key: tuple(value) if isinstance(value, list) else value for key, value in rules.items()}
    locks = read_locks(given.get("lock", []))
    spot = Spot(board, ranges, sizes=sizes, isomorphism=isomorphism, locks=locks, **numbers, **rules)
    check_lines(spot)
    return spot


def check_keys(given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuse keys that are not known. They would have no effect."""
    for key, value in given.items():
        if key in SEATS and key not in known:
            two = f"the ranges of the two players are {' and '.join(PLAYERS)}"
            raise OptionError(f"there is no seat {quoted(key)}: {why_not_setting(key, value)}; {two}")
        if key not in known:
            raise OptionError(
                why_not_setting(key, value) or f"there is no key {quoted(key)} here: {suggest(key, known)}"
            )


def needed(given: Mapping[str, Any], key: str, kind: type = object) -> Any:
    """A value that must be there, of a type."""
    if key not in given:
        raise Mistake(key, f"it is missing: write {EXAMPLES[key]}")
    if not isinstance(given[key], kind):
        raise OptionError(f"{quoted(given[key])} is no {TYPES[kind]}: write {EXAMPLES[key]}")
    return given[key]


def read_chips(key: str, given: Any) -> float:
    """A number of chips above 0."""
    if not LEAST_CHIPS <= as_number(given) <= MOST_CHIPS:
        raise Mistake(key, f"it is a number from {LEAST_CHIPS:f} to {MOST_CHIPS:,.0f} chips, got {quoted(given)}")
    return float(given)


def read_stacks(given: Any) -> float | tuple[float, float]:
    """The stack of both players, or one for each."""
    if not isinstance(given, list):
        return read_chips("stack", given)
    if len(given) != 2:
        raise Mistake("stack", f"it is one number, or two as [200, 120], got {quoted(given)}")
    return read_chips("stack", given[0]), read_chips("stack", given[1])


def read_ranges(given: Mapping[str, Any]) -> tuple[Range, Range]:
    """Both ranges: a table with oop and ip, a list of two, or oop and ip beside the other keys."""
    beside = {key: given[key] for key in PLAYERS if key in given}
    if "ranges" in given and beside:
        raise Mistake("ranges", f"it is given twice, here and as {' and '.join(beside)}: keep one of them")
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
                problem = "it is missing" if text is None else f"{quoted(text)} is no text"
                raise OptionError(f"{problem}: write {EXAMPLES['ranges']}")
            ranges.append(Range.parse(text))
    return ranges[0], ranges[1]


def read_sizes(given: Any, streets: tuple[str, ...]) -> Any:
    """The sizes of each player on each street; the default sizes of a spot where none are given."""
    if isinstance(given, list):
        if len(given) != len(streets):
            raise OptionError(f"a list has an entry for each street from the {streets[0]} on, got {len(given)} of them")
        given = dict(zip(streets, given, strict=True))
    passed = [street for street in STREETS if street not in streets]
    if isinstance(given, Mapping) and (early := [street for street in passed if street in given]):
        raise Mistake(early[0], f"the board begins on the {streets[0]}; sizes are for {' and '.join(streets)}")
    general = SizeSettings(given, (*LISTS, *PLAYERS, *streets))
    by_street = []
    for street in streets:
        with within(street):
            here = SizeSettings(general.inner.get(street, {}), (*LISTS, *PLAYERS))
        both = []
        for player in PLAYERS:
            with within(player):
                own = SizeSettings(general.inner.get(player, {}), LISTS)
            with within(f"{street}.{player}"):
                own_here = SizeSettings(here.inner.get(player, {}), LISTS)
            lists = general.lists | own.lists | here.lists | own_here.lists
            with within(street):
                both.append(Sizes.read(lists))
        by_street.append((both[0], both[1]))
    return tuple(by_street)


class SizeSettings:
    """The sizes in one table or text: its lists, and the inner tables of streets and players."""

    def __init__(self, given: Any, known: tuple[str, ...]) -> None:
        self.lists: dict[str, Any] = {}
        self.inner: Mapping[str, Any] = {}
        if isinstance(given, str):
            sizes = Sizes.read(given)
            self.lists = {"bet": sizes.bets, "raise": sizes.raises, "donk": sizes.donks}
            return
        if not isinstance(given, Mapping):
            raise OptionError(f"sizes are a text, 'bet 33% 75%, raise 2.5x', or a table, got {quoted(given)}")
        singular = {f"{name}s": name for name in LISTS}
        named: dict[str, Any] = {singular.get(str(key), str(key)): value for key, value in given.items()}
        if len(named) < len(given):
            raise OptionError(f"sizes are given twice, in the singular and in the plural, in {quoted(given)}")
        check_keys(named, known)
        self.lists = {name: named[name] for name in LISTS if name in named}
        self.inner = {key: value for key, value in named.items() if key not in LISTS}
        for name, sizes in self.lists.items():
            with within(name):
                if isinstance(sizes, Mapping):
                    raise OptionError(f"sizes are written like '33% 75%' or [0.33, 0.75], got {quoted(sizes)}")
                Sizes.read({name: sizes})


def read_locks(given: Any) -> tuple[Lock, ...]:
    """The locked nodes."""
    locks = []
    if not isinstance(given, list) or not all(isinstance(entry, Mapping) for entry in given):
        raise Mistake("lock", "each locked node is a table of its own: write [[lock]] above its line and strategy")
    for number, entry in enumerate(given, 1):
        with within(f"lock {number}"):
            check_keys(entry, ("line", "board", "strategy"))
            line, strategy = needed(entry, "line", str), needed(entry, "strategy", Mapping)
            board = needed(entry, "board", str) if "board" in entry else None
            if board is not None:
                STANDARD.cards(board)
            locks.append(Lock(line, strategy, board))
    return tuple(locks)


def check_lines(spot: Spot) -> None:
    """Refuse locks at nodes that do not exist or have no decision."""
    if not spot.locks:
        return
    tree = spot.betting_tree()
    for number, lock in enumerate(spot.locks, 1):
        with within(f"lock {number}"):
            if tree.kind[tree.find(lock.line)] >= DEAL:
                raise OptionError(f"there is no decision after {quoted(lock.line)}, so there is nothing to lock")
