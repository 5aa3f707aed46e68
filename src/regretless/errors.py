"""The mistakes the library can name: every one is a sentence that says what was given, where, and what is right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["FileError", "GameError", "MissingAbstraction", "OptionError", "RegretlessError", "quoted", "suggest"]

MOST_QUOTED = 120
"""Characters of a value that a message shows."""


class RegretlessError(ValueError):
    """A mistake that can be mended by the caller; the command line prints it and exits with 2."""


class GameError(RegretlessError):
    """A game that breaks the rules of `Game`; the message names the history where it does."""


class OptionError(RegretlessError):
    """An option, name or parameter that does not exist or cannot be meant."""


class FileError(RegretlessError):
    """A file that cannot be read or written, or that holds something else than it should."""


class MissingAbstraction(FileError):
    """A run whose card abstraction is not at hand."""


def suggest(given: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the nearest known one, or all of them.

    >>> suggest("kuhm", ["kuhn", "leduc"])
    "did you mean 'kuhn'?"
    >>> suggest("chess", ["kuhn", "leduc"])
    'known: kuhn, leduc'
    """
    names = sorted(known)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"


def quoted(value: object, most: int = MOST_QUOTED) -> str:
    """The `repr` of a value, with its middle left out where it is longer than `most` characters.

    >>> quoted("QQ+"), quoted("A" * 1_000, most=20)
    ("'QQ+'", "'AAAAAAAAA…AAAAAAAA'")
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # Python refuses integers of more than 4,300 digits and very deep lists
        return f"a value of type {type(value).__name__} that is too long to show"
    if len(text) <= most:
        return text
    head = most // 2
    return f"{text[:head]}…{text[len(text) - (most - head - 1) :]}"
