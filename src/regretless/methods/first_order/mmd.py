"""Magnetic mirror descent: quantal response equilibria, or, annealed, equilibria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.evaluation.quantal import plan_quantal_gap
from regretless.method import Learner, LearnerTable, Settings, switch
from regretless.methods.checks import check_choices, check_flags, check_number
from regretless.methods.first_order.mirror_learner import MirrorLearner
from regretless.methods.first_order.omd import number_or_none
from regretless.methods.first_order.regularisers import dilated_entropy, plain_entropy, step_unit
from regretless.methods.opening import open_zero_sum
from regretless.problem import Capabilities, Problem
from regretless.tree import Tree
from regretless.variants import Polynomial

__all__ = ["MMD", "QuantalLearner"]

Floats = npt.NDArray[np.float64]

STEP, ANNEALED_STEP = 0.5, 0.25
"""The steps where none is given, in units of 1 / coupling. The coupling is measured at uniform play, and annealed
iterates go far from there."""

ANNEALING = 6.0
"""The temperature of iteration t in annealed runs: ANNEALING · coupling / t."""


@dataclass(frozen=True)
class MMD:
    """Magnetic mirror descent in the space of plans (Sokota, D'Orazio, Kolter, Loizou, Lanctot, Mitliagkas, Brown &
    Kroer 2023).

    With g_t the gradient of a player's payoff, η the step, α the temperature, ψ dilated entropy and D its divergence,

        x_{t+1} = argmax ⟨g_t, x⟩ − α ψ(x) − D(x ‖ x_t) / η.

    With `alpha`, all weights of ψ are 1, and the last iterate converges linearly to the quantal response equilibrium of
    the reduced normal form with rationality λ = 1 / α (McKelvey & Palfrey 1995; Ling, Fang & Kolter 2018). The column
    `qre_gap` of the history is the exact distance to it: what both players together could still gain in payoff plus α
    times entropy. Exploitability is that of the game itself and stays above zero.

    Without `alpha` the temperature falls as 1 / t, and the iterates converge to an equilibrium of the game. Weights and
    step are then those of `OMD`. Deviation: players move in turn, which allows steps of 1 / coupling instead of
    α / coupling².

    >>> import regretless as rg
    >>> run = rg.solve("rps", rg.MMD(alpha=0.5), iterations=200)
    >>> bool(run.history.qre_gap[-1] < 1e-12)
    True
    >>> rg.MMD.quantal(rationality=4)
    MMD(alpha=0.25, eta=None, alternating=True, iterate='last')
    """

    alpha: float | None = None
    """The temperature, in chips; None to anneal it."""
    eta: float | None = None
    """The step, in 1 / chips; None for ½ (annealed ¼) / coupling, measured at uniform play."""
    alternating: bool = True
    """Players move in turn, each against the other's newest plan; otherwise both at once."""
    iterate: str = "last"
    """Which iterate is the run's strategy: last, or the average, in which iteration t counts t."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",), threads=1)
    text_settings: ClassVar[Mapping[str, Any]] = {
        "alpha": number_or_none, "eta": number_or_none, "alternating": switch, "rationality": float,
    }  # fmt: skip
    text_hints: ClassVar[Mapping[str, str]] = {
        "alpha": "a temperature or none", "eta": "a number or none", "rationality": "a number above 0",
    }  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("alpha", "eta"):
            if getattr(self, name) is not None:
                check_number(self, name, 0.0, open_end=True)
        check_flags(self, "alternating")
        check_choices(self, "iterate")

    @classmethod
    def quantal(cls, rationality: float) -> MMD:
        """The method for the quantal response equilibrium of a rationality λ, in 1 / chips."""
        return cls().with_setting("rationality", rationality)

    def with_setting(self, name: str, value: Any) -> MMD:
        """A copy with one setting changed; `rationality` sets alpha = 1 / rationality."""
        if name == "rationality":
            check_number(_Given(value), "rationality", 0.0, open_end=True)
            return replace(self, alpha=1.0 / float(value))
        return replace(self, **{name: value})

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        extras = ["annealed"] if self.alpha is None else [f"α = {self.alpha:g}"]
        extras += ([] if self.eta is None else [f"η = {self.eta:g}"]) + ["average"] * (self.iterate == "average")
        return f"MMD ({', '.join(extras + ['simultaneous'] * (not self.alternating))})"

    def open(self, game: Any) -> Problem:
        """The tree of a two-player zero-sum game."""
        return open_zero_sum(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        return self.learners.start(self, problem, settings)


@dataclass(frozen=True)
class _Given:
    rationality: float


class QuantalLearner(MirrorLearner):
    """Mirror descent towards a quantal response equilibrium."""

    temperature: float = 0.0

    def measure(self) -> dict[str, float]:
        """Also how far the result is from the quantal response equilibrium."""
        gap = plan_quantal_gap(self.tree, self.profile(), self.temperature, self.learners)
        return {**super().measure(), "qre_gap": gap}


@MMD.learners.on("tree")
def start(tree: Tree, method: MMD, settings: Settings) -> MirrorLearner:
    """Mirror descent with a magnet, at a constant or at a falling temperature."""
    entropy = dilated_entropy(tree, "reach") if method.alpha is None else plain_entropy(tree)
    unit = 1.0 if method.alpha is not None and method.eta is not None else step_unit(tree, entropy)
    step = STEP if method.alpha is not None else ANNEALED_STEP
    eta = method.eta if method.eta is not None else step * unit
    averaging = Polynomial(1) if method.iterate == "average" else None
    if method.alpha is None:
        units = np.array([eta, ANNEALING / unit])
        return MirrorLearner(tree, settings, entropy, units, _annealed, averaging, method.alternating)
    units = np.array([eta, method.alpha])
    learner = QuantalLearner(tree, settings, entropy, units, _constant, averaging, method.alternating)
    learner.temperature = method.alpha
    return learner


def _constant(t: Floats, units: Floats) -> tuple[Floats, Floats, Floats]:
    return _factors(np.full_like(t, units[1]), units[0])


def _annealed(t: Floats, units: Floats) -> tuple[Floats, Floats, Floats]:
    return _factors(units[1] / t, units[0])


def _factors(temperature: Floats, eta: float) -> tuple[Floats, Floats, Floats]:
    """θ ← (θ + η g) / (1 + η α): the step of the docstring, in the dual space."""
    keep = 1.0 / (1.0 + eta * temperature)
    return keep, eta * keep, np.zeros_like(keep)
