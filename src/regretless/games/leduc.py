"""Leduc hold'em: Southey et al., "Bayes' Bluff" (UAI 2005); for more than two players as in OpenSpiel."""

# The methods of a game are documented in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from regretless.compiled import compiled
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games.parameters import need_whole
from regretless.games.ranks import card_names

__all__ = ["Leduc"]

FOLD, CALL, RAISE, DEAL = 0, 1, 2, 3
"""Actions; dealing card c = rank · suits + suit is action DEAL + c."""

OPTIONS = ((CALL,), (FOLD, CALL), (CALL, RAISE), (FOLD, CALL, RAISE))
"""What the mover may do: to call a raise adds FOLD, a raise left to make adds RAISE."""


@compiled
@dataclass(frozen=True)
class Leduc(Game):
    """Leduc hold'em: one private card, one public card, two rounds of betting with raises of 2 and then 4.

    Ante 1; a check is a call of 0; at most `raises` raises a round; a pair with the board wins, else
    the higher rank, and equal hands split the pot. Labels: own card, betting, board, betting: "Qs", "Qs r",
    "Qs rc Jh cr".
    """

    players: int = 2
    ranks: int | None = None
    suits: int = 2
    raises: int = 2

    def __post_init__(self) -> None:
        need_whole("Leduc", "players", self.players, least=2, most=10)
        if self.ranks is None:
            object.__setattr__(self, "ranks", self.players + 1)
        need_whole("Leduc", "ranks", self.ranks, least=2, most=10_000)
        need_whole("Leduc", "suits", self.suits, least=1, most=26)
        need_whole("Leduc", "raises", self.raises, least=1, most=1_000)
        if self._deck < self.players + 1:
            raise OptionError(
                f"Leduc for {self.players} players needs at least {self.players + 1} cards, got "
                f"ranks={self.ranks} and suits={self.suits}"
            )

    @cached_property
    def _deck(self) -> int:
        return (self.ranks or 0) * self.suits

    @cached_property
    def _card_bits(self) -> int:
        return self._deck.bit_length()

    @cached_property
    def _card_mask(self) -> int:
        return (1 << self._card_bits) - 1

    @cached_property
    def _paid_bits(self) -> int:
        return (1 + (2 + 4) * self.raises).bit_length()

    @cached_property
    def _paid_mask(self) -> int:
        return (1 << self._paid_bits) - 1

    @cached_property
    def _antes(self) -> int:
        return sum(1 << self._paid_bits * player for player in range(self.players))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return card_names(self._deck // self.suits, self.suits)

    def _card(self, cards: int, player: int) -> int:
        return cards >> self._card_bits * player & self._card_mask

    def _dealt(self, card: int, cards: int, holders: int) -> bool:
        for player in range(holders):  # noqa: SIM110 - compiled, a loop allocates nothing
            if self._card(cards, player) == card:
                return True
        return False

    # A state is the integers (mover, cards, opening, line, stakes, paid, pot, live, raised, waiting): cards and
    # paid hold a run of bits for each player; line is this round's betting, a leading 1 and two bits for each
    # action; opening is 0 in the first round and then that round's line with the board behind it; stakes is what
    # a player must have paid to stay; live is a bit mask of those who have not folded; raised counts this round's
    # raises; waiting counts the players yet to act before the round closes, or, below 0, the private cards yet
    # to be dealt. An infoset is the pair (opening, line with the own card behind it).

    def root(self) -> tuple[int, ...]:
        return (CHANCE, 0, 0, 1, 1, self._antes, self.players, (1 << self.players) - 1, 0, -self.players)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def public(self, state: tuple[int, ...]) -> bool:
        return state[0] == CHANCE and state[9] == 0

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, cards, _, _, _, _, _, _, raised, waiting = state
        if mover == CHANCE:
            holders = self.players + min(waiting, 0)
            return tuple([DEAL + card for card in range(self._deck) if not self._dealt(card, cards, holders)])
        return OPTIONS[2 * (raised < self.raises) + (raised > 0)]  # who is asked after a raise has yet to call it

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, cards, opening, line, stakes, paid, pot, live, raised, waiting = state
        players = self.players
        if mover == CHANCE:
            if waiting == 0:
                first = (live & -live).bit_length() - 1
                opening = line << self._card_bits | (action - DEAL)
                return (first, cards, opening, 1, stakes, paid, pot, live, 0, live.bit_count())
            cards |= (action - DEAL) << self._card_bits * (players + waiting)
            if waiting == -1:
                return (0, cards, 0, 1, stakes, paid, pot, live, 0, players)
            return (CHANCE, cards, 0, 1, stakes, paid, pot, live, 0, waiting + 1)
        line = line << 2 | action
        waiting -= 1
        if action == FOLD:
            live ^= 1 << mover
            if live & (live - 1) == 0:
                return (TERMINAL, cards, opening, line, stakes, paid, pot, live, raised, 0)
        else:
            if action == RAISE:
                stakes += 4 if opening else 2
                raised += 1
                waiting = live.bit_count() - 1
            shift = self._paid_bits * mover
            cost = stakes - (paid >> shift & self._paid_mask)
            paid += cost << shift
            pot += cost
        if waiting == 0:
            return (TERMINAL if opening else CHANCE, cards, opening, line, stakes, paid, pot, live, raised, 0)
        mover = (mover + 1) % players
        while not live >> mover & 1:
            mover = (mover + 1) % players
        return (mover, cards, opening, line, stakes, paid, pot, live, raised, waiting)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int]:
        bits = self._card_bits
        return (state[2], state[3] << bits | state[1] >> bits * state[0] & self._card_mask)

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, ...]:
        _, cards, opening, _, _, paid, pot, live, _, _ = state
        players, suits, bits, mask = self.players, self.suits, self._card_bits, self._card_mask
        best, winners, board = -1, 0, (opening & mask) // suits
        for player in range(players):
            if live >> player & 1:
                rank = (cards >> bits * player & mask) // suits
                strength = self._deck if rank == board else rank  # against one board only the own card counts
                if strength > best:
                    best, winners = strength, 0
                if strength == best:
                    winners |= 1 << player
        share, cost_bits, cost_mask = pot / winners.bit_count(), self._paid_bits, self._paid_mask
        return tuple(
            [share * (winners >> player & 1) - (paid >> cost_bits * player & cost_mask) for player in range(players)]
        )

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        bits = self._card_bits
        opening, closing = infoset
        words = [self._names[self._card(closing, 0)]]
        if opening:
            words += [_written(opening >> bits), self._names[self._card(opening, 0)]]
        return " ".join([*words, _written(closing >> bits)]).rstrip()

    def action_label(self, action: int) -> str:
        return ("fold", "call", "raise")[action] if action < DEAL else self._names[action - DEAL]


def _written(line: int) -> str:
    return "".join("fcr"[line >> place & 3] for place in range(line.bit_length() - 3, -1, -2))
