"""Optimistic online mirror descent with dilated entropy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.method import Learner, LearnerTable, Settings, switch
from regretless.methods.checks import check_choices, check_flags, check_number
from regretless.methods.first_order.mirror_learner import MirrorLearner
from regretless.methods.first_order.regularisers import check_weights, dilated_entropy, step_unit
from regretless.methods.opening import open_zero_sum
from regretless.problem import Capabilities, Problem
from regretless.tree import Tree
from regretless.variants import Polynomial

__all__ = ["OMD", "number_or_none", "polynomial"]

Floats = npt.NDArray[np.float64]

LINEARLY = Polynomial(1)

STEP = 0.5
"""The step where none is given, in units of 1 / coupling."""


def number_or_none(word: str) -> float | None:
    """A setting as text that is a number or "none"."""
    return None if word == "none" else float(word)


def polynomial(word: str) -> Polynomial:
    """A setting as text that is the power of an average."""
    return Polynomial(float(word))


@dataclass(frozen=True)
class OMD:
    """Optimistic online mirror descent in the space of plans (Farina, Kroer & Sandholm 2019; Rakhlin & Sridharan 2013).

    With g_t the gradient of a player's payoff, η the step and D the Bregman divergence of dilated entropy,

        x_{t+1} = argmax ⟨2 g_t − g_{t−1}, x⟩ − D(x ‖ x_t) / η,

    or ⟨g_t, x⟩ without optimism. The average of the iterates converges to an equilibrium; the last iterate often does,
    too, and the history has its exploitability in the column `current_exploitability`.

    Deviations: players move in turn (`alternating`), averages may weigh late iterations more, and the default weights
    are our own; `weights="kroer"` and `"global"` are the published ones.

    >>> import regretless as rg
    >>> run = rg.solve("kuhn", rg.OMD(), iterations=2_000)
    >>> run.exploitability < 1e-3, bool(run.history.current_exploitability[-1] < 1e-6)
    (True, True)
    """

    eta: float | None = None
    """The step, in 1 / chips; None for 1 / (2 · coupling), measured at uniform play."""
    weights: str = "reach"
    """The weights of dilated entropy: reach, kroer (2020) or global (2021)."""
    optimistic: bool = True
    alternating: bool = True
    """Players move in turn, each against the other's newest plan; otherwise both at once."""
    averaging: Polynomial = LINEARLY
    """Iteration t counts t^power in the average."""
    iterate: str = "average"
    """Which iterate is the run's strategy: average or last."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",), threads=1)
    text_settings: ClassVar[Mapping[str, Any]] = {
        "eta": number_or_none, "averaging": polynomial, "optimistic": switch, "alternating": switch,
    }  # fmt: skip
    text_hints: ClassVar[Mapping[str, str]] = {"eta": "a number or none", "averaging": "the power of an average"}

    def __post_init__(self) -> None:
        if self.eta is not None:
            check_number(self, "eta", 0.0, open_end=True)
        check_weights(self.weights)
        check_flags(self, "optimistic", "alternating")
        check_choices(self, "iterate")
        if not isinstance(self.averaging, Polynomial):
            raise OptionError(f"averaging is rg.Polynomial(power), got {self.averaging!r}")

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        kind = "optimistic OMD" if self.optimistic else "OMD"
        extras = [self.weights] * (self.weights != "reach") + ["last iterate"] * (self.iterate == "last")
        extras += ([] if self.eta is None else [f"η = {self.eta:g}"]) + ["simultaneous"] * (not self.alternating)
        return kind + (f" ({', '.join(extras)})" if extras else "")

    def open(self, game: Any) -> Problem:
        """The tree of a two-player zero-sum game."""
        return open_zero_sum(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        return self.learners.start(self, problem, settings)


@OMD.learners.on("tree")
def start(tree: Tree, method: OMD, settings: Settings) -> MirrorLearner:
    """Mirror descent with a constant step."""
    entropy = dilated_entropy(tree, method.weights)
    eta = method.eta if method.eta is not None else STEP * step_unit(tree, entropy)
    optimism = float(method.optimistic)

    def factors(t: Floats, units: Floats) -> tuple[Floats, Floats, Floats]:
        rate = np.full_like(t, units[0])
        return np.ones_like(t), rate, optimism * rate

    averaging = method.averaging if method.iterate == "average" else None
    return MirrorLearner(tree, settings, entropy, np.array([eta]), factors, averaging, method.alternating)
