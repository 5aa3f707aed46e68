"""What is asked of poker solvers and is not offered here: each in one sentence, for error messages."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import Any, TypeVar

from regretless.errors import OptionError

__all__ = [
    "NAMES_A_GAME",
    "NOT_OFFERED",
    "SEATS",
    "says_what_is_not_offered",
    "why_not",
    "why_not_setting",
    "why_not_settings",
]

Kind = TypeVar("Kind", bound=type)

NAMES_A_GAME = ("game", "variant", "type")
"""Settings under which other programs name the game."""

NOT_OFFERED = {
    "multiway": "hold'em with three or more players (multiway) is not offered: spots and whole games have two players",
    "omaha": "Omaha is not offered: hold'em has hands of two cards, and rg.poker.PublicGame compares the best five of "
    "all cards",
    "icm": "tournament payoffs (ICM) are not offered: payoffs are chips",
    "bunching": "the bunching effect is not offered: the cards of players who folded before are not considered",
}
"""The guide to hold'em lists the same."""

SEATS = ("utg", "utg1", "utg2", "ep", "mp", "lj", "lojack", "hj", "hijack", "co", "cutoff", "btn", "button")
"""Names of seats at a table with more than two players."""

OTHER_WORDS = {
    **dict.fromkeys(("players", "num_players", "3way", "three_way", "3handed", "full_ring", "ring"), "multiway"),
    **dict.fromkeys((f"{players}{dash}max" for players in (3, 4, 5, 6, 8, 9, 10) for dash in ("", "_")), "multiway"),
    **dict.fromkeys(SEATS, "multiway"),
    "plo": "omaha",
    "plo4": "omaha",
    "plo5": "omaha",
    "omaha_hi_lo": "omaha",
    "payouts": "icm",
    "prizes": "icm",
    "tournament": "icm",
    "folded": "bunching",
    "dead_cards": "bunching",
}


def why_not(word: str) -> str | None:
    """The sentence about a setting or a game that is not offered; None for any other word.

    >>> why_not("PLO")[:20], why_not("leduc")
    ('Omaha is not offered', None)
    """
    plain = word.strip().lower().replace("-", "_")
    return NOT_OFFERED.get(OTHER_WORDS.get(plain, plain))


def why_not_setting(name: str, value: Any) -> str | None:
    """The same for a setting with its value, which may name a game.

    >>> why_not_setting("game", "omaha")[:20], why_not_setting("players", 3)[-11:]
    ('Omaha is not offered', 'two players')
    """
    return why_not(value if name in NAMES_A_GAME and isinstance(value, str) else name)


def why_not_settings(settings: Mapping[str, Any]) -> str | None:
    """The sentence about the first of some settings that is not offered."""
    return next(filter(None, (why_not_setting(name, value) for name, value in settings.items())), None)


def says_what_is_not_offered(kind: Kind) -> Kind:
    """A decorator for classes of games and of betting: settings that are not offered are refused by their sentence.

    The parameters of the constructor stay as they are.
    """
    make: Any = kind.__init__  # type: ignore[misc]
    known = frozenset(inspect.signature(make).parameters)

    @functools.wraps(make)
    def made(self: Any, *given: Any, **settings: Any) -> None:
        unknown = {name: value for name, value in settings.items() if name not in known}
        if sentence := why_not_settings(unknown):
            raise OptionError(sentence)
        make(self, *given, **settings)

    kind.__init__ = made  # type: ignore[misc]
    return kind
