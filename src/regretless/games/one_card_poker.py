"""Poker with one card each and one bet: the rules that Kuhn poker and one-card poker share."""

# The methods of a game are documented in Game.

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

from regretless.compiled import compiled
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games.parameters import need_whole
from regretless.games.ranks import rank_names

__all__ = ["OneBetPoker", "OneCardPoker"]

PASS, BET, DEAL = 0, 1, 2
"""Actions; dealing card c, counted from the lowest, is action DEAL + c."""


class OneBetPoker(Game):
    """Ante 1, one card each, then in turn pass or bet 1; after a bet the others call (bet) or fold (pass).

    A label is the mover's card and what has been done: "K", "Qp", "Jpb". A state is the integers (mover,
    turn, end, bets, cards): turn counts actions, from minus the number of cards still to deal; the hand is
    over at turn `end`; bets has a leading 1 and then a bit for each action; cards has a run of bits for each
    player.
    """

    @property
    @abstractmethod
    def cards(self) -> int:
        """How many cards are in the deck, all of different rank."""

    @cached_property
    def _bits(self) -> int:
        return self.cards.bit_length()

    @cached_property
    def _ranks(self) -> tuple[str, ...]:
        return rank_names(self.cards)

    def _card(self, cards: int, player: int) -> int:
        return (cards >> self._bits * player) & ((1 << self._bits) - 1)

    def _dealt(self, card: int, cards: int, holders: int) -> bool:
        for player in range(holders):  # noqa: SIM110 - compiled, a loop allocates nothing
            if self._card(cards, player) == card:
                return True
        return False

    def root(self) -> tuple[int, ...]:
        return (CHANCE, -self.players, self.players, 1, 0)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, turn, _, _, cards = state
        if mover != CHANCE:
            return (PASS, BET)
        return tuple([DEAL + card for card in range(self.cards) if not self._dealt(card, cards, self.players + turn)])

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, turn, end, bets, cards = state
        if mover == CHANCE:
            cards |= (action - DEAL) << self._bits * (self.players + turn)
            return (CHANCE if turn < -1 else 0, turn + 1, end, bets, cards)
        if action == BET and bets == 1 << turn:
            end = turn + self.players  # the first bet: every other player answers once
        turn += 1
        return (turn % self.players if turn < end else TERMINAL, turn, end, bets << 1 | action, cards)

    def infoset(self, state: tuple[int, ...]) -> int:
        mover, _, _, bets, cards = state
        return bets << self._bits | self._card(cards, mover)

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, ...]:
        _, _, end, bets, cards = state
        players, bits = self.players, self._bits
        answers = bets & (1 << players) - 1  # of the players from the first bettor on; 0 without a bet
        best, winner, last = -1, 0, end - 1
        for player in range(players):
            card = cards >> bits * player & (1 << bits) - 1
            if card > best and (answers == 0 or answers >> (last - player) % players & 1):
                best, winner = card, player
        pot = players + answers.bit_count()
        return tuple(
            [pot * (player == winner) - 1.0 - (answers >> (last - player) % players & 1) for player in range(players)]
        )

    def infoset_label(self, infoset: int) -> str:
        history = bin(infoset >> self._bits)[3:].replace("0", "p").replace("1", "b")
        return self._ranks[self._card(infoset, 0)] + history

    def action_label(self, action: int) -> str:
        return ("pass", "bet")[action] if action < DEAL else self._ranks[action - DEAL]


@compiled
@dataclass(frozen=True)
class OneCardPoker(OneBetPoker):
    """One-card poker: Kuhn's betting for two players and a deck of any size.

    Labels as in Kuhn: "A", "Tp", "2pb"; cards are numbers in decks of more than 13. A deck of 3 is Kuhn
    poker.
    """

    deck: int = 13

    def __post_init__(self) -> None:
        need_whole("One-card poker", "cards in the deck", self.deck, least=2, most=100_000, name="deck")

    @property
    def cards(self) -> int:
        return self.deck
