"""Counterfactual regret minimisation in sequence form on a GPU, every variant of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.evaluation.device_trees import device_tree
from regretless.evaluation.responses import Gaps
from regretless.method import Settings
from regretless.methods.cfr import start
from regretless.methods.tree_learner import TreeLearner, matched_strategy
from regretless.tree import Tree
from regretless.variants import Variant

__all__ = ["CudaCFRLearner"]

Array = npt.NDArray[Any]


class CudaCFRLearner(TreeLearner):
    """A variant of CFR at work on a GPU: all numbers of the solve stay there between iterations and measurements."""

    copies = False
    """`arrays` copies from the device, so a run need not copy again."""

    def __init__(self, tree: Tree, variant: Variant, settings: Settings) -> None:
        super().__init__(tree, settings)
        tree.check_precision(settings.dtype)
        begin = start(tree, variant, settings)
        self.variant = variant
        self.device = device_tree(tree)
        self.state = self.device.state(begin.regret, begin.guess, begin.plan, begin.average)
        self.phases = self.device.iteration_phases(self.learners, variant.alternating)

    def advance(self, iterations: int) -> None:
        """Run `iterations` more iterations; returns when the device has done them."""
        steps = self.variant.steps(self.iteration + 1, iterations)
        self.device.run(self.state, self.phases, steps, bool(self.variant.predictive))
        self.iteration += iterations

    def stand_ins(self) -> dict[str, Any]:
        """Regret, the guess of it, the plan in play, and the average, on the device."""
        state = self.state
        return {"regret": state.regret, "guess": state.guess, "plan": state.plan, "average": state.average}

    def arrays(self) -> dict[str, Array]:
        """The same, copied to the host."""
        return {name: array.copy_to_host() for name, array in self.stand_ins().items()}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned, on this device or on the CPU."""
        for name, own in self.stand_ins().items():
            own.copy_to_device(np.ascontiguousarray(arrays[name]))
        self.iteration = iteration

    def current(self) -> Array:
        """[S] the strategy that regrets call for now."""
        source = self.state.guess if self.variant.predictive else self.state.regret
        return matched_strategy(self.tree, self.settings, self.learners, source.copy_to_host())

    def gaps_of(self, players: Sequence[int]) -> Gaps:
        """Values and best-response values of some players, computed on the device."""
        roots = [float(self.state.average[int(first)]) for first in self.tree.form.sequence_first[:-1]]
        plan = self.state.average if min(roots) > 0 else self.state.plan
        same = self.state.contribution.dtype == np.float64
        found = self.device.measure(plan, players, list(self.state[4:]) if same else None)
        return Gaps(found.values, found.best)
