"""A spot as the fields of a form: read from a request, checked, turned into a `Spot`, and back from one.

All values are texts as the user types them. `formats.spot_files` checks them: the page accepts what a spot file does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from regretless.errors import OptionError
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.cards.deck import STANDARD
from regretless.poker.formats.spot_files import LISTS, PLAYERS, STREETS, spot_of
from regretless.poker.formats.spot_writing import lists_of
from regretless.poker.games import Lock, Spot

__all__ = ["NUMBERS", "SIZE_FIELDS", "SpotForm", "form_of", "read_form", "streets_of"]

NUMBERS = {"pot": "100", "stack_oop": "200", "stack_ip": "200", "big_blind": "", "rake": "", "rake_cap": ""}
"""Fields with one number, and what they hold at first. The rake is in per cent."""

OPTIONAL = ("big_blind", "rake_cap")

SIZE_FIELDS = tuple(
    f"{street}.{player}.{name}"
    for street in STREETS
    for player in PLAYERS
    for name in LISTS
    if name != "donk" or (player == "oop" and street != "flop")
)
"""One field for each list of sizes. Only the player out of position can bet into the one who bet before."""

FIRST_SIZES = {"bet": "33% 75%", "raise": "2.5x", "donk": ""}
FIRST_BOARD = "Qs Jh 2h 7c"
FIRST_RANGES = {
    "oop": "22+,A2s+,KTs+,QTs+,JTs,T9s,98s,ATo+,KJo+",
    "ip": "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,A9o+,KTo+,QJo",
}
MOST_CHARACTERS = 40_000


@dataclass(frozen=True)
class SpotForm:
    """The fields of a form that describes a spot."""

    board: str = FIRST_BOARD
    ranges: Mapping[str, str] = field(default_factory=lambda: dict(FIRST_RANGES))
    """By player, "oop" and "ip"."""
    numbers: Mapping[str, str] = field(default_factory=lambda: dict(NUMBERS))
    sizes: Mapping[str, str] = field(
        default_factory=lambda: {name: FIRST_SIZES[name.rpartition(".")[2]] for name in SIZE_FIELDS}
    )
    """By field of `SIZE_FIELDS`; an empty text is no bet, and for donk bets the same as bets."""
    locks: str = ""
    """Locked nodes as JSON, a list of the tables that a spot file has under [[lock]]; empty for none."""

    @property
    def streets(self) -> tuple[str, ...]:
        """The streets that are played; all three while the board is not valid."""
        return streets_of(self.board)

    def spot(self) -> Spot:
        """The spot; OptionError names the field that is wrong."""
        table: dict[str, Any] = {"board": self.board, "ranges": dict(self.ranges)}
        table |= {"pot": self._number("pot"), "stack": [self._number("stack_oop"), self._number("stack_ip")]}
        if self.numbers["rake"].strip():
            table["rake"] = self._number("rake") / 100
        table |= {name: self._number(name) for name in OPTIONAL if self.numbers[name].strip()}
        sizes: dict[str, dict[str, dict[str, str]]] = {
            street: {player: {} for player in PLAYERS} for street in self.streets
        }
        for name in SIZE_FIELDS:
            street, player, kind = name.split(".")
            text = self.sizes[name].strip()
            if street in sizes and (text or kind != "donk"):
                sizes[street][player][kind] = text or "none"
        table["sizes"] = sizes
        if self.locks.strip():
            table["lock"] = self.locked_nodes()
        return spot_of(table)

    def locked_nodes(self) -> list[Any]:
        """The locked nodes as tables."""
        try:
            found = json.loads(self.locks or "[]")
        except (ValueError, RecursionError):
            raise OptionError("the locked nodes cannot be read: open the spot file again") from None
        if not isinstance(found, list):
            raise OptionError("the locked nodes are not a list: open the spot file again")
        return found

    @property
    def unequal_stacks(self) -> str:
        """A note where the stacks differ; empty where they do not."""
        try:
            stacks = [self._number("stack_oop"), self._number("stack_ip")]
        except OptionError:
            return ""
        if stacks[0] == stacks[1]:
            return ""
        return f"Stacks differ: the smaller one counts, so both play for {spell_chips(min(stacks))} chips."

    def _number(self, name: str) -> float:
        text = self.numbers[name].strip()
        try:
            return float(text)
        except ValueError:
            raise OptionError(f"{name.replace('_', ' ')} is a number, got {text[:40]!r}") from None


def streets_of(board: str) -> tuple[str, ...]:
    """The streets from a board on; all three if it has no valid number of cards.

    >>> streets_of("Qs Jh 2h 7c"), streets_of("Qs")
    (('turn', 'river'), ('flop', 'turn', 'river'))
    """
    try:
        cards = len(STANDARD.cards(board))
    except OptionError:
        return STREETS
    return STREETS[cards - 3 :] if 3 <= cards <= 5 else STREETS


def read_form(text_of: Callable[[str, str], str]) -> SpotForm:
    """The form in a request; `text_of(name, default)` gives the text of a field."""
    first = SpotForm()

    def read(name: str, default: str) -> str:
        text = text_of(name, default)
        if len(text) > MOST_CHARACTERS:
            raise OptionError(f"{name} has at most {MOST_CHARACTERS:,} characters, got {len(text):,}")
        return text

    return SpotForm(
        board=read("board", first.board),
        ranges={player: read(player, first.ranges[player]) for player in PLAYERS},
        numbers={name: read(name, default) for name, default in NUMBERS.items()},
        sizes={name: read(name, first.sizes[name]) for name in SIZE_FIELDS},
        locks=read("locks", ""),
    )


def form_of(spot: Spot) -> SpotForm:
    """The form of a spot. Settings of the betting that the form does not have must have their default."""
    betting = spot.betting
    if not isinstance(spot, Spot) or not isinstance(betting, NoLimit):
        raise OptionError("the form holds no-limit spots from the flop, turn or river on")
    unusual = [
        name
        for name in ("ante", "first", "caps", "min_bet", "all_in_from", "add_all_in", "merge", "chip")
        if getattr(betting, name) != getattr(NoLimit(stack=1, pot=1), name)
    ]
    if unusual or not spot.isomorphism:
        raise OptionError(f"the form has no field for {(unusual or ['isomorphism'])[0]}: solve this spot by its file")
    sizes = dict.fromkeys(SIZE_FIELDS, "")
    for street, both in zip(STREETS[-betting.streets :], betting.sizes_by_street, strict=True):
        for player, given in zip(PLAYERS, both, strict=True):
            found = {f"{street}.{player}.{kind}": text for kind, text in lists_of(given).items()}
            sizes |= {name: text for name, text in found.items() if name in sizes}
    return SpotForm(
        board=" ".join(map(STANDARD.name, spot.first_board)),
        ranges=dict(zip(PLAYERS, map(str, spot.ranges), strict=True)),
        numbers={
            "pot": _spelled(betting.pot),
            "stack_oop": _spelled(betting.both_stacks[0]),
            "stack_ip": _spelled(betting.both_stacks[1]),
            "big_blind": _spelled(spot.big_blind),
            "rake": _spelled(100 * betting.rake) if betting.rake else "",
            "rake_cap": _spelled(betting.rake_cap),
        },
        sizes=sizes,
        locks=json.dumps([_lock_table(lock) for lock in spot.locks]) if spot.locks else "",
    )


def _spelled(number: float | None) -> str:
    """A number as a user types it; empty for None."""
    return "" if number is None else f"{number:.12g}"


def _lock_table(lock: Lock) -> dict[str, Any]:
    """A locked node as a spot file has it."""
    table = {"line": lock.line, "strategy": _plain(lock.strategy)}
    return table if lock.board is None else {**table, "board": lock.board}


def _plain(value: Any) -> Any:
    """A strategy in the types of JSON."""
    return {str(key): _plain(inner) for key, inner in value.items()} if isinstance(value, Mapping) else float(value)
