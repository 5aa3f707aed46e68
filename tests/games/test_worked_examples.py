"""The examples that shared/seeds/002 works by hand: counterfactual values, by slow and obvious recursion."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pytest

from regretless import games
from regretless.game import TERMINAL, Game
from regretless.testing import check_game_conformance

Strategies = Mapping[Hashable, tuple[float, ...]]
"""Probabilities of the actions, by infoset; these games have no chance moves."""


def expected(game: Game, state: Any, strategies: Strategies, player: int) -> float:
    """What a player wins on average from a state on."""
    if game.player(state) == TERMINAL:
        return float(game.payoffs(state)[player])
    weights = strategies[game.infoset(state)]
    return sum(
        weight * expected(game, game.play(state, action), strategies, player)
        for weight, action in zip(weights, game.actions(state), strict=True)
    )


def reach(game: Game, history: tuple[Any, ...], strategies: Strategies, players: set[int]) -> float:
    """The probability that these players play towards a history."""
    state, product = game.root(), 1.0
    for action in history:
        if game.player(state) in players:
            product *= strategies[game.infoset(state)][list(game.actions(state)).index(action)]
        state = game.play(state, action)
    return product


def at(game: Game, history: tuple[Any, ...]) -> Any:
    state = game.root()
    for action in history:
        state = game.play(state, action)
    return state


def counterfactual(game: Game, history: tuple[Any, ...], strategies: Strategies, player: int) -> float:
    others = set(range(game.players)) - {player}
    return reach(game, history, strategies, others) * expected(game, at(game, history), strategies, player)


class InTurn(Game):
    """Three players move in turn and see everything; after 0, 0 (node h31) player 1 wins r1 or r2."""

    players = 3

    def __init__(self, r1: float, r2: float) -> None:
        self.rewards = (r1, r2)

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return TERMINAL if len(state) == 3 else len(state)

    def actions(self, state: str) -> str:
        return "01" if state else "012"

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> str:
        return state

    def payoffs(self, state: str) -> tuple[float, float, float]:
        return (0.0, self.rewards[int(state[2])] if state.startswith("00") else 0.0, 0.0)


def test_three_players_in_turn_conform() -> None:
    check_game_conformance(InTurn(1, 2), histories=22, terminals=12, infosets=10)


@pytest.mark.parametrize(("a", "b", "r1", "r2"), [(0.5, 0.25, 3, -1), (0.9, 0.0, 2, 7), (0.0, 1.0, 5, 1)])
def test_value_and_counterfactual_value_of_h31(a: float, b: float, r1: float, r2: float) -> None:
    game = InTurn(r1, r2)
    strategies: dict[Hashable, tuple[float, ...]] = {"": (0.4, 0.3, 0.3)}
    strategies |= dict.fromkeys("012", (a, 1 - a))
    strategies |= {first + second: (b, 1 - b) for first in "012" for second in "01"}
    value = counterfactual(game, ("0", "0"), strategies, player=1)
    assert value == pytest.approx(0.4 * b * r1 + 0.4 * (1 - b) * r2)
    everybody = reach(game, ("0", "0"), strategies, {0, 1, 2}) * expected(game, "00", strategies, player=1)
    assert everybody == pytest.approx(a * value)


SCISSORS_ROCK_PAPER = games.Matrix([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], action_names=["s", "r", "p"])


def test_rock_paper_scissors_counterfactual_values() -> None:
    game = SCISSORS_ROCK_PAPER
    a, b = 0.2, 0.5
    strategies: dict[Hashable, tuple[float, ...]] = {0: (0.4, 0.3, 0.3), 1: (a, b, 1 - a - b)}
    openings = game.actions(game.root())
    answers = game.actions(game.play(game.root(), openings[0]))
    values = [
        sum(counterfactual(game, (opening, answer), strategies, player=1) for opening in openings) for answer in answers
    ]
    assert values == pytest.approx([0, 0.1, -0.1])
    infoset_value = sum(weight * value for weight, value in zip(strategies[1], values, strict=True))
    assert infoset_value == pytest.approx(0.1 * a + 0.2 * b - 0.1)
    assert expected(game, game.root(), strategies, player=1) == pytest.approx(infoset_value)


def test_paper_is_best_against_too_much_rock() -> None:
    game = games.RockPaperScissors()
    wins = {}
    for choice in range(3):
        pure = tuple(float(choice == other) for other in range(3))
        wins[game.choices[1][choice]] = expected(game, (), {0: (0.4, 0.3, 0.3), 1: pure}, player=1)
    assert wins == pytest.approx({"rock": 0, "paper": 0.1, "scissors": -0.1})
