"""Trigger regret: uncoupled learning whose joint play converges to correlated equilibria of any game.

Farina, Celli, Marchesi & Gatti 2022, "Simple uncoupled no-regret learning dynamics for extensive-form correlated
equilibrium". With x the plan of a player and g its gradient in one iteration, the regret of a trigger σ = (I, a) about
a deviation plan y that begins at I is

    r_σ(y) = x[σ] · Σ_{s from I on} g[s] y[s]  −  Σ_{s from σ on} g[s] x[s].

Each trigger has a regret minimiser for y (CFR from I on), another one mixes the triggers, and the next play is a fixed
point of the mixture of deviations. Where no trigger has regret above ε · T, the play of T iterations is an ε-EFCE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, suggest
from regretless.evaluation.correlated_play import CorrelatedGaps, PlaySums
from regretless.evaluation.responses import plan_of
from regretless.kernels.constants import DECAY, WEIGHT
from regretless.kernels.correlated.trigger_regret import TriggerArrays, settle_player, update_triggers
from regretless.kernels.sequence_form.layout import Iterate
from regretless.kernels.sequence_form.treeplex import player_update
from regretless.method import Learner, LearnerTable, Settings
from regretless.methods.opening import open_for_learners
from regretless.methods.tree_learner import TreeLearner, matched_strategy, opening_of
from regretless.problem import Capabilities, Problem
from regretless.tree import Tree
from regretless.variants import PCFR_PLUS, Variant, variant_by_name

__all__ = ["KINDS", "TriggerRegret", "TriggerRegretLearner", "WholeRegretLearner"]

Array = npt.NDArray[Any]

KINDS = ("efce", "efcce", "nfcce")


@dataclass(frozen=True)
class TriggerRegret:
    """Learn to play a correlated equilibrium, every player on its own, in games of any number of players.

    `kind` is the equilibrium that the joint play converges to: "efce", "efcce" or "nfcce" (see `rg.efce_gap`).
    `minimiser` is the variant of CFR that minimises regrets. All players update at once, also where the variant would
    alternate, since it is the joint play of an iteration that correlates. The run holds the joint play of all
    iterations, weighted as the minimiser averages: `rg.efce_gap(tree, run)`. The history has the columns `efce_gap`,
    `efcce_gap`, `nfcce_gap` and `welfare`, which is what all players win together; `until=` stops at the gap of the
    kind. Exploitability is that of the average strategies played independently; it need not fall.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.Kuhn(players=3), rg.TriggerRegret("efce"), iterations=200)
    >>> rg.efce_gap(run.tree, run) < 0.001
    True
    """

    kind: str = "efce"
    minimiser: Variant = PCFR_PLUS

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",))
    text_settings: ClassVar[Mapping[str, Any]] = {"kind": str, "minimiser": variant_by_name}

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise OptionError(f"kind is efce, efcce or nfcce, got {self.kind!r}; {suggest(str(self.kind), KINDS)}")
        if not isinstance(self.minimiser, Variant):
            raise OptionError(f"minimiser is a variant such as rg.CFR or rg.PCFR_PLUS, got {self.minimiser!r}")

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return f"{self.kind.upper()} regret ({self.minimiser.name})"

    @property
    def stops_at(self) -> str:
        """The column of the history that `until=` looks at and plots show."""
        return f"{self.kind}_gap"

    def open(self, game: Any) -> Problem:
        """The tree of a game."""
        return open_for_learners(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        return self.learners.start(self, problem, settings)


@TriggerRegret.learners.on("tree")
def start(tree: Tree, method: TriggerRegret, settings: Settings) -> Learner:
    """The learner of a kind."""
    return (WholeRegretLearner if method.kind == "nfcce" else TriggerRegretLearner)(tree, method, settings)


class JointPlayLearner(TreeLearner):
    """What the learners of all kinds share: simultaneous play, its sums and its gaps."""

    def __init__(self, tree: Tree, method: TriggerRegret, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.variant, self.kind = method.minimiser, method.kind
        self.stops_at = method.stops_at
        self.predictive = bool(self.variant.predictive)
        self.smallest = float(np.finfo(np.float64).tiny)
        self.plan = plan_of(tree, opening_of(tree, settings))
        self.average = np.zeros(tree.sequences)
        self.play = PlaySums(tree)

    def update(self, gradient: Array, step: Array) -> None:
        """Update the regrets of all learning players, given everybody's gradient [S], and lay down the next plan."""
        raise NotImplementedError

    def advance(self, iterations: int) -> None:
        """Play, note what was played, update everybody at once."""
        for step in self.variant.steps(self.iteration + 1, iterations):
            gradient = self.play.gradients(self.plan)
            self.average *= step[DECAY]
            self.average += step[WEIGHT] * self.plan
            self.play.add(self.plan, gradient, weight=float(step[WEIGHT]), decay=float(step[DECAY]))
            self.update(gradient, step)
            self.iteration += 1

    def play_arrays(self) -> dict[str, Array]:
        """The plan in play, the average, and the sums over play."""
        sums = zip(PlaySums.arrays_of_runs, self.play.arrays, strict=True)
        return {"plan": self.plan, "average": self.average, **dict(sums)}

    def joint_gaps(self) -> CorrelatedGaps:
        """Gaps of the play so far; of the plan in play before there is any."""
        if self.play.arrays.weight[0] > 0:
            return self.play.gaps()
        opening = PlaySums(self.tree)
        opening.add(self.plan, opening.gradients(self.plan))
        return opening.gaps()

    def measure(self) -> dict[str, float]:
        """Also the gaps of the joint play among learning players, and what all players win together."""
        gaps, mine = self.joint_gaps(), self.learners
        found = {f"{kind}_gap": float(getattr(gaps, kind)[mine].max()) for kind in KINDS}
        return {**super().measure(), **found, "welfare": gaps.welfare}


