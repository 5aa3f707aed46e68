"""The excessive gap technique with dilated entropy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.kernels.first_order.dilated_entropy import player_spread
from regretless.kernels.first_order.excessive_gap import (
    GapBuffers,
    GapState,
    copy_state,
    excess,
    gap_iterations,
    smoothed_value,
)
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.method import Learner, LearnerTable, Settings
from regretless.methods.first_order.regularisers import check_weights, coupling, dilated_entropy
from regretless.methods.opening import open_zero_sum, refuse_fixed
from regretless.methods.tree_learner import TreeLearner
from regretless.problem import Capabilities, Problem
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["EGT", "EGTLearner"]

Array = npt.NDArray[Any]

FIRST_STEP = 0.5
"""The part of μ that the first step takes away."""

LARGEST, SMALLEST = 2.0**40, 2.0**-40
"""Bounds of the search for the first μ, in units of the coupling."""


@dataclass(frozen=True)
class EGT:
    """The excessive gap technique (Nesterov 2005) with dilated entropy (Hoda, Gilpin, Peña & Sandholm 2010; Kroer,
    Waugh, Kılınç-Karzan & Sandholm 2020) and aggressive steps (Kroer, Farina & Sandholm 2018).

    The pair of plans (x, y) keeps s_x(y, μ_x) + s_y(x, μ_y) ≤ 0, where s is the value of a best response smoothed by μ
    times the regulariser. NashConv is then at most μ_x max ψ_x + μ_y max ψ_y. A step 0 < τ < 1 shrinks the larger μ:

        x̂ = (1 − τ) x + τ Q(g(y) / μ_x),   y' = Q(g(x̂) / μ_y),   x' = Q(g(y) / μ_x + τ / ((1 − τ) μ_x) · g(y')),
        x ← (1 − τ) x + τ x',               y ← (1 − τ) y + τ y',   μ_x ← (1 − τ) μ_x,

    Q being the smoothed best response. τ begins at ½ and is halved each time the condition is broken; the plans then
    go back to the last that kept it. Such a rejected step counts as an iteration. The first μ is the smallest power of
    2 times the coupling that keeps the condition. There is no average: the plans themselves converge, with an error of
    O(1 / t). The history has μ of both players in the columns `smoothing_0` and `smoothing_1`.

    Deviation: once τ is small the condition is checked after every sixteenth step only, to save time.

    >>> import regretless as rg
    >>> run = rg.solve("kuhn", rg.EGT(), iterations=2_000)
    >>> run.exploitability < 1e-3
    True
    """

    weights: str = "kroer"
    """The weights of dilated entropy: kroer (2020), global (2021) or reach."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",), fixed=False, threads=1)
    text_settings: ClassVar[Mapping[str, Any]] = {"weights": str}

    def __post_init__(self) -> None:
        check_weights(self.weights)

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return "EGT" if self.weights == "kroer" else f"EGT ({self.weights})"

    def open(self, game: Any) -> Problem:
        """The tree of a two-player zero-sum game."""
        return open_zero_sum(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        refuse_fixed(self, settings)
        return self.learners.start(self, problem, settings)


@EGT.learners.on("tree")
class EGTLearner(TreeLearner):
    """The pair of plans, their smoothing, and the last pair that is known to keep the condition."""

    def __init__(self, tree: Tree, method: EGT, settings: Settings) -> None:
        super().__init__(tree, settings)
        sequences, infosets = tree.sequences, tree.infosets
        self.entropy = dilated_entropy(tree, method.weights)
        self.state, self.saved = _blank(sequences), _blank(sequences)
        self.buffers = GapBuffers(
            theta=np.zeros(sequences),
            scale=np.zeros(infosets),
            answer=np.ones(sequences),
            product=np.zeros(sequences),
        )
        self.tau, self.since = np.array([FIRST_STEP]), np.zeros(1, np.int64)
        self._find_first_smoothing(coupling(tree, self.entropy) or 1.0)

    def _find_first_smoothing(self, unit: float) -> None:
        """Begin with the smallest μ = unit · 2ᵏ at which the condition holds."""
        factor = 1.0
        while not self._begin_at(factor * unit) and factor < LARGEST:
            factor *= 2.0
        while factor > SMALLEST and self._begin_at(factor * unit / 2.0):
            factor /= 2.0
        self._begin_at(factor * unit)
        copy_state(self.state, self.saved)

    def _begin_at(self, smoothing: float) -> bool:
        """y = Q(g(uniform x) / μ), x = Q(g(y) / μ); whether the condition holds there."""
        form, state, buffers = self.tree.form, self.state, self.buffers
        state.smoothing[:] = smoothing
        state.plan[:] = self.tree.plan(self.tree.uniform().probabilities)
        for player in (1, 0):
            player_gradient(form, player, state.plan, state.gradient)
            smoothed_value(form, player, self.entropy, state.gradient, smoothing, buffers)
            player_spread(form, player, buffers.theta, buffers.scale, state.plan, buffers.product, 0.0, 0.0)
        player_gradient(form, 1, state.plan, state.gradient)
        return bool(excess(form, self.entropy, state, buffers) <= 0.0)

    def advance(self, iterations: int) -> None:
        """Try `iterations` more steps."""
        gap_iterations(
            self.tree.form, self.entropy, self.state, self.saved, self.buffers, self.tau, self.since, iterations
        )
        self.iteration += iterations

    def arrays(self) -> dict[str, Array]:
        """Both states, the step, and the number of steps since the condition was checked."""
        state, saved = self.state, self.saved
        return {
            "average": state.plan, "gradient": state.gradient, "smoothing": state.smoothing,
            "saved_plan": saved.plan, "saved_gradient": saved.gradient, "saved_smoothing": saved.smoothing,
            "step": self.tau, "since": self.since,
        }  # fmt: skip

    def current(self) -> Array:
        """[S] the strategy of the plans."""
        return Strategy.from_plan(self.tree.labels, self.state.plan).probabilities

    def measure(self) -> dict[str, float]:
        """Also the smoothing of both players."""
        mu = self.state.smoothing
        return {**super().measure(), "smoothing_0": float(mu[0]), "smoothing_1": float(mu[1])}


def _blank(sequences: int) -> GapState:
    return GapState(plan=np.ones(sequences), gradient=np.zeros(sequences), smoothing=np.ones(2))
