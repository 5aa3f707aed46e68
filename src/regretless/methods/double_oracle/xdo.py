"""Extensive-form double oracle: restricted games are solved by counterfactual regret minimisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.sequence_form.iterations import iterations
from regretless.kernels.sequence_form.layout import Iterate
from regretless.kernels.sequence_form.response_values import profile_gaps
from regretless.kernels.sequence_form.treeplex import lay_plan
from regretless.method import Learner, LearnerTable, Settings
from regretless.methods.checks import check_number
from regretless.methods.double_oracle.oracle_learner import OracleLearner
from regretless.methods.double_oracle.restricted_game import RestrictedGame
from regretless.methods.opening import open_zero_sum, refuse_fixed
from regretless.problem import Capabilities, Problem
from regretless.tree import Tree
from regretless.variants import CFR_PLUS, Variant, variant_by_name

__all__ = ["XDO", "XDOLearner"]

Array = npt.NDArray[Any]

CHECKED_EVERY = 1.25
"""The gap of a restricted game is computed each time its iterations have grown by this factor."""

MOST_ITERATIONS = 1_000_000
"""Iterations of CFR after which a restricted game counts as solved in any case."""


@dataclass(frozen=True)
class XDO:
    """Extensive-form double oracle (McAleer, Lanier, Wang, Baldi & Fox 2021), with any variant of CFR.

    The restricted game allows at each infoset the actions that some best response has taken there. An iteration runs
    CFR on it until its NashConv is at most ε, computes best responses in the whole game and allows their actions. Where
    they add nothing, the solution is within ε of an equilibrium of the whole game, and ε is halved.

    The history has the size of the restricted game in the columns `restricted_sequences` and `restricted_infosets`, and
    the iterations of CFR so far in the column `inner_iterations`.

    >>> import regretless as rg
    >>> run = rg.solve("kuhn", rg.XDO(), until=1e-4)
    >>> round(run.value, 3)
    -0.056
    """

    variant: Variant = CFR_PLUS
    epsilon: float = 0.1
    """The first ε, in parts of the largest payoff."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",), fixed=False, threads=1)
    text_settings: ClassVar[Mapping[str, Any]] = {"variant": variant_by_name, "epsilon": float}

    def __post_init__(self) -> None:
        check_number(self, "epsilon", 0.0, open_end=True)
        if not isinstance(self.variant, Variant):
            raise OptionError(f"variant is rg.CFR, rg.CFR_PLUS or the like, got {self.variant!r}")

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return "XDO" if self.variant == CFR_PLUS else f"XDO ({self.variant.name})"

    def open(self, game: Any) -> Problem:
        """The tree of a two-player zero-sum game."""
        return open_zero_sum(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        refuse_fixed(self, settings)
        return self.learners.start(self, problem, settings)


@XDO.learners.on("tree")
class XDOLearner(OracleLearner):
    """Restricted games by CFR, each from scratch, to a precision that follows the best responses."""

    def __init__(self, tree: Tree, method: XDO, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.variant = method.variant
        largest = tree.listing.largest_payoff or 1.0
        self.epsilon = np.array([method.epsilon * largest])
        self.inner = np.zeros(1, np.int64)

    def solve_restricted(self, game: RestrictedGame) -> Array:
        """[S'] the average plan of CFR, once its NashConv is at most ε."""
        form, variant, learning = game.form, self.variant, np.ones(2, bool)
        iterate = _blank(game, bool(variant.predictive))
        done, target = 0, 8
        while True:
            steps = variant.steps(done + 1, target - done)
            iterations(
                form, iterate, steps, learning, variant.alternating, bool(variant.predictive),
                float(np.finfo(np.float64).tiny), None,
            )  # fmt: skip
            done, target = target, int(target * CHECKED_EVERY)
            if _nash_conv(form, iterate) <= self.epsilon[0] or done >= MOST_ITERATIONS:
                self.inner[0] += done
                return iterate.average

    def nothing_new(self) -> None:
        """The whole game is solved to ε."""
        self.epsilon[0] /= 2

    def arrays(self) -> dict[str, Array]:
        """Those of every double oracle, ε, and the iterations of CFR so far."""
        return {**super().arrays(), "epsilon": self.epsilon, "inner": self.inner}

    def measure(self) -> dict[str, float]:
        """Also the iterations of CFR so far."""
        return {**super().measure(), "inner_iterations": int(self.inner[0])}


def _blank(game: RestrictedGame, predictive: bool) -> Iterate:
    """No regret, uniform play, nothing averaged."""
    uniform = np.ones(game.sequences)
    for first, _, infosets, stride, actions in game.form.strips.tolist():
        for action in range(actions):
            uniform[first + action * stride : first + action * stride + infosets] = 1.0 / actions
    plan = np.ones(game.sequences)
    lay_plan(game.form, uniform, plan)
    return Iterate(
        regret=np.zeros(game.sequences),
        guess=np.zeros(game.sequences if predictive else 0),
        plan=plan,
        average=np.zeros(game.sequences),
        gradient=np.zeros(game.sequences),
    )


def _nash_conv(form: Any, iterate: Iterate) -> float:
    worth, best = np.zeros(2), np.zeros(2)
    if not np.all(iterate.average[form.sequence_first[:-1]] > 0):  # a delay keeps all iterations out so far
        return np.inf
    profile_gaps(form, iterate.average, np.ones(2, bool), np.empty_like(iterate.average), worth, best)
    return float(np.sum(best - worth))
