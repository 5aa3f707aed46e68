"""What Gambit answers, in its versions 16 and 17."""

from __future__ import annotations

from typing import Any

__all__ = ["gambit_value"]


def gambit_value(game: Any, solved: Any) -> Any:
    """What the first player wins in the equilibrium that Gambit has found."""
    first = next(iter(game.players))
    if hasattr(solved, "equilibria"):
        return solved.equilibria[0].payoff(first)
    return solved.equilibrium.payoffs[first]
