"""What is asked of poker solvers and is not offered here: each in one sentence, for error messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["NAMES_A_GAME", "NOT_OFFERED", "why_not", "why_not_setting", "why_not_settings"]

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

OTHER_WORDS = {
    "players": "multiway",
    "num_players": "multiway",
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
