"""The boards and hand classes of a public tree that represent given cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.cards.deck import CardText
from regretless.poker.quoting import quoted
from regretless.poker.tree.public_tree import PublicTree

if TYPE_CHECKING:
    from regretless.poker.games import PublicGame

__all__ = ["FoundBoard", "board_on", "find_board", "spell_cards", "whole_board"]

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


def whole_board(game: PublicGame, board: CardText) -> tuple[int, ...]:
    """The cards of a board, given whole ("Qs Jh 2h 7c 3d") or without the cards that the game begins with ("3d").

    >>> from regretless.poker import Spot
    >>> spot = Spot("Qs Jh 2h 7c", ("QQ+", "QQ+"), pot=100, stack=100)
    >>> spot.deck.names(whole_board(spot, "3d")), spot.deck.names(whole_board(spot, "Jh Qs 2h 7c 3d"))
    ('QsJh2h7c3d', 'QsJh2h7c3d')
    """
    cards, first = game.deck.cards(board), game.first_board
    if set(cards[: len(first)]) == set(first):
        whole = (*first, *cards[len(first) :])
    elif set(cards) & set(first) or len(cards) > sum(game.board_cards):
        wanted = f"type it whole, {game.deck.names(first)} first, or only the cards that come after it"
        raise OptionError(f"the board begins with {game.deck.names(first)}, got {game.deck.names(cards)}: {wanted}")
    else:
        whole = (*first, *cards)
    most = len(first) + sum(game.board_cards)
    if len(whole) > most:
        raise OptionError(f"a board of this game has at most {spell_cards(most)}, got {game.deck.names(cards)}")
    return whole


def board_on(game: PublicGame, street: int, board: CardText | None) -> tuple[int, ...]:
    """The cards of a board of a street, given as in `whole_board`; on the first street `board` may be None."""
    first = game.first_board
    cards = first if board is None else game.deck.cards(board)
    wanted = len(first) + sum(game.board_cards[:street])
    if len(cards) not in (wanted, wanted - len(first)) or len(cards := whole_board(game, cards)) != wanted:
        given = "no board" if board is None else f"{spell_cards(len(cards))} in {quoted(board)}"
        raise OptionError(f"this node has a board of {spell_cards(wanted)}, got {given}")
    return cards


def spell_cards(count: int) -> str:
    """A number of cards: "1 card", "3 cards"."""
    return "1 card" if count == 1 else f"{count} cards"


def find_board(tree: PublicTree, street: int, board: CardText | None) -> FoundBoard:
    """The board of a street, given as in `board_on`."""
    game, book = tree.game, tree.book
    cards = board_on(game, street, board)
    moved = np.arange(game.deck.size)
    path, at = [0], len(game.first_board)
    for size in game.board_cards[:street]:
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
