"""A network with all its weights in one vector: clipping and stepping are a few operations instead of many."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import nn

from regretless.deep.networks.multilayer import initialise

__all__ = ["CHUNK", "FlatNetwork"]

CHUNK = 1 << 16
"""Rows of one forward pass; larger inputs are split."""


class FlatNetwork(ABC):
    """A network of N weights, and the gradient of a loss with respect to them.

    The network's parameters become views of `weights`, and their `.grad` views of `gradient`.
    """

    def __init__(self, network: nn.Module) -> None:
        parameters = list(network.parameters())
        self.network = network
        self.weights = torch.cat([parameter.detach().reshape(-1) for parameter in parameters])  # [N]
        self.gradient = torch.zeros_like(self.weights)  # [N]
        begin = 0
        for parameter in parameters:
            end = begin + parameter.numel()
            parameter.data = self.weights[begin:end].view(parameter.shape)
            parameter.grad = self.gradient[begin:end].view(parameter.shape)
            begin = end

    def initialise(self, generator: torch.Generator) -> None:
        """Draw new random weights."""
        initialise(self.network, generator)

    @abstractmethod
    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] the outputs for features [n, F]; keeps what `backward` needs."""

    @abstractmethod
    def backward(self, gradient: torch.Tensor) -> None:
        """Fill `self.gradient` from the gradient [n, A] of the loss with respect to the outputs of `forward`."""

    @torch.no_grad()
    def outputs(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] the outputs for features [n, F], for any n."""
        return torch.cat([self.network(chunk) for chunk in features.split(CHUNK)])
