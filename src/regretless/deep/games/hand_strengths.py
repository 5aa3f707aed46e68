"""How strong hands are on whole boards: as one number, and as the part of all hands on the board they belong to."""

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

__all__ = ["HandParts", "strength_table"]


def strength_table(game: PublicGame, cards: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """([sets of cards] strengths in the order of their numbers, [cards, places] binomials that make up a number)."""
    deck = game.deck.size
    binomials = np.array([[comb(card, place + 1) for place in range(cards)] for card in range(deck)], np.int64)
    sets = np.array(list(combinations(range(deck), cards)), np.int64).reshape(-1, cards)
    number = sum(binomials[sets[:, place], place] for place in range(cards))
    table = np.zeros(len(sets), np.int16)
    table[number] = strengths(game.deck, (), sets)
    return torch.from_numpy(table).to(device), torch.from_numpy(binomials).to(device)


class HandParts:
    """In which part of all hands on a board a hand is, the weakest first, and in which part of that.

    Every time there are as many parts as the deck has cards.
    """

    def __init__(self, game: HoldemGame) -> None:
        self.game, deck = game, game.game.deck.size
        free = [card for card in range(deck) if card not in game.game.first_board]
        more = list(combinations(free, game.cards - game.game.hand_size - len(game.game.first_board)))
        boards = torch.tensor([[*game.game.first_board, *cards] for cards in more], device=game.device)
        kind = game.numbered(game.moved[:, boards]).amin(0)  # [boards] alike where suits alone differ
        kinds, kind_of = kind.unique(return_inverse=True)
        first = torch.full((len(kinds),), len(boards), device=game.device).scatter_reduce_(
            0, kind_of, torch.arange(len(boards), device=game.device), "amin"
        )
        number = game.numbered(boards)
        self.row = torch.zeros(int(number.max()) + 1, dtype=torch.int64, device=game.device).scatter_(
            0, number, kind_of
        )  # [sets of cards] which row is a board's
        self.part = torch.cat([self._parts(boards[some]) for some in first.split(256)])  # [kinds, strengths, 2] int16

    def _parts(self, boards: torch.Tensor) -> torch.Tensor:
        """[B, strengths, 2] the parts of each strength on boards [B, cards]: those of the middle of its hands."""
        game, deck = self.game, self.game.game.deck.size
        hands, _ = game.hands_on(boards)
        cards = torch.cat([hands, boards[:, None].expand(-1, hands.shape[1], -1)], dim=-1)
        strength = game.strength(cards.flatten(0, 1)).view(len(boards), -1).long()
        count = torch.zeros((len(boards), int(game.strengths.max()) + 1), device=game.device)
        count.scatter_add_(1, strength, torch.ones(strength.shape, device=game.device))
        middle = (count.cumsum(1) - count / 2) / hands.shape[1] * deck
        part = middle.floor().clamp(max=deck - 1)
        return torch.stack([part, ((middle - part) * deck).floor().clamp(max=deck - 1)], dim=-1).to(torch.int16)

    def __call__(self, hand: torch.Tensor, board: torch.Tensor) -> torch.Tensor:
        """[n, 2] int16 of hands [n, size] on whole boards [n, cards]."""
        strength = self.game.strength(torch.cat([hand, board], dim=1)).long()
        return self.part[self.row[self.game.numbered(board)], strength]
