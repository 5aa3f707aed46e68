"""How the opponent enters a subgame that is solved again: the root of each method, on vectors of hands.

With V(h) the value of the opponent's hand h in the subgame, B(h) that of its best response to the blueprint, and w(h)
the weight of the player's hands that arrive and share no card with h, the opponent

    unsafe      arrives with h as often as by the blueprint
    cfr-d       chooses for each h between V(h) and B(h)             Burch, Johanson & Bowling 2014, §4
    maxmargin   chooses h, and wins (V(h) − B(h)) / w(h)             Moravčík, Schmid, Ha, Hladík & Gaukrodger 2016

Choices are made by regret matching with the variant that solves the subgame, one decision for each h in cfr-d, and one
over all h in maxmargin. The rest of the subgame is the public tree itself: a root only sets the opponent's reach there
and is told the opponent's values.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from regretless.kernels.numpy_matching import matched

__all__ = ["ArrivingRange", "ChosenHand", "OpponentRoot", "TakeOrPlay"]

Array = npt.NDArray[np.float64]


class OpponentRoot(Protocol):
    """The opponent before the subgame."""

    def reach(self) -> Array:
        """[classes] with which each class of hands enters."""

    def learn(self, values: Array, step: Any) -> None:
        """Take the values [classes] of an iteration with the step weights [8] of a variant."""


class Choice:
    """Regrets of one choice or of many: [options, choices], with the update of `kernels.regret_rules`."""

    def __init__(self, options: int, choices: int) -> None:
        self.regret = np.zeros((options, choices))
        self.guess = self.regret

    def probability(self) -> Array:
        """[options, choices] of the next iteration."""
        return np.asarray(matched(self.guess))

    def learn(self, values: Array, step: Any) -> None:
        """Update regrets by the values [options, choices] of all options."""
        positive, negative, floor, next_positive, next_negative, prediction = (float(number) for number in step[:6])
        gain = values - (self.probability() * values).sum(axis=0)
        discounted = self.regret * np.where(self.regret > 0, positive, negative)
        self.regret = np.maximum(discounted + gain, floor)
        ahead = self.regret * np.where(self.regret > 0, next_positive, next_negative)
        self.guess = ahead + prediction * gain


class ArrivingRange:
    """unsafe: the opponent's range as it arrives."""

    def __init__(self, reach: Array) -> None:
        self._reach = reach

    def reach(self) -> Array:
        """[classes] the same in every iteration."""
        return self._reach

    def learn(self, values: Array, step: Any) -> None:
        """There is nothing to choose."""


class TakeOrPlay:
    """cfr-d: each hand takes B(h) or plays on."""

    def __init__(self, bound: Array, weight: Array) -> None:
        """Both [classes]: B(h), and the weight of a hand in the range of the whole game."""
        self.bound, self.weight = bound, weight
        self.choice = Choice(2, len(bound))

    def reach(self) -> Array:
        """[classes] the weight of a hand times the probability that it plays on."""
        return np.asarray(self.weight * self.choice.probability()[0])

    def learn(self, values: Array, step: Any) -> None:
        """Compare V(h) with B(h)."""
        self.choice.learn(np.stack([values, self.bound]), step)


class ChosenHand:
    """maxmargin: the opponent chooses its hand."""

    def __init__(self, bound: Array, arriving: Array, size: Array, possible: npt.NDArray[np.bool_]) -> None:
        """All [classes]: B(h), w(h), the number of hands in a class, and whether it can be chosen."""
        self.bound, self.arriving, self.size = bound, arriving, size
        self.possible = np.flatnonzero(possible)
        self.choice = Choice(len(self.possible), 1)

    def reach(self) -> Array:
        """[classes] the probability of a class, divided among its hands, over w(h)."""
        out = np.zeros(len(self.bound))
        at = self.possible
        out[at] = self.choice.probability()[:, 0] / (self.size[at] * self.arriving[at])
        return out

    def learn(self, values: Array, step: Any) -> None:
        """Compare (V(h) − B(h)) / w(h) over all h."""
        at = self.possible
        self.choice.learn(((values[at] - self.bound[at]) / self.arriving[at])[:, None], step)
