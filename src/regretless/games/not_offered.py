"""What is asked of poker solvers and is not offered here: each in one sentence, for error messages."""

from __future__ import annotations

__all__ = ["NOT_OFFERED", "why_not"]

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
