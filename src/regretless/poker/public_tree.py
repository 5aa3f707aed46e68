"""A hold'em-like game laid out for vector CFR: the public betting tree, all boards, and a vector over hands at each.

Where a `Tree` has one number per infoset, a public tree has one row per public state, with an entry for each class of
hands. Nothing is listed per history: flop hold'em has more than 10¹² of them and 90 million infosets up to suits.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.public_layout import Betting
from regretless.poker.betting_tree import BettingTree
from regretless.poker.boards import BoardBook, build_boards
from regretless.poker.bundles import Order, betting_arrays

__all__ = ["PublicTree", "build_public_tree"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A public tree; `tree.infosets`, `tree.infoset_actions` and `tree.bytes_needed` say how large it is."""

    game: Any
    betting_tree: BettingTree
    order: Order
    betting: Betting
    book: BoardBook
    players: int = 2

    @property
    def streets(self) -> int:
        """Betting rounds."""
        return self.betting_tree.streets

    @cached_property
    def normaliser(self) -> float:
        """Σ over pairs of hands that share no card of the product of their weights: what probabilities divide by."""
        return self.book_pairs()

    def book_pairs(self) -> float:
        """The weight of all pairs of hands that can be dealt together."""
        boards, (mine, theirs) = self.book.arrays, self.book.weight
        subsets = boards.blocker.shape[1]
        there = slice(boards.begin[1, 0], boards.begin[1, 0] + boards.count[1, 0])
        held = np.zeros(int(boards.blocker.max(initial=0)) + 1)
        for j in range(subsets):
            np.add.at(held, boards.blocker[there, j], boards.share[there, j] * theirs)
        everything = float(boards.size[there] @ theirs)
        here = slice(boards.begin[0, 0], boards.begin[0, 0] + boards.count[0, 0])
        free = np.full(boards.count[0, 0], everything)
        for j in range(subsets):
            free += boards.sign[j] * held[boards.blocker[here, j]]
        twin = boards.twin[here]
        free += np.where(twin >= 0, boards.sign[subsets] * theirs[np.maximum(twin, 0)], 0.0)
        return float((boards.size[here] * mine) @ free)

    @cached_property
    def slots(self) -> Array:
        """[2, streets] how many actions a player has on a street, over all its nodes and lines."""
        return slots_of(self.betting_tree)

    @cached_property
    def infoset_actions(self) -> int:
        """How many numbers a strategy has."""
        street = self.board_street
        return int(sum((self.slots[p, street] * self.book.arrays.count[p]).sum() for p in range(2)))

    @cached_property
    def numbers(self) -> int:
        """How many numbers are kept: infoset-actions, with rows filled up to whole vectors."""
        street = self.board_street
        return int(sum((self.slots[p, street] * self.book.arrays.stride[p]).sum() for p in range(2)))

    @cached_property
    def infosets(self) -> int:
        """Infosets of both players, up to suits."""
        tree, total = self.betting_tree, 0
        for street in range(self.streets):
            classes = self.book.arrays.count[:, self.board_street == street].sum(axis=1)
            here = tree.street == street
            total += sum(int(np.count_nonzero(here & (tree.kind == p)) * classes[p]) for p in range(2))
        return total

    @cached_property
    def board_street(self) -> Array:
        """[boards] the street of each board."""
        bounds = self.book.arrays.street_boards
        return np.searchsorted(bounds, np.arange(bounds[-1]), side="right") - 1

    @property
    def boards(self) -> int:
        """Boards of all streets, up to suits."""
        return len(self.book.cards)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the game: betting, cards and ranges."""
        digest = hashlib.sha256()
        tree, arrays = self.betting_tree, self.book.arrays
        for array in (tree.kind, tree.parent, tree.win, tree.tie, tree.lose, *self.book.weight, self.book.hands):
            digest.update(np.ascontiguousarray(array).tobytes())
        for array in (arrays.strength, arrays.above, arrays.rise):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:32]

    def bytes_needed(self, dtype: str, predictive: bool = False) -> int:
        """Memory of a solve: the numbers it keeps and the arrays that it walks through."""
        each = {"float64": 8, "float32": 4, "int16": 2}[dtype]
        arrays = sum(a.nbytes for a in (*self.book.arrays, *self.betting))
        return self.numbers * each * (3 if predictive else 2) + int(arrays)

    def __repr__(self) -> str:
        return (
            f"<PublicTree: {self.boards:,} boards, {self.infosets:,} infosets, {self.infoset_actions:,} infoset-actions>"
        )


def slots_of(tree: BettingTree) -> Array:
    """[2, streets] how many actions a player has on a street, over all its nodes and lines."""
    decides = tree.kind < 2
    out = np.zeros((2, tree.streets), np.int64)
    np.add.at(out, (tree.kind[decides], tree.street[decides]), tree.children[decides])
    return out


def build_public_tree(game: Any, isomorphism: bool = True, bundle_lanes: int | None = None) -> PublicTree:
    """Lay a game out: its betting tree, its boards up to suits, and the hand classes on them."""
    tree = game.betting_tree()
    order = Order(tree)
    betting = betting_arrays(tree, order) if bundle_lanes is None else betting_arrays(tree, order, bundle_lanes)
    weights = tuple(np.asarray(w, np.float64) for w in game.hand_weights())
    book = build_boards(
        game.deck,
        game.hand_size,
        game.first_board,
        game.board_cards,
        (weights[0], weights[1]),
        isomorphism,
        slots_of(tree),
    )
    return PublicTree(game, tree, order, betting, book)
