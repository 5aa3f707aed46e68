"""Colonel Blotto: Neller and Lanctot, "An Introduction to Counterfactual Regret Minimization" (2013), 2.5."""

# The methods of a game are documented in Game.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

from regretless.errors import OptionError
from regretless.games.matrix import OneShot
from regretless.games.parameters import in_digits, need_whole

__all__ = ["Blotto"]

MOST_PLANS = 100_000
"""Actions of a player; their payoffs are a table with the square of this number."""


@dataclass(frozen=True)
class Blotto(OneShot):
    """Colonel Blotto: two colonels spread their soldiers over fields; the one with more fields wins 1.

    A field goes to the larger force, and to neither when they are equal. Actions read "3-2-0".
    """

    soldiers: int = 5
    fields: int = 3

    def __post_init__(self) -> None:
        need_whole("Blotto", "soldiers", self.soldiers, least=1, most=1_000)
        need_whole("Blotto", "fields", self.fields, least=1, most=1_000)
        plans = comb(self.soldiers + self.fields - 1, self.fields - 1)
        if plans > MOST_PLANS:
            raise OptionError(
                f"Blotto takes at most {MOST_PLANS:,} ways to place the soldiers, got soldiers={self.soldiers} and "
                f"fields={self.fields}, which have {in_digits(plans)}"
            )

    @cached_property
    def plans(self) -> tuple[tuple[int, ...], ...]:
        """Every way to place all soldiers, the most on the first fields first."""
        return tuple(_compositions(self.soldiers, self.fields))

    @property
    def choices(self) -> tuple[tuple[str, ...], ...]:
        return (tuple("-".join(map(str, plan)) for plan in self.plans),) * 2

    def outcome(self, chosen: tuple[int, ...]) -> Sequence[float]:
        mine, theirs = self.plans[chosen[0]], self.plans[chosen[1]]
        lead = sum((a > b) - (a < b) for a, b in zip(mine, theirs, strict=True))
        return (0.0, 0.0) if lead == 0 else (1.0, -1.0) if lead > 0 else (-1.0, 1.0)


def _compositions(soldiers: int, fields: int) -> Iterator[tuple[int, ...]]:
    if fields == 1:
        yield (soldiers,)
        return
    for first in range(soldiers, -1, -1):
        for rest in _compositions(soldiers - first, fields - 1):
            yield (first, *rest)
