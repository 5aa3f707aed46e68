"""Values as error messages quote them: always short."""

from __future__ import annotations

__all__ = ["quoted"]

MOST_QUOTED = 120
"""Characters of a value that a message shows."""


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
