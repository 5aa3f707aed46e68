"""How exploitable a strategy may be for a solve to stop: in chips or, of poker, as people say it.

| until | means |
|---|---|
| 0.5, "0.5" | exploitability, NashConv / players, in chips per game |
| "0.3%" | the same divided by the pot at the beginning |
| "5mbb", "5 mbb/g total" | NashConv, what both players together can win, in thousandths of a big blind per game |
| "2.5 mbb/g average" | half of that |
"""

from __future__ import annotations

import re
from typing import Any

from regretless.errors import OptionError
from regretless.problem import the_game

__all__ = ["chips_until", "read_until"]

UNTIL = re.compile(
    r"(?P<number>[^\s%a-z]*(?:e[+-]?\d+)?|[+-]?(?:nan|inf))\s*"
    r"(?P<unit>|chips?|%(?:\s*(?:of the )?pot)?|mbb(?:/(?:g|h|hand|game))?)\s*(?P<whose>|total|average)",
    re.IGNORECASE,
)
SPELLINGS = "until is a number of chips, '0.3%' of the pot, or '5mbb' for both players together"


def read_until(until: Any) -> tuple[Any, str]:
    """A number and its unit ("chips", "pot" or "mbb", of both players together); numbers are chips.

    >>> read_until(0.5), read_until("0.3%"), read_until("5 mbb/g"), read_until("2.5 mbb average")
    ((0.5, 'chips'), (0.003, 'pot'), (5.0, 'mbb'), (5.0, 'mbb'))
    """
    if not isinstance(until, str):
        return until, "chips"
    found = UNTIL.fullmatch(until.strip())
    try:
        number = float(found["number"]) if found else None
    except ValueError:
        number = None
    if found is None or number is None:
        raise OptionError(f"{SPELLINGS}, got {until!r}")
    unit = found["unit"].lower()
    if unit.startswith("%") and not found["whose"]:
        return number / 100, "pot"
    if unit.startswith("mbb"):
        return number * (2 if found["whose"].lower() == "average" else 1), "mbb"
    if found["whose"]:
        raise OptionError(f"{SPELLINGS}: total and average are of mbb, got {until!r}")
    return number, "chips"


def chips_until(until: Any, game: Any) -> Any:
    """The exploitability at which a solve of a game stops, in chips; what is no text is passed on as it is."""
    number, unit = read_until(until)
    if unit == "chips":
        return number
    game = the_game(game)
    if not hasattr(game, "pot"):
        thing = "a pot" if unit == "pot" else "a big blind"
        raise OptionError(
            f"until={until!r} is for hold'em, and this game does not say what {thing} is: "
            "give a number of chips per game"
        )
    if unit == "pot":
        return number * game.pot
    if not game.big_blind:
        raise OptionError(
            f"until={until!r} counts in big blinds, and {game.name} does not say how many chips one is: "
            f"set big_blind, or give '0.3%' of the pot"
        )
    return number * game.big_blind / 1_000 / 2
