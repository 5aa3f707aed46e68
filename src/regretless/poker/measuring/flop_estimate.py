"""How long a measurement by flops will take, estimated before it starts.

A walk over a flop computes, for each player, one number for each hand (up to suits) at each node of the betting on each
board. That takes 1.2 ns of one thread of a 2.8 GHz server processor: 0.9 ns where the numbers of a board fit into the
caches, as with decks of 27 to 32 cards, and 1.4 ns on limit hold'em. Boards and hands are counted as if no flop were
kept by a permutation of suits: 2.34 · 10⁹ hands on rivers of hold'em instead of 2.43 · 10⁹.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

import numpy as np

from regretless.poker.measuring.flops import FlopGame

__all__ = ["estimated_seconds"]

SECONDS_OF_A_NUMBER = 1.2e-9


def estimated_seconds(game: FlopGame, numbers: Iterable[int]) -> float | None:
    """Seconds that flops take on the CPU; None for networks and on a GPU."""
    if game.device != "cpu" or not game.by_tables:
        return None
    share = {number: 1.0 / flop.symmetries for number, flop in enumerate(game.flops)}
    part = sum(share[number] for number in numbers) / sum(share.values())
    return numbers_of_a_walk(game) * SECONDS_OF_A_NUMBER * part / game.threads


def numbers_of_a_walk(game: FlopGame) -> float:
    """Numbers that walks over all flops compute for both players."""
    whole, total = game.game, 0.0
    left, boards = whole.deck.size - len(whole.first_board), 1.0
    nodes = np.bincount(game.betting_tree.street, minlength=len(whole.board_cards)).tolist()
    for cards, count in zip(whole.board_cards, nodes, strict=True):
        boards *= comb(left, cards)
        left -= cards
        total += count * boards * comb(left, whole.hand_size)
    return 2 * game.kinds * total / len(game.kept)
