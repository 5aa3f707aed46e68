"""Leduc hold'em: Southey et al., "Bayes' Bluff" (UAI 2005); for more than two players as in OpenSpiel."""

# What the methods of a game mean is said once, in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games.parameters import need_whole
from regretless.games.ranks import card_names

__all__ = ["Leduc"]

FOLD, CALL, RAISE, DEAL = 0, 1, 2, 3
"""Actions; dealing card c = rank · suits + suit is action DEAL + c. In a betting line DEAL is the board."""

OPTIONS = ((CALL,), (FOLD, CALL), (CALL, RAISE), (FOLD, CALL, RAISE))
"""What the mover may do: to call a raise adds FOLD, a raise left to make adds RAISE."""

PAID_BITS = 16


@dataclass(frozen=True)
class Leduc(Game):
    """Leduc hold'em: one private card, one public card, two rounds of betting with raises of 2 and then 4.

    Ante 1; a check is a call of nothing; at most `raises` raises a round; a pair with the board wins, else
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
        need_whole("Leduc", "ranks", self.ranks, least=2)
        need_whole("Leduc", "suits", self.suits, least=1, most=26)
        need_whole("Leduc", "raises", self.raises, least=1)
        if self._deck < self.players + 1:
            raise OptionError(
                f"Leduc for {self.players} players needs at least {self.players + 1} cards, got "
                f"ranks={self.ranks} and suits={self.suits}"
            )

    @cached_property
    def _deck(self) -> int:
        return (self.ranks or 0) * self.suits

    @cached_property
    def _bits(self) -> int:
        return self._deck.bit_length()

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return card_names(self._deck // self.suits, self.suits)

    def _card(self, cards: int, player: int) -> int:
        return (cards >> self._bits * player) & ((1 << self._bits) - 1)

    # A state is the integers (mover, cards, board, line, stakes, paid, live, raised, waiting): cards and paid
    # hold a run of bits for each player; board is 0 before it is dealt and then the card plus 1; line is a
    # leading 1 and two bits for each action; stakes is what a player must have paid to stay; live is a bit
    # mask of those who have not folded; raised counts this round's raises; waiting counts the players yet to
    # act before the round closes, or, below 0, the private cards yet to be dealt.

    def root(self) -> tuple[int, ...]:
        players = self.players
        antes = sum(1 << PAID_BITS * player for player in range(players))
        return (CHANCE, 0, 0, 1, 1, antes, (1 << players) - 1, 0, -players)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, cards, _, _, stakes, paid, _, raised, waiting = state
        if mover == CHANCE:
            dealt = {self._card(cards, player) for player in range(self.players + min(waiting, 0))}
            return tuple(DEAL + card for card in range(self._deck) if card not in dealt)
        behind = (paid >> PAID_BITS * mover) & 0xFFFF < stakes
        return OPTIONS[2 * (raised < self.raises) + behind]

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, cards, board, line, stakes, paid, live, raised, waiting = state
        players = self.players
        if mover == CHANCE:
            if waiting == 0:
                first = (live & -live).bit_length() - 1
                board = action - DEAL + 1
                return (first, cards, board, line << 2 | DEAL, stakes, paid, live, 0, live.bit_count())
            cards |= (action - DEAL) << self._bits * (players + waiting)
            if waiting == -1:
                return (0, cards, 0, line, stakes, paid, live, 0, players)
            return (CHANCE, cards, 0, line, stakes, paid, live, 0, waiting + 1)
        line = line << 2 | action
        waiting -= 1
        if action == FOLD:
            live ^= 1 << mover
            if live & (live - 1) == 0:
                return (TERMINAL, cards, board, line, stakes, paid, live, raised, 0)
        else:
            if action == RAISE:
                stakes += 4 if board else 2
                raised += 1
                waiting = live.bit_count() - 1
            shift = PAID_BITS * mover
            paid += (stakes - (paid >> shift & 0xFFFF)) << shift
        if waiting == 0:
            return (TERMINAL if board else CHANCE, cards, board, line, stakes, paid, live, raised, 0)
        mover = (mover + 1) % players
        while not live >> mover & 1:
            mover = (mover + 1) % players
        return (mover, cards, board, line, stakes, paid, live, raised, waiting)

    def infoset(self, state: tuple[int, ...]) -> int:
        bits = self._bits
        return (state[3] << bits | state[2]) << bits | (state[1] >> bits * state[0] & (1 << bits) - 1)

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, ...]:
        _, cards, board, _, _, paid, live, _, _ = state
        bits, suits, paired = self._bits, self.suits, (board - 1) // self.suits
        best, winners, pot, spent = -1, 0, 0, []
        for player in range(self.players):
            spent.append(paid >> PAID_BITS * player & 0xFFFF)
            pot += spent[player]
            if live >> player & 1:
                rank = (cards >> bits * player & (1 << bits) - 1) // suits
                strength = self._deck if rank == paired else rank  # against one board only the own card counts
                if strength > best:
                    best, winners = strength, 0
                if strength == best:
                    winners |= 1 << player
        share = pot / winners.bit_count()
        return tuple([share * (winners >> player & 1) - cost for player, cost in enumerate(spent)])

    def infoset_label(self, infoset: int) -> str:
        bits = self._bits
        board = self._card(infoset, 1)
        words = [self._names[self._card(infoset, 0)], ""]
        line = infoset >> 2 * bits
        for place in range(line.bit_length() - 3, -1, -2):
            action = line >> place & 3
            if action == DEAL:
                words += [self._names[board - 1], ""]
            else:
                words[-1] += "fcr"[action]
        return " ".join(word for word in words if word)

    def action_label(self, action: int) -> str:
        return ("fold", "call", "raise")[action] if action < DEAL else self._names[action - DEAL]
