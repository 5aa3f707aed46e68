"""One scale for the colours of bets: an action has the same colour at every node, on every page and in every picture.

Folds, checks, calls and all-ins have colours of their own. Bets and raises lie on a scale of their share of the pot: a
fifth of it is step 0, the pot is step 18, two pots are step 26, and equal factors are equal distances. For a raise it
is the pot after calling, and the chips on top of the call, as sizes are written. Bets without an amount in their name,
as in limit games, count as half a pot.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.situations import Rules, Situation, opening, successors
from regretless.poker.quoting import quoted

__all__ = ["ALL_IN", "LIMIT_BET", "bet_steps", "ranked_steps", "step_of"]

SMALLEST = 1 / 5
"""Pots of a bet at step 0; smaller ones have the same colour."""
POT = 18
"""The step of a bet of the pot."""
ALL_IN = 27
"""The last step. A bet that leaves chips behind has at most the step before it."""
LIMIT_BET = 10
"""The step of bets whose names have no amount."""

CALM = ("fold", "check", "call")


def step_of(share: float) -> int:
    """The step of a bet of a share of the pot.

    >>> [step_of(share) for share in (0.1, 0.25, 1 / 3, 0.5, 0.75, 1, 2, 10)]
    [0, 2, 6, 10, 15, 18, 26, 26]
    """
    if not share > SMALLEST:
        return 0
    return min(round(POT * math.log(share / SMALLEST, 1 / SMALLEST)), ALL_IN - 1)


def bet_steps(rules: Rules, line: str, actions: Sequence[str]) -> tuple[int | None, ...]:
    """The step of each action at a node; None for folds, checks and calls. line: as the betting tree spells it.

    >>> from regretless.poker import Spot
    >>> rules = Spot("Qs Jh 2h 7c 3d", ("QQ+", "QQ+"), pot=100, stack=500).betting
    >>> bet_steps(rules, "check", ("check", "bet 33", "bet 75"))
    (None, 6, 15)
    """
    if all(action in CALM or not _has_amount(action) for action in actions):
        return tuple(_plain_step(action) for action in actions)
    here = _situation(rules, line)
    names, after = successors(rules, here)
    pot = float(getattr(rules, "pot", 0.0)) + 2 * max(here.paid)
    raised = {name: max(then.paid) - max(here.paid) for name, then in zip(names, after, strict=True)}
    return tuple(
        step_of(raised[action] / pot) if _has_amount(action) and action in raised and pot > 0 else _plain_step(action)
        for action in actions
    )


def ranked_steps(actions: Sequence[str]) -> tuple[int | None, ...]:
    """Steps for actions whose node is not known: bets by their rank, evenly from small to large."""
    bets = [action for action in actions if action not in CALM and action != "all-in"]
    top = POT if "all-in" in actions or len(bets) == 2 else ALL_IN
    places = [9] if len(bets) == 1 else [round(top * at / (len(bets) - 1)) for at in range(len(bets))]
    steps = dict(zip(bets, places, strict=True))
    return tuple(steps.get(action, _plain_step(action)) for action in actions)


def _has_amount(action: str) -> bool:
    return action != "all-in" and re.search(r"\d", action) is not None


def _plain_step(action: str) -> int | None:
    return None if action in CALM else ALL_IN if action == "all-in" else LIMIT_BET


def _situation(rules: Rules, line: str) -> Situation:
    """The state of the betting after a line, without a tree: trees of whole games are large."""
    here, rest = opening(rules), line.replace("/", " ").split()
    while True:
        while here.kind == DEAL:
            here = successors(rules, here)[1][0]
        if not rest:
            return here
        for name, then in zip(*successors(rules, here), strict=True):
            words = name.split()
            if rest[: len(words)] == words:
                here, rest = then, rest[len(words) :]
                break
        else:
            raise OptionError(f"the line {quoted(line)} has no action {quoted(' '.join(rest))}")
