"""Deep CFR and SD-CFR on a listed game: walks and networks on arrays, exploitability exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.averaging import StrategyNetwork
from regretless.deep.extras import device_of, threads_of_torch
from regretless.deep.listed import ListedGame
from regretless.deep.seeds import Purpose, stream
from regretless.deep.traversal import traverse
from regretless.deep.values import Values
from regretless.errors import FileError
from regretless.evaluation.responses import plan_of
from regretless.methods.deep import DeepCFR
from regretless.methods.learner import Learner, Settings
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["ListedDeepCFR"]

Array = npt.NDArray[Any]

MERGED_UP_TO = 200_000
"""Infosets of a game up to which memories are merged unless the method says otherwise."""


class ListedDeepCFR(Learner):
    """Networks of all players at work on a tree.

    A network is asked once in an iteration for all infosets of its player, which costs less than asking at every visit
    and is what exact averages need.
    """

    grows = True

    def __init__(self, tree: Tree, method: DeepCFR, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.game = ListedGame(tree, device_of(settings.device))
        if method.memory is None:
            method = method.replace(memory="merged" if tree.infosets <= MERGED_UP_TO else "reservoir")
        self.method = method
        self.opening = settings.opening(tree)
        self.own = {player: self.game.infosets_of([player]) for player in range(tree.players)}
        self.values = {player: Values(self.game, method, player, settings.seed) for player in self.learners}
        self.strategy = self.game.by_infoset(self.opening.probabilities)  # [I, A] what everybody plays now
        for player in self.learners:
            self._play(player)
        self.network = StrategyNetwork(self.game, method, settings.seed) if self._keeps_strategies else None
        self.plans = np.zeros(tree.sequences)  # [S] weighted sum of the plans played
        self.nodes = 0
        """Histories touched."""

    @property
    def _keeps_strategies(self) -> bool:
        return self.method.averaging == "strategy-network"

    @property
    def measured_every(self) -> float:  # type: ignore[override]
        """Measuring fits the strategy network, where there is one: it is done less often then."""
        return 1.3 if self._keeps_strategies else 1.05

    def _play(self, player: int) -> None:
        """What a player's network calls for, at all its infosets."""
        self.strategy[self.own[player]] = self.values[player].strategy(self.own[player])

    def advance(self, iterations: int) -> None:
        """Run so many more iterations."""
        with threads_of_torch(self.settings.threads):
            for _ in range(iterations):
                self._iterate(self.iteration + 1)
                self.iteration += 1

    def _iterate(self, iteration: int) -> None:
        """Every player in turn walks, remembers and refits."""
        weight = float(iteration) if self.method.linear else 1.0
        device, seed = self.game.device, self.settings.seed
        for player in range(self.tree.players):
            learns = player in self.values
            if not learns and not self._keeps_strategies:
                continue
            walks = stream(device, seed, iteration, player, Purpose.WALK)
            walked = traverse(self.game, player, self.method.traversals, self._strategy_at, walks)
            self.nodes += walked.nodes
            places = stream(device, seed, iteration, player, Purpose.MEMORY)
            if self.network is not None:
                for found in walked.strategies.values():
                    self.network.memory.add(found, weight, places)
            if learns:
                self._average(player, weight)
                self.values[player].memory.add(walked.advantages, weight, places)
                self.values[player].refit(iteration)
                self._play(player)

    def _strategy_at(self, _: int, infosets: torch.Tensor) -> torch.Tensor:
        return self.strategy[infosets]

    def _average(self, player: int, weight: float) -> None:
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
        found = {"average": self.averaged(), "plans": self.plans, "nodes": np.array([self.nodes])}
        for player, values in self.values.items():
            found |= {f"player_{player}_{name}": array for name, array in values.arrays().items()}
        if self.network is not None:
            found |= {f"strategy_{name}": array for name, array in self.network.memory.arrays().items()}
        return found

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        try:
            self.plans[...] = arrays["plans"]
            self.nodes = int(arrays["nodes"][0])
            for player, values in self.values.items():
                values.restore(_part(arrays, f"player_{player}_"), iteration)
            if self.network is not None:
                self.network.memory.restore(_part(arrays, "strategy_"))
        except (KeyError, IndexError, ValueError, RuntimeError):
            raise FileError(
                f"the memories of this run are not those of {self.method.name}: the file is damaged"
            ) from None
        self.iteration = iteration
        for player in self.values:
            self._play(player)

    def profile(self) -> Array:
        """[S] the plan to be measured."""
        average = self.averaged()
        if np.all(average[self.tree.form.sequence_first[:-1]] > 0):
            return average
        return plan_of(self.tree, Strategy(self.tree.labels, self.current()))

    def measure(self) -> dict[str, float]:
        """Also histories touched, samples held in all memories, and the mean loss of the latest refits."""
        memories = [values.memory for values in self.values.values()]
        memories += [self.network.memory] if self.network is not None else []
        return {
            **super().measure(),
            "nodes": float(self.nodes),
            "samples": float(sum(len(memory) for memory in memories)),
            "loss": float(np.mean([values.loss for values in self.values.values()])),
        }


def _part(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """The arrays whose names begin so, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
