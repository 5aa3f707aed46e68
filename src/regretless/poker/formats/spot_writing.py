"""Spots written as TOML that `spot_files` reads as the same spot."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from regretless.errors import OptionError
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.sizes import Size, Sizes, read_size
from regretless.poker.formats.spot_files import PLAYERS, RULES, STREETS
from regretless.poker.games import PublicGame, Spot
from regretless.poker.quoting import quoted
from regretless.storage import write_atomically

__all__ = ["spot_text", "write_spot"]

UNITS = {"pot": "pot", "chips": "c", "times": "x"}


def write_spot(spot: Spot, path: str | os.PathLike[str]) -> None:
    """Write a spot to a TOML file that `read_spot` reads as the same spot."""
    text = spot_text(spot)
    write_atomically(path, lambda file: file.write(text.encode()))


def spot_text(spot: Spot) -> str:
    """A spot in TOML.

    >>> spot = Spot("Qs Jh 2h 7c 3d", ("QQ+,AK", "JJ-99"), pot=100, stack=200, sizes="bet 50%, raise all-in")
    >>> print(spot_text(spot))
    board = "Qs Jh 2h 7c 3d"
    pot = 100
    stack = 200
    <BLANKLINE>
    [ranges]
    oop = "QQ+,AK"
    ip = "JJ-99"
    <BLANKLINE>
    [sizes]
    bet = "50%"
    raise = "all-in"
    <BLANKLINE>
    """
    import tomli_w  # here, because few programs write spots

    if not isinstance(spot, PublicGame) or not isinstance(spot.betting, NoLimit) or not isinstance(spot, Spot):
        raise OptionError(f"only spots are written as TOML, got {quoted(spot)}")
    return tomli_w.dumps(plain(spot_table(spot, spot.betting)))


def spot_table(spot: Spot, betting: NoLimit) -> dict[str, Any]:
    """The table that `spot_files` reads as the same spot."""
    table: dict[str, Any] = {"board": " ".join(map(spot.deck.name, spot.first_board))}
    table |= {"pot": betting.pot, "stack": list(betting.both_stacks) if betting.stacks_note else betting.stack}
    if spot.big_blind is not None:
        table["big_blind"] = spot.big_blind
    table |= changed_rules(betting)
    if not spot.isomorphism:
        table["isomorphism"] = False
    table["ranges"] = {player: str(held) for player, held in zip(PLAYERS, spot.ranges, strict=True)}
    table["sizes"] = sizes_table(betting)
    if spot.locks:
        table["lock"] = [
            {"line": lock.line, **({} if lock.board is None else {"board": lock.board}), "strategy": lock.strategy}
            for lock in spot.locks
        ]
    return table


def changed_rules(betting: NoLimit) -> dict[str, Any]:
    """The settings of the betting that differ from the defaults."""
    usual = {field.name: field.default for field in fields(NoLimit) if field.default is not MISSING}
    return {key: getattr(betting, key) for key in RULES if getattr(betting, key) != usual.get(key)}


def sizes_table(betting: NoLimit) -> dict[str, Any]:
    """The sizes, written once where they are the same for all streets and both players."""
    by_street = betting.sizes_by_street
    first = by_street[0][0]
    if all(sizes == first for street in by_street for sizes in street):
        return dict(lists_of(first))
    table: dict[str, Any] = {}
    for street, (oop, ip) in zip(STREETS[-betting.streets :], by_street, strict=True):
        both = dict(zip(PLAYERS, (lists_of(oop), lists_of(ip)), strict=True))
        table[street] = lists_of(oop) if oop == ip else both
    return table


def lists_of(sizes: Sizes) -> dict[str, str]:
    """The lists of sizes as text."""
    lists = {"bet": sizes.bets, "raise": sizes.raises, "donk": sizes.donks}
    return {name: " ".join(map(exact, given)) or "none" for name, given in lists.items() if given is not None}


def exact(size: Size) -> str:
    """A size as a text that is read as exactly the same number.

    >>> exact(Size("pot", 0.5)), exact(Size("pot", 1 / 3))
    ('50%', '0.3333333333333333pot')
    """
    return str(size) if read_size(str(size)) == size else f"{size.amount!r}{UNITS[size.kind]}"


def plain(value: Any) -> Any:
    """A value in the types of TOML; whole numbers without a decimal point."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value
