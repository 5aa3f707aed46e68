"""Games in which all players choose once, at the same time: any payoff arrays, and three classics."""

# The methods of a game are documented in Game.

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, prod
from typing import Any

from regretless.errors import OptionError
from regretless.game import LARGEST_PAYOFF, TERMINAL, Game, shortened

__all__ = ["BattleOfTheSexes", "MatchingPennies", "Matrix", "OneShot", "RockPaperScissors"]

MOST_DIMENSIONS = 20
"""Of a payoff array: one for each player, and one for the players."""


class OneShot(Game):
    """All players choose at once: player 0, then player 1 who does not see it, and so on.

    A state is the tuple of choices made so far. Actions are numbered through all the players' choices, so
    that each number has one name. The label of a player's only infoset is "player 0", "player 1", …
    """

    @property
    @abstractmethod
    def choices(self) -> tuple[tuple[str, ...], ...]:
        """What each player may choose, by name."""

    @abstractmethod
    def outcome(self, chosen: tuple[int, ...]) -> Sequence[float]:
        """What each player wins when player p has taken `choices[p][chosen[p]]`."""

    @cached_property
    def _actions(self) -> tuple[tuple[int, ...], ...]:
        runs, start = [], 0
        for names in self.choices:
            runs.append(tuple(range(start, start + len(names))))
            start += len(names)
        return tuple(runs)

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        return tuple(name for names in self.choices for name in names)

    def root(self) -> tuple[int, ...]:
        return ()

    def player(self, state: tuple[int, ...]) -> int:
        return len(state) if len(state) < self.players else TERMINAL

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return self._actions[len(state)]

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state, action - self._actions[len(state)][0])

    def infoset(self, state: tuple[int, ...]) -> int:
        return len(state)

    def payoffs(self, state: tuple[int, ...]) -> Sequence[float]:
        return self.outcome(state)

    def infoset_label(self, infoset: int) -> str:
        return f"player {infoset}"

    def action_label(self, action: int) -> str:
        return self._labels[action]


@dataclass(frozen=True)
class RockPaperScissors(OneShot):
    """Rock-paper-scissors: paper beats rock, scissors beat paper, rock beats scissors; the loser pays 1."""

    @property
    def choices(self) -> tuple[tuple[str, ...], ...]:
        return (("rock", "paper", "scissors"),) * 2

    def outcome(self, chosen: tuple[int, ...]) -> Sequence[float]:
        return ((0.0, 0.0), (1.0, -1.0), (-1.0, 1.0))[(chosen[0] - chosen[1]) % 3]


@dataclass(frozen=True)
class MatchingPennies(OneShot):
    """Matching pennies: player 0 wins 1 if both coins show the same side, player 1 if they differ."""

    @property
    def choices(self) -> tuple[tuple[str, ...], ...]:
        return (("heads", "tails"),) * 2

    def outcome(self, chosen: tuple[int, ...]) -> Sequence[float]:
        return (1.0, -1.0) if chosen[0] == chosen[1] else (-1.0, 1.0)


@dataclass(frozen=True)
class BattleOfTheSexes(OneShot):
    """Battle of the sexes: together at the movie is worth 2 and 1, at the game 1 and 2, apart nothing."""

    @property
    def choices(self) -> tuple[tuple[str, ...], ...]:
        return (("movie", "game"),) * 2

    def outcome(self, chosen: tuple[int, ...]) -> Sequence[float]:
        if chosen[0] != chosen[1]:
            return (0.0, 0.0)
        return (2.0, 1.0) if chosen[0] == 0 else (1.0, 2.0)


