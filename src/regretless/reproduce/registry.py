"""All rows, in the order of their sources."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from regretless.errors import OptionError, suggest
from regretless.reproduce.claims import Claim

__all__ = ["all_claims", "claim_by_name"]

FILES = (
    "regret_matching",
    "worked_examples",
    "kuhn",
    "dudo",
    "mistakes",
    "cfr_plus",
    "compression",
    "sampling",
    "discounting",
    "limit_holdem",
    "deep_cfr",
)
"""Modules of `regretless.reproduce.rows`."""


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every row."""
    return tuple(claim for name in FILES for claim in import_module(f"regretless.reproduce.rows.{name}").ROWS)


def claim_by_name(name: str) -> Claim:
    """One row by its name."""
    known = {claim.name: claim for claim in all_claims()}
    if name not in known:
        raise OptionError(f"unknown result {name!r}; {suggest(name, known)}")
    return known[name]
