"""Multilayer networks from features to one output per head, and drawing of initial weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import cast

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

    def on_cards(self, features: torch.Tensor, bets: int) -> Callable[[torch.Tensor], torch.Tensor]:
        """For features [n, F] that end with `bets` numbers, a function from other ends [D, bets] to the outputs
        [D, n, A].

        The first layer is linear before rectification, so its two parts are computed once each and added.
        """
        first, *rest = [cast(nn.Linear, layer) for layer in (*self.layers, self.head)]
        cards = features.shape[1] - bets
        begun = features[:, :cards] @ first.weight[:, :cards].t()  # [n, width]

        def outputs(ends: torch.Tensor) -> torch.Tensor:
            values = begun + nn.functional.linear(ends, first.weight[:, cards:], first.bias)[:, None]
            for layer in rest:
                values = layer(torch.relu(values))
            return values

        return outputs


class ResidualPerceptron(nn.Module):
    """A perceptron with skip connections between layers of equal width.

    The last layer is normalised to zero mean and unit variance before the head, as in the network of Deep CFR.
    """

    def __init__(self, features: int, heads: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise([features, *widths]))
        self.head = nn.Linear([features, *widths][-1], heads)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] from features [n, F]."""
        for layer in self.layers:
            output = layer(features)
            features = torch.relu(output + features if output.shape == features.shape else output)
        head: torch.Tensor = self.head(nn.functional.layer_norm(features, features.shape[-1:]))
        return head


@torch.no_grad()
def initialise(network: nn.Module, generator: torch.Generator) -> None:
    """Draw the weights of all linear layers as PyTorch does: uniform in ±1/√inputs."""
    for module in network.modules():
        if isinstance(module, nn.Linear):
            bound = module.in_features**-0.5
            module.weight.uniform_(-bound, bound, generator=generator)
            if module.bias is not None:
                module.bias.uniform_(-bound, bound, generator=generator)


def parameter_count(network: nn.Module) -> int:
    """The number of trainable weights."""
    return sum(weights.numel() for weights in network.parameters())
