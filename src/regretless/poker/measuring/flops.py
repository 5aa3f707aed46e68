"""A game cut after its first street: a piece for each board of the second street, up to suits.

In hold'em the pieces are the 1,755 flops. A piece has all lines that reach the second street as roots of one betting
tree, so one walk over its boards serves all lines. Pieces are independent of each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import comb
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, FOLD
from regretless.kernels.public.response_walks import BucketTable
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.games import PublicGame
from regretless.poker.measuring.bucket_walker import BucketWalker, NodeTables, class_buckets
from regretless.poker.measuring.trunk import Trunk
from regretless.poker.tree.betting_arrays import WalkOrder, betting_arrays
from regretless.poker.tree.boards import BoardBook, build_boards
from regretless.poker.tree.hand_numbers import hand_numbers
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["Flop", "FlopGame", "FlopValues", "lines_below"]

Array = npt.NDArray[Any]

ROUNDING = 1e-9
"""Chips: sums of payoffs below this are zero."""


class Flop(NamedTuple):
    """A board of the second street."""

    cards: tuple[int, ...]
    deals: int
    """Deals that it represents: itself, and those that differ from it by suits only."""
    symmetries: int
    """Permutations of suits that keep it; a flop with many of them has fewer boards below."""


class FlopValues(NamedTuple):
    """The values of a flop."""

    rows: Array
    """[kinds, 2, lines, classes] counterfactual values of each player on each line, by class before the flop: of a best
    response and, in games with rake, of the own strategy. A hand that holds a card of the flop has the value 0."""
    seconds: float
    """Without the time for compiling."""


def lines_below(tree: BettingTree) -> tuple[BettingTree, Array]:
    """The lines of the second street as roots of one betting tree, and the node [nodes] of the whole tree for each."""
    nodes = np.flatnonzero(tree.street > 0)
    number = np.full(len(tree) + 1, -1, np.int32)
    number[nodes] = np.arange(len(nodes))
    fields = {f.name: getattr(tree, f.name) for f in dataclasses.fields(tree)}
    cut = {name: array[nodes] for name, array in fields.items() if isinstance(array, np.ndarray)}
    cut["street"] = cut["street"] - np.int8(1)
    cut["parent"] = number[cut["parent"]]
    cut["first_child"] = np.where(cut["children"] > 0, number[cut["first_child"]], 0).astype(np.int32)
    names = tuple(tree.actions[node] for node in nodes.tolist())
    later = tree.street_names[1:]
    return BettingTree(**cut, actions=names, streets=tree.streets - 1, street_names=later), nodes


class FlopGame:
    """A game, cut after its first street, and the strategies of both players on it."""

    by_tables = True
    """Whether `tables` hold the strategies of all streets, and not only of the first."""

    def __init__(
        self,
        game: PublicGame,
        tables: tuple[NodeTables, NodeTables],
        dtype: str = "float32",
        threads: int = 1,
        device: str = "cpu",
        values: bool = False,
    ) -> None:
        """values: of the strategies, too, not only of best responses; with rake they are always computed."""
        if not game.board_cards:
            raise OptionError("a game of one street has no flops: measure its strategy without flops=")
        self.game, self.tables, self.dtype, self.threads, self.device = game, tables, dtype, threads, device
        self.compiled = False
        tree = game.betting_tree()
        self.trunk = Trunk(game, tree, tables)
        self.betting_tree, self.nodes = lines_below(tree)
        self.order = WalkOrder(self.betting_tree)
        self.betting = betting_arrays(self.betting_tree, self.order)
        self.symmetry = Symmetry(game.deck, game.hand_size)
        self.zero_sum = is_zero_sum(tree)
        self.kinds = 1 if self.zero_sum and not values else 2

    @cached_property
    def kept(self) -> Array:
        """The permutations of suits that keep the first board and both ranges."""
        if not self.game.isomorphism:
            return np.zeros(1, np.int64)
        return self.symmetry.keeping(self.game.first_board, self.game.hand_weights())

    @cached_property
    def flops(self) -> tuple[Flop, ...]:
        """The boards of the second street."""
        found = self.symmetry.deals(self.game.first_board, self.kept, self.game.board_cards[0])
        return tuple(Flop((*self.game.first_board, *cards), deals, len(kept)) for cards, deals, kept in found)

    @property
    def identity(self) -> bytes:
        """What files of measured flops tell strategies apart by."""
        return b"".join(table.probability.tobytes() for table in self.tables)

    @property
    def lines(self) -> int:
        """Lines of play that reach the second street."""
        return len(self.trunk.deals)

    @cached_property
    def class_of(self) -> Array:
        """[hands] the class of each hand before the second street."""
        lowest = self.symmetry.sets(self.game.hand_size)[self.kept].min(axis=0)
        return np.asarray(np.unique(lowest, return_inverse=True)[1])

    @cached_property
    def class_size(self) -> Array:
        """[classes] hands in each class."""
        return np.bincount(self.class_of)

    def class_means(self, values: Array, hands: Array | slice = slice(None)) -> Array:
        """[…, classes] means over the hands of each class, of values […, hands]; a hand left out counts as 0."""
        group, rows = self.class_of[hands], values.reshape(-1, values.shape[-1])
        totals = np.stack([np.bincount(group, row, len(self.class_size)) for row in rows])
        return np.asarray(totals.reshape(*values.shape[:-1], -1) / self.class_size)

    @cached_property
    def chance(self) -> float:
        """The probability of one deal of the second street, given both hands."""
        left = self.game.deck.size - len(self.game.first_board) - 2 * self.game.hand_size
        return 1.0 / comb(left, self.game.board_cards[0])

    def free_share(self, flop: Flop) -> Array:
        """[classes] the share of the hands of each class that hold no card of a flop."""
        hands = self.game.deck.hands(self.game.hand_size)
        free = ~np.isin(hands, flop.cards).any(axis=1)
        return np.bincount(self.class_of, free) / self.class_size

    def piece(self, flop: Flop) -> PublicTree:
        """The boards and hands from a flop on, with all lines as roots."""
        game, streets = self.game, self.betting_tree.streets
        free = ~np.isin(game.deck.hands(game.hand_size), flop.cards).any(axis=1)
        mine, theirs = (weight * free for weight in game.hand_weights())
        book = build_boards(
            game.deck, game.hand_size, flop.cards, game.board_cards[1:], (mine, theirs), game.isomorphism,
            np.zeros((2, streets), np.int64),
        )  # fmt: skip
        return PublicTree(game, self.betting_tree, self.order, self.betting, rooted(book))

    def values(self, flop: Flop) -> FlopValues:
        """What each player gets on each line if this flop comes, walked on the CPU."""
        if not self.compiled:
            self.compile(flop)
        began = perf_counter()
        tree = self.piece(flop)
        seats, hand = self._seats(tree), hand_numbers(tree, tree.book.hands)
        walker = BucketWalker(tree, self.dtype, self.threads)
        out = np.zeros((self.kinds, 2, self.lines, len(self.class_size)))
        for player in range(2):
            entry = self.trunk.entries(1 - player)[:, hand[first_classes(tree, 1 - player)]]
            for kind, own in enumerate((None, seats[player])[: self.kinds]):
                found = walker.values(player, seats[1 - player], entry, own)
                out[kind, player] = self._by_class(tree, player, hand, found)
        return FlopValues(out, perf_counter() - began)

    def compile(self, flop: Flop) -> None:
        """Compile what measures a flop before it is timed, by building it once."""
        tree = self.piece(flop)
        BucketWalker(tree, self.dtype, self.threads).compile(self._seats(tree)[0])
        self.compiled = True

    def in_turn(self, flops: Sequence[Flop]) -> Iterator[FlopValues]:
        """The values of flops, one after the other."""
        return map(self.values, flops)

    def _seats(self, tree: PublicTree) -> tuple[BucketTable, BucketTable]:
        """Both players' strategies as walks over a piece read them."""
        first, second = self.tables
        mine = class_buckets(tree, first.abstraction)
        theirs = mine if first.abstraction is second.abstraction else class_buckets(tree, second.abstraction)
        nodes = self.nodes[self.order.node]
        return first.on(nodes, 1, mine), second.on(nodes, 1, theirs)

    def _by_class(self, tree: PublicTree, player: int, hand: Array, values: Array) -> Array:
        """[lines, classes before the flop] means of values [lines, classes on the flop] over the hands of a class."""
        own = first_classes(tree, player)
        group, size = self.class_of[hand[own]], tree.book.arrays.size[own]
        totals = [np.bincount(group, line * size, len(self.class_size)) for line in values]
        return np.stack(totals) / self.class_size

    def worth(self, player: int, lines: Array, responding: bool = True) -> float:
        """The value of a player, from values [lines, classes] summed over all flops with their probabilities."""
        return self.trunk.worth(player, self.trunk.values(player, lines[:, self.class_of], responding))


