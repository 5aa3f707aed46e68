"""A player of neural fictitious self-play: a best response that learns from all play, and an average that imitates it
(Heinrich & Silver 2016, algorithm 1)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.learners.network_building import build_perceptron
from regretless.deep.learners.network_learner import with_prefix
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.memories.transitions import TransitionMemory
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.methods import NFSP
from regretless.deep.networks.adam import Adam
from regretless.deep.networks.captured_steps import captured
from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.networks.losses import loss_and_gradient
from regretless.deep.networks.regret_matching import masked_softmax
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.deep.walks.selfplay import Decisions
from regretless.deep.walks.traversal import Samples

__all__ = ["FictitiousPlayer"]

Array = npt.NDArray[Any]


class FictitiousPlayer(ABC):
    """Two networks and two memories; subclasses say how the values of the target network are stored."""

    def __init__(self, game: BatchedGame, method: NFSP, player: int, seed: int, unit: float) -> None:
        self.game, self.method, self.unit = game, method, unit
        self.transitions = TransitionMemory(game, method.response_capacity)
        self.imitated = SampleMemory(game, method.average_capacity, setting="average_capacity")
        self.response, self.average = (build_perceptron(game, method.widths) for _ in range(2))
        for number, network in enumerate((self.response, self.average)):
            network.initialise(stream(game.device, seed, number, player, Purpose.REFIT))
        self.optimisers = [Adam(network.weights, network.gradient) for network in (self.response, self.average)]
        self.updates = 0
        self.decisions = 0
        self.losses = torch.zeros(2, device=game.device)  # of the latest update: response, average
        self.graph: torch.cuda.CUDAGraph | None = None

    @property
    def exploration(self) -> float:
        """ε now."""
        return float(self.method.exploration / (1 + self.updates) ** 0.5)

    @property
    @abstractmethod
    def target(self) -> torch.Tensor:
        """What is stored of the target network."""

    @abstractmethod
    def update_target(self) -> None:
        """Set the target network to the response network."""

    @abstractmethod
    def target_values(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n] the highest value of an action at own infosets [n, …], by the target network."""

    @abstractmethod
    def outputs_are_finite(self) -> bool:
        """Whether both networks have finite outputs at the infosets that are looked at."""

    def best_response(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] the action of the highest value, or with probability ε any action."""
        return self.greedy(self.response.outputs(self.game.features(infosets)), self.game.legal(infosets))

    def greedy(self, values: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        """[…, A] the best response from values […, A] of actions, exploration included."""
        best = values.masked_fill(~legal, -torch.inf).argmax(-1)
        best = torch.nn.functional.one_hot(best, legal.shape[-1]).float()
        return (1 - self.exploration) * best + self.exploration * legal / legal.sum(-1, keepdim=True)

    def average_strategy(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] the strategy of the average network."""
        return masked_softmax(self.average.outputs(self.game.features(infosets)), self.game.legal(infosets))

    def remember(self, log: UndoLog) -> None:
        """Log networks, optimisers and counts, and watch both memories."""
        log.tensors([*self._tensors().values(), self.losses])
        log.fields(self, "updates", "decisions")
        log.watch(self.transitions, self.imitated)

    def store(self, decisions: Decisions, responds: torch.Tensor, generator: torch.Generator) -> None:
        """Store decisions; those of plays in which the player responds (a mask of plays) are to be imitated."""
        self.transitions.add(decisions, self.unit)
        mine = responds[decisions.plays]
        actions = torch.nn.functional.one_hot(decisions.heads[mine], self.game.heads).float()
        self.imitated.add(Samples(decisions.infosets[mine], actions), 1.0, generator)
        self.decisions += len(decisions.heads)

    def learn(self, generator: torch.Generator) -> bool:
        """Run the updates that are due for the decisions so far; returns False if a network diverged."""
        due = self.decisions // self.method.every * self.method.updates - self.updates
        self.imitated.prepare(self.method.batch, scaled=False)
        self.transitions.prepare()
        update = self._replayed_update(generator) if due and self._can_capture() else partial(self._update, generator)
        for _ in range(due):
            update()
            self.updates += 1
            if self.updates % self.method.target_every == 0:
                self.update_target()
        return self._is_finite()

    def _update(self, generator: torch.Generator) -> None:
        """One update of both networks, where there is something to learn from."""
        if len(self.transitions):
            self._learn_response(generator)
        if len(self.imitated):
            self._learn_average(generator)

    def _can_capture(self) -> bool:
        """Whether updates can be one graph: on a GPU, once both memories hold something."""
        return self.game.device.type == "cuda" and len(self.transitions) > 0 and len(self.imitated) > 0

    def _replayed_update(self, generator: torch.Generator) -> Callable[[], None]:
        """The update as a graph, which is captured the first time; its draws follow from those of `generator`."""
        if self.graph is None:
            self.drawing = torch.Generator(self.game.device)
            changed = [*self._tensors().values(), self.losses]
            self.graph = captured(partial(self._update, self.drawing), self.drawing, changed)
        seed = torch.randint(2**62, (1,), device=self.game.device, generator=generator)
        self.drawing.manual_seed(int(seed))
        return self.graph.replay

    def _is_finite(self) -> bool:
        """Whether all weights and the outputs of both networks are finite."""
        return all(bool(torch.isfinite(t).all()) for t in self._tensors().values()) and self.outputs_are_finite()

    def _learn_response(self, generator: torch.Generator) -> None:
        """One step towards r + max Q′(next): the mean squared error of the values of the actions taken."""
        batch = self.transitions.batch(self.method.batch, generator)
        rows = torch.arange(len(batch.heads), device=self.game.device)
        goal = batch.rewards + torch.where(batch.ended, 0.0, self.target_values(batch.following))
        values = self.response.forward(self.game.features(batch.infosets))
        error = values[rows, batch.heads] - goal
        gradient = torch.zeros_like(values)
        gradient[rows, batch.heads] = 2 * error / len(rows)
        self.response.backward(gradient)
        self._step(self.response, self.optimisers[0], self.method.response_rate)
        self.losses[0] = error.square().mean()

    def _learn_average(self, generator: torch.Generator) -> None:
        """One step towards the actions taken: the cross-entropy."""
        batch = self.imitated.batch(generator)
        loss, gradient = loss_and_gradient(self.average.forward(batch.features), batch, "cross-entropy")
        self.average.backward(gradient)
        self._step(self.average, self.optimisers[1], self.method.average_rate)
        self.losses[1] = loss

    def _step(self, network: FlatNetwork, optimiser: Adam, rate: float) -> None:
        if self.method.optimiser == "adam":
            optimiser.step(rate)
        else:
            network.weights.sub_(network.gradient, alpha=rate)

    def _tensors(self) -> dict[str, torch.Tensor]:
        """Weights, target values, and the state of the optimisers, by name."""
        tensors = {"response": self.response.weights, "average": self.average.weights, "target": self.target}
        for name, optimiser in zip(("response", "average"), self.optimisers, strict=True):
            tensors |= {f"{name}_{part}": tensor for part, tensor in optimiser.state().items()}
        return tensors

    def arrays(self) -> dict[str, Array]:
        """Memories, networks and counts, by name."""
        arrays = {f"transitions_{name}": array for name, array in self.transitions.arrays().items()}
        arrays |= {f"imitated_{name}": array for name, array in self.imitated.arrays().items()}
        arrays |= {f"weights_{name}": tensor.cpu().numpy().reshape(-1) for name, tensor in self._tensors().items()}
        return arrays | {"counts": np.array([self.updates, self.decisions])}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Continue from what `arrays` returned."""
        self.transitions.restore(with_prefix(arrays, "transitions_"))
        self.imitated.restore(with_prefix(arrays, "imitated_"))
        for name, tensor in self._tensors().items():
            tensor.copy_(torch.from_numpy(np.ascontiguousarray(arrays[f"weights_{name}"])).reshape(tensor.shape))
        self.updates, self.decisions = arrays["counts"].tolist()
