"""The states of a hand of two-player poker without cards, and the rules that limit and no-limit games share.

A situation holds everything of a line's past that matters for its future. Lines that lead to equal situations have
equal subtrees, so the rules run once for each situation and not once for each node.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN

__all__ = ["Rules", "Situation", "opening", "successors"]


class Situation(NamedTuple):
    """The state of a hand. Chips are counted from the beginning of the game, without the pot of a spot."""

    kind: int  # 0 or 1: that player decides; DEAL, FOLD or SHOWDOWN
    street: int
    paid: tuple[float, float]  # chips of each player
    settled: float = 0.0  # chips each had paid when the street's betting began, antes included, blinds not
    bets: int = 0  # bets and raises made on this street
    step: float = 0.0  # chips by which the street's last bet or raise went above the bet before it
    answers: bool = False  # whether the other player has acted on this street, so that a check or call closes it
    leader: int = -1  # who bet last on the street before; -1 without a bet, or where the rules do not depend on it
    folder: int = -1


class Rules(Protocol):
    """What limit and no-limit games provide to the shared rules."""

    @property
    def streets(self) -> int:
        """Number of streets."""

    @property
    def ante(self) -> float:
        """Chips each player pays before the cards."""

    @property
    def blinds(self) -> tuple[float, float]:
        """Chips that each player must bet before the cards, on top of the ante."""

    @property
    def chips(self) -> float:
        """Chips of each player at the beginning; infinite without stacks."""

    @property
    def openers(self) -> Sequence[int]:
        """Who acts first on each street."""

    def raises(self, situation: Situation) -> list[tuple[str, float]]:
        """The bets or raises of the mover, ascending: names, and the chips that the mover will then have paid."""

    def remembers_leader(self, street: int) -> bool:
        """Whether play on the street depends on who bet last on the street before."""


def opening(rules: Rules) -> Situation:
    """The first situation of a game."""
    small, big = rules.blinds
    return Situation(
        kind=rules.openers[0],
        street=0,
        paid=(rules.ante + small, rules.ante + big),
        settled=rules.ante,
        step=max(small, big),
    )


def successors(rules: Rules, here: Situation) -> tuple[tuple[str, ...], list[Situation]]:
    """The names of the actions and the situations they lead to; a deal has one successor and no names."""
    if here.kind == DEAL:
        return (), [_next_street(rules, here)]
    if here.kind > DEAL:
        return (), []
    mover, other = here.kind, 1 - here.kind
    names: list[str] = []
    after: list[Situation] = []
    faced = here.paid[other] > here.paid[mover]
    if faced:
        names.append("fold")
        after.append(Situation(FOLD, here.street, here.paid, folder=mover))
    names.append("call" if faced else "check")
    after.append(_called(rules, here))
    for name, total in rules.raises(here):
        paid = (total, here.paid[1]) if mover == 0 else (here.paid[0], total)
        step = total - max(here.paid)
        names.append(name)
        after.append(here._replace(kind=other, paid=paid, bets=here.bets + 1, step=step, answers=True))
    return tuple(names), after


def _called(rules: Rules, here: Situation) -> Situation:
    """After a check or a call: the other player's turn, or the end of the street."""
    other = 1 - here.kind
    matched = max(here.paid)
    paid = (max(here.paid[0], matched), here.paid[1]) if here.kind == 0 else (here.paid[0], max(here.paid[1], matched))
    if not here.answers:
        return here._replace(kind=other, paid=paid, answers=True)
    if here.street == rules.streets - 1:
        return Situation(SHOWDOWN, here.street, paid)
    leader = other if here.bets and rules.remembers_leader(here.street + 1) else -1
    return Situation(DEAL, here.street, paid, leader=leader)


def _next_street(rules: Rules, here: Situation) -> Situation:
    """The situation after a deal: the first decision of a street or, if all chips are in, a deal or a showdown."""
    street = here.street + 1
    paid = here.paid[0]
    if not math.isinf(rules.chips) and paid >= rules.chips:
        return Situation(DEAL if street < rules.streets - 1 else SHOWDOWN, street, here.paid)
    return Situation(rules.openers[street], street, here.paid, settled=paid, leader=here.leader)
