"""The numbers of a variant over a stretch of iterations, in the form that sampled walks use.

A walk touches few infosets, so fading everybody's regret at every iteration is out of the question. Where all regret
fades alike (plain and linear CFR), nothing is multiplied at all: later regrets count more instead. Where it fades by
its sign (DCFR, CFR+, whose floor is a factor of nothing for negative regret) every infoset notes when it was last
brought up to date and catches up at its next visit; signs do not change in between, so nothing is lost. Averages too
are kept by counting later strategies more. Both weights are relative to the beginning of a window of iterations; at
its end one sweep over all infosets brings everything to the next window's scale. Windows begin at fixed iterations, so
they do not depend on how a run is cut up; none is longer than what lies before it, so a weight t^p is at most 2^p and
has room in single precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from regretless.kernels.constants import DECAY, FLOOR, NEGATIVE, POSITIVE, WEIGHT
from regretless.kernels.sampling.infoset_rules import Window
from regretless.variants import Ramp, Variant

__all__ = ["Stretch", "fades_by_sign", "stretch_of"]

SHORTEST, LONGEST = 1, 1 << 20
"""Windows double in length from one bound to the other."""

GONE = -1e4
"""The logarithm of a factor of nothing, finite so that differences of sums of it are numbers."""


@dataclass(frozen=True)
class Stretch:
    """The window that an iteration belongs to."""

    origin: int
    """The iteration before its first."""
    last: int
    window: Window
    regret_scale: float
    """What regrets are multiplied by at its end where all fade alike."""
    average_scale: float
    """What averages are multiplied by at its end."""


def fades_by_sign(variant: Variant) -> bool:
    """Whether positive and negative regret fade differently; or alike, but faster than (t − 1)/t, so that later regrets
    would have to count astronomically more."""
    discount = variant.discount
    if discount is None or variant.floor:
        return variant.floor
    exponent = discount.positive
    least = min(exponent.first, exponent.last) if isinstance(exponent, Ramp) else exponent
    return discount.positive != discount.negative or least < 1


def stretch_of(variant: Variant, iteration: int) -> Stretch:
    """The window of an iteration, counted from 1."""
    origin, length = 0, SHORTEST
    while origin + length < iteration:
        origin += length
        length = min(origin, LONGEST)
        if length == LONGEST:
            origin += (iteration - origin - 1) // LONGEST * LONGEST
    return _stretch(variant, origin, length)


@lru_cache(maxsize=4)
def _stretch(variant: Variant, origin: int, length: int) -> Stretch:
    steps = variant.steps(origin + 1, length)
    if origin == 0:
        steps = steps.copy()
        steps[0, [POSITIVE, NEGATIVE, DECAY]] = 1.0  # there is nothing yet that could fade
    steps = np.where(steps[:, [DECAY]] == 0.0, _with_decay(steps, 1.0), steps)  # nothing has been averaged before
    negative = np.where(steps[:, FLOOR] == 0.0, 0.0, steps[:, NEGATIVE])
    fading = _sums(steps[:, POSITIVE])
    decay = _sums(steps[:, DECAY])
    weight = np.append(1.0, steps[:, WEIGHT]) * np.exp(-decay)
    by_sign = fades_by_sign(variant)
    gain = np.ones(length + 1) if by_sign else np.exp(-fading)
    window = Window(gain, fading, _sums(negative), weight)
    return Stretch(
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
