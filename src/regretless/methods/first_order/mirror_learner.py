"""Mirror descent at work on a tree: the learner of `OMD` and of `MMD`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.evaluation.responses import plan_gaps, plan_of
from regretless.kernels.first_order.dilated_entropy import Entropy
from regretless.kernels.first_order.mirror_descent import MirrorState, mirror_iterations
from regretless.method import Settings
from regretless.methods.tree_learner import TreeLearner, opening_of
from regretless.strategy import Strategy
from regretless.tree import Tree
from regretless.variants import BLOCK, Polynomial

__all__ = ["MirrorLearner"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

Factors = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]
"""(t, units) → keep, rate and ahead of iterations t. `units` is stored with a run, so that it goes on with the same."""


class MirrorLearner(TreeLearner):
    """The dual vector, the plan in play, and the average."""

    def __init__(
        self,
        tree: Tree,
        settings: Settings,
        entropy: Entropy,
        units: Floats,
        factors: Factors,
        averaging: Polynomial | None,
        alternating: bool,
    ) -> None:
        """Begin at uniform play. Without `averaging` the last iterate is the result."""
        super().__init__(tree, settings)
        self.entropy, self.units, self.factors = entropy, units, factors
        self.averaging, self.alternating = averaging, alternating
        self.learning = np.array([p not in settings.fixed for p in range(tree.players)])
        plan = plan_of(tree, opening_of(tree, settings))
        fixed = np.isin(tree.labels.player_of_sequence, list(settings.fixed))
        self.state = MirrorState(
            dual=np.zeros(tree.sequences),
            plan=plan,
            average=np.where(fixed, plan, 0.0),
            gradient=np.zeros(tree.sequences),
            scale=np.zeros(tree.infosets),
        )

    def steps(self, first: int, count: int) -> Floats:
        """[count, 5] the numbers of iterations first, first + 1, …, computed in blocks that begin at fixed iterations.

        So they do not depend on how a run is cut into pieces.
        """
        blocks = range((first - 1) // BLOCK, (first + max(count, 1) - 2) // BLOCK + 1)
        table = np.concatenate([self._block(block) for block in blocks])
        begin = first - 1 - blocks[0] * BLOCK
        return table[begin : begin + count]

    def _block(self, block: int) -> Floats:
        t = np.arange(1, BLOCK + 1, dtype=np.float64) + block * BLOCK
        keep, rate, ahead = self.factors(t, self.units)
        decay = np.ones_like(t) if self.averaging is None else self.averaging.decay(t)
        return np.stack([keep, rate, ahead, decay, np.ones_like(t)], axis=1)

    def advance(self, iterations: int) -> None:
        """Run `iterations` more iterations."""
        steps = self.steps(self.iteration + 1, iterations)
        mirror_iterations(self.tree.form, self.state, self.entropy, steps, self.learning, self.alternating)
        self.iteration += iterations

    def arrays(self) -> dict[str, Array]:
        """The dual vector, the plan, the average (the plan itself where nothing is averaged) and the units of steps."""
        state = self.state
        average = state.average if self.averaging is not None else state.plan
        return {"dual": state.dual, "plan": state.plan, "average": average, "units": self.units}

    def current(self) -> Array:
        """[S] the strategy of the plan in play."""
        return Strategy.from_plan(self.tree.labels, self.state.plan).probabilities

    def measure(self) -> dict[str, float]:
        """Also the exploitability of the last iterate."""
        last = plan_gaps(self.tree, self.state.plan, self.learners).nash_conv / max(len(self.learners), 1)
        return {**super().measure(), "current_exploitability": last}
