"""Equity: the share of the pot that a range wins against another one if all cards to come are dealt and nobody folds.

Hands that share a card are never dealt against each other, and the cards of both are missing from the boards. Every
board to come is counted, as one of each kind where the ranges treat suits alike; where that is too much, boards are
drawn, and the result says how far it may be off.
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
"""Hands times boards up to which everything is counted: some seconds."""
DRAWN = 20_000
"""Boards that are drawn otherwise."""
SPLIT = 32
"""Into how many parts the boards are split, whatever the number of threads, so that sums have the same bits."""
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Equity:
    """What two ranges a and b win of the pot.

    A drawn result lies within `margin` of the exact one with 95 % confidence; an exact one has no margin.
    """

    a: float
    b: float
    win: float  # how often a wins outright
    tie: float  # how often they split
    hands_a: Floats = field(repr=False)  # [hands] what each hand of a wins against b; nan where it cannot be held
    hands_b: Floats = field(repr=False)  # [hands] what each hand of b wins against a
    boards: int  # run-outs that each pair of hands could meet, or boards drawn
    margin: float

    def __str__(self) -> str:
        how = f"± {self.margin:.2%}, {self.boards:,} boards drawn" if self.margin else f"all {self.boards:,} boards"
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

    board_cards: how many cards the board has in the end. boards: "all" of them, how many to draw, or "auto": all where
    that takes a few seconds at most. The result does not depend on threads.

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
    drawn = boards_to_draw(boards, comb(left.size, to_come), live.size / kept.size)
    if drawn:
        cards, counts = drawn_boards(left, to_come, drawn, seed), np.ones(drawn, np.int64)
    else:
        cards, counts = every_board(left, to_come, symmetry.cards[kept])
    sums = np.zeros((len(weights), 3, 2))
    sums[live], shares = shown_down(deck, np.array(dealt, np.int64), cards, counts, weights[live], live, threads)
    sums = sums[symmetry.sets(2)[kept]].mean(axis=0)  # every board stands for its images too
    if not weights[:, 0] @ sums[:, 2, 0] > 0:
        raise OptionError("no hand of the one range can be dealt against any of the other; some must share no card")
    return summary(weights, sums, drawn or comb(left.size - 4, to_come), margin(shares) if drawn else 0.0)


def cards_to_come(deck: Deck, dealt: tuple[int, ...], board_cards: int) -> int:
    """How many cards the board still lacks."""
    most = min(MOST_CARDS - 2, deck.size - 4)
    if not 0 <= board_cards <= most:
        raise OptionError(f"with two hands out, the board of this deck has 0 to {most} cards, got {board_cards=}")
    if len(dealt) > board_cards:
        raise OptionError(f"the board has at most {board_cards} cards, got {len(dealt)} in {deck.names(dealt)!r}")
    return board_cards - len(dealt)


def of_deck(given: Range | str, deck: Deck) -> Range:
    """A range of a deck, from a text or as it is."""
    if isinstance(given, str):
        return Range.parse(given, deck)
    if given.deck != deck:
        raise OptionError(f"a range of {given.deck} is not one of {deck}; say which deck is played with deck=")
    return given


def boards_to_draw(boards: int | str, all_boards: int, hands: float) -> int:
    """How many boards to draw; 0: count them all."""
    if boards == "all":
        return 0
    if boards == "auto":
        return 0 if all_boards * hands <= WORTH_COUNTING else DRAWN
    if isinstance(boards, bool) or not isinstance(boards, int | np.integer) or boards < 1:
        raise OptionError(f'boards is "auto", "all" or how many to draw, got {boards!r}')
    return 0 if all_boards <= boards else int(boards)


def every_board(left: Ints, size: int, images: Ints) -> tuple[Ints, Ints]:
    """All ways to complete the board: one of each kind [kinds, size] and how many there are of it [kinds]."""
    count = comb(left.size, size)
    boards, counts = np.empty((count, size), np.uint8), np.empty(count, np.uint8)
    kinds = equities.distinct_boards(left, size, images, boards, counts)
    return boards[:kinds].astype(np.int64), counts[:kinds].astype(np.int64)


def drawn_boards(left: Ints, size: int, count: int, seed: int) -> Ints:
    """[count, size] ways to complete the board, each as likely as any other."""
    random = np.random.default_rng(seed)
    parts = (random.random((min(DRAWN, count - done), left.size)) for done in range(0, count, DRAWN))
    places = np.concatenate([np.argpartition(keys, size, axis=1)[:, :size] for keys in parts])
    return np.asarray(left[places])


def shown_down(
    deck: Deck, board: Ints, boards: Ints, counts: Ints, weights: Floats, live: Ints, threads: int | None
) -> tuple[Floats, Floats]:
    """The sums [live, 3, 2] and shares [2, boards] of `kernels.equities.showdowns`, taken part by part."""
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
    """Half the 95 % interval of the ratio of two sums over drawn boards (linearised, as usual for ratio estimates)."""
    share, pairs = shares
    residual = share - share.sum() / pairs.sum() * pairs
    return (
        float(NORMAL_95 * residual.std(ddof=1) / np.sqrt(residual.size) / pairs.mean()) if residual.size > 1 else np.inf
    )


def summary(weights: Floats, sums: Floats, boards: int, off: float) -> Equity:
    """The result, from the weights that each player's hand beats, beats or ties, and meets [hands, 3, 2]."""
    beaten, upto, met = sums.swapaxes(0, 1)  # [hands, 2] each
    held = (weights > 0) & (met > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        hands = np.where(held, np.clip((beaten + upto) / 2 / met, 0.0, 1.0), np.nan)
    win, not_lost = (float(weights[:, 0] @ of[:, 0] / (weights[:, 0] @ met[:, 0])) for of in (beaten, upto))
    a = (win + not_lost) / 2
    return Equity(a, 1 - a, win, not_lost - win, hands[:, 0], hands[:, 1], boards, off)
