"""The rules that can be checked at one state: each question to the game, asked with care.

A function here asks one method of the game and returns its answer, or raises `Broken` with what was found and
how to mend it. Where in the game that was, the walk knows.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Sequence, Set
from typing import Any

from regretless.game import CHANCE, TERMINAL, Game, State
from regretless.linter.words import listed, named_actions

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


class Broken(Exception):
    """A rule that the game breaks: its kind, what was found, how to mend it."""

    def __init__(self, kind: str, found: str, mend: str) -> None:
        super().__init__(f"{found}; {mend}")
        self.kind = kind


def ask(game: Game, method: str, *given: Any) -> Any:
    """What a method of the game answers; whatever it raises is the game's mistake, not ours."""
    try:
        return getattr(game, method)(*given)
    except Exception as error:
        arguments = f"({given[-1]!r})" if method in ("action_label", "infoset_label") else "()"
        raise Broken(
            "raises",
            f"{method}{arguments} raised {type(error).__name__}: {error}",
            f"make {method}() answer at every state of the game",
        ) from None


def number_of_players(game: Game) -> int:
    """`game.players`, a positive integer."""
    try:
        players = operator.index(game.players)
        if players >= 1 and not isinstance(game.players, bool):
            return players
    except Exception:  # whatever a property may raise
        pass
    found = getattr(game, "players", "missing")
    raise Broken("players", f"players is {found!r}", "set it to how many players there are, e.g. players = 2")


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
        len(answer)
        actions = tuple(answer)
    except TypeError:
        raise Broken(
            "actions unordered",
            f"actions() returned {answer!r}{_forgotten(answer)}",
            "return a sequence, e.g. a tuple or a list",
        ) from None
    if not actions:
        raise Broken(
            "no actions",
            "actions() returned nothing although somebody must move",
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
    total = math.fsum(probabilities)
    if abs(total - 1) > CHANCE_TOLERANCE:
        raise Broken(
            "chance",
            f"chance() returned {given}, which sum to {total:.12g}",
            "make them sum to 1, e.g. divide each by their sum",
        )
    return probabilities


def payoffs_at(game: Game, state: State, players: int) -> list[float]:
    """What each player has won: a finite number for everyone."""
    return _numbers("payoffs", ask(game, "payoffs", state), players, "player")


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
        values = list(answer)
    except TypeError:
        raise Broken(method, f"{method}() returned {answer!r}{_forgotten(answer)}", mend) from None
    if len(values) != wanted:
        raise Broken(method, f"{method}() returned {len(values)} numbers for {wanted} {per}s: {listed(values)}", mend)
    numbers: list[float] = []
    for value in values:
        try:
            number = math.nan if isinstance(value, str | bytes) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            raise Broken(method, f"{method}() returned {listed(values)}, and {value!r} is not a finite number", mend)
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
