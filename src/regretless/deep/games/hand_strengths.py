"""The strength of hands on whole boards: as one number, and as a quantile among all hands on the board."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import torch

from regretless.poker.cards.evaluator import strengths
from regretless.poker.games import PublicGame

if TYPE_CHECKING:
    from regretless.deep.games.holdem_game import HoldemGame

__all__ = ["HandQuantiles", "strength_table"]


def strength_table(game: PublicGame, cards: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """([sets of cards] strengths by the index of the set, [cards, position] binomials whose sum is the index)."""
    deck = game.deck.size
    binomials = np.array([[comb(card, position + 1) for position in range(cards)] for card in range(deck)], np.int64)
    sets = np.array(list(combinations(range(deck), cards)), np.int64).reshape(-1, cards)
    index = sum(binomials[sets[:, position], position] for position in range(cards))
    table = np.zeros(len(sets), np.int16)
    table[index] = strengths(game.deck, (), sets)
    return torch.from_numpy(table).to(device), torch.from_numpy(binomials).to(device)


class HandQuantiles:
    """The quantile of a hand among all hands on a board, weakest first, as two digits in base "cards of the deck"."""

    def __init__(self, game: HoldemGame) -> None:
        self.game, deck = game, game.game.deck.size
        free = [card for card in range(deck) if card not in game.game.first_board]
        more = list(combinations(free, game.cards - game.game.hand_size - len(game.game.first_board)))
        boards = torch.tensor([[*game.game.first_board, *cards] for cards in more], device=game.device)
        kind = game.set_index(game.permutations[:, boards]).amin(0)  # [boards] equal where only suits differ
        kinds, kind_of = kind.unique(return_inverse=True)
        first = torch.full((len(kinds),), len(boards), device=game.device).scatter_reduce_(
            0, kind_of, torch.arange(len(boards), device=game.device), "amin"
        )
        index = game.set_index(boards)
        self.row = torch.zeros(int(index.max()) + 1, dtype=torch.int64, device=game.device).scatter_(
            0, index, kind_of
        )  # [sets of cards] the row of a board
        self.digits = torch.cat([self._digits(boards[some]) for some in first.split(256)])  # [kinds, strengths, 2]

    def _digits(self, boards: torch.Tensor) -> torch.Tensor:
        """[B, strengths, 2] int16 the digits of each strength on boards [B, cards]: of the middle of its hands."""
        game, deck = self.game, self.game.game.deck.size
        hands, _ = game.hands_on(boards)
        cards = torch.cat([hands, boards[:, None].expand(-1, hands.shape[1], -1)], dim=-1)
        strength = game.strength(cards.flatten(0, 1)).view(len(boards), -1).long()
        count = torch.zeros((len(boards), int(game.strengths.max()) + 1), device=game.device)
        count.scatter_add_(1, strength, torch.ones(strength.shape, device=game.device))
        middle = (count.cumsum(1) - count / 2) / hands.shape[1] * deck
        digit = middle.floor().clamp(max=deck - 1)
        return torch.stack([digit, ((middle - digit) * deck).floor().clamp(max=deck - 1)], dim=-1).to(torch.int16)

    def __call__(self, hand: torch.Tensor, board: torch.Tensor) -> torch.Tensor:
        """[n, 2] int16 of hands [n, size] on whole boards [n, cards]."""
        strength = self.game.strength(torch.cat([hand, board], dim=1)).long()
        return self.digits[self.row[self.game.set_index(board)], strength]
