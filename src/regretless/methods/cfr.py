"""Counterfactual regret minimisation in sequence form, every variant of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.evaluation.responses import plan_of
from regretless.kernels.iterate import iterations, iterations_threads
from regretless.kernels.layout import Iterate
from regretless.methods.learner import Learner, Settings
from regretless.strategy import Strategy
from regretless.tree import Tree
from regretless.variants import Variant

__all__ = ["CFRLearner", "start"]


def start(tree: Tree, settings: Settings) -> Iterate:
    """No regret, uniform play (or what is fixed), nothing averaged."""
    strategy = Strategy.uniform(tree)
    for player, fixed in settings.fixed.items():
        strategy = strategy.with_player(player, fixed)
    dtype = np.dtype(settings.dtype)
    plan = plan_of(tree, strategy)
    average = np.zeros(tree.sequences)
    for player in settings.fixed:
        mine = tree.labels.player_of_sequence == player
        average[mine] = plan[mine]
    zeros = np.zeros(tree.sequences, dtype)
    return Iterate(
        regret=zeros.copy(),
        strategy=strategy.probabilities.astype(dtype),
        plan=plan.astype(dtype),
        average=average.astype(dtype),
        gradient=zeros,
    )


class CFRLearner(Learner):
    """A variant of CFR at work: one table of step weights at a time is handed to the kernels."""

    def __init__(self, tree: Tree, variant: Variant, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.variant = variant
        self.form = tree.form_as(settings.dtype)
        self.iterate = start(tree, settings)
        self.learning = np.array([p not in settings.fixed for p in range(tree.players)])
        self.smallest = float(np.finfo(settings.dtype).tiny)

    def advance(self, iterations_more: int) -> None:
        """Run so many more iterations."""
        steps = self.variant.steps(self.iteration + 1, iterations_more)
        run = iterations
        if self.settings.threads > 1:
            import numba

            most: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
            numba.set_num_threads(min(self.settings.threads, most))
            run = iterations_threads
        run(self.form, self.iterate, steps, self.learning, self.variant.alternating, self.smallest)
        self.iteration += iterations_more

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Regret, the current strategy and its plan, and the average."""
        it = self.iterate
        return {"regret": it.regret, "current": it.strategy, "plan": it.plan, "average": it.average}
