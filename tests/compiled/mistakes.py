"""Games that cannot be compiled, each for a reason of its own."""

from __future__ import annotations

import numpy as np

import regretless as rg

NAMES = {"a": 1}


def around(number):
    return around(number - 1) if number else 0


def helper(game, state):
    return state[1]


class Fine(rg.Game):
    """Nothing is wrong here; the others override one method."""

    limit = None

    def root(self):
        return (0, 0)

    def player(self, state):
        return state[0] if state[1] < 2 else rg.TERMINAL

    def actions(self, state):
        return (0, 1)

    def play(self, state, action):
        return (1 - state[0], state[1] + 1)

    def infoset(self, state):
        return state[1]

    def payoffs(self, state):
        return (1.0, -1.0)


@rg.compiled
class UsesDict(Fine):
    def play(self, state, action):
        other = {0: 1, 1: 0}
        return (other[state[0]], state[1] + 1)


@rg.compiled
class UsesNames(Fine):
    def infoset(self, state):
        return state[1] * NAMES["a"]


@rg.compiled
class UsesSet(Fine):
    def actions(self, state):
        seen = {state[1]}
        return [action for action in range(2) if action not in seen or action]


@rg.compiled
class UsesText(Fine):
    def root(self):
        return ""


@rg.compiled
class FormatsText(Fine):
    def infoset(self, state):
        return f"{state[1]}"


@rg.compiled
class NamedActions(Fine):
    moves = ("left", "right")

    def actions(self, state):
        return self.moves


@rg.compiled
class HalfActions(Fine):
    def actions(self, state):
        return (0.5, 1.5)


@rg.compiled
class CallsItself(Fine):
    def infoset(self, state):
        return state[1] + around(3)


@rg.compiled
class Circle(Fine):
    def up(self, number):
        return self.down(number)

    def down(self, number):
        return self.up(number - 1)

    def infoset(self, state):
        return self.up(state[1])


@rg.compiled
class Hashes(Fine):
    def infoset(self, state):
        return hash(state)


@rg.compiled
class NoneField(Fine):
    def actions(self, state):
        return (0, 1) if self.limit is None else (0,)


@rg.compiled
class MissingMethod(Fine):
    def play(self, state, action):
        return self.move(state, action)


@rg.compiled
class Growing(Fine):
    def root(self):
        return ()

    def player(self, state):
        return len(state) if len(state) < 2 else rg.TERMINAL

    def play(self, state, action):
        return (*state, action)

    def infoset(self, state):
        return len(state)


@rg.compiled
class ListState(Fine):
    def root(self):
        return [0, 0]


@rg.compiled
class TwoKindsOfInfoset(Fine):
    def infoset(self, state):
        return (state[1],) if state[1] else 0


@rg.compiled
class HandsItselfOn(Fine):
    def infoset(self, state):
        return helper(self, state)


@rg.compiled
class Remembers(Fine):
    def infoset(self, state):
        self.last = state
        return state[1]


@rg.compiled
class Chooses(Fine):
    def payoffs(self, state):
        best = max((1, 2), key=lambda number: -number)
        return (best, -best)


@rg.compiled
class Tries(Fine):
    def infoset(self, state):
        try:
            return state[1]
        except IndexError:
            return 0


@rg.compiled
class TwoKindsOfList(Fine):
    def play(self, state, action):
        options = [1] if action else [(1, 2)]
        return (1 - state[0], state[1] + len(options))


@rg.compiled
class UnknownFunction(Fine):
    def infoset(self, state):
        return state[1] + int(np.busday_count(1, 2)) if state[1] > 5 else state[1]


@rg.compiled
class Wide(Fine):
    def infoset(self, state):
        return 1 << 70 | state[1]


@rg.compiled
class Wraps(Fine):
    def infoset(self, state):
        return (3 << 62 + state[1]) >> 61


@rg.compiled
class RaisesItself(Fine):
    def infoset(self, state):
        raise KeyError("unknown")


@rg.compiled
class Lambdas(Fine):
    infoset = lambda self, state: state[1]  # noqa: E731
