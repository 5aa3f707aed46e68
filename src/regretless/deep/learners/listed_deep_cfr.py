"""Deep CFR and SD-CFR on a listed game, with exact exploitability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.listed_game import ListedGame
from regretless.deep.learners.deep_cfr_learner import DeepCFRLearner
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.methods import DeepCFR
from regretless.deep.pytorch import torch_device, torch_threads
from regretless.evaluation.responses import plan_of
from regretless.method import Settings
from regretless.methods.tree_learner import TreeLearner, opening_of
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["ListedDeepCFR"]

Array = npt.NDArray[Any]

MERGED_UP_TO = 200_000
"""Infosets of a game up to which memories are merged unless the method says otherwise."""


class ListedDeepCFR(DeepCFRLearner, TreeLearner):
    """The networks of all players on a tree.

    Once in an iteration a network is evaluated at all infosets of its player. This is cheaper than at every visit, and
    exact averages need it.
    """

    game: ListedGame

    def __init__(self, tree: Tree, method: DeepCFR, settings: Settings) -> None:
        if method.memory is None:
            method = method.replace(memory="merged" if tree.infosets <= MERGED_UP_TO else "reservoir")
        super().__init__(tree, ListedGame(tree, torch_device(settings.device)), method, settings)
        self.opening = opening_of(tree, settings)
        self.own = {player: self.game.infosets_of([player]) for player in range(tree.players)}
        self.strategy = self.game.by_infoset(self.opening.probabilities)  # [I, A] the current strategies of all players
        for player in self.learners:
            self.update_strategy(player)
        self.plans = np.zeros(tree.sequences)  # [S] weighted sum of the plans played

    def update_strategy(self, player: int) -> None:
        """Evaluate a player's network at all its infosets."""
        self.strategy[self.own[player]] = self.advantages[player].strategy(self.own[player])

    def strategy_at(self, player: int, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] from the table of all infosets."""
        return self.strategy[infosets]

    def add_to_average(self, player: int, weight: float) -> None:
        """Add weight × a player's plan of this iteration to the sum (Steinberger 2019, equation 6)."""
        first, last = self.tree.form.sequence_first[player : player + 2]
        plan = plan_of(self.tree, Strategy(self.tree.labels, self.current()))
        self.plans[first:last] += weight * plan[first:last]

    def remember(self, log: UndoLog) -> None:
        """Also the sum of plans."""
        super().remember(log)
        log.tensors([torch.from_numpy(self.plans)])

    def current(self) -> Array:
        """[S] the current probabilities of all actions."""
        return self.game.by_sequence(self.strategy)

    def averaged(self) -> Array:
        """[S] the plan of the average strategy, or a sum of plans; zeros before the first iteration."""
        if self.network is None or self.iteration == 0:
            plans = self.plans.copy()
        else:
            with torch_threads(self.settings.threads):
                self.network.fit(self.iteration)
                table = self.network.strategy(self.game.infosets_of(list(range(self.tree.players))))
            plans = plan_of(self.tree, Strategy(self.tree.labels, self.game.by_sequence(table)))
        fixed = plan_of(self.tree, self.opening)
        for player in self.settings.fixed:
            first, last = self.tree.form.sequence_first[player : player + 2]
            plans[first:last] = fixed[first:last]
        return plans

    def arrays(self) -> dict[str, Array]:
        """Memories, networks, the sum of plans and counts."""
        kept = {"average": self.averaged(), "plans": self.plans, "nodes": np.array([self.nodes])}
        return kept | self.learned_arrays()

    def restore_game(self, arrays: Mapping[str, Array]) -> None:
        """Restore the sum of plans."""
        self.plans[...] = arrays["plans"]

    def profile(self) -> Array:
        """[S] the plan to measure."""
        average = self.averaged()
        if np.all(average[self.tree.form.sequence_first[:-1]] > 0):
            return average
        return plan_of(self.tree, Strategy(self.tree.labels, self.current()))

    def measure(self) -> dict[str, float]:
        """Also histories visited, samples and loss."""
        return super().measure() | self.counts()
