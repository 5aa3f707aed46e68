"""Hands of hold'em that are played one by one, between functions and strategies of any kind.

A hand is a deal to both players and the whole board. Its cards depend on the seed and its number alone; with duplicate
deals they are the same in both seatings, and so are the draws for the players' actions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.poker.cards.evaluator import strengths
from regretless.poker.games import PublicGame
from regretless.poker.results.hand_state import HandState
from regretless.sampling.playing.bots import pick
from regretless.sampling.playing.holdem.hand_players import HandPlayer, StrategyPlayer, player_of
from regretless.sampling.playing.holdem.known_hands import KnownHand, KnownRange
from regretless.sampling.playing.match_play import Play

__all__ = ["CONTROLS", "holdem_play"]

Array = npt.NDArray[Any]

CONTROLS = ("value",)
CARDS, CHOICES = range(2)
"""The random streams of a hand."""


class Deal(NamedTuple):
    """The cards of a hand."""

    number: int
    hands: tuple[int, int]  # numbers of the hands of player 0 and player 1
    cards: tuple[tuple[int, ...], tuple[int, ...]]
    board: tuple[int, ...]  # complete


def holdem_play(game: PublicGame, a: Any, b: Any, control: Any, seed: int, duplicate: bool) -> Play:
    """Hands between two players, with a in both seats of every deal."""
    table = _Table(game, (player_of("a", a), player_of("b", b)), control)

    def play(first: int, last: int) -> tuple[Array, Array]:
        won, better = np.empty((last - first, 2)), np.empty((last - first, 2))
        for number in range(first, last):
            for seat in range(2):
                words = [seed, number, *(() if duplicate else (1 + seat,))]
                deal = table.deal(number, np.random.default_rng([*words, CARDS]))
                at = number - first, seat
                won[at], better[at] = table.hand(deal, seat, np.random.default_rng([*words, CHOICES]))
        return won, better - won

    return play


class _Table:
    """Two players, the first of whom is a, and a dealer."""

    def __init__(self, game: PublicGame, players: tuple[HandPlayer, HandPlayer], control: Any) -> None:
        self.game, self.tree, self.players = game, game.betting_tree(), players
        self.deals = game.deck.hands(game.hand_size)
        self.up_to = [np.cumsum(weights / weights.sum()) for weights in game.hand_weights()]
        self.left = np.setdiff1d(np.arange(game.deck.size), game.first_board)
        self.known: int | None = None
        """Which of the players is known for all its hands, where luck is taken out."""
        self.known_range: KnownRange | None = None
        if control is not None:
            self.known = _known(players, control)
            self.known_range = KnownRange(game, self.tree)

    def deal(self, number: int, random: np.random.Generator) -> Deal:
        """Two hands without a common card, by their weights, and a board."""
        while True:  # pairs that share a card are dealt again
            drawn = [int(np.searchsorted(up_to, random.random() * up_to[-1], side="right")) for up_to in self.up_to]
            mine, theirs = (tuple(self.deals[at].tolist()) for at in drawn)
            if not set(mine) & set(theirs):
                break
        left = np.setdiff1d(self.left, [*mine, *theirs])
        coming = random.permutation(left)[: sum(self.game.board_cards)].tolist()
        return Deal(number, (drawn[0], drawn[1]), (mine, theirs), (*self.game.first_board, *coming))

    def hand(self, deal: Deal, seat: int, random: np.random.Generator) -> tuple[float, float]:
        """What a wins in a seat, as it is and with less luck."""
        tree, game, node, board = self.tree, self.game, 0, self.game.first_board
        known = self._known_hand(deal, seat)
        while tree.kind[node] <= DEAL:
            child, step = int(tree.first_child[node]), 0
            if tree.kind[node] == DEAL:
                size = game.board_cards[int(tree.street[node])]
                board = deal.board[: len(board) + size]
                if known is not None:
                    known.deal(node, board)
            else:
                step = self._step(deal, seat, node, board, known, random)
            node = child + step
        won = self._won(node, deal, seat)
        if known is None:
            return won, won
        luck = known.luck if known.seat == seat else -known.luck
        return won, float(known.won(node)[seat]) - luck

    def _step(
        self, deal: Deal, seat: int, node: int, board: tuple[int, ...], known: KnownHand | None, random: Any
    ) -> int:
        """The action that the player to act takes."""
        mover = int(self.tree.kind[node])
        who = int(mover != seat)
        player = self.players[who]
        if known is not None and mover == known.seat and isinstance(player, StrategyPlayer):
            rows = player.rows(node, int(self.tree.street[node]), board)
            step = pick(rows[:, deal.hands[mover]].tolist(), random.random())
            known.act(node, step, rows)
            return step
        state = HandState(self.game, self.tree, mover, node, deal.cards[mover], board, deal.number)
        return pick(player.probabilities(state), random.random())

    def _known_hand(self, deal: Deal, seat: int) -> KnownHand | None:
        if self.known is None or self.known_range is None:
            return None
        known = seat if self.known == 0 else 1 - seat
        return KnownHand(self.known_range, known, deal.hands[1 - known], self.game.first_board)

    def _won(self, node: int, deal: Deal, seat: int) -> float:
        tree, better = self.tree, 0
        if tree.kind[node] == SHOWDOWN:
            mine, theirs = strengths(self.game.deck, deal.board, np.array(deal.cards)).tolist()
            better = (mine > theirs) - (mine < theirs)
        by_outcome = {1: tree.win, 0: tree.tie, -1: tree.lose}
        return float(by_outcome[better if seat == 0 else -better][node, seat])


def _known(players: tuple[HandPlayer, HandPlayer], control: Any) -> int:
    """The player whose strategy is known, a if both are; OptionError where neither is."""
    if not isinstance(control, str) or control not in CONTROLS:
        raise OptionError(
            f"control of played hands of hold'em is 'value', which takes the luck of the cards and of the known "
            f"strategy's own actions out, got {control!r}"
        )
    for which, player in enumerate(players):
        if isinstance(player, StrategyPlayer):
            return which
    raise OptionError("control needs to know one of the two strategies for all its hands; leave it out here")
