"""Deep CFR and SD-CFR on a listed game: walks and networks on arrays, exploitability exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.listed_game import ListedGame
from regretless.deep.learners.deep_learner import DeepLearner
from regretless.deep.methods import DeepCFR
from regretless.deep.torch_extra import device_of, threads_of_torch
from regretless.evaluation.responses import plan_of
from regretless.method import Settings
from regretless.methods.tree_learner import TreeLearner, opening_of
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["ListedDeepCFR"]

Array = npt.NDArray[Any]

MERGED_UP_TO = 200_000
"""Infosets of a game up to which memories are merged unless the method says otherwise."""


class ListedDeepCFR(DeepLearner, TreeLearner):
    """Networks of all players at work on a tree.

    A network is asked once in an iteration for all infosets of its player, which costs less than asking at every visit
    and is what exact averages need.
    """

    game: ListedGame

    def __init__(self, tree: Tree, method: DeepCFR, settings: Settings) -> None:
        if method.memory is None:
            method = method.replace(memory="merged" if tree.infosets <= MERGED_UP_TO else "reservoir")
        super().__init__(tree, ListedGame(tree, device_of(settings.device)), method, settings)
        self.opening = opening_of(tree, settings)
        self.own = {player: self.game.infosets_of([player]) for player in range(tree.players)}
        self.strategy = self.game.by_infoset(self.opening.probabilities)  # [I, A] what everybody plays now
        for player in self.learners:
            self.play_anew(player)
        self.plans = np.zeros(tree.sequences)  # [S] weighted sum of the plans played

    def play_anew(self, player: int) -> None:
        """What a player's network calls for, at all its infosets."""
        self.strategy[self.own[player]] = self.values[player].strategy(self.own[player])

    def strategy_at(self, player: int, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] as it was worked out for all infosets."""
        return self.strategy[infosets]

    def average_in(self, player: int, weight: float) -> None:
        """Add a player's plan of this iteration to the sum: own reach times weight (Steinberger 2019, equation 6)."""
        first, last = self.tree.form.sequence_first[player : player + 2]
        plan = plan_of(self.tree, Strategy(self.tree.labels, self.current()))
        self.plans[first:last] += weight * plan[first:last]

    def current(self) -> Array:
        """[S] the probabilities with which everybody acts now."""
        return self.game.by_sequence(self.strategy)

    def averaged(self) -> Array:
        """[S] the plan of the average strategy, or a sum of plans; zeros before anything was played."""
        if self.network is None or self.iteration == 0:
            plans = self.plans.copy()
        else:
            with threads_of_torch(self.settings.threads):
                self.network.fit(self.iteration)
                table = self.network.strategy(self.game.infosets_of(list(range(self.tree.players))))
            plans = plan_of(self.tree, Strategy(self.tree.labels, self.game.by_sequence(table)))
        fixed = plan_of(self.tree, self.opening)
        for player in self.settings.fixed:
            first, last = self.tree.form.sequence_first[player : player + 2]
            plans[first:last] = fixed[first:last]
        return plans

    def arrays(self) -> dict[str, Array]:
        """Memories, networks, the sum of plans and what has been counted."""
        kept = {"average": self.averaged(), "plans": self.plans, "nodes": np.array([self.nodes])}
        return kept | self.learned()

    def restore_game(self, arrays: Mapping[str, Array]) -> None:
        """Go on with the sum of plans."""
        self.plans[...] = arrays["plans"]

    def profile(self) -> Array:
        """[S] the plan to be measured."""
        average = self.averaged()
        if np.all(average[self.tree.form.sequence_first[:-1]] > 0):
            return average
        return plan_of(self.tree, Strategy(self.tree.labels, self.current()))

    def measure(self) -> dict[str, float]:
        """Also what has been touched, held and lost."""
        return super().measure() | self.counted()
