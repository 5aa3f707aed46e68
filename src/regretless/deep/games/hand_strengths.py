"""The strength of hands: as one number on whole boards, and as quantiles among all hands, expected before the end."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import torch

from regretless.deep.problems import MOST_SHOWDOWNS
from regretless.kernels.cards import hand_strength
from regretless.poker.cards.evaluator import card_words, strengths, tables_for
from regretless.poker.games import PublicGame

if TYPE_CHECKING:
    from regretless.deep.games.holdem_game import HoldemGame

__all__ = ["ExpectedQuantiles", "HandQuantiles", "HandStrengths"]

BOARDS_AT_ONCE, ROWS_AT_ONCE = 256, 1 << 14
"""Boards whose hands are ordered at once, and hands that are looked up among them at once."""

WIDEST = 0.4
"""Spreads of the quantile from this one on get the last digit. The largest possible one is 0.5."""


class HandStrengths:
    """The strength of hands on whole boards: from a table of all sets of cards, or evaluated on demand if there are too
    many of them."""

    def __init__(self, game: PublicGame, cards: int, device: torch.device) -> None:
        self.deck, self.device, self.cards = game.deck, device, cards
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
        self._put_evaluator()

    def _put_evaluator(self) -> None:
        """The evaluator's words and tables on the device, see `kernels.cards.hand_strength`."""
        words, ranks, suits = card_words(self.deck)
        displacement, classes, flushes, _ = tables_for(self.cards)
        put = lambda array, dtype: torch.from_numpy(array.astype(dtype)).to(self.device)  # noqa: E731
        self.words = put(words, np.int64)  # [deck]
        self.displacement, self.classes = put(displacement, np.int64), put(classes, np.int32)
        self.flushes = put(flushes, np.int32)  # [8192]
        held = np.zeros((self.deck.size, 4), np.int64)
        held[np.arange(self.deck.size), suits] = 1 << ranks
        self.ranks_held = put(held, np.int64)  # [deck, suits] the rank of each card as a bit, in the column of its suit

    def __call__(self, cards: torch.Tensor) -> torch.Tensor:
        """[n] int32 the strength of all cards [n, cards] that a player has at the end.

        Strategies are asked for all hands of the deck: a hand that holds a card of the board gets any strength.
        """
        if self.table is not None:
            index = self.set_index(cards).clamp(max=len(self.table) - 1)  # a card that is there twice leads beyond it
            return self.table[index].to(torch.int32)
        return self._evaluated(self.words[cards].sum(-1), lambda rows: self.ranks_held[cards[rows]].sum(1))

    def of_all_hands(self, boards: torch.Tensor, hands: torch.Tensor) -> torch.Tensor:
        """[B, hands] int32 the strength of hands [hands, size] on whole boards [B, cards]; −1 where they share one."""
        of_hands, of_boards = self.words[hands].sum(-1), self.words[boards].sum(-1)
        held, shared = self.ranks_held[hands].sum(1), self.ranks_held[boards].sum(1)
        found = self._evaluated(
            (of_boards[:, None] + of_hands).flatten(),
            lambda rows: shared[rows // len(hands)] | held[rows % len(hands)],
        ).view(len(boards), -1)
        dealt = torch.zeros((len(boards), self.deck.size), dtype=torch.bool, device=boards.device)
        blocked = dealt.scatter_(1, boards, True)[:, hands].any(-1)
        return found.masked_fill_(blocked, -1)

    def _evaluated(self, words: torch.Tensor, ranks_of: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        """[n] int32 from sums of words [n]; `ranks_of` says for some rows the sets of ranks in each suit [rows, 4]."""
        words = words + int(hand_strength.NO_SUITS)
        key = words & int(hand_strength.KEY)
        place = self.displacement[key & int(hand_strength.ROW)] + (key >> int(hand_strength.COLUMN_SHIFT))
        found = self.classes[place.clamp(max=len(self.classes) - 1)]
        rows = (words & int(hand_strength.FLUSH)).nonzero()[:, 0]
        of_suit = self.flushes[ranks_of(rows).clamp(max=len(self.flushes) - 1)]  # [rows, suits], −1 without a flush
        found[rows] = of_suit.amax(1)
        return found

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
            digits[some] = two_digits((weaker + not_stronger).float() / 2 / self.game.hands_left, self.deck)
        return digits

    def _ordered(self, boards: torch.Tensor) -> torch.Tensor:
        """[B, hands] int32 the strengths of all hands on boards [B, cards], ascending."""
        hands, _ = self.game.hands_on(boards)
        cards = torch.cat([hands, boards[:, None].expand(-1, hands.shape[1], -1)], dim=-1)
        return self.game.strength(cards.flatten(0, 1)).view(len(boards), -1).sort(dim=1).values


class ExpectedQuantiles:
    """The quantile of a hand on the whole board, expected over the cards to come, and how far it may move until then.

    Three digits in base "cards of the deck": two of the expected quantile, one of its standard deviation. All hands on
    a board are computed together: that suits walks over boards, where all of them are asked for.
    """

    def __init__(self, game: HoldemGame) -> None:
        deck, size = game.game.deck, game.game.hand_size
        self.game, self.deck = game, deck.size
        self.hands = torch.from_numpy(deck.hands(size).astype(np.int64)).to(game.device)  # [hands of the deck, size]
        self.number = game.strength.set_index(self.hands).argsort()  # [hands] of a hand, by its index as a set of cards
        self.kept: dict[tuple[int, ...], torch.Tensor] = {}
        """The digits of all hands on boards that more than one card follows. Up to suits these boards are few."""

    def __call__(self, hand: torch.Tensor, board: torch.Tensor) -> torch.Tensor:
        """[n, 3] int16 of hands [n, size] on boards [n, cards] of one street, both as the lowest up to suits."""
        boards, row = board.sort(dim=1).values.unique(dim=0, return_inverse=True)
        digits = torch.stack([self._kept(one) for one in boards]) if self._coming(board) > 1 else self._on(boards)
        return digits[row, self.number[self.game.strength.set_index(hand)]]

    def _coming(self, boards: torch.Tensor) -> int:
        """Cards that follow boards [B, cards]."""
        return self.game.cards - self.game.game.hand_size - boards.shape[1]

    def _kept(self, board: torch.Tensor) -> torch.Tensor:
        """[hands, 3] on a board [cards], computed the first time."""
        cards = tuple(board.tolist())
        if cards not in self.kept:
            self.kept[cards] = self._on(board[None])[0]
        return self.kept[cards]

    def _on(self, boards: torch.Tensor) -> torch.Tensor:
        """[B, hands, 3] int16 of all hands of the deck on boards [B, cards]; those that hold a card of it get any."""
        ends, _ = self.game.sets_left(boards, self._coming(boards))  # [B, ends, cards to come]
        whole = torch.cat([boards[:, None].expand(-1, ends.shape[1], -1), ends], dim=-1).flatten(0, 1)
        begun = torch.arange(len(boards), device=boards.device).repeat_interleave(ends.shape[1])
        sums = torch.zeros((3, len(boards), len(self.hands)), dtype=torch.int64, device=boards.device)
        for some, of in zip(whole.split(BOARDS_AT_ONCE), begun.split(BOARDS_AT_ONCE), strict=True):
            twice = self._twice_the_rank(some)
            for total, each in zip(sums, (twice >= 0, twice.clamp(min=0), twice.clamp(min=0) ** 2), strict=True):
                total.index_add_(0, of, each.to(torch.int64))
        return self._digits(*sums.double())

    def _twice_the_rank(self, boards: torch.Tensor) -> torch.Tensor:
        """[B, hands] the number of weaker hands on whole boards [B, cards], and of those that are not stronger, added;
        −1 where a hand holds a card of the board."""
        found = self.game.strength.of_all_hands(boards, self.hands)
        ordered, missing = found.sort(dim=1).values, found < 0
        ranks = [torch.searchsorted(ordered, found, right=right) for right in (False, True)]
        return (sum(ranks) - 2 * missing.sum(1, keepdim=True)).masked_fill(missing, -1)

    def _digits(self, count: torch.Tensor, total: torch.Tensor, squares: torch.Tensor) -> torch.Tensor:
        """[B, hands, 3] from the number of whole boards, and sums over them of twice the rank and of its square."""
        count, hands = count.clamp(min=1), 2 * self.game.hands_left
        mean = total / count / hands
        spread = (squares / count / hands**2 - mean**2).clamp(min=0).sqrt()
        tenths = two_digits(mean, self.deck)
        last = (spread / WIDEST * self.deck).floor().clamp(max=self.deck - 1)
        return torch.cat([tenths, last[..., None].to(torch.int16)], dim=-1)


def two_digits(quantile: torch.Tensor, base: int) -> torch.Tensor:
    """[…, 2] int16 the first two digits of quantiles […] in a base."""
    first = (quantile * base).floor().clamp(max=base - 1)
    second = ((quantile * base - first) * base).floor().clamp(max=base - 1)
    return torch.stack([first, second], dim=-1).to(torch.int16)
