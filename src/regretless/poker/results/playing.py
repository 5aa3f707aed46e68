"""Hands played by strategies: cards are dealt, actions sampled, winnings counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.poker.cards.evaluator import strengths
from regretless.poker.quoting import quoted
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.board_lookup import FoundBoard, find_board
from regretless.poker.tree.public_tree import PublicTree

if TYPE_CHECKING:
    from regretless.poker.results.board_strategy import BoardStrategy, BoardTree

__all__ = ["PlayedHand", "play_out"]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class PlayedHand:
    """One hand from the deal to the end."""

    tree: PublicTree | BoardTree
    number: int  # from 1
    hands: tuple[tuple[int, ...], tuple[int, ...]]  # cards of both players
    board: tuple[int, ...]  # all cards of the board
    nodes: tuple[int, ...]  # of the betting tree, from the root to the end
    winnings: tuple[float, float]  # net chips, as the payoffs of the game

    @property
    def line(self) -> str:
        """The line of play."""
        return self.tree.betting_tree.line(self.nodes[-1])

    def __repr__(self) -> str:
        deck = self.tree.game.deck
        cards = " against ".join(deck.hand_name(hand) for hand in self.hands)
        board = f" on {deck.names(self.board)}" if self.board else ""
        return f"<hand {self.number}: {cards}{board}, {self.line!r}, player 0 {self.winnings[0]:+g} chips>"


def play_out(
    strategy: PublicStrategy | BoardStrategy,
    hands: int = 100,
    seed: int = 0,
    against: PublicStrategy | BoardStrategy | None = None,
) -> list[PlayedHand]:
    """Play hands of a strategy against itself, or as player 0 against another one; the seed determines the hands.

    Strategies hand by hand meet each other; strategies by buckets and of networks meet each other.
    """
    if isinstance(hands, bool) or not isinstance(hands, int) or hands < 1:
        raise OptionError(f"at least one hand is played, got hands={quoted(hands)}")
    other = strategy if against is None else against
    random = np.random.default_rng(seed)
    table = _table(strategy, other)
    return [table.hand(number, random) for number in range(1, hands + 1)]


def _table(strategy: Any, other: Any) -> _Table | _BoardTable:
    """The table at which two strategies of one game meet."""
    different = "the two strategies are for different games: solve the same game for both"
    if isinstance(strategy, PublicStrategy) and isinstance(other, PublicStrategy):
        if not laid_out_alike(strategy.tree, other.tree):
            raise OptionError(different)
        return _Table((strategy, other))
    from regretless.poker.formats.game_json import same_game
    from regretless.poker.results.board_strategy import BoardStrategy

    if not isinstance(strategy, BoardStrategy) or not isinstance(other, BoardStrategy):
        raise OptionError(
            "hands are played by two strategies hand by hand, or by two strategies by buckets or of networks, got "
            f"{quoted(strategy)} and {quoted(other)}"
        )
    if not same_game(strategy.tree.unabstracted, other.tree.unabstracted):
        raise OptionError(different)
    return _BoardTable((strategy, other))


class _Table:
    """Two strategies and a dealer."""

    def __init__(self, strategies: tuple[Any, Any]) -> None:
        self.strategies, self.tree = strategies, strategies[0].tree
        game = self.tree.game
        self.deals = game.deck.hands(game.hand_size)
        self.up_to = [np.cumsum(weights / weights.sum()) for weights in game.hand_weights()]
        self.find = lru_cache(10_000)(lambda street, board: find_board(self.tree, street, board))
        self.class_of = lru_cache(100_000)(
            lambda street, board, player, hand: class_on(self.find(street, board), player, hand)
        )

    def hand(self, number: int, random: np.random.Generator) -> PlayedHand:
        tree, game = self.tree.betting_tree, self.tree.game
        hands = self._dealt(random)
        left = np.setdiff1d(np.arange(game.deck.size), [*game.first_board, *hands[0], *hands[1]])
        coming = random.permutation(left)[: sum(game.board_cards)].tolist()
        board, node, nodes = game.first_board, 0, [0]
        seen = self._on_board(board, 0, hands)
        while tree.kind[node] <= DEAL:
            step = 0
            if tree.kind[node] == DEAL:
                street = int(tree.street[node]) + 1
                size = game.board_cards[street - 1]
                board, coming = (*board, *coming[:size]), coming[size:]
                seen = self._on_board(board, street, hands)
            else:
                player = int(tree.kind[node])
                probabilities = self._probabilities(player, node, seen)
                drawn = random.random() * probabilities.sum()
                step = int(np.searchsorted(np.cumsum(probabilities), drawn, side="right"))
                step = min(step, len(probabilities) - 1)
            node = int(tree.first_child[node]) + step
            nodes.append(node)
        return PlayedHand(self.tree, number, hands, tuple(board), tuple(nodes), self._paid_out(node, board, hands))

    def _dealt(self, random: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Two hands without a common card, by their weights: pairs that share a card are dealt again."""
        while True:
            drawn = (int(np.searchsorted(up_to, random.random() * up_to[-1], side="right")) for up_to in self.up_to)
            mine, theirs = (tuple(self.deals[at].tolist()) for at in drawn)
            if not set(mine) & set(theirs):
                return mine, theirs

    def _probabilities(self, player: int, node: int, seen: Any) -> Array:
        """[actions] of a player's hand; seen: what `_on_board` returned."""
        board, classes = seen
        return np.asarray(self.strategies[player].block(node, board.number)[:, classes[player]])

    def _on_board(self, board: tuple[int, ...], street: int, hands: tuple[Any, Any]) -> tuple[Any, tuple[Any, Any]]:
        """A board, and each player's class of hands on it."""
        found = self.find(street, board)
        for strategy in self.strategies:
            strategy.need(found.path)
        return found, (self.class_of(street, board, 0, hands[0]), self.class_of(street, board, 1, hands[1]))

    def _paid_out(self, node: int, board: tuple[int, ...], hands: tuple[Any, Any]) -> tuple[float, float]:
        tree = self.tree.betting_tree
        better = 0
        if tree.kind[node] == SHOWDOWN:
            mine, theirs = strengths(self.tree.game.deck, board, np.array(hands)).tolist()
            better = (mine > theirs) - (mine < theirs)
        outcomes = {1: tree.win, 0: tree.tie, -1: tree.lose}
        return float(outcomes[better][node, 0]), float(outcomes[-better][node, 1])


