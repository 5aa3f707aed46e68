"""A player of neural fictitious self-play: a best response that learns from all play, and an average that imitates it
(Heinrich & Silver 2016, algorithm 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.listed_game import ListedGame
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.memories.transitions import TransitionMemory
from regretless.deep.methods import NFSP
from regretless.deep.networks.adam import Adam
from regretless.deep.networks.flat_network import Sloped
from regretless.deep.networks.gradients import sloped
from regretless.deep.networks.losses import loss_and_slope
from regretless.deep.networks.multilayer import Perceptron, initialise
from regretless.deep.networks.regret_matching import likely
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.deep.walks.selfplay import Decisions
from regretless.deep.walks.traversal import Found

__all__ = ["FictitiousPlayer"]

Array = npt.NDArray[Any]


class FictitiousPlayer:
    """Two networks and two memories."""

    def __init__(self, game: ListedGame, method: NFSP, player: int, seed: int, unit: float) -> None:
        self.game, self.method, self.unit = game, method, unit
        self.transitions = TransitionMemory(game, method.response_capacity)
        self.imitated = SampleMemory(game, method.average_capacity, setting="average_capacity")
        made = [Perceptron(game.feature_size, game.heads, method.widths).to(game.device) for _ in range(2)]
        for number, network in enumerate(made):
            initialise(network, stream(game.device, seed, number, player, Purpose.REFIT))
        self.response, self.average = (sloped(network) for network in made)
        self.steppers = [Adam(network.weights, network.slope) for network in (self.response, self.average)]
        self.own = game.infosets_of([player])  # [i]
        self.ahead = torch.zeros(
            game.tree.infosets, device=game.device
        )  # [I] what the target network says they are worth
        self._refit_target()
        self.updates = 0
        self.decisions = 0
        self.losses = torch.zeros(2, device=game.device)  # of the latest update: response, average

    @property
    def exploration(self) -> float:
        """ε now."""
        return float(self.method.exploration / (1 + self.updates) ** 0.5)

    def best_response(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] the action of the highest value, or with probability ε any."""
        legal = self.game.legal(infosets)
        values = self.response.outputs(self.game.features(infosets)).masked_fill(~legal, -torch.inf)
        best = torch.nn.functional.one_hot(values.argmax(1), legal.shape[1]).float()
        return (1 - self.exploration) * best + self.exploration * legal / legal.sum(1, keepdim=True)

    def average_strategy(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] what the average network says."""
        return likely(self.average.outputs(self.game.features(infosets)), self.game.legal(infosets))

    def remember(self, decisions: Decisions, responds: torch.Tensor, generator: torch.Generator) -> None:
        """Take in decisions; those of plays in which the player responds (a mask of plays) are to be imitated."""
        self.transitions.add(decisions, self.unit)
        mine = responds[decisions.plays]
        done = torch.nn.functional.one_hot(decisions.heads[mine], self.game.heads).float()
        self.imitated.add(Found(decisions.infosets[mine], done), 1.0, generator)
        self.decisions += len(decisions.heads)

    def learn(self, generator: torch.Generator) -> None:
        """Catch up with the updates that the decisions so far call for."""
        due = self.decisions // self.method.every * self.method.updates - self.updates
        self.imitated.prepare(self.method.batch, scaled=False)
        for _ in range(due):
            if len(self.transitions):
                self._learn_response(generator)
            if len(self.imitated):
                self._learn_average(generator)
            self.updates += 1
            if self.updates % self.method.target_every == 0:
                self._refit_target()

    def _learn_response(self, generator: torch.Generator) -> None:
        """Towards r + max Q′(next): the mean square of the error at what was done, one step downhill."""
        batch = self.transitions.batch(self.method.batch, generator)
        rows = torch.arange(len(batch.heads), device=self.game.device)
        goal = batch.rewards + torch.where(batch.ended, 0.0, self.ahead[batch.following])
        values = self.response.forward(self.game.features(batch.infosets))
        error = values[rows, batch.heads] - goal
        slope = torch.zeros_like(values)
        slope[rows, batch.heads] = 2 * error / len(rows)
        self.response.backward(slope)
        self._step(self.response, self.steppers[0], self.method.response_rate)
        self.losses[0] = error.square().mean()

    def _refit_target(self) -> None:
        """Let the target network be what the response is now; what it says of all own infosets is asked once."""
        values = self.response.outputs(self.game.features(self.own)).masked_fill(~self.game.legal(self.own), -torch.inf)
        self.ahead[self.own] = values.amax(1)

    def _learn_average(self, generator: torch.Generator) -> None:
        """Towards what was done: the cross-entropy, one step downhill."""
        batch = self.imitated.batch(generator)
        loss, slope = loss_and_slope(self.average.forward(batch.features), batch, "cross-entropy")
        self.average.backward(slope)
        self._step(self.average, self.steppers[1], self.method.average_rate)
        self.losses[1] = loss

    def _step(self, network: Sloped, stepper: Adam, rate: float) -> None:
        """One step downhill."""
        if self.method.optimiser == "adam":
            stepper.step(rate)
        else:
            network.weights.sub_(network.slope, alpha=rate)

    def _tensors(self) -> dict[str, torch.Tensor]:
        """Weights, what the target network says, and the state of the optimisers, by name."""
        found = {"response": self.response.weights, "average": self.average.weights, "target": self.ahead}
        for name, stepper in zip(("response", "average"), self.steppers, strict=True):
            found |= {f"{name}_{part}": tensor for part, tensor in stepper.state().items()}
        return found

    def arrays(self) -> dict[str, Array]:
        """Memories, networks and counts, by name."""
        found = {f"transitions_{name}": array for name, array in self.transitions.arrays().items()}
        found |= {f"imitated_{name}": array for name, array in self.imitated.arrays().items()}
        found |= {f"weights_{name}": tensor.cpu().numpy().reshape(-1) for name, tensor in self._tensors().items()}
        return found | {"counts": np.array([self.updates, self.decisions])}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Go on from what `arrays` once returned."""
        for memory, prefix in ((self.transitions, "transitions_"), (self.imitated, "imitated_")):
            memory.restore({n.removeprefix(prefix): array for n, array in arrays.items() if n.startswith(prefix)})
        for name, tensor in self._tensors().items():
            tensor.copy_(torch.from_numpy(np.ascontiguousarray(arrays[f"weights_{name}"])).reshape(tensor.shape))
        self.updates, self.decisions = arrays["counts"].tolist()
