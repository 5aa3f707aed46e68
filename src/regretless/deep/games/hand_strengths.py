"""The strength of hands on whole boards: as one number, and as a quantile among all hands on the board."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import torch

from regretless.deep.problems import MOST_SHOWDOWNS
from regretless.poker.cards.evaluator import strengths
from regretless.poker.games import PublicGame

if TYPE_CHECKING:
    from regretless.deep.games.holdem_game import HoldemGame

__all__ = ["HandQuantiles", "HandStrengths"]

BOARDS_AT_ONCE, ROWS_AT_ONCE = 256, 1 << 14
"""Boards whose hands are ordered at once, and hands that are looked up among them at once."""


class HandStrengths:
    """The strength of hands on whole boards: from a table of all sets of cards, or evaluated on demand if there are too
    many of them."""

    def __init__(self, game: PublicGame, cards: int, device: torch.device) -> None:
        self.deck, self.device = game.deck, device
        deck = game.deck.size
        binomials = np.array([[comb(card, place + 1) for place in range(cards)] for card in range(deck)], np.int64)
        self.binomials = torch.from_numpy(binomials).to(device)  # [cards, place] whose sum is the index of a set
        self.table: torch.Tensor | None = None  # [sets of cards]
        if comb(deck, cards) <= MOST_SHOWDOWNS:
            sets = np.array(list(combinations(range(deck), cards)), np.int64).reshape(-1, cards)
            index = sum(binomials[sets[:, place], place] for place in range(cards))
            table = np.zeros(len(sets), np.int16)
            table[index] = strengths(game.deck, (), sets)
            self.table = torch.from_numpy(table).to(device)

    def __call__(self, cards: torch.Tensor) -> torch.Tensor:
        """[n] int32 the strength of all cards [n, cards] that a player has at the end.

        Strategies are asked for all hands of the deck: a hand that holds a card of the board gets any strength.
        """
        if self.table is not None:
            index = self.set_index(cards).clamp(max=len(self.table) - 1)  # a card that is there twice leads beyond it
            return self.table[index].to(torch.int32)
        found = strengths(self.deck, (), cards.cpu().numpy().astype(np.int64))
        return torch.from_numpy(found.astype(np.int32)).to(self.device)

    def set_index(self, cards: torch.Tensor) -> torch.Tensor:
        """[…] the index of each set of cards […, size] among all sets of that size."""
        ordered = cards.sort(dim=-1).values
        place = torch.arange(ordered.shape[-1], device=self.device)
        return self.binomials[ordered, place].sum(-1)


class HandQuantiles:
    """The quantile of a hand among all hands on a board, weakest first, as two digits in base "cards of the deck"."""

    def __init__(self, game: HoldemGame) -> None:
        self.game, self.deck = game, game.game.deck.size

    def __call__(self, hand: torch.Tensor, board: torch.Tensor) -> torch.Tensor:
        """[n, 2] int16 of hands [n, size] on whole boards [n, cards]: the middle of all hands of the same strength."""
        boards, row = board.sort(dim=1).values.unique(dim=0, return_inverse=True)
        ordered = torch.cat([self._ordered(some) for some in boards.split(BOARDS_AT_ONCE)])  # [boards, hands]
        own = self.game.strength(torch.cat([hand, board], dim=1))
        order = torch.argsort(row, stable=True)  # rows of a board together, so that one search serves a block of them
        digits = torch.empty((len(hand), 2), dtype=torch.int16, device=hand.device)
        for some in order.split(ROWS_AT_ONCE):
            among = ordered[row[some]]
            weaker, not_stronger = (
                torch.searchsorted(among, own[some, None], right=right)[:, 0] for right in (False, True)
            )
            digits[some] = self._digits((weaker + not_stronger).float() / 2)
        return digits

    def _digits(self, weaker: torch.Tensor) -> torch.Tensor:
        """[n, 2] int16 from the number of weaker hands, with half of the equal ones."""
        middle = weaker / self.hands * self.deck
        digit = middle.floor().clamp(max=self.deck - 1)
        rest = ((middle - digit) * self.deck).floor().clamp(max=self.deck - 1)
        return torch.stack([digit, rest], dim=-1).to(torch.int16)

    @property
    def hands(self) -> int:
        """Hands that a whole board leaves."""
        return comb(self.deck - self.game.cards + self.game.game.hand_size, self.game.game.hand_size)

    def _ordered(self, boards: torch.Tensor) -> torch.Tensor:
        """[B, hands] int32 the strengths of all hands on boards [B, cards], ascending."""
        hands, _ = self.game.hands_on(boards)
        cards = torch.cat([hands, boards[:, None].expand(-1, hands.shape[1], -1)], dim=-1)
        return self.game.strength(cards.flatten(0, 1)).view(len(boards), -1).sort(dim=1).values
