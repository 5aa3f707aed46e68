"""Adam (Kingma & Ba 2015) on one vector of weights."""

from __future__ import annotations

import torch

__all__ = ["Adam"]

FIRST, SECOND, EPSILON = 0.9, 0.999, 1e-8


class Adam:
    """The moments of a vector's slope, and steps that follow them: w ← w − rate · m̂ / (√v̂ + ε).

    One call of the kernel that PyTorch's own optimiser ends in; what lies between takes longer than the step itself
    where networks are small.
    """

    def __init__(self, weights: torch.Tensor, slope: torch.Tensor) -> None:
        self.weights, self.slope = weights, slope  # [N]
        self.mean = torch.zeros_like(weights)  # [N] of the slope
        self.square = torch.zeros_like(weights)  # [N] mean of its square
        self.steps = torch.zeros((), device=weights.device)

    def state(self) -> dict[str, torch.Tensor]:
        """What the next step depends on, by name."""
        return {"first_moment": self.mean, "second_moment": self.square, "steps": self.steps}

    def begin_anew(self) -> None:
        """Forget all slopes."""
        for number in self.state().values():
            number.zero_()

    def step(self, rate: float | torch.Tensor) -> None:
        """One step downhill; on a GPU the rate may be a number that lies there."""
        self.steps += 1
        torch._fused_adam_(
            [self.weights], [self.slope], [self.mean], [self.square], [], [self.steps], lr=rate, beta1=FIRST,
            beta2=SECOND, weight_decay=0.0, eps=EPSILON, amsgrad=False, maximize=False, grad_scale=None, found_inf=None,
        )  # fmt: skip