class _BoardTable(_Table):
    """Two strategies by buckets or of networks; abstractions may differ."""

    def __init__(self, strategies: tuple[Any, Any]) -> None:
        from regretless.poker.results.hand_lookups import lookup_of

        super().__init__(strategies)
        self.lookups = [lookup_of(strategy) for strategy in strategies]

    def _on_board(self, board: tuple[int, ...], street: int, hands: tuple[Any, Any]) -> tuple[Any, tuple[Any, Any]]:
        """The board and the hands as they are."""
        return tuple(board), hands

    def _probabilities(self, player: int, node: int, seen: Any) -> Array:
        board, hands = seen
        return np.array(self.lookups[player].probabilities(node, hands[player], board))


def laid_out_alike(tree: PublicTree, other: PublicTree) -> bool:
    """Whether two trees have the same betting, boards and hands; locked nodes may differ."""
    if tree is other:
        return True
    arrays = [(*(getattr(t.betting_tree, name) for name in ("kind", "parent", "win", "tie", "lose")), t.book.hands,
               *t.book.weight) for t in (tree, other)]  # fmt: skip
    alike = all(np.array_equal(mine, theirs) for mine, theirs in zip(*arrays, strict=True))
    return alike and tree.game.deck == other.game.deck and tree.book.cards == other.book.cards


def class_on(found: FoundBoard, player: int, hand: tuple[int, ...]) -> int:
    """The index of a hand's class in a player's list on a board."""
    book = found.tree.book
    moved = np.sort(book.symmetry.cards[book.kept[found.number]][:, found.moved[list(hand)]], axis=1)
    lowest = book.symmetry.codes(moved).min()
    begin, count = (int(of[player, found.number]) for of in (book.arrays.begin, book.arrays.count))
    return int(np.flatnonzero(book.symmetry.codes(book.hands[begin : begin + count]) == lowest)[0])
