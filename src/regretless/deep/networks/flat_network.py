"""A network with all its weights in one vector: so clipping and stepping are a few operations, not many."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import nn

__all__ = ["CHUNK", "Sloped"]

CHUNK = 1 << 16
"""Rows that are shown to a network at once where there are many."""


class Sloped(ABC):
    """A network of N weights, and the slope of a loss with respect to them."""

    def __init__(self, network: nn.Module) -> None:
        parts = list(network.parameters())
        self.network = network
        self.weights = torch.cat([part.detach().reshape(-1) for part in parts])  # [N]
        self.slope = torch.zeros_like(self.weights)  # [N]
        begin = 0
        for part in parts:
            end = begin + part.numel()
            part.data = self.weights[begin:end].view(part.shape)
            part.grad = self.slope[begin:end].view(part.shape)
            begin = end

    @abstractmethod
    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] what the network says of features [n, F]; `backward` goes back from there."""

    @abstractmethod
    def backward(self, slope: torch.Tensor) -> None:
        """Fill `self.slope` from the slope [n, A] of the loss with respect to what `forward` returned."""

    @torch.no_grad()
    def outputs(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] what the network says of features [n, F], however many."""
        return torch.cat([self.network(some) for some in features.split(CHUNK)])
