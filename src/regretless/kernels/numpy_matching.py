"""Regret matching on NumPy arrays: from regrets, or from sums of strategies, to probabilities.

The rule is that of `regretless.kernels.regret_rules`: a sum below the smallest normal number counts as 0, and then all
actions are equally likely.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["matched", "matched_groups"]

Array = npt.NDArray[Any]


def matched(numbers: Array, axis: int = 0) -> Array:
    """Probabilities in proportion to the positive numbers along an axis; uniform where there are none."""
    positive = np.maximum(numbers, 0.0)
    total = positive.sum(axis=axis, keepdims=True)
    enough = _enough(total)
    return np.where(enough, positive / np.where(enough, total, 1.0), 1.0 / positive.shape[axis])


def matched_groups(numbers: Array, group: Array, uniform: Array) -> Array:
    """The same within groups of numbers; `uniform` where a group has none. group [numbers], uniform [numbers]."""
    positive = np.maximum(np.asarray(numbers, np.float64), 0.0)
    total = np.bincount(group, weights=positive)[group].astype(np.float64)
    enough = _enough(total)
    return np.where(enough, positive / np.where(enough, total, 1.0), uniform)


def _enough(total: Array) -> Array:
    return np.asarray(total >= np.finfo(total.dtype).tiny)
