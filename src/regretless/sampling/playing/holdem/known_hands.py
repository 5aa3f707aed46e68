"""A hand with less luck, where one player's strategy is known (AIVAT; Burch, Schmid, Moravčík, Morrill & Bowling 2018).

The other player's actions depend on its own cards, the board and the betting alone. Given these, the hands of the known
player are distributed by its strategy. So what is won is replaced by its mean over all hands of the known player that
come here; and with a value V of what is known, the two kinds of luck are subtracted whose mean is known:

    cards      V(before the cards) − V(after the cards)
    actions    Σ over actions of the known player of probability · V(after the action) − V(after the action taken)

V is what the known player's range wins if the last bet is called and no more are made, over all boards to come. It is
exact, so that its mean over the next cards is V before them. With any V the sums have the mean 0: only the variance
depends on it.

Deviation from the paper: V is no value of a strategy. Where it would take long to compute (before a flop of an unusual
deck, say), the luck of these cards is left in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import FOLD
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.games import PublicGame
from regretless.sampling.playing.holdem.hand_equities import HandEquities

__all__ = ["KnownHand", "KnownRange"]

Floats = npt.NDArray[np.float64]


class KnownRange:
    """What is the same in all hands of a match: the game, the equities, and the mean of V at the beginning."""

    def __init__(self, game: PublicGame, betting_tree: BettingTree) -> None:
        self.game, self.tree, self.equities = game, betting_tree, HandEquities(game)
        self.weights = game.hand_weights()
        board = game.first_board
        self.mean = [0.0, 0.0]  # of V for a stake of one chip, in each seat of the known player
        for seat in range(2):
            if self.equities.known(board, self.weights[seat]):
                self.mean[seat] = self.equities.mean(self.weights[seat], self.weights[1 - seat])

    def stake(self, node: int) -> float:
        """What each player wins or loses if no more bets are made and the last one is called."""
        return float(self.tree.paid[node].max()) + float(self.game.betting.pot) / 2


@dataclass
class KnownHand:
    """One hand: the range of the known player as the betting goes on, against a hand of the other."""

    setting: KnownRange
    seat: int
    """Of the known player."""
    other: int
    """The number of the other player's hand."""
    board: tuple[int, ...]

    def __post_init__(self) -> None:
        setting = self.setting
        self.range = setting.weights[self.seat]  # [hands], also of those that the other player's cards rule out
        self.free = setting.equities.apart(self.other, self.board)
        self.luck = 0.0  # what is subtracted from the known player's winnings, in chips
        if setting.equities.known(self.board, self.range):
            self.luck = setting.stake(0) * (self.equity(self.range) - setting.mean[self.seat])

    def equity(self, weights: Floats) -> float:
        """V of a range [hands] for a stake of one chip."""
        net = self.setting.equities.net(self.other, self.board)
        return float(weights @ net) / float(weights[self.free].sum())

    def act(self, node: int, taken: int, probabilities: Floats) -> None:
        """An action of the known player; probabilities [actions, hands] of all its hands."""
        setting, tree = self.setting, self.setting.tree
        ranges, child = self.range * probabilities, int(tree.first_child[node])
        if setting.equities.known(self.board):
            mass = ranges[:, self.free].sum(axis=1)
            worth = np.zeros(len(ranges))
            for action in np.flatnonzero(mass).tolist():
                after = child + action
                folds = tree.kind[after] == FOLD
                called = setting.stake(after) * self.equity(ranges[action])
                worth[action] = tree.win[after, self.seat] if folds else called
            self.luck += float(worth[taken] - mass @ worth / mass.sum())
        self.range = ranges[taken]

    def deal(self, node: int, board: tuple[int, ...]) -> None:
        """Cards are dealt to the board at a node of the betting tree."""
        equities = self.setting.equities
        exact = equities.known(self.board, self.range) and equities.known(board)
        before = self.equity(self.range) if exact else 0.0
        self.board, self.free = board, equities.apart(self.other, board)
        if exact:
            self.luck += self.setting.stake(node) * (self.equity(self.range) - before)

    def won(self, node: int) -> Floats:
        """[2] what each player wins at the end of the hand, the mean over the range of the known player."""
        tree, seat = self.setting.tree, self.seat
        if tree.kind[node] == FOLD:
            return np.array(tree.win[node])
        net = self.setting.equities.net(self.other, self.board)
        total = float(self.range[self.free].sum())
        better, worse = (float(self.range[side].sum()) / total for side in (net > 0, net < 0))
        mine, other = (np.array([of[node, p] for of in (tree.win, tree.tie, tree.lose)]) for p in (seat, 1 - seat))
        shares = np.array([better, 1.0 - better - worse, worse])
        out = np.empty(2)
        out[seat], out[1 - seat] = shares @ mine, shares[::-1] @ other
        return out
