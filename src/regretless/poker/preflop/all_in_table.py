"""All-in equities of the 169 classes of hands against each other, exact, with the cards that both need removed.

The table counts deals: two disjoint hands of the two classes, and one of the 1,712,304 boards without their cards. It
is stored with the package. `python -m regretless.poker.preflop.all_in_table FILE` computes it again, in a minute.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib.resources import files
from math import comb
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.poker.cards.deck import STANDARD

__all__ = ["AllInTable", "all_in_table", "class_names", "class_of_hands", "count_showdowns", "pair_counts"]

Ints = npt.NDArray[np.int64]

CLASSES = 169
BOARDS = comb(48, 5)
"""Boards of two given hands."""
STORED = "all_in_table.npz"


class AllInTable(NamedTuple):
    """Deals of each pair of classes, in the order of `class_names`."""

    wins: Ints  # [classes, classes] deals that the first class wins
    draws: Ints  # [classes, classes] deals that are split
    pairs: Ints  # [classes, classes] pairs of disjoint hands; each meets 1,712,304 boards

    @property
    def equity(self) -> npt.NDArray[np.float64]:
        """[classes, classes] the share of the pot that the first class wins."""
        return np.asarray((self.wins + self.draws / 2) / (self.pairs * BOARDS))


@lru_cache(maxsize=1)
def class_names() -> tuple[str, ...]:
    """The 169 classes, row by row of the usual grid: AA, AKs, …, A2s, AKo, KK, …, 22."""
    ranks = STANDARD.ranks[::-1]
    return tuple(
        a + b if i == j else (f"{a}{b}s" if i < j else f"{b}{a}o")
        for i, a in enumerate(ranks)
        for j, b in enumerate(ranks)
    )


@lru_cache(maxsize=1)
def class_of_hands() -> Ints:
    """[1326] the class of each hand, in the order of `Deck.hands(2)`."""
    ranks, suits = np.divmod(STANDARD.hands(2), len(STANDARD.suits))
    low, high = (len(STANDARD.ranks) - 1 - ranks).T  # the strongest rank is 0
    row, column = np.where(suits[:, 0] == suits[:, 1], (high, low), (low, high))
    return np.asarray(row * len(STANDARD.ranks) + column)


@lru_cache(maxsize=1)
def pair_counts() -> Ints:
    """[classes, classes] how many pairs of hands of two classes share no card."""
    hands, classes = STANDARD.hands(2), class_of_hands()
    holds = np.zeros((STANDARD.size, CLASSES), np.int64)  # hands of a class with a card
    np.add.at(holds, (hands[:, 0], classes), 1)
    np.add.at(holds, (hands[:, 1], classes), 1)
    size = np.bincount(classes, minlength=CLASSES)
    # Of the hands with a card of mine, the hand itself is subtracted twice.
    shared = holds[hands[:, 0]] + holds[hands[:, 1]]
    shared[np.arange(len(hands)), classes] -= 1
    out = np.zeros((CLASSES, CLASSES), np.int64)
    np.add.at(out, classes, size - shared)
    return out


@lru_cache(maxsize=1)
def all_in_table() -> AllInTable:
    """The stored table."""
    with files(__package__).joinpath(STORED).open("rb") as stored, np.load(stored, allow_pickle=False) as arrays:
        wins, draws = (np.zeros((CLASSES, CLASSES), np.int64) for _ in range(2))
        upper = np.triu_indices(CLASSES)
        for table, name in ((wins, "wins"), (draws, "draws")):
            table[upper] = arrays[name]
        pairs = pair_counts()
        draws = np.maximum(draws, draws.T)
        lower = np.tril_indices(CLASSES, -1)
        wins[lower] = (pairs * BOARDS - wins.T - draws)[lower]  # what the other class does not win or split
        return AllInTable(wins, draws, pairs)


def count_showdowns(boards: npt.NDArray[np.integer], counts: Ints, threads: int = 2) -> tuple[Ints, Ints]:
    """(wins, draws) [classes, classes] on the given boards [n, 5], each of which occurs `counts` times."""
    from regretless.kernels.cards.class_showdowns import class_showdowns
    from regretless.poker.cards.evaluator import card_words, tables_for

    hands, classes = STANDARD.hands(2).astype(np.uint8), class_of_hands()
    cards, tables = tuple(card_words(STANDARD)), tuple(tables_for(7)[:3])

    def part(rows: Ints) -> tuple[Ints, Ints]:
        wins, upto = np.zeros((CLASSES, CLASSES), np.int64), np.zeros((CLASSES, CLASSES), np.int64)
        class_showdowns(boards[rows].astype(np.int64), counts[rows], hands, classes, cards, tables, wins, upto)
        return wins, upto

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(part, np.array_split(np.arange(len(boards)), threads)))
    wins, upto = (np.sum(found, axis=0) for found in zip(*parts, strict=True))
    return wins, upto - wins


def write_table(stored: IO[bytes]) -> None:
    """Compute the table from all boards and write the part on and above the diagonal."""
    from regretless.poker.cards.isomorphism import Symmetry
    from regretless.poker.ranges.equity import all_boards_of

    boards, counts = all_boards_of(np.arange(STANDARD.size), 5, Symmetry(STANDARD, 2).cards)
    # A board stands for its images under permutations of suits: these do not change the counts by class.
    wins, draws = count_showdowns(boards, counts)
    upper = np.triu_indices(CLASSES)
    np.savez_compressed(stored, wins=wins[upper].astype(np.uint32), draws=draws[upper].astype(np.uint32))


if __name__ == "__main__":
    from pathlib import Path

    with Path(sys.argv[1]).open("wb") as out:
        write_table(out)
