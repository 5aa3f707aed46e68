"""The conformance test finds what is wrong with a game and says where."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from regretless import games
from regretless.game import CHANCE, TERMINAL, Game
from regretless.testing import Conformance, check_game_conformance


class Guess(Game):
    """Chance picks a coin, player 0 hides a side, player 1 guesses it; histories are strings."""

    def root(self) -> Any:
        return ""

    def player(self, state: Any) -> int:
        return (CHANCE, 0, 1, TERMINAL)[len(state)]

    def actions(self, state: Any) -> Sequence[Any]:
        return "ab" if len(state) == 0 else "HT"

    def play(self, state: Any, action: Any) -> Any:
        return state + action

    def infoset(self, state: Any) -> Any:
        return len(state)

    def payoffs(self, state: Any) -> Sequence[float]:
        return (-1.0, 1.0) if state[1] == state[2] else (1.0, -1.0)


def replaced(**methods: Any) -> Game:
    game: Game = type("Broken", (Guess,), methods)()
    return game


def mutating(self: Game, state: list[str], action: str) -> list[str]:
    state.append(action)
    return list(state)


def test_a_sound_game_passes() -> None:
    assert check_game_conformance(Guess()) == Conformance(15, 8, 2, exhaustive=True)


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        ({"players": 0}, "players is 0: it must be a whole number from 1 to 128"),
        ({"player": lambda s, h: 2}, "at the root: player is 2: neither CHANCE, TERMINAL nor 0 to 1"),
        ({"actions": lambda s, h: ""}, "at the root: there are no actions, though the game is not over"),
        ({"actions": lambda s, h: "HH"}, "at the root: actions ['H', 'H'] are not distinct"),
        ({"actions": lambda s, h: [[1]]}, "at the root: action [1] is not hashable"),
        ({"action_label": lambda s, a: "x"}, "at the root: action labels ['x', 'x'] are not distinct"),
        ({"chance": lambda s, h: (1,)}, "at the root: there are 1 probabilities for 2 actions"),
        (
            {"chance": lambda s, h: (1.5, -0.5)},
            "at the root: probabilities [1.5, -0.5] are not all 0 or more",
        ),
        ({"chance": lambda s, h: (0.5, 0.4)}, "at the root: probabilities sum to 0.9, not to 1"),
        ({"payoffs": lambda s, h: (0,)}, "after a, H, H: there are 1 payoffs for 2 players"),
        ({"payoffs": lambda s, h: (0, float("nan"))}, "after a, H, H: payoffs [0, nan] are not finite"),
        ({"infoset": lambda s, h: [h]}, "after a: infoset ['a'] is not hashable"),
        ({"infoset_label": lambda s, i: [i]}, "after a: infoset label [1] is not hashable"),
        ({"infoset": lambda s, h: 0}, "after a, H: infoset 0 belongs to player 1, but to player 0 after a"),
        (
            {"actions": lambda s, h: {"": "ab", "b": "HTX"}.get(h, "HT")},
            "after b: infoset 1 has actions ['H', 'T', 'X'], but ['H', 'T'] after a",
        ),
        (
            {"infoset": lambda s, h: h, "infoset_label": lambda s, i: len(i)},
            "after a, T: infosets 'aH' and 'aT' share the label 2",
        ),
        (
            {"root": lambda s: [], "play": mutating, "infoset": lambda s, h: len(h)},
            "at the root: play changes the state it was given for 'a'",
        ),
        ({"play": lambda s, h, a: h}, "at the root: play returns the very state it was given for 'a'"),
        (
            {"play": lambda s, h, a: h + random.choice("0123456789") * 1000},
            "at the root: play gives two different states for 'a'",
        ),
        (
            {"player": lambda s, h: 0, "actions": lambda s, h: "x"},
            "after x, x, x",
        ),
    ],
)
def test_a_broken_game_fails_with_a_sentence(methods: dict[str, Any], sentence: str) -> None:
    random.seed(1)
    with pytest.raises(AssertionError) as error:
        check_game_conformance(replaced(**methods))
    assert str(error.value).startswith(sentence)


class TwoMoves(Guess):
    """Player 0 moves twice and may have forgotten the first move."""

    def player(self, state: Any) -> int:
        return (0, 0, TERMINAL)[len(state)]

    def payoffs(self, state: Any) -> Sequence[float]:
        return (0.0, 0.0)


def test_imperfect_recall_is_found_unless_the_game_says_so() -> None:
    with pytest.raises(AssertionError, match=r"after b: infoset 1 forgets what player 0 knew .* the same after a"):
        check_game_conformance(TwoMoves())
    forgetful = TwoMoves()
    forgetful.perfect_recall = False  # type: ignore[attr-defined]
    assert check_game_conformance(forgetful).infosets == 2


def test_absent_mindedness_is_imperfect_recall() -> None:
    broken = type("Absent", (TwoMoves,), {"infoset": lambda s, h: 0, "actions": lambda s, h: "HT"})()
    with pytest.raises(AssertionError, match="after H: infoset 0 forgets"):
        check_game_conformance(broken)


class Box:
    """A state without equality."""

    def __init__(self, history: str) -> None:
        self.history = history


def test_states_need_no_equality() -> None:
    class Boxed(Guess):
        def root(self) -> Any:
            return Box("")

        def player(self, state: Any) -> int:
            return super().player(state.history)

        def actions(self, state: Any) -> Sequence[Any]:
            return super().actions(state.history)

        def play(self, state: Any, action: Any) -> Any:
            return Box(state.history + action)

        def infoset(self, state: Any) -> Any:
            return super().infoset(state.history)

        def payoffs(self, state: Any) -> Sequence[float]:
            return super().payoffs(state.history)

    assert check_game_conformance(Boxed()).histories == 15

    class Mutating(Boxed):
        def play(self, state: Any, action: Any) -> Any:
            state.history += action
            return Box(state.history)

    with pytest.raises(AssertionError, match="at the root: play changes the state it was given for 'a'"):
        check_game_conformance(Mutating())


def test_golden_counts_must_match() -> None:
    with pytest.raises(AssertionError, match=r"Kuhn\(players=2\) has 12 infosets, expected 13"):
        check_game_conformance(games.Kuhn(), infosets=13)
    with pytest.raises(AssertionError, match="more than 50 histories: raise max_histories to count infosets"):
        check_game_conformance(games.Kuhn(), infosets=12, max_histories=50)
    assert check_game_conformance(games.Kuhn(), histories=58, max_histories=50).exhaustive


def test_playouts_are_seeded() -> None:
    def sampled(seed: int) -> Conformance:
        return check_game_conformance(games.Leduc(), max_histories=100, playouts=50, seed=seed)

    assert sampled(1) == sampled(1)
    assert sampled(1) != sampled(2)
    assert not sampled(1).exhaustive