class TriggerRegretLearner(JointPlayLearner):
    """Regrets of the deviation plan of every trigger, and of the mixture of triggers."""

    def __init__(self, tree: Tree, method: TriggerRegret, settings: Settings) -> None:
        super().__init__(tree, method, settings)
        subtrees = tree.subtrees
        self.coarse = method.kind == "efcce"
        size = subtrees.end - subtrees.begin
        entries = size if self.coarse else np.repeat(size, subtrees.actions)  # of each trigger
        owner = tree.labels.owner[subtrees.infoset]
        owner = owner if self.coarse else np.repeat(owner, subtrees.actions)
        total, predicted = int(entries.sum()), int(self.predictive)
        behaviour = opening_of(tree, settings).probabilities[subtrees.sequence]
        self.triggers = TriggerArrays(
            entry=self._first_entries(entries),
            regret=np.zeros(total),
            guess=np.zeros(total * predicted),
            mix_regret=np.zeros(len(entries)),
            mix_guess=np.zeros(len(entries) * predicted),
            mix=1.0 / np.bincount(owner, minlength=tree.players)[owner],
            behaviour=behaviour,
            reach=self.plan[subtrees.sequence],
        )
        self.widest = int(subtrees.actions.max(initial=1))

    def _first_entries(self, entries: Array) -> Array:
        """[K] where the entries of each trigger begin; triggers of an infoset come in the order of slots."""
        subtrees = self.tree.subtrees
        first = np.cumsum(entries) - entries
        if self.coarse:
            return first
        by_slot = np.empty(len(entries), np.int64)
        slots = np.repeat(subtrees.begin - (np.cumsum(subtrees.actions) - subtrees.actions), subtrees.actions)
        by_slot[slots + np.arange(len(entries))] = first
        return by_slot

    def update(self, gradient: Array, step: Array) -> None:
        """Regrets of all triggers, then the fixed point of the mixture of their deviations."""
        subtrees, triggers = self.tree.subtrees, self.triggers
        offered = gradient[subtrees.sequence]
        for player in self.learners:
            update_triggers(subtrees, player, self.coarse, offered, triggers, step, self.predictive, self.smallest)
            settle_player(subtrees, player, self.coarse, triggers, self.predictive, self.smallest, self.widest)
        self.plan[subtrees.sequence] = triggers.reach

    def arrays(self) -> dict[str, Array]:
        """Regrets, their guesses, the mixture of triggers, the play and its sums."""
        t = self.triggers
        own = {
            "regret": t.regret, "guess": t.guess, "mix_regret": t.mix_regret, "mix_guess": t.mix_guess,
            "mix": t.mix, "behaviour": t.behaviour, "reach": t.reach,
        }  # fmt: skip
        return {**own, **self.play_arrays()}

    def current(self) -> Array:
        """[S] the behaviour in play."""
        probabilities = np.ones(self.tree.sequences)
        probabilities[self.tree.subtrees.sequence] = self.triggers.behaviour
        return probabilities


class WholeRegretLearner(JointPlayLearner):
    """Regret about whole plans, for normal-form coarse correlated equilibria: CFR, all players at once."""

    def __init__(self, tree: Tree, method: TriggerRegret, settings: Settings) -> None:
        super().__init__(tree, method, settings)
        self.regret = np.zeros(tree.sequences)
        self.guess = np.zeros(tree.sequences if self.predictive else 0)

    def update(self, gradient: Array, step: Array) -> None:
        """CFR's update of every learning player."""
        # The kernel averages too; this learner has averaged already, so it is given an array to waste.
        iterate = Iterate(self.regret, self.guess, self.plan, np.zeros(self.tree.sequences), gradient)
        for player in self.learners:
            player_update(self.tree.form, player, iterate, step, self.predictive, self.smallest)

    def arrays(self) -> dict[str, Array]:
        """Regret, the guess of it, the play and its sums."""
        return {"regret": self.regret, "guess": self.guess, **self.play_arrays()}

    def current(self) -> Array:
        """[S] the strategy that regrets call for now."""
        source = self.guess if self.predictive else self.regret
        return matched_strategy(self.tree, self.settings, self.learners, source)
