"""The hold'em network with a hand-written gradient: a GPU step costs per kernel, so there are few kernels.

With automatic differentiation a step of the paper's network has about 170 kernels of one or two microseconds, ten times
what their arithmetic takes. The hand-written form has half as many: gradients are written to their place instead of
accumulated, and the embedding tables of all card groups are one matrix.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import nn

from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.networks.holdem_network import CardEmbedding, HoldemNetwork

__all__ = ["FlatHoldemNetwork"]


class FlatHoldemNetwork(FlatNetwork):
    """The paper's network; `forward` keeps the values of all layers for `backward`."""

    network: HoldemNetwork

    def __init__(self, network: HoldemNetwork) -> None:
        super().__init__(network)
        self.embeddings = [cast(CardEmbedding, embedding) for embedding in network.embeddings]
        width, cards = self.embeddings[0].ranks.weight.shape[0], network.parts[0]
        groups = len(self.embeddings)
        self.tables = self.weights.new_zeros(groups * width, groups * cards)  # block-diagonal: one block per group
        self.blocks = [
            self.tables[g * width : (g + 1) * width, g * cards : (g + 1) * cards] for g in range(groups)
        ]  # [width, cards] each
        self.parts = (groups * cards, network.parts[-1])

    @torch.no_grad()
    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] the outputs; the values of all layers are kept."""
        network = self.network
        self._write_tables()
        self.held, self.bets = features.split(self.parts, dim=1)
        self.cards = [self.held @ self.tables.t()]
        for layer in _linear(network.card_layers):
            self.cards.append(_forward(layer, self.cards[-1]).relu_())
        self.betting = _forward_with_skips(_linear(network.bet_layers), self.bets)
        self.both = torch.cat([self.cards[-1], self.betting[-1]], dim=1)
        self.joint = _forward_with_skips(_linear(network.joint_layers), self.both)
        self.normal, self.mean, self.spread = torch.native_layer_norm(
            self.joint[-1], self.joint[-1].shape[-1:], None, None, 1e-5
        )
        return _forward(network.head, self.normal)

    def _write_tables(self) -> None:
        """Write the vector of every card in a group: the sum of those of its rank, its suit and the card itself."""
        for block, embedding in zip(self.blocks, self.embeddings, strict=True):
            of_rank = embedding.ranks.weight.data @ embedding.rank_of.t()
            if embedding.cards is not None:
                of_rank += embedding.cards.weight.data
            torch.addmm(of_rank, embedding.suits.weight.data, embedding.suit_of.t(), out=block)

    @torch.no_grad()
    def backward(self, gradient: torch.Tensor) -> None:
        """From the head back to the card tables."""
        network = self.network
        gradient = _backward(network.head, gradient, self.normal)
        last = self.joint[-1]
        gradient = torch.ops.aten.native_layer_norm_backward(
            gradient, last, last.shape[-1:], self.mean, self.spread, None, None, [True, False, False]
        )[0]
        gradient = _backward_with_skips(_linear(network.joint_layers), gradient, self.joint, self.both)
        width = self.cards[-1].shape[1]
        bets = gradient[:, width:]
        _backward_with_skips(_linear(network.bet_layers), bets, self.betting, self.bets, to_input=False)
        gradient = gradient[:, :width]
        for number in range(len(network.card_layers) - 1, -1, -1):
            gradient = _backward_relu(gradient, self.cards[number + 1])
            gradient = _backward(_linear(network.card_layers)[number], gradient, self.cards[number])
        self._backward_to_tables(gradient.t() @ self.held)

    def _backward_to_tables(self, gradient: torch.Tensor) -> None:
        """From the gradient of the table matrix [groups · width, groups · cards]; only its blocks are used."""
        width, cards = self.blocks[0].shape
        for group, embedding in enumerate(self.embeddings):
            block = gradient[group * width : (group + 1) * width, group * cards : (group + 1) * cards]
            torch.mm(block, embedding.rank_of, out=embedding.ranks.weight.grad)
            torch.mm(block, embedding.suit_of, out=embedding.suits.weight.grad)
            if embedding.cards is not None and embedding.cards.weight.grad is not None:
                embedding.cards.weight.grad.copy_(block)


def _linear(layers: nn.ModuleList) -> list[nn.Linear]:
    return [cast(nn.Linear, layer) for layer in layers]


def _forward(layer: nn.Linear, values: torch.Tensor) -> torch.Tensor:
    return torch.addmm(layer.bias.data, values, layer.weight.data.t())


def _forward_with_skips(layers: list[nn.Linear], values: torch.Tensor) -> list[torch.Tensor]:
    """The values after each rectified layer; all layers but the first have a skip connection."""
    outputs = [_forward(layers[0], values).relu_()]
    for layer in layers[1:]:
        output = torch.addmm(outputs[-1], outputs[-1], layer.weight.data.t())
        outputs.append(output.add_(layer.bias.data).relu_())
    return outputs


def _backward_relu(gradient: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The gradient before rectification; `values` are those after it."""
    before: torch.Tensor = torch.ops.aten.threshold_backward(gradient, values, 0)
    return before


def _backward(layer: nn.Linear, gradient: torch.Tensor, values: torch.Tensor, *, to_input: bool = True) -> torch.Tensor:
    """Write a layer's gradients and return the gradient of its input, or with `to_input=False` skip that product."""
    torch.mm(gradient.t(), values, out=layer.weight.grad)
    torch.sum(gradient, 0, out=layer.bias.grad)
    return gradient @ layer.weight.data if to_input else gradient


def _backward_with_skips(
    layers: list[nn.Linear],
    gradient: torch.Tensor,
    outputs: list[torch.Tensor],
    values: torch.Tensor,
    *,
    to_input: bool = True,
) -> torch.Tensor:
    """Back through `_forward_with_skips` to its input `values`."""
    for number in range(len(layers) - 1, 0, -1):
        gradient = _backward_relu(gradient, outputs[number])
        gradient = gradient + _backward(layers[number], gradient, outputs[number - 1])
    return _backward(layers[0], _backward_relu(gradient, outputs[0]), values, to_input=to_input)
