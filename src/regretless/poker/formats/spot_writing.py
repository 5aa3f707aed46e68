"""Spots written as TOML, so that `spot_files` reads the same spot again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from regretless.errors import OptionError
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.sizes import Size, Sizes, read_size
from regretless.poker.formats.spot_files import PLAYERS, RULES, STREETS
from regretless.poker.games import PublicGame, Spot
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
    if not isinstance(spot, PublicGame) or not isinstance(spot.betting, NoLimit) or not isinstance(spot, Spot):
        raise OptionError(f"only spots are written as TOML, got {spot!r}")
    lines = [f"board = {literal(' '.join(map(spot.deck.name, spot.first_board)))}"]
    lines += [f"{key} = {literal(getattr(spot.betting, key))}" for key in ("pot", "stack")]
    if spot.big_blind is not None:
        lines.append(f"big_blind = {literal(spot.big_blind)}")
    lines += [f"{key} = {literal(value)}" for key, value in changed_rules(spot.betting).items()]
    lines += [] if spot.isomorphism else ["isomorphism = false"]
    lines += ["", "[ranges]"]
    lines += [f"{player} = {literal(str(held))}" for player, held in zip(PLAYERS, spot.ranges, strict=True)]
    lines += ["", "[sizes]", *size_lines(spot.betting)]
    for lock in spot.locks:
        lines += ["", "[[lock]]", f"line = {literal(lock.line)}"]
        lines += [] if lock.board is None else [f"board = {literal(lock.board)}"]
        lines.append(f"strategy = {literal(lock.strategy)}")
    return "\n".join([*lines, ""])


def changed_rules(betting: NoLimit) -> dict[str, Any]:
    """The settings of the betting that are not as they are anyway."""
    usual = {field.name: field.default for field in fields(NoLimit) if field.default is not MISSING}
    return {key: getattr(betting, key) for key in RULES if getattr(betting, key) != usual.get(key)}


def size_lines(betting: NoLimit) -> list[str]:
    """The sizes, said once where they are the same for all streets and for both players."""
    first = betting.sizes_by_street[0][0]
    if all(sizes == first for street in betting.sizes_by_street for sizes in street):
        return [f"{key} = {literal(text)}" for key, text in lists_of(first).items()]
    lines = []
    for street, (oop, ip) in zip(STREETS[-betting.streets :], betting.sizes_by_street, strict=True):
        said = lists_of(oop) if oop == ip else dict(zip(PLAYERS, (lists_of(oop), lists_of(ip)), strict=True))
        lines.append(f"{street} = {literal(said)}")
    return lines


def lists_of(sizes: Sizes) -> dict[str, str]:
    """The lists of sizes as text."""
    lists = {"bet": sizes.bets, "raise": sizes.raises, "donk": sizes.donks}
    return {name: " ".join(map(exact, given)) or "none" for name, given in lists.items() if given is not None}


def exact(size: Size) -> str:
    """A size in a spelling that reads as just this number.

    >>> exact(Size("pot", 0.5)), exact(Size("pot", 1 / 3))
    ('50%', '0.3333333333333333pot')
    """
    return str(size) if read_size(str(size)) == size else f"{size.amount!r}{UNITS[size.kind]}"


def literal(value: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        entries = (f"{key if key.isidentifier() and key.isascii() else literal(key)} = {literal(value[key])}"
                   for key in value)  # fmt: skip
        return f"{{ {', '.join(entries)} }}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(literal, value))}]"
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
