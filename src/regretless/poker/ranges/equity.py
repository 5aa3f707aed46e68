"""Equity: the share of the pot that a range wins against another one if all cards are dealt and no player folds.

Hands that share a card are never dealt against each other, and boards do not contain cards of either hand. All boards
are enumerated, up to suits where the ranges allow it. If there are too many, boards are sampled, and the result has a
margin of error.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import comb
from typing import Literal

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.cards import equities
from regretless.kernels.cards.hand_strength import MOST_CARDS
from regretless.poker.cards.deck import STANDARD, CardText, Deck
from regretless.poker.cards.evaluator import card_words, tables_for
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.ranges.range import Range

__all__ = ["Equity", "equity"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

WORTH_COUNTING = 400_000_000
"""Hands times boards up to which all boards are enumerated: some seconds."""
SAMPLED = 20_000
"""Boards that are sampled otherwise."""
SPLIT = 32
"""Parts into which the boards are split for any number of threads, so that sums have the same bits."""
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Equity:
    """The equities of two ranges a and b.

    A sampled result lies within `margin` of the exact one with 95 % confidence. The margin of an exact result is 0.
    """

    a: float
    b: float
    win: float  # how often a wins outright
    tie: float  # how often they split
    hands_a: Floats = field(repr=False)  # [hands] equity of each hand of a against b; nan for impossible hands
    hands_b: Floats = field(repr=False)  # [hands] equity of each hand of b against a
    boards: int  # boards of each pair of hands, or boards sampled
    margin: float

    def __str__(self) -> str:
        how = f"± {self.margin:.2%}, {self.boards:,} boards sampled" if self.margin else f"all {self.boards:,} boards"
        return f"{self.a:.2%} against {self.b:.2%} (win {self.win:.2%}, tie {self.tie:.2%}; {how})"


def equity(
    range_a: Range | str,
    range_b: Range | str,
    board: CardText = "",
    deck: Deck = STANDARD,
    *,
    board_cards: int = 5,
    boards: int | Literal["auto", "all"] = "auto",
    seed: int = 0,
    threads: int | None = None,
) -> Equity:
    """The equity of one range against another, given the board so far.

    board_cards: cards on the board in the end. boards: "all", the number to sample, or "auto": all if that takes a few
    seconds at most. The result does not depend on threads.

    >>> print(equity("AA", "KK"))
    81.95% against 18.05% (win 81.71%, tie 0.46%; all 1,712,304 boards)
    >>> print(equity("AhKh", "QsQd", "Th 9h 2c"))
    53.54% against 46.46% (win 53.54%, tie 0.00%; all 990 boards)
    """
    dealt = deck.cards(board)
    to_come = cards_to_come(deck, dealt, board_cards)
    weights = np.array([of_deck(given, deck).without(dealt).weights for given in (range_a, range_b)]).T  # [hands, 2]
    symmetry = Symmetry(deck, 2)
    kept = symmetry.keeping(dealt, (weights[:, 0], weights[:, 1]))
    live = np.flatnonzero(weights.any(axis=1))
    left = np.setdiff1d(np.arange(deck.size), dealt)
    sampled = boards_to_sample(boards, comb(left.size, to_come), live.size / kept.size)
    if sampled:
        cards, counts = sampled_boards(left, to_come, sampled, seed), np.ones(sampled, np.int64)
    else:
        cards, counts = all_boards_of(left, to_come, symmetry.cards[kept])
    sums = np.zeros((len(weights), 3, 2))
    sums[live], shares = showdown_sums(deck, np.array(dealt, np.int64), cards, counts, weights[live], live, threads)
    sums = sums[symmetry.sets(2)[kept]].mean(axis=0)  # each board represents its images, too
    if not weights[:, 0] @ sums[:, 2, 0] > 0:
        raise OptionError("no hand of one range can be dealt against a hand of the other: all of them share a card")
    return summary(weights, sums, sampled or comb(left.size - 4, to_come), margin(shares) if sampled else 0.0)


def cards_to_come(deck: Deck, dealt: tuple[int, ...], board_cards: int) -> int:
    """Number of cards still to be dealt to the board."""
    most = min(MOST_CARDS - 2, deck.size - 4)
    if not 0 <= board_cards <= most:
        raise OptionError(f"with two hands out, the board of this deck has 0 to {most} cards, got {board_cards=}")
    if len(dealt) > board_cards:
        raise OptionError(f"the board has at most {board_cards} cards, got {len(dealt)} in {deck.names(dealt)!r}")
    return board_cards - len(dealt)


def of_deck(given: Range | str, deck: Deck) -> Range:
    """A range of a deck; a text is parsed."""
    if isinstance(given, str):
        return Range.parse(given, deck)
    if given.deck != deck:
        raise OptionError(f"a range of {given.deck} does not belong to {deck}; pass the deck of the ranges as deck=")
    return given


def boards_to_sample(boards: int | str, all_boards: int, hands: float) -> int:
    """Number of boards to sample; 0: enumerate all."""
    if boards == "all":
        return 0
    if boards == "auto":
        return 0 if all_boards * hands <= WORTH_COUNTING else SAMPLED
    if isinstance(boards, bool) or not isinstance(boards, int | np.integer) or boards < 1:
        raise OptionError(f'boards is "auto", "all" or the number of boards to sample, got {boards!r}')
    return 0 if all_boards <= boards else int(boards)


def all_boards_of(left: Ints, size: int, images: Ints) -> tuple[Ints, Ints]:
    """All completions of the board: one of each kind [kinds, size], and the number of its kind [kinds]."""
    count = comb(left.size, size)
    boards, counts = np.empty((count, size), np.uint8), np.empty(count, np.uint8)
    kinds = equities.distinct_boards(left, size, images, boards, counts)
    return boards[:kinds].astype(np.int64), counts[:kinds].astype(np.int64)


def sampled_boards(left: Ints, size: int, count: int, seed: int) -> Ints:
    """[count, size] completions of the board, sampled uniformly."""
    random = np.random.default_rng(seed)
    parts = (random.random((min(SAMPLED, count - done), left.size)) for done in range(0, count, SAMPLED))
    indices = np.concatenate([np.argpartition(keys, size, axis=1)[:, :size] for keys in parts])
    return np.asarray(left[indices])


def showdown_sums(
    deck: Deck, board: Ints, boards: Ints, counts: Ints, weights: Floats, live: Ints, threads: int | None
) -> tuple[Floats, Floats]:
    """The sums [live, 3, 2] and shares [2, boards] of `kernels.cards.equities.showdowns`, computed part by part."""
    tables = tables_for(2 + board.size + boards.shape[1])
    hands = deck.hands(2)[live].astype(np.uint8)
    parts = np.array_split(np.arange(len(boards)), min(SPLIT, len(boards)))

    def part(rows: Ints) -> tuple[Floats, Floats]:
        sums, shares = np.zeros((live.size, 3, 2)), np.empty((2, rows.size))
        equities.showdowns(
            board, boards[rows], counts[rows], hands, weights, tuple(card_words(deck)), tuple(tables[:3]), sums, shares
        )
        return sums, shares

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        done = list(pool.map(part, parts))
    return np.sum([sums for sums, _ in done], axis=0), np.concatenate([shares for _, shares in done], axis=1)


def margin(shares: Floats) -> float:
    """Half the 95 % interval of the ratio of two sums over sampled boards, linearised as usual for ratio estimates."""
    share, pairs = shares
    residual = share - share.sum() / pairs.sum() * pairs
    return (
        float(NORMAL_95 * residual.std(ddof=1) / np.sqrt(residual.size) / pairs.mean()) if residual.size > 1 else np.inf
    )


def summary(weights: Floats, sums: Floats, boards: int, margin: float) -> Equity:
    """The result, from the weights of hands that a hand beats, beats or ties, and can be dealt with [hands, 3, 2]."""
    beaten, not_lost_to, opposing = sums.swapaxes(0, 1)  # [hands, 2] each
    held = (weights > 0) & (opposing > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        hands = np.where(held, np.clip((beaten + not_lost_to) / 2 / opposing, 0.0, 1.0), np.nan)
    pairs = weights[:, 0] @ opposing[:, 0]
    win, not_lost = (float(weights[:, 0] @ of[:, 0] / pairs) for of in (beaten, not_lost_to))
    a = (win + not_lost) / 2
    return Equity(a, 1 - a, win, not_lost - win, hands[:, 0], hands[:, 1], boards, margin)
