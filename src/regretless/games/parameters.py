"""The checks that the games' parameters share: an OptionError shows the value and what would be right."""

from __future__ import annotations

import math

from regretless.errors import OptionError
from regretless.game import shortened

__all__ = ["in_digits", "need_number", "need_whole"]


def in_digits(number: int) -> str:
    """A whole number with all its digits, or how many bits it has where they are very many.

    >>> in_digits(1234), in_digits(1 << 100)
    ('1,234', 'a number of 101 bits')
    """
    return f"{number:,}" if number.bit_length() < 64 else f"a number of {number.bit_length()} bits"


def need_whole(game: str, what: str, value: object, *, least: int, most: int | None = None, name: str = "") -> None:
    """Refuse a parameter, called `name` or else `what`, that is not a whole number in its bounds.

    >>> need_whole("Leduc", "ranks", -1, least=2)
    Traceback (most recent call last):
    regretless.errors.OptionError: Leduc needs at least 2 ranks, got ranks=-1
    """
    name = name or what
    if not isinstance(value, int) or isinstance(value, bool):
        raise OptionError(f"{game} needs a whole number of {what}, got {name}={shortened(value)}")
    if value < least:
        counted = what.removesuffix("s") if least == 1 else what
        raise OptionError(f"{game} needs at least {least} {counted}, got {name}={shortened(value)}")
    if most is not None and value > most:
        raise OptionError(f"{game} takes at most {most:,} {what}, got {name}={shortened(value)}")


def need_number(game: str, name: str, value: object, *, least: float | None = None, most: float | None = None) -> None:
    """Refuse a parameter that is not a finite number, or not between its bounds.

    >>> need_number("Sheriff", "fine", "high")
    Traceback (most recent call last):
    regretless.errors.OptionError: Sheriff needs a number as fine, got fine='high'
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise OptionError(f"{game} needs a number as {name}, got {name}={shortened(value)}")
    if (least is not None and value < least) or (most is not None and value > most):
        raise OptionError(f"{game} needs {name} to be from {least:g} to {most:g}, got {name}={shortened(value)}")
