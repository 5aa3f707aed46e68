"""Fitting a network to a memory: Adam steps on batches (Brown et al. 2019, §5.2), and two ways to reduce their noise.

Refits are noisy: the outputs at an infoset depend on the step at which training stops. A schedule lowers the rate of
learning towards 0 within each refit. Weight averaging plays an exponentially weighted mean of the weights of the last
steps. Neither changes the minimum of the loss.

On a GPU a step is captured once as a graph and then replayed: sampling, feature lookup, forward, backward, clipping and
the Adam step are then one launch.
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

from regretless.deep.memories.memory import BatchSource
from regretless.deep.networks.adam import Adam
from regretless.deep.networks.captured_steps import captured
from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.networks.fused_step import FusedStep, fused_step, why_unusable
from regretless.deep.networks.losses import Loss, loss_and_gradient

__all__ = ["FitOptions", "Trainer"]

Schedule = Literal["constant", "linear", "cosine"]
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class FitOptions:
    """How a network is fitted."""

    steps: int
    batch: int
    rate: float = 1e-3
    schedule: Schedule = "constant"
    clip: float = 1.0
    """Gradients are clipped to this length; 0 does not clip."""
    average: float = 0.0
    """Weight averaging: the share of the mean weights that a step keeps; 0 plays the weights of the last step."""
    loss: Loss = "squares"
    scaled: bool = True
    """Whether targets are divided by their root mean square."""

    def rate_at(self, step: int) -> float:
        """The rate of learning at a step, from 0."""
        done = step / self.steps
        factors = {"constant": 1.0, "linear": 1 - done, "cosine": 0.5 * (1 + math.cos(math.pi * done))}
        return self.rate * factors[self.schedule]


class Trainer:
    """A network in training: its weights, the weights that are played, and the state of the optimiser; N weights."""

    def __init__(self, network: FlatNetwork, options: FitOptions) -> None:
        self.network, self.options = network, options
        self.device = network.weights.device
        self.adam = Adam(network.weights, network.gradient)
        self.mean = torch.zeros_like(network.weights)  # [N] exponential mean of the weights, without bias correction
        self.played = torch.zeros_like(network.weights)  # [N] the weights that strategies are computed with
        self.rates = [options.rate_at(step) for step in range(options.steps)]
        self.captured: CapturedStep | None = None

    def reset(self, generator: torch.Generator) -> None:
        """Draw new random weights and reset the optimiser."""
        self.network.initialise(generator)
        self.adam.reset()
        self.mean.zero_()

    def fit(self, memory: BatchSource, generator: torch.Generator, rate_factor: float = 1.0) -> float:
        """Run the steps of one refit; returns the loss of the weights to play, in squared units of the targets."""
        scale = memory.prepare(self.options.batch, scaled=self.options.scaled)
        rates = [rate_factor * rate for rate in self.rates]
        if self.device.type == "cuda":
            self.captured = self.captured or CapturedStep(self, memory)
            self.captured.replay(rates, generator)
        else:
            for rate in rates:
                self.step(memory, rate, generator)
        keep = self.options.average
        self.played.copy_(self.mean / (1 - keep ** int(self.adam.steps)) if keep else self.network.weights)
        batch = memory.batch(generator)
        with self.with_played_weights():
            loss, _ = loss_and_gradient(self.network.forward(batch.features), batch, self.options.loss)
        return float(loss) * scale**2

    def step(self, memory: BatchSource, rate: float | torch.Tensor, generator: torch.Generator) -> None:
        """One step of gradient descent."""
        batch = memory.batch(generator)
        _, gradient = loss_and_gradient(self.network.forward(batch.features), batch, self.options.loss)
        self.network.backward(gradient)
        if self.options.clip:
            length = torch.linalg.vector_norm(self.network.gradient)
            self.network.gradient.mul_((self.options.clip / length).clamp_(max=1.0))
        self.adam.step(rate)
        if self.options.average:
            self.mean.lerp_(self.network.weights, 1 - self.options.average)

    @contextmanager
    def with_played_weights(self) -> Iterator[None]:
        """Give the network the weights that are played for the block."""
        with self.with_weights(self.played):
            yield

    @contextmanager
    def with_weights(self, weights: torch.Tensor) -> Iterator[None]:
        """Give the network other weights [N] for the block."""
        kept = self.network.weights.clone()
        self.network.weights.copy_(weights)
        try:
            yield
        finally:
            self.network.weights.copy_(kept)

    def outputs(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] the outputs for features [n, F] with the weights that are played."""
        with self.with_played_weights():
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
        """The state as arrays, by name."""
        return {name: tensor.detach().cpu().numpy().reshape(-1) for name, tensor in self.state().items()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Continue from what `arrays` returned."""
        for name, tensor in self.state().items():
            tensor.copy_(torch.from_numpy(np.ascontiguousarray(arrays[name])).reshape(tensor.shape))


class CapturedStep:
    """A training step as one CUDA graph: captured once, then replayed with other rates and other samples."""

    def __init__(self, trainer: Trainer, memory: BatchSource) -> None:
        self.rate = torch.zeros((), device=trainer.device)
        self.generator = torch.Generator(trainer.device)
        self.fused = _checked_fused_step(trainer, memory)

        def step() -> None:
            if self.fused is None:
                trainer.step(memory, self.rate, self.generator)
            else:
                self.fused.step(self.rate, trainer.options.clip, trainer.mean, trainer.options.average)

        self.graph = captured(step, self.generator, trainer.state().values())

    def replay(self, rates: list[float], generator: torch.Generator) -> None:
        """One step for each rate; the samples depend only on the seed of the generator and the number of the step."""
        self.generator.manual_seed(generator.initial_seed())
        if self.fused is not None:
            self.fused.reseed(generator.initial_seed())
        on_device = torch.tensor(rates, device=self.rate.device)
        for step in range(len(rates)):
            self.rate.copy_(on_device[step])
            self.graph.replay()


def _checked_fused_step(trainer: Trainer, memory: BatchSource) -> FusedStep | None:
    """The fused step, if there is one for this network and its gradient on this GPU is that of PyTorch."""
    logs = trainer.options.loss == "cross-entropy"
    fused = fused_step(trainer.network, memory, trainer.adam, trainer.options.batch, logs=logs)
    if fused is None:
        return None
    reason = why_unusable(fused.matches_pytorch)
    if reason is None:
        return fused
    warnings.warn(f"steps are not fused, which makes training slower: {reason}", RuntimeWarning, stacklevel=2)
    return None
