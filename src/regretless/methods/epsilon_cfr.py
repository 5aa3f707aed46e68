"""ε-CFR: regret minimisation among players who err, which picks the equilibrium that profits from mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.responses import plan_of
from regretless.kernels.sequence_form.erring import erring_best, erring_update
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.method import Learner, LearnerTable, Settings
from regretless.methods.cfr import RegretLearner
from regretless.methods.opening import open_for_learners
from regretless.methods.tree_learner import opening_of
from regretless.problem import Capabilities, Problem
from regretless.strategy import Strategy, uniform_probabilities
from regretless.tree import Tree
from regretless.variants import CFR_PLUS, Variant

__all__ = ["EpsilonCFR", "EpsilonLearner"]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class EpsilonCFR:
    """CFR in the game where at every infoset a random action is taken with probability ε (Farina, Kroer & Sandholm
    2017), with any variant as the regret minimiser.

    All players err, or, with `player`, all but that one. The run's strategy is the intended one, without the errors;
    the one that is played is `rg.erring(run.strategy, epsilon)`. In a two-player zero-sum game it tends to an
    equilibrium of the game with errors, so the part of `player` is a best response to the erring opponent. As ε goes
    to 0 it tends to an equilibrium of the game itself, and to one that earns most from errors: for small ε the value of
    the game with errors is v + ε · max over equilibria x of min over equilibria y of what an error is worth (Mills
    1956).
    Where the opponent has one equilibrium only, that is the strategy `rg.exploiting_equilibrium` finds.

    Exploitability is measured in the game itself, so that it stays above zero by about ε times what a mistake costs;
    the column `gap` of the history is NashConv in the game with errors, and that goes to zero. Players held still by
    `fixed` play as told and do not err.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.Kuhn(), rg.EpsilonCFR(0.05, player=0), iterations=5_000)
    >>> round(run.strategy["J"]["bet"], 2)                      # the largest that an equilibrium bluffs, 1/3
    0.33
    >>> round(float(run.history.gap[-1]), 3)
    0.0
    """

    epsilon: float = 0.05
    variant: Variant = CFR_PLUS
    player: int | None = None
    """The player who does not err; None if all do."""

    def __post_init__(self) -> None:
        epsilon = self.epsilon
        if isinstance(epsilon, bool) or not isinstance(epsilon, int | float | np.number) or not 0 <= epsilon < 1:
            raise OptionError(f"epsilon is the probability of a mistake, from 0 to less than 1, got {epsilon!r}")
        if not isinstance(self.variant, Variant):
            raise OptionError(f"variant is rg.CFR, rg.CFR_PLUS or the like, got {self.variant!r}")

    learners: ClassVar[LearnerTable] = LearnerTable()
    capabilities: ClassVar[Capabilities] = Capabilities(precisions=("float64",))

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        return f"ε-CFR (ε = {self.epsilon:g}" + f", {self.variant.name}" * (self.variant != CFR_PLUS) + ")"

    def open(self, game: Any) -> Problem:
        """The tree of a game."""
        return open_for_learners(self, self.learners, game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        return self.learners.start(self, problem, settings)


@EpsilonCFR.learners.on("tree")
class EpsilonLearner(RegretLearner):
    """Plans that are played, aims that are meant, and regrets about the aims.

    The average is the sum of aims weighted by the reach that is played. At each infoset it is in proportion to the
    average of what was meant, though along a path it is no plan: those are laid out anew where they are measured.
    """

    def __init__(self, tree: Tree, method: EpsilonCFR, settings: Settings) -> None:
        if method.player is not None and method.player not in range(tree.players):
            raise OptionError(f"this game has players 0 to {tree.players - 1}, not {method.player!r}")
        super().__init__(tree, method.variant, settings)
        sound = {method.player, *settings.fixed}
        self.epsilon = np.array([0.0 if p in sound else method.epsilon for p in range(tree.players)])  # [P]
        self.uniform = uniform_probabilities(tree.labels)
        infosets = tree.infosets
        self.landing = tree.sequences + np.arange(infosets)
        opening = opening_of(tree, settings).probabilities
        self.iterate = self.iterate._replace(
            plan=self.played(opening), gradient=np.zeros(tree.sequences + infosets, np.float64)
        )
        self.aim = np.ones(tree.sequences + infosets)  # [S + I] reach that is played times what is meant
        owner = tree.labels.infoset_of_sequence
        real = np.flatnonzero(owner >= 0)
        self.aim[real] = self.iterate.plan[tree.form.parent[owner[real]]] * opening[real]

    def played(self, probabilities: Array) -> Array:
        """[S] the plan of players who mean to follow these probabilities [S]."""
        labels = self.tree.labels
        slip = self.epsilon[labels.player_of_sequence]
        mixed = (1 - slip) * probabilities + slip * self.uniform
        return plan_of(self.tree, Strategy(labels, mixed))

    def advance(self, iterations: int) -> None:
        """One update of every learning player per iteration, against the others as they play, errors included."""
        form, it, variant = self.tree.form, self.iterate, self.variant
        for step in variant.steps(self.iteration + 1, iterations):
            if not variant.alternating:
                for player in self.learners:
                    player_gradient(form, player, it.plan, it.gradient)
            for player in self.learners:
                if variant.alternating:
                    player_gradient(form, player, it.plan, it.gradient)
                erring_update(
                    form, player, it, self.landing, self.aim, step,
                    bool(variant.predictive), self.smallest, self.epsilon[player],
                )  # fmt: skip
        self.iteration += iterations

    def arrays(self) -> dict[str, Array]:
        """Those of CFR, and the aims."""
        return {**super().arrays(), "aim": self.aim}

    def profile(self) -> Array:
        """[S] the plan of the average of what was meant."""
        return plan_of(self.tree, self.average_strategy())

    def measure(self) -> dict[str, float]:
        """Exploitability in the game itself, and NashConv in the game with errors as `gap`."""
        form, plan = self.tree.form, self.played(self.average_strategy().probabilities)
        gap = 0.0
        for player in self.learners:
            gradient = np.zeros(len(self.aim))
            mine = slice(form.sequence_first[player], form.sequence_first[player + 1])
            player_gradient(form, player, plan, gradient)
            worth = float(plan[mine] @ gradient[mine])
            gap += float(erring_best(form, player, self.landing, gradient, self.epsilon[player])) - worth
        return {**super().measure(), "gap": gap}
