"""Fixed-limit betting: one bet size for each street, and a cap on the number of bets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from regretless.errors import OptionError
from regretless.games.not_offered import says_what_is_not_offered
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.checks import (
    need_amount,
    need_caps,
    need_forced_bets,
    need_streets,
    per_street,
    who_opens,
)
from regretless.poker.betting.situations import Situation
from regretless.poker.betting.tree_building import MOST_NODES, build_betting_tree
from regretless.poker.quoting import quoted

__all__ = ["FLOP_HOLDEM", "KUHN", "LEDUC", "LIMIT_HOLDEM", "Limit"]

MOST_BETS = 255
"""The largest cap of a game without stacks: the value for "no cap" in the ACPC."""


@says_what_is_not_offered
@dataclass(frozen=True, kw_only=True)
class Limit:
    """A fixed-limit game for two players; the defaults are flop hold'em.

    A cap counts the bets and raises that players make on a street. Blinds are forced and not counted. So caps of 3
    before the flop and 4 on it mean three raises over the big blind, and a bet with three raises. Amounts of chips are
    0 or between a millionth and 10¹².

    >>> Limit().tree().counts[1].actions  # 7 lines to the flop, 26 actions in each
    182
    >>> Limit(caps=(3, 3)).tree().counts[1].actions  # a bet and two raises: 20 actions
    140
    """

    streets: int = 2
    bets: float | Sequence[float] = 100  # chips, for all streets or for each
    caps: int | Sequence[int] = (3, 4)  # bets and raises, for all streets or for each
    blinds: tuple[float, float] = (50, 100)  # chips of player 0 and of player 1
    ante: float = 0  # chips of each player, before the blinds
    first: int | Sequence[int] | None = None  # who acts first; with blinds player 0, then player 1, without player 0
    stack: float | None = None  # chips of each player at the beginning; None: never all-in
    pot: float = 0  # chips in the middle before the game, half of them from each

    def __post_init__(self) -> None:
        need_streets("Limit", self.streets)
        need_forced_bets("Limit", self.blinds, self.ante, self.pot, self.stack)
        _ = self.bet_sizes, self.openers
        if self.stack is None and max(self.most_bets) > MOST_BETS:
            raise OptionError(
                f"Limit needs a stack where caps allow more than {MOST_BETS} bets on a street, "
                f"got caps={quoted(self.caps)}"
            )

    @cached_property
    def bet_sizes(self) -> tuple[float, ...]:
        """Chips of a bet on each street."""
        sizes = per_street("Limit", "bets", self.bets, self.streets)
        return tuple(need_amount("Limit", "bets", size, positive=True) for size in sizes)

    @cached_property
    def most_bets(self) -> tuple[int, ...]:
        """Bets and raises allowed on each street."""
        return need_caps("Limit", self.caps, self.streets)

    @cached_property
    def openers(self) -> tuple[int, ...]:
        """Who acts first on each street."""
        return who_opens("Limit", self.first, self.streets, blinds=any(self.blinds))

    @property
    def chips(self) -> float:
        """Chips of each player at the beginning, infinite without a stack."""
        return math.inf if self.stack is None else self.stack

    def raises(self, situation: Situation) -> list[tuple[str, float]]:
        """The only bet or raise of the street, or all-in where the stack is smaller."""
        highest = max(situation.paid)
        if situation.bets >= self.most_bets[situation.street] or highest >= self.chips:
            return []
        total = highest + self.bet_sizes[situation.street]
        if total >= self.chips:
            return [("all-in", self.chips)]
        return [("raise" if highest > situation.settled else "bet", total)]

    def remembers_leader(self, street: int) -> bool:
        """Never: the bets of a street do not depend on the street before."""
        return False

    def tree(self, limit: int = MOST_NODES) -> BettingTree:
        """The betting tree; OptionError if it has more than `limit` nodes."""
        return build_betting_tree(self, self.pot, limit=limit)


FLOP_HOLDEM = Limit()
"""Flop hold'em (Brown et al., "Deep Counterfactual Regret Minimization", 2019): hold'em that ends after the flop."""

LIMIT_HOLDEM = Limit(streets=4, bets=(100, 100, 200, 200), caps=(3, 4, 4, 4))
"""Heads-up limit hold'em as played in the Annual Computer Poker Competition."""

KUHN = Limit(streets=1, bets=1, caps=1, blinds=(0, 0), ante=1)
LEDUC = Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1)
