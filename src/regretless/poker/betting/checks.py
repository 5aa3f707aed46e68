"""Checks that limit and no-limit rules share. Each error shows the value and says what would be right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real

from regretless.errors import OptionError
from regretless.poker.quoting import quoted

__all__ = [
    "LEAST_CHIPS",
    "MOST_CHIPS",
    "as_number",
    "need_amount",
    "need_caps",
    "need_forced_bets",
    "need_number",
    "need_streets",
    "per_street",
    "who_opens",
]

MOST_STREETS = 4

LEAST_CHIPS, MOST_CHIPS = 1e-6, 1e12
"""Amounts of chips are 0 or lie between these two. Outside them sums of payoffs lose their digits."""


def need_streets(rules: str, streets: object) -> None:
    """Refuse a number of streets that hold'em does not have."""
    if not isinstance(streets, int) or isinstance(streets, bool) or not 1 <= streets <= MOST_STREETS:
        raise OptionError(f"{rules} needs 1 to {MOST_STREETS} streets, got streets={quoted(streets)}")


def as_number(value: object) -> float:
    """A real number as a float: infinite where it is too large for one, nan where it is no number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def need_number(rules: str, name: str, value: object, *, positive: bool = False, unit: str) -> float:
    """Refuse a value that is not a finite number of at least 0, or above 0 if `positive`."""
    number = as_number(value)
    if not 0 <= number < math.inf or (positive and number == 0):
        need = "a positive number" if positive else "a number of at least 0"
        raise OptionError(f"{rules} needs {name} to be {need} of {unit}, got {name}={quoted(value)}")
    return number


def need_amount(rules: str, name: str, value: object, *, positive: bool = False) -> float:
    """Refuse a value that is not an amount of chips: 0 (unless `positive`), or LEAST_CHIPS to MOST_CHIPS."""
    chips = as_number(value)
    if not chips > 0:
        return need_number(rules, name, value, positive=positive, unit="chips")
    if not LEAST_CHIPS <= chips <= MOST_CHIPS:
        zero = "" if positive else "0 or "
        raise OptionError(
            f"{rules} needs {name} to be {zero}from {LEAST_CHIPS:f} to {MOST_CHIPS:,.0f} chips, "
            f"got {name}={quoted(value)}"
        )
    return chips


def need_forced_bets(rules: str, blinds: object, ante: float, pot: float, stack: float | None) -> None:
    """Refuse antes and blinds that are not chips, that leave nothing to win, or that the stack cannot pay."""
    need_amount(rules, "ante", ante)
    need_amount(rules, "pot", pot)
    if not isinstance(blinds, tuple | list) or len(blinds) != 2:
        raise OptionError(
            f"{rules} needs the blinds of player 0 and of player 1, as (50, 100), got blinds={quoted(blinds)}"
        )
    for player, blind in enumerate(blinds):
        need_amount(rules, f"blinds[{player}]", blind)
    forced = ante + max(blinds)
    if not forced and not pot:
        raise OptionError(f"{rules} needs a pot, blinds or an ante: with all of them 0 there is nothing to win")
    if stack is not None and need_amount(rules, "stack", stack, positive=True) <= forced:
        raise OptionError(
            f"{rules} needs a stack above the {forced:g} chips of the ante and the larger blind, got stack={stack:g}"
        )


def need_stacks(rules: str, stack: object) -> tuple[float, float]:
    """The stacks of both players, from a pair."""
    if not isinstance(stack, tuple | list) or len(stack) != 2:
        raise OptionError(f"{rules} needs a stack for both players, or one for each as (200, 120), got {quoted(stack)}")
    first, second = (need_amount(rules, f"stack[{at}]", chips, positive=True) for at, chips in enumerate(stack))
    return first, second


def per_street(rules: str, name: str, values: object, streets: int) -> tuple[object, ...]:
    """A value for each street, from one value for all streets or from a sequence with one for each."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        return (values,) * streets
    if len(values) != streets:
        raise OptionError(
            f"{rules} needs one value of {name} for all streets or one for each of the {streets}, "
            f"got {name}={quoted(values)}"
        )
    return tuple(values)


def need_caps(rules: str, caps: object, streets: int) -> tuple[int, ...]:
    """The number of bets and raises allowed on each street."""
    found = per_street(rules, "caps", caps, streets)
    whole = tuple(int(cap) for cap in found if not isinstance(cap, bool) and isinstance(cap, Integral))
    if len(whole) < len(found) or min(whole) < 0:
        raise OptionError(
            f"{rules} needs caps, the bets and raises allowed on a street, to be whole numbers of at least 0, "
            f"got caps={quoted(caps)}"
        )
    return whole


def who_opens(rules: str, first: object, streets: int, blinds: bool) -> tuple[int, ...]:
    """The player who acts first on each street.

    Without `first`: in a game with blinds player 0 before the flop and player 1 after it, in a spot player 0.
    """
    if first is None:
        return (0,) + (1,) * (streets - 1) if blinds else (0,) * streets
    found = per_street(rules, "first", first, streets)
    players = tuple(int(player) for player in found if isinstance(player, Integral) and player in (0, 1))
    if len(players) < len(found):
        raise OptionError(
            f"{rules} needs first, who acts first on a street, to be player 0 or 1, got first={quoted(first)}"
        )
    return players
