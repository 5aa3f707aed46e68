"""What hands win on a flop if no more bets are made, and its known mean over all flops: a control variate.

A sample of flops is luck: it may suit one player. What hands win if they are checked down from the flop on is known on
each flop and, from the table of all-ins, over all flops. Measured values move with it, so most of the luck can be
subtracted.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.poker.cards.deck import STANDARD
from regretless.poker.measuring.flops import Flop, FlopGame
from regretless.poker.measuring.runouts import EnumeratedRunouts, HandCards
from regretless.poker.preflop.all_in_table import all_in_table, class_of_hands

__all__ = ["CheckedDown", "checked_down"]

Array = npt.NDArray[Any]

LEAST_SAMPLE = 6
"""Flops below which a sample says too little about how values move with the luck of the flops."""

MOST_FLOPS = 100
"""Flops up to which the mean over all of them is summed one by one where no table has it."""

MOST_RUNOUTS = 2_000
"""Boards to come from a flop that are walked through, at most."""


def checked_down(game: FlopGame, sample: int) -> CheckedDown | None:
    """The control variate for a sample of flops; None if the sample is small or its mean would take long to compute."""
    whole, runouts = game.game, comb(game.game.deck.size - len(game.flops[0].cards), sum(game.game.board_cards[1:]))
    if sample < LEAST_SAMPLE or whole.hand_size != 2 or runouts > MOST_RUNOUTS:
        return None
    if is_holdem(game) or len(game.flops) <= MOST_FLOPS:
        return CheckedDown(game)
    return None


def is_holdem(game: FlopGame) -> bool:
    """Whether flops are those of hold'em from the first card on, and hands that differ by suits only are alike."""
    whole = game.game
    return (
        whole.deck == STANDARD
        and not whole.first_board
        and sum(whole.board_cards) == 5
        and len(game.kept) == len(game.symmetry.cards)
    )


class CheckedDown:
    """Counterfactual values of hands that are checked down from the flop on, for a stake of one chip a player."""

    def __init__(self, game: FlopGame) -> None:
        self.game, self.hands = game, HandCards(game.game.deck, game.game.hand_size)
        self.entries = [game.trunk.entries(1 - player).astype(np.float64) for player in range(2)]
        self.to_come = sum(game.game.board_cards[1:])

    def on(self, flop: Flop) -> Array:
        """[2, lines, classes] of each player on a flop; a hand that holds a card of it has the value 0."""
        deck = self.game.game.deck
        left = [card for card in range(deck.size) if card not in flop.cards]
        boards = [(*flop.cards, *more) for more in combinations(left, self.to_come)]
        net = EnumeratedRunouts(self.hands, boards, exact=True).net(np.concatenate(self.entries))
        return self._by_class(net / comb(len(left) - 2 * self.hands.cards.shape[1], self.to_come))

    @cached_property
    def every(self) -> Array:
        """[2, lines, classes] the sum over all deals of the flop."""
        if not is_holdem(self.game):
            return np.asarray(sum(flop.deals * self.on(flop) for flop in self.game.flops))
        table, classes = all_in_table(), class_of_hands()
        size = np.bincount(classes)
        net = (table.wins - table.wins.T) / (size[:, None] * size)  # boards won and not lost by a pair of hands
        ranges = np.stack([np.bincount(classes, weights) for weights in np.concatenate(self.entries)])
        first = self.game.game.board_cards[0]
        cut = comb(5, first) / comb(STANDARD.size - 4 - first, self.to_come)  # flops of a board ÷ boards of a flop
        return self._by_class((ranges @ net.T)[:, classes] * cut)

    def _by_class(self, net: Array) -> Array:
        """[2, lines, classes] means over the hands of a class, of values [2 · lines, hands]."""
        return self.game.class_means(net).reshape(2, self.game.lines, -1)
