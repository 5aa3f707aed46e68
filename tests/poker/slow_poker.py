"""Poker the obvious way: every five-card hand looked at, every pair of hands compared. The oracle of the fast one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from regretless.poker.cards.deck import RANKS, Deck

Score = tuple[int, ...]


def five_card_score(ranks: Sequence[int], suits: Sequence[int]) -> Score:
    """Category, then the ranks that decide, of five cards; ranks 0 … 12."""
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape, by_group = [count for count, _ in groups], [rank for _, rank in groups]
    high_first = sorted(ranks, reverse=True)
    flush = len(set(suits)) == 1
    straight = high_first == list(range(high_first[0], high_first[0] - 5, -1))
    if high_first == [12, 3, 2, 1, 0]:
        straight, high_first = True, [3, 2, 1, 0, -1]
    if straight:
        return (8 if flush else 4, *high_first)
    if shape == [4, 1]:
        return (7, *by_group)
    if shape == [3, 2]:
        return (6, *by_group)
    if flush:
        return (5, *high_first)
    return ({(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(shape), 0), *by_group)


def score(deck: Deck, cards: Sequence[int]) -> Score:
    """The best five of the cards; fewer than five are compared by multiplicities, then ranks."""
    ranks = [RANKS.index(deck.ranks[deck.rank(card)]) for card in cards]
    suits = [deck.suit(card) for card in cards]
    if len(cards) < 5:
        groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
        return tuple(count for count, _ in groups) + tuple(rank for _, rank in groups)
    return max(
        five_card_score([ranks[k] for k in five], [suits[k] for k in five])
        for five in combinations(range(len(cards)), 5)
    )


def equities(
    deck: Deck, weights: npt.NDArray[np.float64], board: Sequence[int], board_cards: int
) -> tuple[float, float, float, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(equity, win, tie, per hand of a, per hand of b) over every pair of hands and every board; weights [2, hands]."""
    hands = deck.hands(2).tolist()
    taken, met = np.zeros((2, len(hands))), np.zeros((2, len(hands)))
    won, tied, pairs = 0.0, 0.0, 0.0
    left = [card for card in range(deck.size) if card not in board]
    for coming in combinations(left, board_cards - len(board)):
        full = [*board, *coming]
        scores = [None if {*hand} & {*full} else score(deck, [*hand, *full]) for hand in hands]
        for i, mine in enumerate(scores):
            for j, theirs in enumerate(scores):
                weight = weights[0, i] * weights[1, j]
                if mine is None or theirs is None or not weight or {*hands[i]} & {*hands[j]}:
                    continue
                share = 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
                taken[0, i] += weights[1, j] * share
                taken[1, j] += weights[0, i] * (1 - share)
                met[0, i] += weights[1, j]
                met[1, j] += weights[0, i]
                won, tied, pairs = won + weight * (share == 1), tied + weight * (share == 0.5), pairs + weight
    with np.errstate(invalid="ignore"):
        a, b = taken / met
    return (won + tied / 2) / pairs, won / pairs, tied / pairs, a, b
