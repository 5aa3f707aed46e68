"""Compiled games that break a limit; in a file of their own, since a compiled game is read from its source."""

from __future__ import annotations

from typing import Any

import numpy as np

import regretless as rg


@rg.compiled
class Endless(rg.Game):
    """A number that rises for ever."""

    def root(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return state % 2

    def actions(self, state: int) -> tuple[int, ...]:
        return (0, 1)

    def play(self, state: int, action: int) -> int:
        return state + 1 + action

    def infoset(self, state: int) -> int:
        return state

    def payoffs(self, state: int) -> tuple[float, float]:
        return (0.0, 0.0)


@rg.compiled
class Rich(Endless):
    """A short game with payoffs that cannot be summed."""

    def player(self, state: int) -> int:
        return rg.TERMINAL if state >= 2 else state % 2

    def payoffs(self, state: int) -> tuple[float, float]:
        return (1e200, -1e200)


@rg.compiled
class Overwrites(rg.Game):
    """A state is an array, and `play` writes into it."""

    def root(self) -> Any:
        return np.zeros(2, np.int64)

    def player(self, state: Any) -> int:
        return rg.TERMINAL if state[0] == 2 else 0

    def actions(self, state: Any) -> tuple[int, ...]:
        return (0, 1)

    def play(self, state: Any, action: int) -> Any:
        state[0] += 1
        state[1] = 2 * state[1] + action
        return state.copy()

    def infoset(self, state: Any) -> tuple[int, int]:
        return (state[0], state[1])

    def payoffs(self, state: Any) -> tuple[float, float]:
        return (1.0, -1.0)
