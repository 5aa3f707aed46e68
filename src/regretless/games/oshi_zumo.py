"""Oshi-Zumo: Buro, "Solving the Oshi-Zumo game" (2003); rules and payoffs as in OpenSpiel."""

# The methods of a game are documented in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from regretless.compiled import compiled
from regretless.errors import OptionError
from regretless.game import TERMINAL, Game
from regretless.games.parameters import need_whole

__all__ = ["OshiZumo"]


@compiled
@dataclass(frozen=True)
class OshiZumo(Game):
    """Oshi-Zumo: both pay a secret bid each round, and the higher one pushes the wrestler towards the edge.

    The ring has `size` places on either side of the middle. The wrestler off the ring, or nearer the
    opponent's end when both have spent their coins or `horizon` rounds are over, wins 1. A player with fewer
    than `min_bid` coins bids them all. With min_bid=0 players can wait for ever: give a short horizon.

    Labels: the player, then the bids of each round, player 0's first: "P0", "P1 3-2 1-1".
    """

    coins: int = 8
    size: int = 2
    min_bid: int = 1
    horizon: int = 1000

    def __post_init__(self) -> None:
        need_whole("Oshi-Zumo", "coins", self.coins, least=1, most=1_000)
        need_whole("Oshi-Zumo", "places on each side", self.size, least=0, most=1_000_000, name="size")
        need_whole("Oshi-Zumo", "coins as the lowest bid", self.min_bid, least=0, name="min_bid")
        need_whole("Oshi-Zumo", "rounds", self.horizon, least=1, most=1_000_000, name="horizon")
        if self.min_bid > self.coins:
            raise OptionError(
                f"Oshi-Zumo needs a min_bid of at most the {self.coins} coins, got min_bid={self.min_bid}"
            )

    # A state is the integers (mover, coins0, coins1, place, bid, rounds, line0, line1): place counts from the
    # middle, above 0 towards player 1's end; bid is player 0's, which player 1 does not see; the lines hold each
    # player's bids of all rounds as digits after a leading 1.

    @cached_property
    def _bids(self) -> tuple[tuple[int, ...], ...]:
        """The bids that each number of coins allows."""
        return tuple(tuple(range(min(self.min_bid, held), held + 1)) for held in range(self.coins + 1))

    def root(self) -> tuple[int, ...]:
        return (0, self.coins, self.coins, 0, 0, 0, 1, 1)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return self._bids[state[1 + state[0]]]

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, coins0, coins1, place, bid, rounds, line0, line1 = state
        if mover == 0:
            return (1, coins0, coins1, place, action, rounds, line0, line1)
        coins0 -= bid
        coins1 -= action
        place += (bid > action) - (bid < action)
        rounds += 1
        radix = self.coins + 1
        over = -self.size > place or place > self.size or coins0 + coins1 == 0 or rounds >= self.horizon
        return (TERMINAL if over else 0, coins0, coins1, place, 0, rounds, line0 * radix + bid, line1 * radix + action)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int]:
        return (state[6], 2 * state[7] + state[0])

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        place = state[3]
        return (1.0, -1.0) if place > 0 else (-1.0, 1.0) if place < 0 else (0.0, 0.0)

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        line0, (line1, mover) = infoset[0], divmod(infoset[1], 2)
        rounds = []
        while line0 > 1:
            line0, bid0 = divmod(line0, self.coins + 1)
            line1, bid1 = divmod(line1, self.coins + 1)
            rounds.append(f"{bid0}-{bid1}")
        return " ".join([f"P{mover}", *reversed(rounds)])

    def action_label(self, action: int) -> str:
        return str(action)
