"""Checks of settings that several methods and measurements share: one sentence for what cannot be meant."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from regretless.errors import OptionError, quoted, suggest

__all__ = [
    "check_choices",
    "check_confidence",
    "check_flags",
    "check_listed",
    "check_number",
    "check_whole",
    "check_widths",
    "checked_seed",
    "checked_threads",
    "function_name",
    "whole",
]

CHOICES: dict[str, tuple[str, ...]] = {
    "averaging": ("strategy-network", "value-networks"),
    "baseline": ("history",),
    "fallback": ("highest", "uniform"),
    "iterate": ("average", "last"),
    "memory": ("merged", "reservoir", "window"),
    "network": ("holdem", "perceptron", "residual"),
    "optimiser": ("adam", "sgd"),
    "refit": ("fresh", "continued", "recursive"),
    "schedule": ("constant", "linear", "cosine"),
    "targets": ("advantages", "strategies"),
}


def whole(number: Any, least: int) -> bool:
    """Whether something is a whole number of at least `least`; 1e6 is one, True is none."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer | float):
        return False
    finite = not isinstance(number, float) or np.isfinite(number)
    return bool(finite and int(number) == number and number >= least)


def checked_seed(seed: Any) -> int:
    """A seed of random numbers."""
    if not whole(seed, least=0) or seed >= 2**64:
        raise OptionError(f"seed is a whole number from 0 to 2**64 - 1, got {quoted(seed)}")
    return int(seed)


def checked_threads(threads: Any) -> int | None:
    """A number of threads; None leaves it to the one who asked."""
    if threads is None:
        return None
    if not whole(threads, least=1):
        raise OptionError(f"threads is a positive whole number, got {quoted(threads)}")
    return int(threads)


def check_confidence(confidence: Any) -> None:
    """The confidence of an interval."""
    number = isinstance(confidence, int | float | np.floating) and not isinstance(confidence, bool)
    if not number or not 0 < confidence < 1:
        raise OptionError(f"confidence is a probability between 0 and 1, such as 0.95, got {quoted(confidence)}")


def check_choices(method: Any, *names: str) -> None:
    """Settings that are one of a few words."""
    for name in names:
        given = getattr(method, name)
        if given is None and name in ("baseline", "memory", "network"):
            continue
        if given not in CHOICES[name]:
            raise OptionError(f"unknown {name} {given!r}; {suggest(str(given), CHOICES[name])}")


def check_whole(method: Any, *names: str, least: int = 1) -> None:
    """Settings that are whole numbers from `least` on, which is 1 or 0."""
    for name in names:
        given = getattr(method, name)
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
            what = "a positive whole number" if least else "a whole number from 0 on"
            raise OptionError(f"{name} is {what}, got {given!r}")


def check_widths(widths: tuple[Any, ...]) -> None:
    """The widths of a network's layers."""
    for width in widths:
        if isinstance(width, bool) or not isinstance(width, int | np.integer) or width < 1:
            raise OptionError(f"widths are positive whole numbers such as (64, 64), got {widths!r}")


def check_number(method: Any, name: str, least: float, most: float = np.inf, *, open_end: bool = False) -> None:
    """A setting that is a number from `least` (or with `open_end` from above it) to `most`."""
    given = getattr(method, name)
    if isinstance(given, bool) or not isinstance(given, int | float | np.number):
        raise OptionError(f"{name} is a number, got {given!r}")
    if not (least < given if open_end else least <= given) or not given <= most or given == np.inf:
        edge = f"above {least:g}" if open_end else f"from {least:g} on" if most == np.inf else f"from {least:g}"
        upper = f" to {most:g}" if most < np.inf else ""
        raise OptionError(f"{name} is a number {edge}{upper}, got {given!r}")


def check_listed(method: Any) -> None:
    """Whether a game is to be listed."""
    if method.listed not in (None, True, False):
        raise OptionError(f"listed is True, False or None, got {method.listed!r}")


def check_flags(method: Any, *names: str) -> None:
    """Settings that are True or False."""
    for name in names:
        if not isinstance(getattr(method, name), bool):
            raise OptionError(f"{name} is True or False, got {getattr(method, name)!r}")


def function_name(part: Any) -> str | None:
    """The name of a setting that is a class or a function, with the arguments of a partial; None for anything else."""
    if isinstance(part, partial):
        arguments = [*map(repr, part.args), *(f"{name}={value!r}" for name, value in part.keywords.items())]
        return f"{function_name(part.func)}({', '.join(arguments)})"
    return getattr(part, "__qualname__", None) if callable(part) else None
