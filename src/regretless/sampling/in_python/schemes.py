"""Sampling schemes as objects: which of the own actions a walk follows.

`rg.MCCFR(sampling=scheme)` takes any object that keeps the contract of `SamplingScheme`. Chance and the other players
are always drawn, one action each, by their own probabilities. An own action a is followed with probability q(a),
independently of the others, and what it is worth counts 1 / q(a). So values and regrets are unbiased for any q > 0:

    v̂(a) = v(a) / q(a) if a is followed, else 0          r̂(a) = v̂(a) − Σ_b σ(b) v̂(b)

This is average-strategy sampling (Gibson, Burch, Lanctot & Szafron 2012) with q left open; q = 1 is external sampling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError

__all__ = ["AverageStrategy", "External", "SamplingScheme", "check_followed", "scheme_name"]

Array = npt.NDArray[np.float64]


@runtime_checkable
class SamplingScheme(Protocol):
    """What `rg.MCCFR(sampling=…)` takes; make it a frozen dataclass, so that files can hold its settings.

    An attribute `name` is its name in plots and tables; by default that is the name of the class.
    """

    def followed(self, strategy: Array, average: Array) -> Any:
        """[A] with what probability each own action of an infoset is followed: above 0, at most 1.

        strategy [A]: the current strategy there; average [A]: the sums of all strategies so far.
        """


@dataclass(frozen=True)
class External:
    """All own actions are followed."""

    def followed(self, strategy: Array, average: Array) -> Any:
        """1 for all."""
        return np.ones(len(strategy))


@dataclass(frozen=True)
class AverageStrategy:
    """max(ε, (β + τ·s) / (β + Σs)), at most 1, with s the sums of strategies."""

    epsilon: float
    beta: float
    tau: float

    def followed(self, strategy: Array, average: Array) -> Any:
        """The formula of the paper, §4."""
        total = self.beta + average.sum()
        share = (self.beta + self.tau * average) / total if total > 0 else np.ones(len(strategy))
        return np.minimum(np.maximum(share, self.epsilon), 1.0)


def scheme_name(scheme: SamplingScheme) -> str:
    """The name in plots and tables."""
    return str(getattr(scheme, "name", type(scheme).__name__))


def check_followed(scheme: SamplingScheme, strategy: Array, average: Array) -> Array:
    """What a scheme answers at an infoset; OptionError where these are not probabilities above 0."""
    answer = np.asarray(scheme.followed(strategy, average), np.float64)
    if answer.shape != strategy.shape or not np.all((answer > 0) & (answer <= 1)):
        raise OptionError(
            f"followed(strategy, average) of {scheme_name(scheme)} must return a probability above 0 for each of "
            f"{len(strategy)} actions, got {answer.tolist()}"
        )
    return answer
