"""No-limit hold'em from the blinds on as fields of a form, and the game that filled fields name.

Its sizes are lists with blanks and commas, for all streets or for each of the four, so they are quoted in the name of
the game: hunl:sizes='bet 50%, raise 3x'.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from regretless.errors import OptionError
from regretless.poker.betting.sizes import Sizes

__all__ = ["HUNL_DEFAULTS", "hunl_spec"]

STREETS = ("preflop", "flop", "turn", "river")
"""The names of the fields with the sizes of one street."""

HUNL_DEFAULTS: Mapping[str, str] = {
    "stack": "20000",
    "blinds": "50, 100",
    "ante": "0",
    "sizes": "bet 33% 75%, raise 2.5x",
    **dict.fromkeys(STREETS, "as sizes"),
    "caps": "none",
}
"""By field, as a user writes it."""

AMOUNT = r"\d+(?:\.\d+)?"
TWO_AMOUNTS = re.compile(rf"\(?\s*({AMOUNT})\s*(?:,|/|x|\s)\s*({AMOUNT})\s*\)?")


def hunl_spec(text_of: Callable[[str], str]) -> str:
    """The game of filled fields; those that are empty or have their default are left out.

    >>> hunl_spec({"stack": "2000", "sizes": "bet 50%, raise 3x"}.get)
    "hunl:stack=2000,sizes='bet 50%, raise 3x'"
    """
    given = {name: (text_of(name) or "").strip() for name in HUNL_DEFAULTS}
    given = {name: text for name, text in given.items() if text not in ("", HUNL_DEFAULTS[name])}
    words = [f"{name}={given[name]}" for name in ("stack", "ante", "caps") if name in given]
    if "blinds" in given:
        words.insert(1 if "stack" in given else 0, f"blinds={_blinds(given['blinds'])}")
    if any(name in given for name in ("sizes", *STREETS)):
        words.append(f"sizes={_sizes(given)}")
    return f"hunl:{','.join(words)}" if words else "hunl"


def _blinds(text: str) -> str:
    found = TWO_AMOUNTS.fullmatch(text)
    if found is None:
        raise OptionError(f"blinds are two numbers of chips such as 50, 100, got {text[:40]!r}")
    return f"({found[1]},{found[2]})"


def _sizes(given: Mapping[str, str]) -> str:
    """Sizes for all streets as one text, or for each street as four; wrong ones are named with their field."""
    every = given.get("sizes", HUNL_DEFAULTS["sizes"])
    texts = {"sizes": every, **{street: given.get(street, every) for street in STREETS}}
    for name, text in texts.items():
        try:
            Sizes.read(text)
        except OptionError as error:
            raise OptionError(f"{name}: {error}") from None
        if {"'", '"'} & set(text):
            raise OptionError(f"{name}: sizes are written without quotes, got {text[:40]!r}")
    by_street = [repr(texts[street]) for street in STREETS]
    return by_street[0] if len(set(by_street)) == 1 else f"({','.join(by_street)})"
