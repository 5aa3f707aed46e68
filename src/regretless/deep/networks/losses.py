"""The losses that networks minimise, and their gradients."""

from __future__ import annotations

from typing import Literal

import torch

from regretless.deep.memories.memory import Batch

__all__ = ["Loss", "loss_and_gradient"]

Loss = Literal["squares", "cross-entropy"]


def loss_and_gradient(output: torch.Tensor, batch: Batch, loss: Loss) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of a batch, and its gradient [n, A] with respect to the output [n, A].

    squares: Σ w Σ_a (f_a − x_a)² over legal actions. cross-entropy: −Σ w Σ_a x_a log softmax(f)_a over legal actions.
    """
    weights = batch.weights[:, None]
    if loss == "squares":
        error = (output - batch.targets) * batch.legal
        gradient = error * weights
        return (gradient * error).sum(), gradient.mul_(2)
    logs = output.masked_fill(batch.legal == 0, -1e30).log_softmax(1)
    total = batch.targets.sum(1, keepdim=True)
    return -(weights * batch.targets * logs).sum(), (logs.exp() * total - batch.targets) * weights
