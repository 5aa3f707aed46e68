"""Suit isomorphism: permutations of suits that keep boards and ranges, and the boards and hands that they merge.

A permutation of suits maps cards to cards, hands to hands and boards to boards. Let G be the permutations that keep the
first board and both players' ranges. Boards that G maps to each other have the same solution, so one of them represents
all. The same holds for hands on a board, with the permutations of G that also keep the board: one hand represents its
class.

Both merges are exact. If n deals lead from a board to boards like b, a class K above has |K| hands and a class k ⊂ K on
b has |k|, then a hand of K is in k for n · |k| / |K| of those deals: all pairs (deal, hand) of one kind are equally
frequent. A walk needs only this quotient. No hand is ever relabelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt

from regretless.poker.cards.deck import Deck, listed_hands

__all__ = ["Symmetry"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The action of permutations of suits on the cards and hands of a deck."""

    deck: Deck
    hand_size: int

    @cached_property
    def cards(self) -> Ints:
        """[permutations, cards] the image of each card under each permutation of suits."""
        suits, ranks = len(self.deck.suits), len(self.deck.ranks)
        card = np.arange(suits * ranks)
        return np.array([card // suits * suits + np.array(p)[card % suits] for p in permutations(range(suits))])

    def sets(self, size: int) -> Ints:
        """[permutations, sets] the image of each set of `size` cards, in the deck's order of sets."""
        return self._sets(size)

    @cached_property
    def _known(self) -> dict[int, Ints]:
        return {}

    def _sets(self, size: int) -> Ints:
        if size not in self._known:
            members = np.array(list(combinations(range(self.cards.shape[1]), size)), np.int64).reshape(-1, size)
            code = self.codes(members)
            where = np.argsort(code)
            moved = self.codes(np.sort(self.cards[:, members], axis=-1))
            self._known[size] = where[np.searchsorted(code[where], moved)]
        return self._known[size]

    def codes(self, members: Ints) -> Ints:
        """A number for each ascending set of cards; numbers are ordered as the sets are."""
        count = self.cards.shape[1]
        out = np.zeros(members.shape[:-1], np.int64)
        for column in range(members.shape[-1]):
            out = out * count + members[..., column]
        return out

    def keeping(self, board: tuple[int, ...], weights: tuple[npt.NDArray[np.float64], ...]) -> Ints:
        """The permutations that keep a set of cards and weights of hands [hands]."""
        same = [set(map(int, moved[list(board)])) == set(board) for moved in self.cards]
        hands = self.sets(self.hand_size)
        for weight in weights:
            same = [kept and bool(np.all(weight[hand] == weight)) for kept, hand in zip(same, hands, strict=True)]
        return np.flatnonzero(same)

    def deals(self, board: tuple[int, ...], kept: Ints, size: int) -> list[tuple[tuple[int, ...], int, Ints]]:
        """The deals on a board: one of each kind, the number of deals of that kind, the permutations that keep it."""
        left = np.array([card for card in range(self.cards.shape[1]) if card not in board], np.int64)
        dealt = left[listed_hands(len(left), size)]  # [deals, size]
        own = self.codes(dealt)
        lowest = own.copy()
        for permutation in kept:  # one at a time: [kept, deals] arrays of a five-card board would take gigabytes
            np.minimum(lowest, self.codes(np.sort(self.cards[permutation][dealt], axis=-1)), out=lowest)
        kinds, counts = np.unique(lowest, return_counts=True)
        first = np.searchsorted(own, kinds)
        moved = self.codes(np.sort(self.cards[kept][:, dealt[first]], axis=-1))  # [kept, kinds]
        keeps = moved == own[first]
        return [
            (tuple(deal), count, kept[keeps[:, number]])
            for number, (deal, count) in enumerate(zip(dealt[first].tolist(), counts.tolist(), strict=True))
        ]
