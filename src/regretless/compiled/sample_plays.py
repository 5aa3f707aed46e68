"""Some plays of the interpreted game, which show what its answers look like before anything is compiled."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from regretless.compiled.compile_errors import TooWide, complaint
from regretless.compiled.lookup import is_named_tuple
from regretless.compiled.sources import Source
from regretless.errors import GameError
from regretless.game import LARGEST_PAYOFF, MOST_ACTIONS, TERMINAL, Game, shortened

__all__ = ["Sample", "named", "shape_of", "some_plays"]

MOST_HISTORIES = 300
MOST_PLAYS = 12
LONGEST_PLAY = 1_000

Choose = Callable[[int], int]


@dataclass(frozen=True)
class Sample:
    """Some plays, each by the number of the action taken at every history, and what infosets look like."""

    plays: list[list[int]]
    infoset_numbers: int


def some_plays(game: Game, sources: dict[str, Source]) -> Sample:
    """Play the first and the last actions throughout, then random ones; check that all answers can be compiled."""
    check = _AnswerCheck(game, sources)
    generator = random.Random(0)
    ways: list[Choose] = [lambda count: 0, lambda count: count - 1]
    ways += [lambda count: generator.randrange(count)] * MOST_PLAYS
    plays: list[list[int]] = []
    for choose in ways:
        if check.ended and sum(map(len, plays)) > MOST_HISTORIES:
            break
        plays.append(check.play(choose))
    if not check.ended:
        raise GameError(
            f"{named(game)}: none of {len(plays)} plays ended within {LONGEST_PLAY:,} moves; make player() return "
            "rg.TERMINAL at some point of every play"
        )
    return Sample(plays, check.infoset_numbers)


class _AnswerCheck:
    """Checks every answer of the game."""

    def __init__(self, game: Game, sources: dict[str, Source]) -> None:
        self.game, self.sources = game, sources
        self.infoset_numbers = 1
        self.shapes: dict[str, Any] = {}
        self.ended = False

    def play(self, choose: Choose) -> list[int]:
        """One play; returns the number of the action taken at each of its histories."""
        choices = list[int]()
        state = self.ask("root")
        self.look("root", state, "state")
        while len(choices) < LONGEST_PLAY:
            mover = self.ask("player", state)
            if mover == TERMINAL:
                self.look_at_payoffs(self.ask("payoffs", state))
                self.ended = True
                break
            actions = self.ask("actions", state)
            self.look_at_actions(actions)
            if mover >= 0:
                infoset = self.ask("infoset", state)
                self.look("infoset", infoset, "infoset")
                self.infoset_numbers = _numbers_of(infoset)
            else:
                self.ask("chance", state)
            choices.append(choose(len(actions)))
            before = _frozen(state)
            after = self.ask("play", state, actions[choices[-1]])
            if _frozen(state) != before:
                self.refuse("play", "it changes the state that it is given", "copy arrays before changing them")
            state = after
            self.look("play", state, "state")
        return choices

    def ask(self, method: str, *arguments: Any) -> Any:
        """What a method answers; an exception of its own becomes a GameError."""
        try:
            return getattr(self.game, method)(*arguments)
        except Exception as error:
            raise GameError(
                f"{named(self.game)}: {method} raised {type(error).__name__}: {error}; see rg.check_game(game)"
            ) from error

    def look_at_payoffs(self, payoffs: Any) -> None:
        """Whether payoffs are numbers that can be summed."""
        try:
            fine = bool(np.all(np.abs(np.asarray(payoffs, np.float64)) <= LARGEST_PAYOFF))
        except (TypeError, ValueError, OverflowError):
            fine = False
        if not fine:
            raise GameError(
                f"{named(self.game)}: payoffs returned {shortened(payoffs)}; payoffs are finite numbers of at most "
                f"{LARGEST_PAYOFF:g} in size, so that they can be summed"
            )

    def look_at_actions(self, actions: Any) -> None:
        """Whether actions are whole numbers."""
        if not 0 < len(actions) <= MOST_ACTIONS:
            found = f"{len(actions):,} actions" if len(actions) else "no actions where a player must move"
            self.refuse("actions", f"it returns {found}", "")
        for action in actions:
            if not isinstance(action, int | np.integer):
                self.refuse(
                    "actions", f"it returns the action {action!r}", "actions of compiled games are whole numbers"
                )
            self.look("actions", action, "action")

    def look(self, method: str, value: Any, what: str) -> None:
        """Whether an answer is made of numbers, and has the shape of the others."""
        shape = shape_of(value)
        if isinstance(shape, str) and shape not in ("a whole number", "a number"):
            self.refuse(method, f"it returns {shape} in the {what} {shortened(value)}")
        _refuse_wide(self.game, method, value)
        first = self.shapes.setdefault(what, shape)
        if shape != first:
            self.refuse(
                method,
                f"one {what} is {_words(first)} and another {_words(shape)}",
                f"every {what} of a compiled game has the same shape",
            )

    def refuse(
        self, method: str, why: str, advice: str = "compiled games use whole numbers and tuples of them"
    ) -> NoReturn:
        raise complaint(self.sources[method], None, why, advice)


def named(game: Game) -> str:
    """A game as it prints itself, or by its class if that says only where it lies in memory."""
    text = repr(game)
    return type(game).__name__ if text.startswith("<") else text


def shape_of(value: Any) -> Any:
    """What a value is made of: nested tuples of words; a single word where it cannot be compiled."""
    if isinstance(value, bool | int | np.integer | np.bool_):
        return "a whole number"
    if isinstance(value, float | np.floating):
        return "a number"
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return ("an array", value.ndim, value.dtype.kind)
    if isinstance(value, tuple):
        parts = tuple(shape_of(part) for part in value)
        odd = next(
            (part for part in parts if isinstance(part, str) and part not in ("a whole number", "a number")), None
        )
        name = type(value).__name__ if is_named_tuple(type(value)) else ""
        return odd or ("a tuple", name, parts)
    kind = type(value).__name__
    return "None" if value is None else "text" if kind == "str" else f"a {kind}"


def _words(shape: Any) -> str:
    if isinstance(shape, str):
        return shape
    if shape[0] == "an array":
        return "an array"
    parts = shape[2]
    if all(part == "a whole number" for part in parts):
        return f"a tuple of {len(parts)} whole number{'s' * (len(parts) != 1)}"
    return "(" + ", ".join(_words(part) for part in parts) + ")"


def _frozen(value: Any) -> Any:
    """A copy of a state that later changes do not reach."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return tuple(_frozen(part) for part in value) if isinstance(value, tuple) else value


def _numbers_of(infoset: Any) -> int:
    if not isinstance(infoset, tuple):
        return 1 if not isinstance(infoset, np.ndarray) else 0
    return 2 if len(infoset) == 2 and not any(isinstance(part, tuple | np.ndarray) for part in infoset) else 0


def _refuse_wide(game: Game, method: str, value: Any) -> None:
    if isinstance(value, tuple):
        for part in value:
            _refuse_wide(game, method, part)
    elif isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise TooWide(
            f"{named(game)} cannot be compiled: {method} gives a number of {value.bit_length()} bits, "
            f"{shortened(value)}, where compiled games have 64"
        )
