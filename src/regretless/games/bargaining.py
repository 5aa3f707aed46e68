"""Bargaining: Lewis, Yarats, Dauphin, Parikh & Batra, "Deal or no deal?" (2017); rules as in OpenSpiel."""

# What the methods of a game mean is said once, in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import mul

from regretless.compiled import compiled
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games.parameters import need_number, need_whole

__all__ = ["Bargaining"]


@compiled
@dataclass(frozen=True)
class Bargaining(Game):
    """Bargaining: two players share a pool of items of several kinds, of which each knows only its own values.

    `pool` says how many items there are of each kind. Chance draws what a kind is worth to each player, all
    pairs alike for which the whole pool is worth `total` to both, every kind is worth something to a player, and some
    kind to both. In turn a player says what it would keep, or agrees to the last offer and takes the rest. Without an
    agreement after `turns` offers both get nothing. From the third move on, each multiplies what is won by
    `discount`; from the second offer on, the talks end with probability `end` after each.

    Labels: the player, its values, then all offers: "P0 1,2,0", "P1 0,2,2 keep 1,1,0".
    """

    pool: tuple[int, ...] = (2, 1, 1)
    total: int = 4
    turns: int = 3
    discount: float = 1.0
    end: float = 0.0

    def __post_init__(self) -> None:
        pool = tuple(self.pool) if isinstance(self.pool, tuple | list) else (self.pool,)
        for count in pool:
            need_whole("Bargaining", "items of each kind", count, least=1, name="pool")
        object.__setattr__(self, "pool", pool)
        need_whole("Bargaining", "chips as the worth of all items", self.total, least=1, name="total")
        need_whole("Bargaining", "turns", self.turns, least=1)
        for name in ("discount", "end"):
            need_number("Bargaining", name, getattr(self, name), least=0.0, most=1.0)
        if (self._offers + 1) ** self.turns >= 2**61:
            raise OptionError(
                f"Bargaining keeps all offers in a 64-bit number, too small for turns={self.turns} with "
                f"{self._offers} different offers"
            )
        if not self._deals:
            raise OptionError(
                f"Bargaining over pool={pool} has no pair of values by which all items are worth "
                f"total={self.total} to both"
            )

    # A state is the integers (mover, deal, moves, last, said, next): which pair of values was drawn, or −1; moves of
    # players; the last offer (−1 − offer while chance decides whether the talks go on, −1 where there is none), and all
    # offers as digits of a number that begins with 1; who moves after chance, or who agreed. An offer is what its maker
    # keeps, the first kind counting fastest. Actions are the offers, to agree, to draw each deal, to go on, to end.

    @cached_property
    def _offers(self) -> int:
        count = 1
        for items in self.pool:
            count *= items + 1
        return count

    @cached_property
    def _values(self) -> tuple[tuple[int, ...], ...]:
        """What a kind of items may be worth to a player."""
        kinds = [range(self.total // items + 1) for items in self.pool]
        return tuple(values for values in product(*kinds) if sum(map(mul, values, self.pool)) == self.total)

    @cached_property
    def _deals(self) -> tuple[tuple[int, int], ...]:
        """Pairs of values, by number, that chance may draw."""
        return tuple(
            (i, j)
            for i, one in enumerate(self._values)
            for j, other in enumerate(self._values)
            if all(a or b for a, b in zip(one, other, strict=True))
            and any(a and b for a, b in zip(one, other, strict=True))
        )

    @cached_property
    def _values_of(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """[2, deals] which values each player has."""
        return tuple(i for i, _ in self._deals), tuple(j for _, j in self._deals)

    @cached_property
    def _worth(self) -> tuple[tuple[int, ...], ...]:
        """[values, offers] what keeping an offer is worth."""
        kept = [tuple(reversed(offer)) for offer in product(*(range(items + 1) for items in reversed(self.pool)))]
        return tuple(tuple(sum(map(mul, own, offer)) for offer in kept) for own in self._values)

    @cached_property
    def _count(self) -> int:
        return len(self._deals)

    def root(self) -> tuple[int, ...]:
        return (CHANCE, -1, 0, -1, 1, 0)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def public(self, state: tuple[int, ...]) -> bool:
        return state[0] == CHANCE and state[1] >= 0

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, deal, last = state[0], state[1], state[3]
        first = 0 if mover != CHANCE else self._offers + 1 if deal < 0 else self._offers + 1 + self._count
        count = self._offers + (last >= 0) if mover != CHANCE else self._count if deal < 0 else 2
        return tuple([first + choice for choice in range(count)])

    def chance(self, state: tuple[int, ...]) -> list[float]:
        if state[1] >= 0:
            return [1.0 - self.end, 1.0 * self.end]
        return [1.0 / self._count for _ in range(self._count)]

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, deal, moves, last, said, following = state
        offers = self._offers
        if mover == CHANCE:
            if deal < 0:
                return (0, action - offers - 1, 0, -1, 1, 0)
            if action == offers + 1 + self._count:
                return (following, deal, moves, -1 - last, said, 0)
            return (TERMINAL, deal, moves, -1, said, 0)
        if action == offers:
            return (TERMINAL, deal, moves + 1, last, said, mover)
        said, moves = said * (offers + 1) + action, moves + 1
        if moves == self.turns:
            return (TERMINAL, deal, moves, -1, said, 0)
        if self.end > 0 and moves >= 2:
            return (CHANCE, deal, moves, -1 - action, said, 1 - mover)
        return (1 - mover, deal, moves, action, said, 0)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int]:
        mover, deal, _, _, said, _ = state
        return (self._values_of[mover][deal], said)

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        _, deal, moves, last, _, agreed = state
        if last < 0:
            return (0.0, 0.0)
        proposer = 1 - agreed
        share = 1.0
        for _ in range(moves - 2):
            share *= self.discount
        kept = share * self._worth[self._values_of[proposer][deal]][last]
        rest = share * (self.total - self._worth[self._values_of[agreed][deal]][last])
        return (kept, rest) if proposer == 0 else (rest, kept)

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        values, said = infoset
        offers = []
        while said > 1:
            said, offer = divmod(said, self._offers + 1)
            offers.append(self.action_label(offer))
        own = ",".join(map(str, self._values[values]))
        return " ".join([f"P{len(offers) % 2}", own, *reversed(offers)])

    def action_label(self, action: int) -> str:
        if action < self._offers:
            kept = []
            for items in self.pool:
                action, count = divmod(action, items + 1)
                kept.append(str(count))
            return f"keep {','.join(kept)}"
        if action == self._offers:
            return "agree"
        deal = action - self._offers - 1
        if deal >= self._count:
            return ("go on", "end")[deal - self._count]
        return " / ".join(",".join(map(str, self._values[i])) for i in self._deals[deal])
