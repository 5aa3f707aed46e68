"""The mistakes the library can name: every one is a sentence that says what was given, where, and what is right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["FileError", "GameError", "OptionError", "RegretlessError", "suggest"]


class RegretlessError(ValueError):
    """A mistake that can be mended by the caller; the command line prints it and exits with 2."""


class GameError(RegretlessError):
    """A game that breaks the rules of `Game`; the message names the history where it does."""


class OptionError(RegretlessError):
    """An option, name or parameter that does not exist or cannot be meant."""


class FileError(RegretlessError):
    """A file that cannot be read or written, or that holds something else than it should."""


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
