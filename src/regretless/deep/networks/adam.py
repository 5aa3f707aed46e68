"""Adam (Kingma & Ba 2015) on one vector of weights."""

from __future__ import annotations

import torch
from torch.optim.adam import adam

__all__ = ["Adam"]

FIRST, SECOND, EPSILON = 0.9, 0.999, 1e-8


class Adam:
    """The moments of a vector's gradient, and steps along them: w ← w − rate · m̂ / (√v̂ + ε).

    On the CPU a step is one call of `torch.optim.adam.adam`, the function that `torch.optim.Adam` calls, with the fused
    kernel. The class around it computes the same numbers but costs 40 µs more a step and imports PyTorch's compiler
    (1.5 s). On a GPU the fused kernel runs a single vector on one or two multiprocessors; whole-vector operations,
    replayed as a graph, take a third of the time.
    """

    def __init__(self, weights: torch.Tensor, gradient: torch.Tensor) -> None:
        self.weights, self.gradient = weights, gradient  # [N]
        self.mean = torch.zeros_like(weights)  # [N] first moment
        self.square = torch.zeros_like(weights)  # [N] second moment
        self.steps = torch.zeros((), device=weights.device)  # float32, for the bias correction only

    def state(self) -> dict[str, torch.Tensor]:
        """What the next step depends on, by name."""
        return {"first_moment": self.mean, "second_moment": self.square, "steps": self.steps}

    def reset(self) -> None:
        """Set both moments and the number of steps to 0."""
        for tensor in self.state().values():
            tensor.zero_()

    def step(self, rate: float | torch.Tensor) -> None:
        """One step down the gradient; on a GPU the rate may be a tensor there."""
        if self.weights.is_cuda:
            self.steps += 1
            self.plain_step(rate)
            return
        adam(
            [self.weights], [self.gradient], [self.mean], [self.square], [], [self.steps], fused=True, amsgrad=False,
            beta1=FIRST, beta2=SECOND, lr=rate, weight_decay=0.0, eps=EPSILON, maximize=False,
        )  # fmt: skip

    def plain_step(self, rate: float | torch.Tensor) -> None:
        """The same step by operations on whole vectors; the caller has already increased `steps`."""
        self.mean.lerp_(self.gradient, 1 - FIRST)
        self.square.mul_(SECOND).addcmul_(self.gradient, self.gradient, value=1 - SECOND)
        root = (self.square / (1 - SECOND**self.steps)).sqrt_().add_(EPSILON)
        self.weights.sub_((self.mean / root).mul_(rate / (1 - FIRST**self.steps)))
