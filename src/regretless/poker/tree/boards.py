"""All boards of a game and the hand classes on them, up to a renaming of suits."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.public.layout import LANE_WIDTH, Boards
from regretless.poker.cards.deck import Deck
from regretless.poker.cards.evaluator import strengths
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.tree.memory_estimate import check_board_count, check_least_memory

__all__ = ["BoardBook", "build_boards"]

Array = npt.NDArray[Any]

MANY_BOARDS = 500
"""Boards from which laying them out leaves megabytes of freed memory behind."""


@dataclass(frozen=True, eq=False)
class BoardBook:
    """Boards in the order of the walks: the arrays for kernels, and the cards and hands behind their numbers."""

    arrays: Boards
    cards: tuple[tuple[int, ...], ...]  # [boards] all cards of each board, in the order of streets
    hands: Array  # [classes, hand size] the representative hand of each class
    deals: Array  # [boards] number of deals from the parent board that a board represents
    weight: tuple[Array, Array]  # [classes of the first street] weights of each player's range
    kept: tuple[Array, ...]  # [boards] permutations of suits that keep each board and both ranges
    symmetry: Symmetry

    def ways(self, board: int) -> int:
        """The number of deals from the first board of the game that a board represents."""
        count = 1
        while board >= 0:
            count *= int(self.deals[board])
            board = int(self.arrays.parent[board])
        return count


@dataclass
class _Board:
    cards: tuple[int, ...]
    parent: int
    deals: int
    kept: Array
    street: int


class _BoardClasses(NamedTuple):
    """The hand classes of one board."""

    lowest: Array  # [hands] the representative of each hand's class
    positions: Array  # [2, hands] index of a hand in each player's list, or −1
    sizes: Array  # [hands] hands in the class that a hand represents
    counts: Array  # [2] classes of each player


class _Classes:
    """Hand classes, collected board by board."""

    def __init__(self, symmetry: Symmetry, weights: tuple[Array, Array]) -> None:
        self.symmetry, self.weights = symmetry, weights
        size = symmetry.hand_size
        self.hands = symmetry.deck.hands(size).astype(np.int64)
        self.maps = {j: symmetry.sets(j) for j in range(1, size + 1)}
        self.subsets = [s for j in range(1, size) for s in combinations(range(size), j)]
        self.set_first = np.cumsum([0, *(comb(symmetry.cards.shape[1], j) for j in range(1, size))])
        self.set_codes = {j: self._positions(j) for j in range(1, size)}
        sets = sum(comb(symmetry.cards.shape[1], j) for j in range(1, size))
        self.types: dict[str, Any] = {
            "above": np.int32, "rise": np.float64, "size": np.float64, "strength": np.int32, "twin": np.int32,
            "blocker": np.int32 if sets > 32_000 else np.int16, "share": np.float64, "hand": np.int32,
        }  # fmt: skip
        self.alike = bool(np.array_equal(weights[0] > 0, weights[1] > 0))
        self.columns: dict[str, list[Array]] = {name: [] for name in self.types}
        self.total = 0

    def _positions(self, size: int) -> Array:
        """[hands, subsets of this size] the index of each subset of each hand among all sets of its size."""
        sets = np.array(list(combinations(range(self.symmetry.cards.shape[1]), size)), np.int64)
        codes = self.symmetry.codes(sets)
        members = [self.hands[:, list(s)] for s in self.subsets if len(s) == size]
        return np.stack([np.searchsorted(codes, self.symmetry.codes(m)) for m in members], axis=1)

    def add(self, board: _Board, above: _BoardClasses | None, chance: float, last: bool) -> _BoardClasses:
        """Add the classes of one board; `above` are those of its parent, `chance` the probability of one deal."""
        symmetry = self.symmetry
        free = ~np.isin(self.hands, board.cards).any(axis=1)
        lowest = self.maps[symmetry.hand_size][board.kept].min(axis=0)
        sizes = np.bincount(lowest[free], minlength=len(self.hands))
        rank = np.zeros(len(self.hands), np.int64)
        if last:
            rank = strengths(symmetry.deck, board.cards, self.hands).astype(np.int64)
        blocker, share = self._blockers(board, sizes)
        positions = np.full((2, len(self.hands)), -1, np.int64)
        lists = []
        for player in range(2):
            chosen = np.flatnonzero(free & (lowest == np.arange(len(self.hands))) & (self.weights[player] > 0))
            chosen = chosen[np.argsort(rank[chosen], kind="stable")]
            positions[player, chosen] = np.arange(len(chosen))
            lists.append(chosen)
        for player, chosen in enumerate(lists[:1] if self.alike else lists):
            over, rise = np.zeros(len(chosen), np.int64), np.ones(len(chosen))
            if above is not None:
                over = above.positions[player, above.lowest[chosen]]
                rise = chance * board.deals * sizes[chosen] / above.sizes[above.lowest[chosen]]
            found = {
                "above": over, "rise": rise, "size": sizes[chosen], "strength": rank[chosen],
                "twin": positions[1 - player, chosen], "blocker": blocker[chosen], "share": share[chosen],
                "hand": chosen,
            }  # fmt: skip
            for name, column in found.items():  # in the types of the result: two copies of wider ones take memory
                self.columns[name].append(column.astype(self.types[name]))
        return _BoardClasses(lowest, positions, sizes, np.array([len(chosen) for chosen in lists]))

    def _blockers(self, board: _Board, sizes: Array) -> tuple[Array, Array]:
        """[hands, subsets] the kind of each proper subset of a hand, and the hands of its class that hold that kind."""
        blocker, share = [], []
        for j in range(1, self.symmetry.hand_size):
            kinds = self.maps[j][board.kept].min(axis=0)
            members = np.bincount(kinds, minlength=len(kinds))
            found = kinds[self.set_codes[j]]
            blocker.append(self.set_first[j - 1] + found)
            share.append(sizes[:, None] / members[found])
        if not blocker:
            return np.zeros((len(self.hands), 0), np.int64), np.zeros((len(self.hands), 0))
        return np.concatenate(blocker, axis=1), np.concatenate(share, axis=1)


def build_boards(
    deck: Deck,
    hand_size: int,
    first: tuple[int, ...],
    dealt: tuple[int, ...],
    weights: tuple[Array, Array],
    isomorphism: bool,
    slots: Array,
) -> BoardBook:
    """All boards that can be dealt from the board `first` on; dealt: the number of cards of each later street.

    weights: both players' weights of hands [hands]; slots [2, streets]: actions of a player on a street.
    """
    symmetry = Symmetry(deck, hand_size)
    count = len(deck.ranks) * len(deck.suits)
    kept = symmetry.keeping(first, weights) if isomorphism else np.array([0])
    check_board_count(count - len(first), dealt, len(kept))
    held = (int(np.count_nonzero(weights[0])), int(np.count_nonzero(weights[1])))
    check_least_memory(held, hand_size, count - len(first), dealt, len(kept), slots)
    boards = [_Board(first, -1, 1, kept, 0)]
    street_boards = [0, 1]
    child_first = [0]
    for street, size in enumerate(dealt, start=1):
        for number in range(street_boards[-2], street_boards[-1]):
            board = boards[number]
            child_first[-1:] = [len(boards)]
            for cards, deals, keepers in symmetry.deals(board.cards, board.kept, size):
                boards.append(_Board(board.cards + cards, number, deals, keepers, street))
            child_first.append(len(boards))
        street_boards.append(len(boards))
    child_first += [len(boards)] * (len(boards) + 1 - len(child_first))
    book = _with_classes(symmetry, boards, street_boards, child_first, dealt, weights, slots)
    if len(boards) >= MANY_BOARDS:
        give_back_memory()
    return book


def give_back_memory() -> None:
    """Give freed memory back to the system where the C library can (glibc): thousands of small arrays leave holes."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def padded(classes: Any) -> Any:
    """A number of classes, rounded up to whole vectors."""
    return -(-classes // LANE_WIDTH) * LANE_WIDTH


def _with_classes(
    symmetry: Symmetry,
    boards: list[_Board],
    street_boards: list[int],
    child_first: list[int],
    dealt: tuple[int, ...],
    weights: tuple[Array, Array],
    slots: Array,
) -> BoardBook:
    """The hand classes of all boards, and where each board's numbers begin."""
    classes = _Classes(symmetry, weights)
    cards, hand = symmetry.cards.shape[1], symmetry.hand_size
    begin, count, first = (np.zeros((2, len(boards)), np.int64) for _ in range(3))
    numbers = entries = 0
    known: dict[int, _BoardClasses] = {}
    for at, board in enumerate(boards):
        chance = 1.0
        if board.street > 0:
            left = cards - len(boards[board.parent].cards) - 2 * hand
            chance = 1.0 / comb(left, dealt[board.street - 1])
        found = classes.add(board, known.get(board.parent), chance, board.street == len(dealt))
        if board.street < len(dealt):
            known[at] = found
        count[:, at] = found.counts
        begin[:, at] = (entries, entries) if classes.alike else (entries, entries + found.counts[0])
        entries += int(found.counts[0]) if classes.alike else int(found.counts.sum())
        for player in range(2):
            first[player, at] = numbers
            numbers += int(slots[player, board.street] * padded(found.counts[player]))
    column = {name: np.concatenate(classes.columns.pop(name)) for name in classes.types}
    at_root = tuple(
        weights[p][column["hand"][begin[p, 0] : begin[p, 0] + count[p, 0]]].astype(np.float64) for p in range(2)
    )
    return BoardBook(
        arrays=Boards(
            street_boards=np.array(street_boards, np.int32),
            parent=np.array([b.parent for b in boards], np.int32),
            child_first=np.array(child_first, np.int32),
            begin=begin.astype(np.int32),
            count=count.astype(np.int32),
            stride=padded(count).astype(np.int32),
            first=first,
            **_class_arrays(classes, column),
        ),
        cards=tuple(b.cards for b in boards),
        hands=classes.hands[column["hand"]],
        deals=np.array([b.deals for b in boards]),
        weight=(at_root[0], at_root[1]),
        kept=tuple(b.kept for b in boards),
        symmetry=symmetry,
    )


def _class_arrays(classes: _Classes, column: dict[str, Array]) -> dict[str, Array]:
    """The fields of `Boards` that have a row for each class, and the signs of blockers."""
    hand = classes.symmetry.hand_size
    return {
        **{name: column[name] for name in classes.types if name != "hand"},
        "sign": np.array([(-1.0) ** len(s) for s in classes.subsets] + [(-1.0) ** hand]),
    }
