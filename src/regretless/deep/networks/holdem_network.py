"""The network of Deep CFR for hold'em (Brown et al. 2019, §5.1 and appendix C)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import torch
from torch import nn

__all__ = ["HoldemNetwork"]

SLOTS = 6
"""Bets per betting round that the paper encodes."""


class CardEmbedding(nn.Module):
    """The cards of one group (hole, flop, turn, river) as the sum of vectors for their ranks, suits and identities.

    Cards are a multi-hot row, card = rank · suits + suit, so the embedding and its gradient are products with small
    matrices. With indexed lookups the gradient would be a scatter, which takes most of a step's time on a GPU.
    """

    rank_of: torch.Tensor  # [cards, ranks] one-hot
    suit_of: torch.Tensor  # [cards, suits] one-hot

    def __init__(self, ranks: int, suits: int, width: int, *, card_table: bool) -> None:
        super().__init__()
        self.ranks = nn.Linear(ranks, width, bias=False)
        self.suits = nn.Linear(suits, width, bias=False)
        self.cards = nn.Linear(ranks * suits, width, bias=False) if card_table else None
        card = torch.arange(ranks * suits)
        self.register_buffer("rank_of", nn.functional.one_hot(card // suits, ranks).float(), persistent=False)
        self.register_buffer("suit_of", nn.functional.one_hot(card % suits, suits).float(), persistent=False)

    def forward(self, held: torch.Tensor) -> torch.Tensor:
        """[n, width] from cards [n, ranks · suits]."""
        table: torch.Tensor = self.ranks(self.rank_of) + self.suits(self.suit_of)  # [cards, width]
        if self.cards is not None:
            table = table + self.cards.weight.t()
        return held @ table


class HoldemNetwork(nn.Module):
    """Cards through three layers, bets through two, both together through three more, normalised, and a linear head.

    Features are a multi-hot vector of the deck for each card group (hole, flop, …), then `bets` numbers for the
    betting: in the paper six bets a round, each with its size and whether it was made. The published count of 98,948
    parameters is that of flop hold'em (two groups, 24 numbers) with four heads, `width=64`, `card_width=192` and no
    table of single cards. The default has that table: without it A♠K♥ and A♥K♠ are the same on every flop.
    """

    def __init__(
        self,
        groups: int = 2,
        bets: int = 2 * 2 * SLOTS,
        heads: int = 3,
        *,
        width: int = 64,
        card_width: int = 192,
        card_table: bool = True,
        ranks: int = 13,
        suits: int = 4,
    ) -> None:
        super().__init__()
        self.parts = [ranks * suits] * groups + [bets]
        self.feature_size, self.card_width = sum(self.parts), card_width
        embeddings = (CardEmbedding(ranks, suits, width, card_table=card_table) for _ in range(groups))
        self.embeddings = nn.ModuleList(embeddings)
        self.card_layers = nn.ModuleList(
            [nn.Linear(width * groups, card_width), nn.Linear(card_width, card_width), nn.Linear(card_width, width)]
        )
        self.bet_layers = nn.ModuleList([nn.Linear(bets, width), nn.Linear(width, width)])
        self.joint_layers = nn.ModuleList([nn.Linear(2 * width, width), *(nn.Linear(width, width) for _ in range(2))])
        self.head = nn.Linear(width, heads)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, A] from features [n, cards · groups + bets]."""
        *groups, bets = features.split(self.parts, dim=1)
        cards = self._read_cards(groups)
        joint = torch.relu(self.joint_layers[0](torch.cat([cards, _with_skips(self.bet_layers, bets)], dim=1)))
        return self._joint_layers(joint)

    def on_cards(self, features: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
        """For the cards of features [n, …], a function from betting sequences [D, bets] to the outputs [D, n, A].

        The card layers run once for any number of betting sequences, and the bet layers once for all cards: the first
        joint layer is linear before rectification, so its two halves are computed separately and added.
        """
        half = self.half_of_cards(features)
        return lambda bets: self._joint_layers(torch.relu(half + self.half_of_bets(bets)[:, None]))

    def half_of_cards(self, features: torch.Tensor) -> torch.Tensor:
        """[n, width] the part of the cards in the first joint layer, before rectification."""
        *groups, _ = features.split(self.parts, dim=1)
        return self._read_cards(groups) @ self._first_halves()[0].t()

    def half_of_bets(self, bets: torch.Tensor) -> torch.Tensor:
        """[D, width] the part of betting sequences [D, bets] there, bias included."""
        first = cast(nn.Linear, self.joint_layers[0])
        return nn.functional.linear(_with_skips(self.bet_layers, bets), self._first_halves()[1], first.bias)

    def _first_halves(self) -> tuple[torch.Tensor, torch.Tensor]:
        """[width, width] each: the weights of cards and of bets in the first joint layer."""
        weight = cast(nn.Linear, self.joint_layers[0]).weight
        half = weight.shape[1] // 2
        return weight[:, :half], weight[:, half:]

    def _read_cards(self, groups: Sequence[torch.Tensor]) -> torch.Tensor:
        """[n, width] from the cards of each group [n, cards]."""
        cards = torch.cat([embed(held) for embed, held in zip(self.embeddings, groups, strict=True)], dim=1)
        for layer in self.card_layers:
            cards = torch.relu(layer(cards))
        return cards

    def _joint_layers(self, joint: torch.Tensor) -> torch.Tensor:
        """[…, A] from the output […, width] of the first joint layer."""
        for layer in list(self.joint_layers)[1:]:
            joint = torch.relu(layer(joint) + joint)
        head: torch.Tensor = self.head(nn.functional.layer_norm(joint, joint.shape[-1:]))
        return head


def _with_skips(layers: nn.ModuleList, values: torch.Tensor) -> torch.Tensor:
    """Rectified layers; all but the first have a skip connection."""
    values = torch.relu(layers[0](values))
    for layer in list(layers)[1:]:
        values = torch.relu(layer(values) + values)
    return values
