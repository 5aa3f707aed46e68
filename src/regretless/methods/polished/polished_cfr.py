"""CFR to a rough solution, then linear programs to an exact one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.responses import plan_gaps
from regretless.method import Learner, LearnerTable, Settings
from regretless.methods.cfr import CFRLearner
from regretless.methods.checks import check_number
from regretless.methods.opening import open_zero_sum, refuse_fixed
from regretless.methods.polished.polishing_program import Polisher
from regretless.methods.tree_learner import TreeLearner
from regretless.problem import Capabilities, Problem
from regretless.strategy import Strategy
from regretless.tree import Tree
from regretless.variants import DCFR, Variant, variant_by_name

__all__ = ["PolishedCFR", "PolishedLearner"]

Array = npt.NDArray[Any]

FIRST_CHECK, CHECK_GROWTH = 64, 1.25
"""CFR is measured after this iteration, and then each time the iterations have grown by this factor."""

LEVEL_FACTOR, THRESHOLD_FACTOR = 0.4, 0.3
"""After a failed attempt CFR goes on to this part of its exploitability, and more sequences are kept."""

EXACT = 1e-10
"""Exploitability at which a solution counts as exact, in parts of the mean payoff."""

TRACE = 1e-9
"""The weight of CFR's average in the result: it decides where the exact plans never arrive."""

LEVEL, THRESHOLD, BEST = range(3)


@dataclass(frozen=True)
class PolishedCFR:
    """CFR until exploitability is small, then one linear program for each player, restricted to promising actions.

    The programs merge sequences that no payoff tells apart (colour refinement; Grohe, Kersting, Mladenov & Selman 2014)
    and leave out a player's sequences x with x ≤ κ · their loss against the opponent's average. If an optimal plan uses
    only kept sequences, the solution is an exact equilibrium; best responses in the whole game say whether it is. If
    not, CFR goes on, and the next programs keep more. The last ones would keep all, so it always ends.

    An iteration is an iteration of CFR; those after an exact solution was found change nothing. The strategy is the
    better of CFR's average and the last polished plans. It is for high accuracy: to 1e-6 it takes less time than the
    linear program of the whole game.

    >>> import regretless as rg
    >>> run = rg.solve("leduc", rg.PolishedCFR(), until=1e-9)
    >>> round(run.value, 9)
    -0.085606424
    """

    variant: Variant = DCFR
    level: float = 2e-3
    """Exploitability at which the programs are first tried, in parts of the mean payoff under uniform play."""
    threshold: float = 0.01
    """κ, in parts of one over the mean payoff."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",), fixed=False, threads=1)
    text_settings: ClassVar[Mapping[str, Any]] = {"variant": variant_by_name}

    def __post_init__(self) -> None:
        check_number(self, "level", 0.0, open_end=True)
        check_number(self, "threshold", 0.0)
        if not isinstance(self.variant, Variant):
            raise OptionError(f"variant is rg.CFR, rg.DCFR or the like, got {self.variant!r}")

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return f"polished {self.variant.name}"

    def open(self, game: Any) -> Problem:
        """The tree of a two-player zero-sum game."""
        return open_zero_sum(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        refuse_fixed(self, settings)
        return self.learners.start(self, problem, settings)


@PolishedCFR.learners.on("tree")
class PolishedLearner(TreeLearner):
    """A learner of CFR, and the best solution so far."""

    def __init__(self, tree: Tree, method: PolishedCFR, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.cfr = CFRLearner(tree, method.variant, settings)
        self.average = np.zeros(tree.sequences)  # [S] CFR's average, or the polished plans once they are better
        self.unit = mean_payoff(tree)
        self.progress = np.array([method.level, method.threshold, np.inf])  # LEVEL, THRESHOLD, BEST
        self.polisher: Polisher | None = None

    def advance(self, iterations: int) -> None:
        """Iterations of CFR, with a look at its exploitability at fixed iteration numbers."""
        last = self.iteration + iterations
        if iterations == 0:
            self.cfr.advance(0)
        while self.iteration < last:
            check = next_check(self.iteration)
            if self.progress[BEST] <= EXACT * self.unit:
                self.iteration = self.cfr.iteration = last
                break
            self.cfr.advance(min(check, last) - self.iteration)
            self.iteration = self.cfr.iteration
            if self.iteration == check:
                self._try_to_polish()
        if not np.isfinite(self.progress[BEST]):
            self.average[:] = self.cfr.iterate.average

    def _try_to_polish(self) -> None:
        """Solve the programs if CFR is at the level for it, and keep the result if it is the best."""
        tree, first = self.tree, self.tree.form.sequence_first
        gap = plan_gaps(tree, self.cfr.iterate.average).nash_conv / 2
        if self.progress[BEST] > gap and np.isfinite(self.progress[BEST]):
            self.average[:], self.progress[BEST] = self.cfr.iterate.average, np.inf
        if gap > self.progress[LEVEL] * self.unit:
            return
        if self.polisher is None:
            self.polisher = Polisher(tree)
        plan = self.cfr.iterate.average.copy()
        for player in (0, 1):
            plan[first[player] : first[player + 1]] /= plan[first[player]]
        polished = self.polisher.polish(plan, self.progress[THRESHOLD] / self.unit)
        self.progress[LEVEL] = LEVEL_FACTOR * gap / self.unit
        self.progress[THRESHOLD] *= THRESHOLD_FACTOR
        if polished is not None:
            polished = tree.plan(Strategy.from_plan(tree.labels, polished + TRACE * plan).probabilities)
            found = plan_gaps(tree, polished).nash_conv / 2
            if found < min(gap, self.progress[BEST]):
                self.average[:], self.progress[BEST] = polished, found

    def arrays(self) -> dict[str, Array]:
        """Those of CFR, the best solution, and how far polishing has come."""
        state = self.cfr.arrays()
        return {
            "regret": state["regret"], "guess": state["guess"], "plan": state["plan"], "cfr_average": state["average"],
            "average": self.average, "progress": self.progress,
        }  # fmt: skip

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        super().restore(arrays, iteration)
        self.cfr.iteration = iteration

    def current(self) -> Array:
        """[S] the last iterate of CFR."""
        return self.cfr.current()


def next_check(iteration: int) -> int:
    """The first iteration after `iteration` at which CFR is measured; the same numbers in every run."""
    at = FIRST_CHECK
    while at <= iteration:
        at = int(at * CHECK_GROWTH)
    return at


def mean_payoff(tree: Tree) -> float:
    """The mean of |payoff| when everybody plays uniformly, with equal terminals merged, chips; 1 if that is 0."""
    plan, form = tree.plan(tree.uniform().probabilities), tree.form
    own = np.repeat(np.arange(tree.sequences), np.diff(form.entry_first.astype(np.int64)).astype(np.int64))
    total = float(np.sum(np.abs(form.payoff) * plan[own] * plan[form.column[0].astype(np.int64)]))
    return total / 2 or 1.0
