"""Counterfactual regret minimisation in sequence form, every variant of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.evaluation.responses import plan_of
from regretless.kernels.sequence_form.iterations import iterations
from regretless.kernels.sequence_form.layout import Iterate
from regretless.kernels.thread_team import Team
from regretless.method import Learner, Settings, processors
from regretless.methods.tree_learner import TreeLearner, matched_strategy, opening_of
from regretless.methods.warm_start import check_start, warm_regrets
from regretless.threads import ThreadTeam
from regretless.tree import Tree
from regretless.variants import Variant

__all__ = ["CFRLearner", "RegretLearner", "learner_on_device", "start"]

Array = npt.NDArray[Any]


def start(tree: Tree, variant: Variant, settings: Settings) -> Iterate:
    """No regret, uniform play (or what is fixed), nothing averaged; with `start`, the regrets that play it."""
    dtype = np.dtype(settings.dtype)
    opening = opening_of(tree, settings)
    plan = plan_of(tree, opening)
    fixed = np.isin(tree.labels.player_of_sequence, list(settings.fixed))
    regret = np.zeros(tree.sequences, dtype)
    if settings.start is not None:
        check_start(variant)
        learners = [player for player in range(tree.players) if player not in settings.fixed]
        regret[:] = warm_regrets(tree, opening, learners)
    return Iterate(
        regret=regret,
        guess=regret.copy() if variant.predictive else np.zeros(0, dtype),
        plan=plan.astype(dtype),
        average=np.where(fixed, plan, 0.0).astype(dtype),
        gradient=np.zeros(tree.sequences, dtype),
    )


class RegretLearner(TreeLearner):
    """What CFR and CFR-BR share: an iterate, and strategies that are its regrets matched."""

    def __init__(self, tree: Tree, variant: Variant, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.variant = variant
        self.iterate = start(tree, variant, settings)
        self.smallest = float(np.finfo(settings.dtype).tiny)

    def arrays(self) -> dict[str, Array]:
        """Regret, the guess of it, the plan in play, and the average."""
        it = self.iterate
        return {"regret": it.regret, "guess": it.guess, "plan": it.plan, "average": it.average}

    def current(self) -> Array:
        """[S] the strategy that regrets call for now."""
        source = self.iterate.guess if self.variant.predictive else self.iterate.regret
        return matched_strategy(self.tree, self.settings, self.learners, source)


@Variant.learners.on("tree")
def learner_on_device(tree: Tree, variant: Variant, settings: Settings) -> Learner:
    """A variant at work on the device of the settings."""
    if settings.device == "cpu":
        return CFRLearner(tree, variant, settings)
    from regretless.methods.cuda_cfr import CudaCFRLearner

    return CudaCFRLearner(tree, variant, settings)


class CFRLearner(RegretLearner):
    """A variant of CFR at work: one table of step weights at a time is handed to the kernels."""

    def __init__(self, tree: Tree, variant: Variant, settings: Settings) -> None:
        super().__init__(tree, variant, settings)
        self.form = tree.form_as(settings.dtype)
        self.learning = np.array([p not in settings.fixed for p in range(tree.players)])
        threads = min(settings.threads, processors())
        self.team = ThreadTeam(threads) if threads > 1 else None

    def advance(self, iterations_more: int) -> None:
        """Run `iterations_more` more iterations."""
        variant = self.variant
        steps = variant.steps(self.iteration + 1, iterations_more)

        def work(team: Team | None) -> None:
            weights = bool(variant.predictive), self.smallest
            iterations(self.form, self.iterate, steps, self.learning, variant.alternating, *weights, team)

        if self.team is None:
            work(None)
        else:
            self.team.run(work)
        self.iteration += iterations_more
