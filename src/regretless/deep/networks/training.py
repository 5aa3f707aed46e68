"""Fitting a network to a memory: Adam steps on batches of it (Brown et al. 2019, §5.2), and what tames their noise.

Refits are noisy: what the network says of an infoset depends on where training happens to stop. A schedule lets the
rate of learning fall to nothing within each refit; weight averaging plays an exponentially weighted mean of the weights
of the last steps. Both leave what is minimised alone.

On a GPU a step is captured once as a graph and then replayed: drawing samples, looking up features, forward, backward,
clipping and stepping are then one launch.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.memories.memory import Memory
from regretless.deep.networks.adam import Adam
from regretless.deep.networks.flat_network import Sloped
from regretless.deep.networks.fused_step import FusedStep, fused_step, why_not
from regretless.deep.networks.losses import Loss, loss_and_slope
from regretless.deep.networks.multilayer import initialise
from regretless.deep.torch_extra import quick_products

__all__ = ["Recipe", "Trainer"]

Schedule = Literal["constant", "linear", "cosine"]
Array = npt.NDArray[Any]

WARM_UP = 3
"""Steps before one is captured, in which libraries choose their kernels."""


@dataclass(frozen=True)
class Recipe:
    """How a network is fitted."""

    steps: int
    batch: int
    rate: float = 1e-3
    schedule: Schedule = "constant"
    clip: float = 1.0
    """The longest slope: a longer one is shortened to that; 0 leaves all as they are."""
    average: float = 0.0
    """How much of the mean of earlier weights a step keeps in the weights that are played; 0 plays the last ones."""
    loss: Loss = "squares"
    scaled: bool = True
    """Whether targets are divided by the root of their mean square."""

    def rate_at(self, step: int) -> float:
        """The rate of learning at a step, from 0."""
        done = step / self.steps
        falls = {"constant": 1.0, "linear": 1 - done, "cosine": 0.5 * (1 + math.cos(math.pi * done))}
        return self.rate * falls[self.schedule]


class Trainer:
    """A network on its way: its weights, those that are played, and the state of the optimiser; N weights."""

    def __init__(self, network: Sloped, recipe: Recipe) -> None:
        self.network, self.recipe = network, recipe
        self.device = network.weights.device
        self.adam = Adam(network.weights, network.slope)
        self.mean = torch.zeros_like(network.weights)  # [N] of the weights, before it is corrected for its beginning
        self.played = torch.zeros_like(network.weights)  # [N] what the network plays with
        self.rates = [recipe.rate_at(step) for step in range(recipe.steps)]
        self.captured: CapturedStep | None = None

    def begin_anew(self, generator: torch.Generator) -> None:
        """Random weights, and an optimiser that has seen nothing."""
        initialise(self.network.network, generator)
        self.adam.begin_anew()
        self.mean.zero_()

    def fit(self, memory: Memory, generator: torch.Generator) -> float:
        """Take the steps of one refit; returns the loss of the weights to play, in units of the targets squared."""
        scale = memory.prepare(self.recipe.batch, scaled=self.recipe.scaled)
        if self.device.type == "cuda":
            self.captured = self.captured or CapturedStep(self, memory)
            self.captured.replay(self.rates, generator)
        else:
            for rate in self.rates:
                self.step(memory, rate, generator)
        keep = self.recipe.average
        self.played.copy_(self.mean / (1 - keep ** int(self.adam.steps)) if keep else self.network.weights)
        batch = memory.batch(generator)
        with self.playing():
            loss, _ = loss_and_slope(self.network.forward(batch.features), batch, self.recipe.loss)
        return float(loss) * scale**2

    def step(self, memory: Memory, rate: float | torch.Tensor, generator: torch.Generator) -> None:
        """One step downhill."""
        batch = memory.batch(generator)
        _, slope = loss_and_slope(self.network.forward(batch.features), batch, self.recipe.loss)
        self.network.backward(slope)
        if self.recipe.clip:
            length = torch.linalg.vector_norm(self.network.slope)
            self.network.slope.mul_((self.recipe.clip / length).clamp_(max=1.0))
        self.adam.step(rate)
        if self.recipe.average:
            self.mean.lerp_(self.network.weights, 1 - self.recipe.average)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Let the network have the weights that are played for a while."""
        kept = self.network.weights.clone()
        self.network.weights.copy_(self.played)
        try:
            yield
        finally:
            self.network.weights.copy_(kept)

    def outputs(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] what the network says with the weights that are played, of features [n, F]."""
        with self.playing():
            return self.network.outputs(features)

    def state(self) -> dict[str, torch.Tensor]:
        """All that the next step depends on, by name."""
        return {
            "weights": self.network.weights,
            "played": self.played,
            "mean": self.mean,
            **self.adam.state(),
        }

    def arrays(self) -> dict[str, Array]:
        """Weights, those played, and the state of the optimiser."""
        return {name: tensor.detach().cpu().numpy().reshape(-1) for name, tensor in self.state().items()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Go on from what `arrays` once returned."""
        for name, tensor in self.state().items():
            tensor.copy_(torch.from_numpy(np.ascontiguousarray(arrays[name])).reshape(tensor.shape))


class CapturedStep:
    """A step of training as one graph of a GPU: captured once, then replayed with other rates and other draws."""

    def __init__(self, trainer: Trainer, memory: Memory) -> None:
        self.rate = torch.zeros((), device=trainer.device)
        self.generator = torch.Generator(trainer.device)
        self.graph = torch.cuda.CUDAGraph()
        self.graph.register_generator_state(self.generator)
        self.fused = _checked_fused_step(trainer, memory)

        def step() -> None:
            if self.fused is None:
                trainer.step(memory, self.rate, self.generator)
            else:
                self.fused.step(self.rate, trainer.recipe.clip, trainer.mean, trainer.recipe.average)

        kept = {name: tensor.clone() for name, tensor in trainer.state().items()}
        with quick_products(trainer.device):
            aside = torch.cuda.Stream(trainer.device)
            aside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(aside):
                for _ in range(WARM_UP):
                    step()
            torch.cuda.current_stream().wait_stream(aside)
            with torch.cuda.graph(self.graph):
                step()
        for name, tensor in trainer.state().items():  # what warming up has changed is put back
            tensor.copy_(kept[name])

    def replay(self, rates: list[float], generator: torch.Generator) -> None:
        """A step for each rate, with draws that depend on nothing but the given stream's seed."""
        self.generator.manual_seed(generator.initial_seed())
        if self.fused is not None:
            self.fused.seed.fill_(generator.initial_seed())
        on_device = torch.tensor(rates, device=self.rate.device)
        for step in range(len(rates)):
            self.rate.copy_(on_device[step])
            self.graph.replay()


def _checked_fused_step(trainer: Trainer, memory: Memory) -> FusedStep | None:
    """The step in few kernels, where there is one and this GPU computes with it what PyTorch computes."""
    logs = trainer.recipe.loss == "cross-entropy"
    fused = fused_step(trainer.network, memory, trainer.adam, trainer.recipe.batch, logs=logs)
    if fused is None:
        return None
    why = why_not(fused.agrees)
    if why is None:
        return fused
    warnings.warn(f"steps are not fused, which makes training slower: {why}", RuntimeWarning, stacklevel=2)
    return None
