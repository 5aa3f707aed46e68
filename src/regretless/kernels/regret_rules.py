"""The regret rules: one update that every variant is a setting of, compiled for whatever walks the game."""

from __future__ import annotations

from numba import njit


@njit(inline="always")
def discounted(regret, positive, negative):
    """Regret after discounting, by the sign of the regret before the new one is added (Brown & Sandholm 2019, §3)."""
    return regret * (positive if regret > 0 else negative)


@njit(inline="always")
def at_least(value, floor):
    """max(value, floor), as a comparison that vectorises."""
    return value if value > floor else floor
