"""The step weights of a variant over a window of iterations, in the form that sampled walks use.

A walk visits few infosets, so regrets of all infosets cannot be discounted at every iteration. Where all regrets have
the same discount (plain and linear CFR), nothing is multiplied: later regrets get a larger weight instead. Where the
discount depends on the sign (DCFR, CFR+, whose floor is a factor of 0 for negative regret), every infoset stores when
it was last updated and catches up at its next visit; signs do not change in between, so the result is exact. Averages
also give later strategies a larger weight. Both weights are relative to the beginning of a window of iterations; at
its end one sweep over all infosets rescales everything for the next window. Windows begin at fixed iterations, so they
do not depend on how a run is split; none is longer than all before it, so a weight t^p grows at most by a factor of
2^p, which fits single precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from regretless.kernels.constants import DECAY, FLOOR, NEGATIVE, POSITIVE, WEIGHT
from regretless.kernels.sampling.walk_records import WindowWeights
from regretless.variants import Ramp, Variant

__all__ = ["IterationWindow", "fades_by_sign", "window_of"]

SHORTEST, LONGEST = 1, 1 << 20
"""Windows double in length from one bound to the other."""

GONE = -1e4
"""Stands for the logarithm of 0; finite, so that sums of it can be subtracted."""


@dataclass(frozen=True)
class IterationWindow:
    """The window that an iteration belongs to."""

    origin: int
    """The iteration before its first."""
    last: int
    weights: WindowWeights
    regret_scale: float
    """What regrets are multiplied by at its end where all have the same discount."""
    average_scale: float
    """What averages are multiplied by at its end."""


def fades_by_sign(variant: Variant) -> bool:
    """Whether the discount depends on the sign of a regret; also where it does not, but is stronger than (t − 1)/t, so
    that weights of later regrets would overflow."""
    discount = variant.discount
    if discount is None or variant.floor:
        return variant.floor
    exponent = discount.positive
    least = min(exponent.first, exponent.last) if isinstance(exponent, Ramp) else exponent
    return discount.positive != discount.negative or least < 1


def window_of(variant: Variant, iteration: int) -> IterationWindow:
    """The window of an iteration, counted from 1."""
    origin, length = 0, SHORTEST
    while origin + length < iteration:
        origin += length
        length = min(origin, LONGEST)
        if length == LONGEST:
            origin += (iteration - origin - 1) // LONGEST * LONGEST
    return _window(variant, origin, length)


@lru_cache(maxsize=4)
def _window(variant: Variant, origin: int, length: int) -> IterationWindow:
    steps = variant.steps(origin + 1, length)
    if origin == 0:
        steps = steps.copy()
        steps[0, [POSITIVE, NEGATIVE, DECAY]] = 1.0  # there are no regrets yet
    steps = np.where(steps[:, [DECAY]] == 0.0, _with_decay(steps, 1.0), steps)  # nothing has been averaged before
    negative = np.where(steps[:, FLOOR] == 0.0, 0.0, steps[:, NEGATIVE])
    fading = _sums(steps[:, POSITIVE])
    decay = _sums(steps[:, DECAY])
    weight = np.append(1.0, steps[:, WEIGHT]) * np.exp(-decay)
    by_sign = fades_by_sign(variant)
    gain = np.ones(length + 1) if by_sign else np.exp(-fading)
    window = WindowWeights(gain, fading, _sums(negative), weight)
    return IterationWindow(
        origin, origin + length, window, 1.0 if by_sign else float(np.exp(fading[-1])), float(np.exp(decay[-1]))
    )


def _with_decay(
    steps: np.ndarray[tuple[int, int], np.dtype[np.float64]], decay: float
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    changed = steps.copy()
    changed[:, DECAY] = decay
    return changed


def _sums(factors: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """[W + 1] logarithms of the products of the first 0, 1, 2 … factors."""
    with np.errstate(divide="ignore"):
        return np.append(0.0, np.cumsum(np.maximum(np.log(factors), GONE)))
