"""Boards and hands as people name them, found among those that stand for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.cards.deck import CardText
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["FoundBoard", "find_board"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class FoundBoard:
    """A board of a public tree: the cards that were asked for, and the board that stands for them."""

    tree: PublicTree
    cards: tuple[int, ...]  # as asked for
    path: tuple[int, ...]  # boards by street, the first street's first
    moved: Array  # [cards] where the permutation of suits that leads to the path's last board takes each card

    @property
    def number(self) -> int:
        """The board that stands for this one."""
        return self.path[-1]

    def hands(self, player: int) -> tuple[Array, Array]:
        """([hands, size] the cards of each hand that a player can hold here, [hands] its class among the player's)."""
        book = self.tree.book
        every = book.symmetry.deck.hands(book.symmetry.hand_size).astype(np.int64)
        there = book.symmetry.codes(np.sort(self.moved[every], axis=1))
        place = np.searchsorted(book.symmetry.codes(every), there)
        lowest = book.symmetry.sets(book.symmetry.hand_size)[book.kept[self.number]].min(axis=0)[place]
        position = np.full(len(every), -1, np.int64)
        begin, count = (int(of[player, self.number]) for of in (book.arrays.begin, book.arrays.count))
        own = book.symmetry.codes(book.hands[begin : begin + count])
        position[np.searchsorted(book.symmetry.codes(every), own)] = np.arange(count)
        classes = position[lowest]
        possible = (classes >= 0) & ~np.isin(every, self.cards).any(axis=1)
        return every[possible], classes[possible]


def find_board(tree: PublicTree, street: int, board: CardText | None) -> FoundBoard:
    """The board of a street; on the first street it need not be named."""
    game, book = tree.game, tree.book
    first = game.first_board
    sizes = (len(first), *game.board_cards)[: street + 1]
    cards = first if board is None else game.deck.cards(board)
    if len(cards) != sum(sizes):
        given = "no board" if board is None else f"{len(cards)} cards in {board!r}"
        raise OptionError(f"this node has a board of {sum(sizes)} cards, got {given}")
    if set(cards[: len(first)]) != set(first):
        raise OptionError(f"the board begins with {game.deck.names(first)}, got {game.deck.names(cards)}")
    moved = np.arange(game.deck.size)
    path, at = [0], len(first)
    for size in sizes[1:]:
        new = np.sort(moved[list(cards[at : at + size])])
        kept = book.kept[path[-1]]
        options = np.sort(book.symmetry.cards[kept][:, new], axis=1)
        best = int(np.argmin(book.symmetry.codes(options)))
        moved = book.symmetry.cards[kept[best]][moved]
        path.append(_child(tree, path[-1], tuple(int(c) for c in options[best])))
        at += size
    return FoundBoard(tree, tuple(cards), tuple(path), moved)


def _child(tree: PublicTree, board: int, dealt: tuple[int, ...]) -> int:
    arrays, cards = tree.book.arrays, tree.book.cards
    low, high = int(arrays.child_first[board]), int(arrays.child_first[board + 1])
    known = len(cards[board])
    while low < high:  # deals are in ascending order
        middle = (low + high) // 2
        if cards[middle][known:] < dealt:
            low = middle + 1
        else:
            high = middle
    assert cards[low][known:] == dealt
    return low
