"""What the studies of solved spots are given."""

from __future__ import annotations

from typing import Any

from regretless.errors import OptionError
from regretless.poker.quoting import quoted
from regretless.poker.results.public_strategy import PublicStrategy

__all__ = ["check_count", "solved_strategy"]


def solved_strategy(solved: Any, asked: str) -> PublicStrategy:
    """The strategy of a run of hold'em, or the strategy itself; `asked` begins the sentence for anything else."""
    strategy = solved if isinstance(solved, PublicStrategy) else getattr(solved, "strategy", solved)
    if not isinstance(strategy, PublicStrategy):
        raise OptionError(f"{asked} of hold'em without an abstraction, got {quoted(solved)}")
    return strategy


def check_count(name: str, given: Any, least: int, most: int | None = None) -> None:
    """Refuse what is no whole number in a range."""
    whole = isinstance(given, int) and not isinstance(given, bool)
    if not whole or given < least or (most is not None and given > most):
        limits = f"from {least} on" if most is None else f"from {least} to {most}"
        raise OptionError(f"{name} is a whole number {limits}, got {quoted(given)}")
