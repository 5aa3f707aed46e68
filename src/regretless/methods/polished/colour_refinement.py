"""Sequences that no payoff tells apart, found by colour refinement.

A linear program whose variables and rows are partitioned such that equal colours see equal multisets of coefficients
has a solution that is constant on each colour (Grohe, Kersting, Mladenov & Selman 2014, §3): in poker, suits that only
chance tells apart are merged. Colours are 64-bit hashes of multisets, so unequal sequences may be merged by accident
with negligible probability; what is computed from them is checked by best responses in the game itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.tree import Tree

__all__ = ["Colours", "refine_colours"]

Array = npt.NDArray[Any]

MOST_ROUNDS = 200

DIGITS = 1e10
"""Payoffs are equal if they agree to ten digits of the largest; rounding of chance's factors changes later digits."""


@dataclass(frozen=True)
class Colours:
    """A colour for each sequence and for each infoset, numbered from 0; players share no colours."""

    sequence: Array  # [S]
    infoset: Array  # [I]


def refine_colours(tree: Tree) -> Colours:
    """The coarsest colouring in which sequences of a colour have equal payoffs against each colour, and infosets of a
    colour have parents and actions of equal colours."""
    form, owner = tree.form, tree.labels.infoset_of_sequence
    parent, real = form.parent.astype(np.int64), owner >= 0
    largest = float(np.abs(form.payoff).max(initial=0.0)) or 1.0
    paid = _mixed(np.round(form.payoff / largest * DIGITS).astype(np.int64).view(np.uint64))
    column, first = form.column[0].astype(np.int64), form.entry_first.astype(np.int64)
    some = np.flatnonzero(np.diff(first))
    colour = tree.labels.player_of_sequence.astype(np.int64)
    infoset = np.zeros(tree.infosets, np.int64)
    known = 0
    for _ in range(MOST_ROUNDS):
        own = _mixed(colour.astype(np.uint64))
        local = np.zeros(tree.infosets, np.uint64)
        np.add.at(local, owner[real], own[real])
        local = _mixed(local + _mixed(own[parent]))
        below, payoff = np.zeros(len(own), np.uint64), np.zeros(len(own), np.uint64)
        np.add.at(below, parent, local)
        payoff[some] = np.add.reduceat(_mixed(own[column] ^ paid), first[some]) if len(some) else 0
        seen = own + _mixed(below) + _mixed(payoff ^ _mixed(own))
        seen[real] += _mixed(local[owner[real]] ^ own[real])
        names, colour = np.unique(seen, return_inverse=True)
        infoset = np.unique(local, return_inverse=True)[1]
        if len(names) == known:
            break
        known = len(names)
    return Colours(colour.ravel(), infoset.ravel())


def _mixed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A hash of each 64-bit word (Steele, Lea & Flood 2014, the finaliser of SplitMix64)."""
    z = (words + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
