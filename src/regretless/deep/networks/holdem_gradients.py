"""The hold'em network differentiated by hand: on a GPU a step is as long as the list of its kernels, so it is short.

With automatic differentiation a step of the paper's network has about 170 kernels, each of a microsecond or two where
its arithmetic takes a tenth of that; written out it has half as many, since slopes are written where they belong and
not added up, and the tables of all groups of cards are one matrix.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import nn

from regretless.deep.networks.flat_network import Sloped
from regretless.deep.networks.holdem_network import CardEmbedding, HoldemNetwork

__all__ = ["WrittenOutHoldem"]


class WrittenOutHoldem(Sloped):
    """The paper's network; what `forward` works out is kept for `backward`."""

    network: HoldemNetwork

    def __init__(self, network: HoldemNetwork) -> None:
        super().__init__(network)
        self.embeddings = [cast(CardEmbedding, embedding) for embedding in network.embeddings]
        width, cards = self.embeddings[0].ranks.weight.shape[0], network.parts[0]
        groups = len(self.embeddings)
        self.tables = self.weights.new_zeros(groups * width, groups * cards)  # a block for each group, else zero
        self.blocks = [
            self.tables[g * width : (g + 1) * width, g * cards : (g + 1) * cards] for g in range(groups)
        ]  # [width, cards] each
        self.parts = (groups * cards, network.parts[-1])

    @torch.no_grad()
    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] with the values of all layers kept."""
        network = self.network
        self._write_tables()
        self.held, self.bets = features.split(self.parts, dim=1)
        self.cards = [self.held @ self.tables.t()]
        for layer in _linear(network.card_layers):
            self.cards.append(_onward(layer, self.cards[-1]).relu_())
        self.betting = _skipping(_linear(network.bet_layers), self.bets)
        self.both = torch.cat([self.cards[-1], self.betting[-1]], dim=1)
        self.joint = _skipping(_linear(network.joint_layers), self.both)
        self.normal, self.mean, self.spread = torch.native_layer_norm(
            self.joint[-1], self.joint[-1].shape[-1:], None, None, 1e-5
        )
        return _onward(network.head, self.normal)

    def _write_tables(self) -> None:
        """A vector for every card of a group: those of its rank, its suit and itself added up."""
        for block, embedding in zip(self.blocks, self.embeddings, strict=True):
            of_rank = embedding.ranks.weight.data @ embedding.rank_of.t()
            if embedding.cards is not None:
                of_rank += embedding.cards.weight.data
            torch.addmm(of_rank, embedding.suits.weight.data, embedding.suit_of.t(), out=block)

    @torch.no_grad()
    def backward(self, slope: torch.Tensor) -> None:
        """From the head back to the tables of cards."""
        network = self.network
        slope = _back(network.head, slope, self.normal)
        slope = torch.ops.aten.native_layer_norm_backward(
            slope, self.joint[-1], self.joint[-1].shape[-1:], self.mean, self.spread, None, None, [True, False, False]
        )[0]
        slope = _back_skipping(_linear(network.joint_layers), slope, self.joint, self.both)
        width = self.cards[-1].shape[1]
        _back_skipping(_linear(network.bet_layers), slope[:, width:], self.betting, self.bets, further=False)
        slope = slope[:, :width]
        for number in range(len(network.card_layers) - 1, -1, -1):
            slope = _unrectified(slope, self.cards[number + 1])
            slope = _back(_linear(network.card_layers)[number], slope, self.cards[number])
        self._back_to_tables(slope.t() @ self.held)

    def _back_to_tables(self, slope: torch.Tensor) -> None:
        """From the slope of all tables, [groups · width, groups · cards], of which only the blocks count."""
        width, cards = self.blocks[0].shape
        for group, embedding in enumerate(self.embeddings):
            block = slope[group * width : (group + 1) * width, group * cards : (group + 1) * cards]
            torch.mm(block, embedding.rank_of, out=embedding.ranks.weight.grad)
            torch.mm(block, embedding.suit_of, out=embedding.suits.weight.grad)
            if embedding.cards is not None and embedding.cards.weight.grad is not None:
                embedding.cards.weight.grad.copy_(block)


def _linear(layers: nn.ModuleList) -> list[nn.Linear]:
    return [cast(nn.Linear, layer) for layer in layers]


def _onward(layer: nn.Linear, values: torch.Tensor) -> torch.Tensor:
    return torch.addmm(layer.bias.data, values, layer.weight.data.t())


def _skipping(layers: list[nn.Linear], values: torch.Tensor) -> list[torch.Tensor]:
    """The values after each of some rectified layers; all but the first add to what they are given."""
    found = [_onward(layers[0], values).relu_()]
    for layer in layers[1:]:
        onward = torch.addmm(found[-1], found[-1], layer.weight.data.t())
        found.append(onward.add_(layer.bias.data).relu_())
    return found


def _unrectified(slope: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The slope before rectification, of which the values came."""
    found: torch.Tensor = torch.ops.aten.threshold_backward(slope, values, 0)
    return found


def _back(layer: nn.Linear, slope: torch.Tensor, values: torch.Tensor, *, further: bool = True) -> torch.Tensor:
    """Write a layer's slopes, and return the slope of the values that it was given (if anybody wants it)."""
    torch.mm(slope.t(), values, out=layer.weight.grad)
    torch.sum(slope, 0, out=layer.bias.grad)
    return slope @ layer.weight.data if further else slope


def _back_skipping(
    layers: list[nn.Linear],
    slope: torch.Tensor,
    found: list[torch.Tensor],
    given: torch.Tensor,
    *,
    further: bool = True,
) -> torch.Tensor:
    """Back through `_skipping`, to what it was given."""
    for number in range(len(layers) - 1, 0, -1):
        slope = _unrectified(slope, found[number])
        slope = slope + _back(layers[number], slope, found[number - 1])
    return _back(layers[0], _unrectified(slope, found[0]), given, further=further)
