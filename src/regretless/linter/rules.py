"""The rules that can be checked at one state.

A function here calls one method of the game and returns its answer, or raises `Broken` with what was found and how to
mend it. Where in the game that was is added by the walk.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Sequence, Set
from itertools import islice
from typing import Any

from regretless.game import CHANCE, LARGEST_PAYOFF, MOST_ACTIONS, MOST_PLAYERS, TERMINAL, Game, State, shortened
from regretless.linter.descriptions import listed, named_actions

__all__ = [
    "Broken",
    "actions_at",
    "ask",
    "chance_at",
    "infoset_at",
    "mover_at",
    "number_of_players",
    "payoffs_at",
]

CHANCE_TOLERANCE = 1e-9
"""How far from 1 the probabilities of chance may sum."""

MOST_SURPLUS = 1_000
"""Numbers beyond those wanted that are read before an answer is taken to be endless."""


class Broken(Exception):
    """A rule that the game breaks: its kind, what was found, how to mend it."""

    def __init__(self, kind: str, found: str, mend: str) -> None:
        super().__init__(f"{found}; {mend}")
        self.kind = kind


def ask(game: Game, method: str, *given: Any) -> Any:
    """What a method of the game answers; an exception of its own is a mistake of the game."""
    try:
        return getattr(game, method)(*given)
    except Exception as error:
        arguments = f"({shortened(given[-1])})" if method in ("action_label", "infoset_label") else "()"
        raise Broken(
            "raises",
            f"{method}{arguments} raised {type(error).__name__}: {error}",
            f"make {method}() answer at every state of the game",
        ) from None


def number_of_players(game: Game) -> int:
    """`game.players`, a whole number from 1 to `MOST_PLAYERS`."""
    found: Any = "missing"
    try:
        found = game.players
        players = operator.index(found)
        if 1 <= players <= MOST_PLAYERS and not isinstance(found, bool):
            return players
    except Exception:  # a property may raise anything
        pass
    mend = f"set it to how many players there are, from 1 to {MOST_PLAYERS}, e.g. players = 2"
    raise Broken("players", f"players is {shortened(found)}", mend)


def mover_at(game: Game, state: State, players: int) -> int:
    """Who moves: a player's number, CHANCE or TERMINAL."""
    answer = ask(game, "player", state)
    who = "the only player 0" if players == 1 else f"a player from 0 to {players - 1}"
    mend = f"return {who}, rg.CHANCE or rg.TERMINAL"
    try:
        mover = operator.index(answer)
    except TypeError:
        raise Broken("player out of range", f"player() returned {answer!r}{_forgotten(answer)}", mend) from None
    if not (0 <= mover < players or mover in (CHANCE, TERMINAL)):
        raise Broken("player out of range", f"player() returned {answer!r}", mend)
    return mover


def actions_at(game: Game, state: State) -> tuple[Hashable, ...]:
    """What the mover may do: at least one action, all different, in a fixed order."""
    answer = ask(game, "actions", state)
    if isinstance(answer, Set):
        raise Broken(
            "actions unordered",
            f"actions() returned a {type(answer).__name__}, which has no order",
            "return a tuple, e.g. tuple(sorted(...))",
        )
    try:
        count = len(answer)
        actions = tuple(islice(answer, MOST_ACTIONS + 1))
    except TypeError:
        raise Broken(
            "actions unordered",
            f"actions() returned {answer!r}{_forgotten(answer)}",
            "return a sequence, e.g. a tuple or a list",
        ) from None
    if max(count, len(actions)) > MOST_ACTIONS:
        raise Broken(
            "too many actions",
            f"actions() returned {count:,} actions",
            f"return at most {MOST_ACTIONS:,}, or offer them in several steps",
        )
    if not actions:
        raise Broken(
            "no actions",
            "actions() returned nothing although the game is not over",
            "return at least one action, or rg.TERMINAL from player()",
        )
    try:
        different = len(set(actions))
    except TypeError:
        unhashable = next(action for action in actions if not _hashable(action))
        raise Broken(
            "unhashable",
            f"actions() returned {unhashable!r}, which cannot be hashed",
            "use tuples, strings or numbers as actions",
        ) from None
    if different < len(actions):
        raise Broken(
            "duplicate actions",
            f"actions() returned {named_actions(game, actions)}, some of them twice",
            "return every action once",
        )
    return actions


def exact_sum(numbers: Sequence[float]) -> float:
    """The sum, rounded once; infinite where it is too large for a float."""
    try:
        return math.fsum(numbers)
    except OverflowError:
        return math.inf


def chance_at(game: Game, state: State, actions: Sequence[Hashable]) -> list[float]:
    """The probabilities of the actions: one for each, none negative, summing to one."""
    probabilities = _numbers("chance", ask(game, "chance", state), len(actions), "action")
    given = listed([f"{p:.6g}" for p in probabilities])
    negative = next((place for place, p in enumerate(probabilities) if p < 0), None)
    if negative is not None:
        raise Broken(
            "chance",
            f"chance() gave {named_actions(game, actions[negative : negative + 1])} the probability"
            f" {probabilities[negative]:g}",
            "give every action a probability from 0 to 1",
        )
    total = exact_sum(probabilities)
    if abs(total - 1) > CHANCE_TOLERANCE:
        raise Broken(
            "chance",
            f"chance() returned {given}, which sum to {total:.12g}",
            "make them sum to 1, e.g. divide each by their sum",
        )
    return probabilities


def payoffs_at(game: Game, state: State, players: int) -> list[float]:
    """What each player has won, as finite numbers that can be summed."""
    payoffs = _numbers("payoffs", ask(game, "payoffs", state), players, "player")
    if any(abs(payoff) > LARGEST_PAYOFF for payoff in payoffs):
        raise Broken(
            "payoffs",
            f"payoffs() returned {listed([f'{payoff:g}' for payoff in payoffs])}",
            f"return numbers of at most {LARGEST_PAYOFF:g} in size, so that they can be summed",
        )
    return payoffs


def infoset_at(game: Game, state: State) -> Hashable:
    """What the mover knows, as something that can be hashed."""
    infoset: Hashable = ask(game, "infoset", state)
    if not _hashable(infoset):
        raise Broken(
            "unhashable",
            f"infoset() returned {infoset!r}, which cannot be hashed",
            "return a tuple, a string or a number",
        )
    return infoset


def _numbers(method: str, answer: Any, wanted: int, per: str) -> list[float]:
    mend = f"return {wanted} numbers, one for each {per}"
    try:
        values = list(islice(answer, wanted + MOST_SURPLUS))
    except TypeError:
        raise Broken(method, f"{method}() returned {shortened(answer)}{_forgotten(answer)}", mend) from None
    if len(values) != wanted:
        count = f"{len(values)}" if len(values) < wanted + MOST_SURPLUS else f"{len(values)} or more"
        found = f"{method}() returned {count} numbers for {wanted} {per}{'s' * (wanted != 1)}: {listed(values)}"
        raise Broken(method, found, mend)
    numbers: list[float] = []
    for value in values:
        try:
            number = math.nan if isinstance(value, str | bytes) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            found = f"{method}() returned {listed(values)}, and {shortened(value)} is not a finite number"
            raise Broken(method, found, mend)
        numbers.append(number)
    return numbers


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _forgotten(answer: Any) -> str:
    return " (is a return missing?)" if answer is None else ""
