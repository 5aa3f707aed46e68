"""The boards and hand classes of a public tree that represent given cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.cards.deck import CardText
from regretless.poker.quoting import quoted
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["FoundBoard", "find_board"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class FoundBoard:
    """Requested cards, and the board of the public tree that represents them up to suits."""

    tree: PublicTree
    cards: tuple[int, ...]  # as requested
    path: tuple[int, ...]  # boards by street, in the order of streets
    moved: Array  # [cards] the image of each card under the permutation of suits to the last board of `path`

    @property
    def number(self) -> int:
        """The board of the tree that represents this one."""
        return self.path[-1]

    def hands(self, player: int) -> tuple[Array, Array]:
        """([hands, size] the possible hands of a player on this board, [hands] the index of each hand's class)."""
        book = self.tree.book
        every = book.symmetry.deck.hands(book.symmetry.hand_size).astype(np.int64)
        there = book.symmetry.codes(np.sort(self.moved[every], axis=1))
        index = np.searchsorted(book.symmetry.codes(every), there)
        lowest = book.symmetry.sets(book.symmetry.hand_size)[book.kept[self.number]].min(axis=0)[index]
        position = np.full(len(every), -1, np.int64)
        begin, count = (int(of[player, self.number]) for of in (book.arrays.begin, book.arrays.count))
        own = book.symmetry.codes(book.hands[begin : begin + count])
        position[np.searchsorted(book.symmetry.codes(every), own)] = np.arange(count)
        classes = position[lowest]
        possible = (classes >= 0) & ~np.isin(every, self.cards).any(axis=1)
        return every[possible], classes[possible]


def find_board(tree: PublicTree, street: int, board: CardText | None) -> FoundBoard:
    """The board of a street; on the first street `board` may be None."""
    game, book = tree.game, tree.book
    first = game.first_board
    sizes = (len(first), *game.board_cards)[: street + 1]
    cards = first if board is None else game.deck.cards(board)
    if len(cards) != sum(sizes):
        given = "no board" if board is None else f"{len(cards)} cards in {quoted(board)}"
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
    """The child of a board after a deal, by binary search: deals are in ascending order."""
    arrays, cards = tree.book.arrays, tree.book.cards
    low, high = int(arrays.child_first[board]), int(arrays.child_first[board + 1])
    known = len(cards[board])
    while low < high:
        middle = (low + high) // 2
        if cards[middle][known:] < dealt:
            low = middle + 1
        else:
            high = middle
    assert cards[low][known:] == dealt
    return low
