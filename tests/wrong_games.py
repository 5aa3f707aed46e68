"""Games that are wrong in ways that once gave wrong answers, or none at all."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import regretless as rg
from regretless.game import shortened

Change = Callable[[Any], Any]


class Guess(rg.Game):
    """Player 0 hides a coin, player 1 guesses the side; states are strings."""

    def root(self) -> Any:
        return ""

    def player(self, state: Any) -> int:
        return rg.TERMINAL if len(state) == 2 else len(state)

    def actions(self, state: Any) -> Any:
        return "HT"

    def play(self, state: Any, action: Any) -> Any:
        return state + action

    def infoset(self, state: Any) -> Any:
        return len(state)

    def payoffs(self, state: Any) -> Any:
        return (-1, 1) if state[0] == state[1] else (1, -1)


def game(base: type[rg.Game] = Guess, **members: Any) -> rg.Game:
    """A game with some members replaced: methods are functions of the state (and the action), the rest is stored."""
    return type("Wrong", (base,), members)()


# -- endless ----------------------------------------------------------------------------------------------------------


class Endless(Guess):
    """Players go on for ever; a state is the number of moves."""

    def root(self) -> Any:
        return 0

    def player(self, state: Any) -> int:
        return state % 2

    def play(self, state: Any, action: Any) -> Any:
        return state + 1

    def infoset(self, state: Any) -> Any:
        return state


def endless() -> dict[str, rg.Game]:
    """Games that never end, by how they do it."""
    return {
        "one action": game(Endless, actions=lambda self, state: ("on",)),
        "two actions, states merge": game(Endless),
        "two actions, a tree": game(Endless, play=lambda self, state, action: 2 * state + (action == "T") + 1),
        "histories as strings": game(
            root=lambda self: "", player=lambda self, state: len(state) % 2, infoset=lambda self, state: state
        ),
        "histories as tuples": game(
            root=lambda self: (), player=lambda self, state: len(state) % 2, infoset=lambda self, state: len(state),
            play=lambda self, state, action: (*state, action),
        ),
        "chance alone": game(Endless, player=lambda self, state: rg.CHANCE, actions=lambda self, state: ("on",)),
        "chance with many moves": game(
            Endless, player=lambda self, state: rg.CHANCE, actions=lambda self, state: range(50),
            play=lambda self, state, action: 50 * state + action + 1,
        ),
        "may stop at any time": game(
            Endless, player=lambda self, state: rg.TERMINAL if state < 0 else state % 2,
            play=lambda self, state, action: -1 if action == "H" else state + 1, payoffs=lambda self, state: (0, 0),
        ),
        "goes round": game(Endless, play=lambda self, state, action: (state + 1) % 7),
    }  # fmt: skip


# -- states that change -----------------------------------------------------------------------------------------------


class Board:
    """A state with a list inside."""

    def __init__(self, moves: list[str]) -> None:
        self.moves = moves

    def __len__(self) -> int:
        return len(self.moves)

    def __getitem__(self, place: int) -> str:
        return self.moves[place]


class Named(Board):
    """The same, compared by what it was made of."""

    def __init__(self, moves: list[str], name: str) -> None:
        super().__init__(moves)
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


def _appended(state: Any, action: str) -> Any:
    state.append(action)
    return state


def _appended_and_copied(state: Any, action: str) -> Any:
    state.append(action)
    return list(state)


def _board(state: Any, action: str) -> Any:
    state.moves.append(action)
    return Board(list(state.moves))


def _named(state: Any, action: str) -> Any:
    state.moves.append(action)
    return Named(list(state.moves), f"{state.name}{action}")


def _inside_a_tuple(state: Any, action: str) -> Any:
    state[0].moves.append(action)
    return (Board(list(state[0].moves)), 0)


def _dict(state: Any, action: str) -> Any:
    state[len(state)] = action
    return dict(state)


def _deep(state: Any, action: str) -> Any:
    inner = state[0][0][0][0][0][0][0][0]
    inner.append(action)
    return [[[[[[[[list(inner)]]]]]]]]


def changing() -> dict[str, rg.Game]:
    """Games whose `play` changes the state that it is given, by what the state is."""

    def of(root: Callable[[], Any], play: Callable[[Any, str], Any], view: Change = lambda state: state) -> rg.Game:
        return game(
            root=lambda self: root(),
            play=lambda self, state, action: play(state, action),
            player=lambda self, state: Guess.player(self, view(state)),
            infoset=lambda self, state: len(view(state)),
            payoffs=lambda self, state: Guess.payoffs(self, view(state)),
        )

    return {
        "list, returned": of(list, _appended),
        "list, copied afterwards": of(list, _appended_and_copied),
        "object": of(lambda: Board([]), _board),
        "object with its own equality": of(lambda: Named([], ""), _named),
        "object inside a tuple": of(lambda: (Board([]), 0), _inside_a_tuple, lambda state: state[0]),
        "dict": of(dict, _dict),
        "list, nine levels deep": of(
            lambda: [[[[[[[[[]]]]]]]]], _deep, lambda state: state[0][0][0][0][0][0][0][0]
        ),
    }  # fmt: skip


# -- answers ----------------------------------------------------------------------------------------------------------


def answers() -> dict[str, rg.Game]:
    """Games whose answers are too large, endless or of the wrong kind."""
    return {
        **{f"players {shortened(players)}": game(players=players) for players in PLAYERS},
        "chance of 1e308": game(
            player=lambda self, state: rg.CHANCE if state == "" else Guess.player(self, state),
            chance=lambda self, state: (1e308, 1e308),
        ),
        "payoffs of 1e308": game(payoffs=lambda self, state: (1e308, -1e308)),
        "payoffs of 1e151": game(payoffs=lambda self, state: (1e151, -1e151)),
        "payoffs of 10**400": game(payoffs=lambda self, state: (10**400, -(10**400))),
        "payoffs NaN": game(payoffs=lambda self, state: (float("nan"), 0)),
        "endless payoffs": game(payoffs=lambda self, state: itertools.repeat(1.0)),
        "endless actions": game(actions=lambda self, state: itertools.count()),
        "generator of actions": game(actions=lambda self, state: (a for a in "HT")),
        "a billion actions": game(actions=lambda self, state: range(10**9)),
        "endless probabilities": game(
            player=lambda self, state: rg.CHANCE if state == "" else Guess.player(self, state),
            chance=lambda self, state: itertools.repeat(0.5),
        ),
    }  # fmt: skip


PLAYERS = (10**9, 129, 0, -1, True, 2.0, "2", None, 10**5_000)
