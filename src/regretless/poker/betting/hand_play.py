"""A hand as a dealer plays it: the betting so far, whose turn it is, and which raises are legal.

Betting trees list some sizes of no-limit games. A dealer allows any size from the minimum raise to all-in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.limit import Limit
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.situations import Situation, opening, successors
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.quoting import quoted

__all__ = ["CALL", "FOLD", "RAISE", "HandPlay", "Move", "read_move"]

FOLD, CALL, RAISE = "f", "c", "r"
"""The letters of the poker competition; a check is a call."""

MOVE = re.compile(r"(?P<kind>[fc])|r(?P<total>\d{0,13})", re.ASCII)
MOST_BETTING = 10_000
"""Characters of the betting of a hand."""


class Move(NamedTuple):
    """A fold, a check or call, or a bet or raise."""

    kind: str
    total: float | None = None  # of a no-limit raise: chips paid since the beginning of the hand

    def __str__(self) -> str:
        return self.kind if self.total is None else f"{self.kind}{spell_chips(self.total)}"


def read_move(text: str) -> Move | None:
    """A move in the notation of the poker competition: "f", "c", "r", or "r300" in no-limit games."""
    found = MOVE.fullmatch(text)
    if found is None:
        return None
    if found["kind"]:
        return Move(found["kind"])
    return Move(RAISE, float(found["total"]) if found["total"] else None)


@dataclass(frozen=True)
class _OneRaise:
    """The rules of a game with a single bet or raise, of a given total."""

    rules: Limit | NoLimit
    total: float | None = None

    @property
    def streets(self) -> int:
        return self.rules.streets

    @property
    def ante(self) -> float:
        return self.rules.ante

    @property
    def blinds(self) -> tuple[float, float]:
        return self.rules.blinds

    @property
    def chips(self) -> float:
        return self.rules.chips

    @property
    def openers(self) -> Sequence[int]:
        return self.rules.openers

    def raises(self, situation: Situation) -> list[tuple[str, float]]:
        return [] if self.total is None else [("raise", self.total)]

    def remembers_leader(self, street: int) -> bool:
        return False


@dataclass(frozen=True, eq=False)
class HandPlay:
    """A hand without cards, up to some move.

    >>> from regretless.poker.betting.limit import LIMIT_HOLDEM
    >>> hand = HandPlay.begin(LIMIT_HOLDEM).replay("rc/cr")
    >>> hand.betting, hand.street, hand.mover, hand.situation.paid
    ('rc/cr', 1, 1, (300.0, 200.0))
    """

    rules: Limit | NoLimit
    situation: Situation
    betting: str = ""
    """The moves so far, with a slash for each deal of board cards."""
    moves: tuple[tuple[HandPlay, Move], ...] = ()
    """The moves so far, each with the hand before it."""

    @classmethod
    def begin(cls, rules: Limit | NoLimit) -> HandPlay:
        """A new hand, after the blinds."""
        return cls(rules, opening(rules))

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return self.situation.kind > DEAL

    @property
    def mover(self) -> int:
        """The player whose turn it is, as the rules count players; only while the hand is not over."""
        return self.situation.kind

    @property
    def street(self) -> int:
        """Deals of board cards so far."""
        return self.betting.count("/")

    @property
    def faces_bet(self) -> bool:
        """Whether the mover can fold."""
        paid = self.situation.paid
        return paid[1 - self.mover] > paid[self.mover]

    @cached_property
    def raise_bounds(self) -> tuple[float, float] | None:
        """The smallest and the largest legal total of a bet or raise; None if there is none.

        A raise is at least as large as the raise before it and the minimum bet. All-in is always allowed.
        """
        here, rules = self.situation, self.rules
        if isinstance(rules, Limit):
            offered = rules.raises(here)
            return (offered[0][1], offered[0][1]) if offered else None
        highest = max(here.paid)
        if here.bets >= rules.most_bets[here.street] or highest >= rules.stack:
            return None
        return min(highest + max(here.step, rules.least_bet, 1.0), rules.stack), rules.stack

    def play(self, move: Move) -> HandPlay:
        """The hand after a move; no-limit raises may be below the minimum, as other dealers may have other minimums."""
        here, single = self.situation, _OneRaise(self.rules)
        if self.over:
            raise OptionError(f"the hand goes on with {str(move)!r} after {self.betting!r}, where it is over")
        if move.kind == RAISE:
            single = _OneRaise(self.rules, self._total(move))
        elif move.kind == FOLD and not self.faces_bet:
            raise OptionError(f"there is a fold after {self.betting!r}, where there is no bet to fold to")
        _, after = successors(single, here)
        at = len(after) - 1 if move.kind == RAISE else int(move.kind == CALL and self.faces_bet)
        situation, betting = after[at], self.betting + str(move)
        while situation.kind == DEAL:
            situation, betting = successors(single, situation)[1][0], betting + "/"
        return HandPlay(self.rules, situation, betting, (*self.moves, (self, move)))

    def _total(self, move: Move) -> float:
        """The chips that the mover has paid after a raise."""
        if isinstance(self.rules, Limit):
            if move.total is not None:
                raise OptionError(f"a raise in a limit game has no amount, got {str(move)!r} after {self.betting!r}")
            if self.raise_bounds is None:
                raise OptionError(f"there is a raise after {self.betting!r}, where the game allows no raise")
            return self.raise_bounds[1]
        highest = max(self.situation.paid)
        if move.total is None or not highest < move.total <= self.rules.stack:
            raise OptionError(
                f"a raise after {self.betting!r} is to more than {spell_chips(highest)} and at most "
                f"{spell_chips(self.rules.stack)} chips, got {str(move)!r}"
            )
        return move.total

    def legal(self, move: Move) -> Move:
        """The move, or the nearest legal one: a fold without a bet is a check, a raise may become a smaller one."""
        if move.kind == FOLD and not self.faces_bet:
            return Move(CALL)
        if move.kind != RAISE:
            return move
        if self.raise_bounds is None:
            return Move(CALL)
        if isinstance(self.rules, Limit):
            return Move(RAISE)
        least, most = self.raise_bounds
        return Move(RAISE, min(max(least if move.total is None else move.total, least), most))

    def replay(self, betting: str) -> HandPlay:
        """The hand after moves in the notation of the poker competition, "cr300c/": slashes are deals."""
        if len(betting) > MOST_BETTING:
            raise OptionError(f"the betting of a hand has at most {MOST_BETTING:,} characters, got {len(betting):,}")
        hand, at = self, 0
        while at < len(betting):
            found = MOVE.match(betting, at)
            if found is not None:
                move = read_move(found[0])
                assert move is not None
                hand, at = hand.play(move), found.end()
            elif betting[at] == "/" and hand.betting.startswith(betting[: at + 1]):
                at += 1
            else:
                raise OptionError(f"the betting {quoted(betting)} cannot be read from character {at + 1} on")
        if hand.betting != betting:
            raise OptionError(f"the betting {quoted(betting)} should be {quoted(hand.betting)}: slashes are deals")
        return hand
