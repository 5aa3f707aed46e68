"""Slopes of networks, in the quickest way that each has.

A perceptron's slope is written out here, layer by layer, into memory that is taken once; on a CPU a step of training
takes half the time that automatic differentiation needs. Other networks are differentiated automatically.
"""

from __future__ import annotations

import torch
from torch import nn

from regretless.deep.networks.flat_network import Sloped
from regretless.deep.networks.holdem_gradients import WrittenOutHoldem
from regretless.deep.networks.holdem_network import HoldemNetwork
from regretless.deep.networks.multilayer import Perceptron

__all__ = ["Automatic", "WrittenOut", "sloped"]


class Automatic(Sloped):
    """Any network, differentiated by PyTorch."""

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] as the network computes it."""
        with torch.enable_grad():
            self.output: torch.Tensor = self.network(features)
        said: torch.Tensor = self.output.detach()
        return said

    def backward(self, slope: torch.Tensor) -> None:
        """Back through the graph that PyTorch has recorded."""
        self.slope.zero_()
        self.output.backward(slope)
        del self.output  # with it goes the record, which must not outlive the stream that it was made on


class WrittenOut(Sloped):
    """A perceptron, differentiated by hand: with h₀ the features, hᵢ = max(0, hᵢ₋₁Wᵢᵀ + bᵢ) and δᵢ the slope at layer
    i before it is rectified, ∂Wᵢ = δᵢᵀhᵢ₋₁, ∂bᵢ = Σ δᵢ and δᵢ₋₁ = δᵢWᵢ where hᵢ₋₁ > 0."""

    def __init__(self, network: Perceptron) -> None:
        super().__init__(network)
        layers = [*network.layers, network.head]
        self.tables = [(layer.weight.data, layer.bias.data) for layer in layers]  # [to, from] and [to] of each layer
        self.table_slopes = [(layer.weight.grad, layer.bias.grad) for layer in layers]
        self.values: list[torch.Tensor] = []  # [n, width] of each layer, the features first
        self.slopes: list[torch.Tensor] = []  # [n, width] likewise

    @torch.no_grad()
    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] with the values of all layers kept."""
        if not self.slopes or len(self.slopes[0]) != len(features):
            made = [features.new_empty(len(features), len(bias)) for _, bias in self.tables]
            self.values, self.slopes = [features, *made], [torch.empty_like(values) for values in made]
        self.values[0] = features
        last = len(self.tables) - 1
        for number, (weight, bias) in enumerate(self.tables):
            after = torch.addmm(bias, self.values[number], weight.t(), out=self.values[number + 1])
            if number < last:
                after.relu_()
        return self.values[-1]

    @torch.no_grad()
    def backward(self, slope: torch.Tensor) -> None:
        """From the head back to the features."""
        for number in range(len(self.tables) - 1, -1, -1):
            before = self.values[number]
            weight_slope, bias_slope = self.table_slopes[number]
            torch.mm(slope.t(), before, out=weight_slope)
            torch.sum(slope, 0, out=bias_slope)
            if number:
                below = torch.mm(slope, self.tables[number][0], out=self.slopes[number - 1])
                slope = torch.ops.aten.threshold_backward.grad_input(below, before, 0, grad_input=below)


def sloped(network: nn.Module) -> Sloped:
    """The quickest form that a network has."""
    if isinstance(network, HoldemNetwork):
        return WrittenOutHoldem(network)
    return WrittenOut(network) if isinstance(network, Perceptron) else Automatic(network)
