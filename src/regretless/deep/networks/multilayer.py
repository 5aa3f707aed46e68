"""Networks from features to a number for every head."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import nn

__all__ = ["Perceptron", "ResidualPerceptron", "initialise", "parameter_count"]


class Perceptron(nn.Module):
    """Layers of rectified units, then a linear head."""

    def __init__(self, features: int, heads: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise([features, *widths]))
        self.head = nn.Linear([features, *widths][-1], heads)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] from features [n, F]."""
        for layer in self.layers:
            features = torch.relu(layer(features))
        head: torch.Tensor = self.head(features)
        return head


class ResidualPerceptron(nn.Module):
    """As a perceptron, but a layer as wide as the one before adds to it, and the last is normalised to zero mean and
    unit variance before the head, as in the network of Deep CFR."""

    def __init__(self, features: int, heads: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise([features, *widths]))
        self.head = nn.Linear([features, *widths][-1], heads)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] from features [n, F]."""
        for layer in self.layers:
            made = layer(features)
            features = torch.relu(made + features if made.shape == features.shape else made)
        head: torch.Tensor = self.head(nn.functional.layer_norm(features, features.shape[-1:]))
        return head


@torch.no_grad()
def initialise(network: nn.Module, generator: torch.Generator) -> None:
    """Draw all weights anew, as PyTorch does for linear layers: uniform up to one over the root of the inputs."""
    for part in network.modules():
        if isinstance(part, nn.Linear):
            bound = part.in_features**-0.5
            part.weight.uniform_(-bound, bound, generator=generator)
            if part.bias is not None:
                part.bias.uniform_(-bound, bound, generator=generator)


def parameter_count(network: nn.Module) -> int:
    """How many numbers a network has learned."""
    return sum(weights.numel() for weights in network.parameters())
