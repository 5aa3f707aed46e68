"""A network of history values: the expected payoff of every action at a history, under the current strategies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame, States
from regretless.deep.games.history_features import history_features
from regretless.deep.learners.network_learner import with_prefix
from regretless.deep.memories.history_transitions import HistoryMemory, Strategies
from regretless.deep.model_free_methods import DREAM, ESCHER
from regretless.deep.networks.flat_network import CHUNK
from regretless.deep.networks.gradients import flatten
from regretless.deep.networks.multilayer import Perceptron
from regretless.deep.networks.training import FitOptions, Trainer
from regretless.deep.walks.outcome_sampling import Paths
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.errors import OptionError

__all__ = ["HistoryValues"]

Array = npt.NDArray[Any]


class HistoryValues:
    """The network, and the memory of moves that it learns from.

    It has an output for each action and each player. With `mirrored`, in two-player zero-sum games, it has those of
    player 0 only, and player 1's are their negatives.
    """

    def __init__(
        self, game: BatchedGame, method: DREAM | ESCHER, seed: int, strategies: Strategies, *, mirrored: bool
    ) -> None:
        self.game, self.method, self.seed, self.mirrored = game, method, seed, mirrored
        self.features = history_features(game, stream(game.device, seed, 0, 0, Purpose.VALUES))
        values = 1 if mirrored else game.players
        network = Perceptron(self.features.size, values * game.heads, method.value_widths).to(game.device)
        options = FitOptions(
            method.value_steps, method.value_batch, method.value_rate, method.schedule, method.clip, loss="squares"
        )
        self.trainer = Trainer(flatten(network), options)
        self.trainer.reset(stream(game.device, seed, 0, 1, Purpose.VALUES))
        self.memory = HistoryMemory(
            game, self.features, method.value_capacity, values, strategies, self.trainer.network.outputs
        )
        self.loss = 0.0
        self.ready = False
        """Whether it has been fitted."""

    def learn(self, paths: Paths) -> None:
        """Add the moves of some paths to the memory."""
        self.memory.add(paths)

    def refit(self, iteration: int, player: int) -> None:
        """Fit the network to the current strategies; does nothing before there are moves."""
        if not len(self.memory):
            return
        generator = stream(self.game.device, self.seed, iteration, 2 + player, Purpose.VALUES)
        loss = self.trainer.fit(self.memory, generator)
        if not math.isfinite(loss):  # the iteration is then undone
            raise OptionError(
                f"the network of history values diverged in iteration {iteration:,} (its loss is {loss}): set "
                f"value_rate lower than {self.method.value_rate:g}"
            )
        self.loss, self.ready = loss, True

    def estimates(self, states: States, player: int) -> torch.Tensor:
        """[n, A] the values of actions at states [n] to a player, chips; 0 before the first fit."""
        if not self.ready:
            return torch.zeros((len(states), self.game.heads), device=self.game.device)
        outputs = torch.cat([self.trainer.outputs(self.features(chunk)) for chunk in states.split(CHUNK)])
        which, sign = (0, 1 - 2 * player) if self.mirrored else (player, 1)
        of_player = outputs.view(len(states), self.memory.values, -1)[:, which]
        return of_player * (sign * self.memory.unit)

    def arrays(self) -> dict[str, Array]:
        """Memory and network, by name."""
        memory = {f"memory_{name}": array for name, array in self.memory.arrays().items()}
        return memory | {f"network_{name}": array for name, array in self.trainer.arrays().items()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Continue from what `arrays` returned."""
        self.memory.restore(with_prefix(arrays, "memory_"))
        self.trainer.restore(with_prefix(arrays, "network_"))
        self.ready = int(self.trainer.adam.steps) > 0