@dataclass(frozen=True)
class Matrix(OneShot):
    """Any payoff arrays: one 2-D array is zero-sum and the row player's, else one n-D array per player.

    `action_names` is one list of names per player, or one list for all; without it choices are called "0",
    "1", …

    >>> Matrix([[1, -1], [-1, 1]]).outcome((0, 1))
    (-1.0, 1.0)
    >>> Matrix([[[2, 0], [0, 1]], [[1, 0], [0, 2]]], action_names=["movie", "game"]).outcome((1, 1))
    (1.0, 2.0)
    """

    payoff_arrays: Any
    action_names: Any = None
    name: str | None = None
    players: int = field(default=2, init=False, repr=False, compare=False)
    _shape: tuple[int, ...] = field(default=(), init=False, repr=False, compare=False)
    _tables: tuple[tuple[float, ...], ...] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        arrays = _frozen(self.payoff_arrays)
        shape = _shape_of(arrays)
        if len(shape) == 2:
            row = _flat(arrays, shape)
            tables: tuple[tuple[float, ...], ...] = (row, tuple(0.0 - value for value in row))
        elif len(shape) > 2 and shape[0] == len(shape) - 1:
            tables = tuple(_flat(array, shape[1:]) for array in arrays)
            shape = shape[1:]
        else:
            raise OptionError(
                "Matrix needs one 2-D array (zero-sum, the row player's payoffs) or one n-D array for each "
                f"of n players, got an array of shape {shape}"
            )
        for table in tables:
            for value in table:
                if not isfinite(value):
                    raise OptionError(f"Matrix needs finite payoffs, got {value}")
                if abs(value) > LARGEST_PAYOFF:
                    raise OptionError(f"Matrix takes payoffs of at most {LARGEST_PAYOFF:g} in size, got {value}")
        store = object.__setattr__
        store(self, "payoff_arrays", arrays)
        store(self, "players", len(tables))
        store(self, "_shape", shape)
        store(self, "_tables", tables)
        store(self, "action_names", _checked_names(self.action_names, shape))

    @property
    def choices(self) -> tuple[tuple[str, ...], ...]:
        if self.action_names is None:
            return tuple(tuple(str(choice) for choice in range(count)) for count in self._shape)
        names: tuple[tuple[str, ...], ...] = self.action_names
        return names

    def outcome(self, chosen: tuple[int, ...]) -> Sequence[float]:
        place = 0
        for count, choice in zip(self._shape, chosen, strict=True):
            place = place * count + choice
        return tuple(table[place] for table in self._tables)


def _frozen(arrays: Any, levels: int = MOST_DIMENSIONS + 1) -> Any:
    """Nested tuples of a nested list or NumPy array, so that a game can be compared and hashed."""
    if levels == 0:
        raise OptionError(f"Matrix takes arrays of at most {MOST_DIMENSIONS} dimensions")
    if hasattr(arrays, "tolist"):
        arrays = arrays.tolist()
    if isinstance(arrays, list | tuple):
        return tuple(_frozen(part, levels - 1) for part in arrays)
    return arrays


def _shape_of(arrays: Any) -> tuple[int, ...]:
    if not isinstance(arrays, tuple):
        if not isinstance(arrays, int | float):
            raise OptionError(f"Matrix needs numbers as payoffs, got {shortened(arrays)}")
        return ()
    shapes = {_shape_of(part) for part in arrays}
    if len(shapes) != 1:
        found = ", ".join(map(str, sorted(shapes))) or "nothing"
        raise OptionError(f"Matrix needs payoff arrays without gaps, got parts of shapes {found} side by side")
    return (len(arrays), *shapes.pop())


def _flat(array: Any, shape: tuple[int, ...]) -> tuple[float, ...]:
    """The numbers of a nested tuple, the last axis fastest."""
    for _ in shape[1:]:
        array = tuple(value for part in array for value in part)
    assert len(array) == prod(shape)
    try:
        return tuple(float(value) for value in array)
    except OverflowError:
        raise OptionError("Matrix needs finite payoffs, got a whole number that no float can hold") from None


def _checked_names(names: Any, shape: tuple[int, ...]) -> tuple[tuple[str, ...], ...] | None:
    if names is None:
        return None
    per_player = tuple(names)
    if all(isinstance(name, str) for name in per_player):
        per_player = (per_player,) * len(shape)
    per_player = tuple(tuple(str(name) for name in player) for player in per_player)
    if tuple(map(len, per_player)) != shape:
        raise OptionError(
            f"Matrix needs {' and '.join(map(str, shape))} action names for its players, "
            f"got {' and '.join(str(len(player)) for player in per_player)}"
        )
    for player in per_player:
        if len(set(player)) < len(player):
            raise OptionError(f"Matrix needs different names for a player's actions, got {', '.join(player)}")
    return per_player
