"""Writing a game as a Gambit file; the format is described in `gambit.py`."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from regretless.errors import GameError
from regretless.game import CHANCE, TERMINAL, Game, State, refuse_players
from regretless.linter.endless import Endless, EndlessGuard
from regretless.problem import refuse_to_list
from regretless.storage import write_atomically

__all__ = ["write_efg"]

LARGEST_DENOMINATOR = 10**7
"""Up to here a float is written as a simple fraction, if it is the float nearest to one."""

CHECK_EVERY = 1 << 16
"""Nodes between two checks that the game ends."""


def write_efg(game: Game, path: str | os.PathLike[str], *, title: str | None = None) -> None:
    """Write every history of `game` to a file that Gambit reads.

    Chance is written in exact rationals: 1/3 for the float nearest to it. Labels keep their printable ASCII
    characters; other characters are written as their code point. The file appears when it is complete, or not at all.
    """
    refuse_to_list(game)
    refuse_players(game)
    plain = repr(game) if is_dataclass(game) else type(game).__name__  # never the address of an object
    lines = _lines(game, title if title is not None else plain)
    write_atomically(path, lambda file: file.writelines(line.encode("ascii") for line in lines))


def _lines(game: Game, title: str) -> Iterator[str]:
    names = " ".join(_quoted(f"player {player}") for player in range(game.players))
    yield f"EFG 2 R {_quoted(_printable(title))} {{ {names} }}\n"
    yield '""\n\n'
    numbers = _Numbering(game)
    guard, written = EndlessGuard(game), 0
    waiting: list[State] = [game.root()]
    while waiting:
        written += 1
        if written % CHECK_EVERY == 0:
            _refuse_endless(game, guard)
        state = waiting.pop()
        mover = game.player(state)
        if mover == TERMINAL:
            yield numbers.end(state)
            continue
        actions = game.actions(state)
        yield numbers.move(state, mover, actions)
        waiting.extend(game.play(state, action) for action in reversed(actions))


def _refuse_endless(game: Game, guard: EndlessGuard) -> None:
    try:
        guard.check(0)
    except Endless as error:
        raise GameError(f"{type(game).__name__}: {error}") from None


class _Numbering:
    """Gives infosets and outcomes their names, and their numbers, from 1, in the order of their first appearance."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.infosets: list[dict[Hashable, tuple[int, str]]] = [{} for _ in range(game.players)]
        self.names: list[set[str]] = [set() for _ in range(game.players)]
        self.outcomes: dict[tuple[str, ...], int] = {}
        self.chance_moves: dict[str, int] = {}

    def move(self, state: State, mover: int, actions: Sequence[Any]) -> str:
        taken: set[str] = set()
        labels = [_distinct(self.game.action_label(action), taken) for action in actions]
        if mover == CHANCE:
            probabilities = _probabilities(self.game.chance(state))
            choices = " ".join(f"{_quoted(label)} {p}" for label, p in zip(labels, probabilities, strict=True))
            number = self.chance_moves.setdefault(choices, len(self.chance_moves) + 1)
            return f'c "" {number} "" {{ {choices} }} 0\n'
        number, name = self.infoset(mover, self.game.infoset(state))
        choices = " ".join(_quoted(label) for label in labels)
        return f'p "" {mover + 1} {number} {_quoted(name)} {{ {choices} }} 0\n'

    def infoset(self, player: int, infoset: Hashable) -> tuple[int, str]:
        known = self.infosets[player]
        if infoset not in known:
            name = _distinct(self.game.infoset_label(infoset), self.names[player])
            known[infoset] = (len(known) + 1, name)
        return known[infoset]

    def end(self, state: State) -> str:
        payoffs = tuple(_number(payoff) for payoff in self.game.payoffs(state))
        number = self.outcomes.setdefault(payoffs, len(self.outcomes) + 1)
        return f't "" {number} "" {{ {", ".join(payoffs)} }}\n'


def _printable(label: Hashable) -> str:
    """A label that Gambit accepts: printable ASCII, single spaces; other characters by their code point."""
    text = " ".join(str(label).replace("\\", "/").split())  # Gambit reads a backslash before a quote as an escape
    return "".join(c if " " <= c <= "~" else f"U+{ord(c):04X}" for c in text)


def _distinct(label: Hashable, taken: set[str]) -> str:
    """A label that no other has, which Gambit asks of a player's infosets and an infoset's actions."""
    plain = name = _printable(label)
    number = len(taken)
    while name in taken or not name:
        number += 1
        name = f"{plain} #{number}".strip()
    taken.add(name)
    return name


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


def _probabilities(given: Iterable[Any]) -> list[Fraction]:
    """Fractions that sum to exactly one: the simple ones that floats stand for, or the floats themselves."""
    floats = list(given)
    simple = [_simple(p) for p in floats]
    exact = [Fraction(float(p)) for p in floats] if None in simple else [p for p in simple if p is not None]
    total = sum(exact)
    return [p / total for p in exact]


def _simple(value: Any) -> Fraction | None:
    """The fraction with a small denominator that is nearest to a float, if the float is the nearest to it."""
    if isinstance(value, Fraction):
        return value
    try:
        near = Fraction(float(value)).limit_denominator(LARGEST_DENOMINATOR)
    except (TypeError, ValueError, OverflowError):
        raise GameError(f"{value!r} is no finite number; rg.check_game says where the game has it") from None
    return near if float(near) == float(value) else None


def _number(value: Any) -> str:
    """A payoff as a whole number or a simple fraction, or else with all its decimals."""
    near = _simple(value)
    return str(near) if near is not None else format(Decimal(repr(float(value))), "f")
