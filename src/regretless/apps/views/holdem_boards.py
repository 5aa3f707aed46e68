"""Boards of hold'em as users give them: typed, picked card by card, or only in part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.public_strategy import PublicStrategy

__all__ = ["board_on_street", "complete_board", "ordered_board"]


def complete_board(
    strategy: PublicStrategy | BoardStrategy, cards: Sequence[int], street: int, needed: int
) -> tuple[int, ...]:
    """A board of a street that begins with some cards; cards that are missing are chosen as an example."""
    if len(cards) >= needed:
        return tuple(cards[:needed])
    game = strategy.tree.game
    if len(cards) == len(game.first_board) and not isinstance(strategy, BoardStrategy):
        book = strategy.tree.book
        return tuple(int(card) for card in book.cards[int(book.arrays.street_boards[street])])
    left = (card for card in range(game.deck.size) if card not in cards)
    return (*cards, *(next(left) for _ in range(needed - len(cards))))


def ordered_board(strategy: PublicStrategy | BoardStrategy, picked: Sequence[str], before: str) -> str:
    """Picked cards as a board: the first cards of the game, then those of the board before, then the new ones."""
    game = strategy.tree.game
    chosen = set(game.deck.cards("".join(picked)))
    old = game.deck.cards(before) if before.strip() else ()
    order = [*game.first_board, *(card for card in old if card in chosen), *sorted(chosen, reverse=True)]
    return str(game.deck.names(dict.fromkeys(order)))


def board_on_street(game: Any, cards: Sequence[int], street: int) -> tuple[int, ...]:
    """The cards of a board that are dealt up to a street."""
    return tuple(cards[: len(game.first_board) + sum(game.board_cards[:street])])
