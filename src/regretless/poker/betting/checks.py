"""The checks that limit and no-limit rules share: each refusal is a sentence with the value and what would be right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real

from regretless.errors import OptionError

__all__ = ["need_amount", "need_caps", "need_forced_bets", "need_streets", "per_street", "who_opens"]

MOST_STREETS = 4


def need_streets(rules: str, streets: object) -> None:
    """Refuse a number of streets that hold'em does not have."""
    if not isinstance(streets, int) or isinstance(streets, bool) or not 1 <= streets <= MOST_STREETS:
        raise OptionError(f"{rules} needs 1 to {MOST_STREETS} streets, got streets={streets!r}")


def need_amount(rules: str, name: str, value: object, *, positive: bool = False, unit: str = "chips") -> float:
    """Refuse what is no finite number of chips (or another unit) of at least, or above, zero."""
    amount = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    if not 0 <= amount < math.inf or (positive and amount == 0):
        need = "a positive number" if positive else "a number of at least 0"
        raise OptionError(f"{rules} needs {name} to be {need} of {unit}, got {name}={value!r}")
    return amount


def need_forced_bets(rules: str, blinds: object, ante: float, pot: float, stack: float | None) -> None:
    """Refuse antes and blinds that are no chips, that leave nothing to win, or that the stack cannot pay."""
    need_amount(rules, "ante", ante)
    need_amount(rules, "pot", pot)
    if not isinstance(blinds, tuple | list) or len(blinds) != 2:
        raise OptionError(f"{rules} needs the blinds of player 0 and of player 1, as (50, 100), got blinds={blinds!r}")
    for player, blind in enumerate(blinds):
        need_amount(rules, f"blinds[{player}]", blind)
    forced = ante + max(blinds)
    if not forced and not pot:
        raise OptionError(f"{rules} needs a pot, blinds or an ante: with all of them 0 there is nothing to win")
    if stack is not None and need_amount(rules, "stack", stack, positive=True) <= forced:
        raise OptionError(
            f"{rules} needs a stack above the {forced:g} chips of the ante and the larger blind, got stack={stack:g}"
        )


def per_street(rules: str, name: str, values: object, streets: int) -> tuple[object, ...]:
    """A value for each street, from one for all of them or from a sequence of them."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        return (values,) * streets
    if len(values) != streets:
        raise OptionError(
            f"{rules} needs one of {name} for all streets or one for each of the {streets}, got {name}={values!r}"
        )
    return tuple(values)


def need_caps(rules: str, caps: object, streets: int) -> tuple[int, ...]:
    """The bets and raises allowed on each street."""
    found = per_street(rules, "caps", caps, streets)
    whole = tuple(int(cap) for cap in found if not isinstance(cap, bool) and isinstance(cap, Integral))
    if len(whole) < len(found) or min(whole) < 0:
        raise OptionError(
            f"{rules} needs caps, the bets and raises allowed on a street, to be whole numbers of at least 0, "
            f"got caps={caps!r}"
        )
    return whole


def who_opens(rules: str, first: object, streets: int, blinds: bool) -> tuple[int, ...]:
    """Who acts first on each street: as given, or the button first before the flop and player 0 first in a spot."""
    if first is None:
        return (0,) + (1,) * (streets - 1) if blinds else (0,) * streets
    found = per_street(rules, "first", first, streets)
    players = tuple(int(player) for player in found if isinstance(player, Integral) and player in (0, 1))
    if len(players) < len(found):
        raise OptionError(f"{rules} needs first, who acts first on a street, to be player 0 or 1, got first={first!r}")
    return players
