"""Flat networks with the fastest gradient for each architecture.

The gradient of a perceptron is written out here, layer by layer, into buffers that are allocated once; on a CPU a
training step takes half the time that automatic differentiation needs. Other networks use automatic differentiation.
"""

from __future__ import annotations

import torch
from torch import nn

from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.networks.holdem_gradients import FlatHoldemNetwork
from regretless.deep.networks.holdem_network import HoldemNetwork
from regretless.deep.networks.multilayer import Perceptron

__all__ = ["AutogradNetwork", "FlatPerceptron", "flatten"]


class AutogradNetwork(FlatNetwork):
    """Any network, differentiated by PyTorch."""

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] the outputs of the network."""
        with torch.enable_grad():
            self.output: torch.Tensor = self.network(features)
        output: torch.Tensor = self.output.detach()
        return output

    def backward(self, gradient: torch.Tensor) -> None:
        """Backward through the graph that PyTorch has recorded."""
        self.gradient.zero_()
        self.output.backward(gradient)
        del self.output  # this frees the recorded graph, which must not outlive the stream that it was recorded on


class FlatPerceptron(FlatNetwork):
    """A perceptron with a hand-written gradient.

    With h₀ the features, hᵢ = max(0, hᵢ₋₁Wᵢᵀ + bᵢ) and δᵢ the gradient at layer i before rectification:
    ∂Wᵢ = δᵢᵀhᵢ₋₁, ∂bᵢ = Σ δᵢ, and δᵢ₋₁ = δᵢWᵢ where hᵢ₋₁ > 0.
    """

    def __init__(self, network: Perceptron) -> None:
        super().__init__(network)
        layers = [*network.layers, network.head]
        self.tables = [(layer.weight.data, layer.bias.data) for layer in layers]  # [to, from] and [to] of each layer
        self.table_gradients = [(layer.weight.grad, layer.bias.grad) for layer in layers]
        self.values: list[torch.Tensor] = []  # [n, width] the features, then the output of each layer
        self.gradients: list[torch.Tensor] = []  # [n, width] the gradient at the output of each layer

    @torch.no_grad()
    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] the outputs; the values of all layers are kept."""
        if not self.gradients or len(self.gradients[0]) != len(features):
            buffers = [features.new_empty(len(features), len(bias)) for _, bias in self.tables]
            self.values, self.gradients = [features, *buffers], [torch.empty_like(values) for values in buffers]
        self.values[0] = features
        last = len(self.tables) - 1
        for number, (weight, bias) in enumerate(self.tables):
            output = torch.addmm(bias, self.values[number], weight.t(), out=self.values[number + 1])
            if number < last:
                output.relu_()
        return self.values[-1]

    @torch.no_grad()
    def backward(self, gradient: torch.Tensor) -> None:
        """From the head back to the features."""
        for number in range(len(self.tables) - 1, -1, -1):
            before = self.values[number]
            weight_gradient, bias_gradient = self.table_gradients[number]
            torch.mm(gradient.t(), before, out=weight_gradient)
            torch.sum(gradient, 0, out=bias_gradient)
            if number:
                below = torch.mm(gradient, self.tables[number][0], out=self.gradients[number - 1])
                gradient = torch.ops.aten.threshold_backward.grad_input(below, before, 0, grad_input=below)


def flatten(network: nn.Module) -> FlatNetwork:
    """The flat form of a network, with the fastest gradient that exists for it."""
    if isinstance(network, HoldemNetwork):
        return FlatHoldemNetwork(network)
    return FlatPerceptron(network) if type(network) is Perceptron else AutogradNetwork(network)