def first_classes(tree: PublicTree, player: int) -> slice:
    """The classes of a player on the first board of a tree."""
    begin, count = tree.book.arrays.begin[player, 0], tree.book.arrays.count[player, 0]
    return slice(int(begin), int(begin + count))


def is_zero_sum(tree: BettingTree) -> bool:
    """Whether one player wins what the other loses at every end of a hand: there is no rake."""
    ends = tree.kind > DEAL
    fold = tree.kind == FOLD
    sums = (tree.win[:, 0] + np.where(fold, tree.win[:, 1], tree.lose[:, 1]), tree.tie.sum(axis=1))
    other = tree.lose[:, 0] + np.where(fold, tree.lose[:, 1], tree.win[:, 1])
    return bool(max(np.abs(each[ends]).max(initial=0.0) for each in (*sums, other)) < ROUNDING)


def rooted(book: BoardBook) -> BoardBook:
    """The same boards, with the classes of the first one as their own classes above, as `response_walks` needs it."""
    arrays = book.arrays
    above = arrays.above.copy()
    for begin, count in zip(arrays.begin[:, 0].tolist(), arrays.count[:, 0].tolist(), strict=True):
        above[begin : begin + count] = np.arange(count)
    return dataclasses.replace(book, arrays=arrays._replace(above=above))
