"""Matches between tables of games that are never listed, and between functions; the words of a match, and mistakes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from match_players import ByTable, pair, table_of

import regretless as rg
from conftest import INTERPRETED

HANDS = 20_000

compiles = pytest.mark.skipif(INTERPRETED, reason="compiled games need the compiler")

# -- games that are not listed ----------------------------------------------------------------------------------------


@cache
def tables() -> tuple[ByTable, ByTable]:
    tree, strong, weak = pair("leduc")
    return table_of(tree.game, strong, baselines=True), table_of(tree.game, weak)


@compiles
def test_compiled_games_play_the_hands_of_listed_ones() -> None:
    tree, strong, weak = pair("leduc")
    a, b = tables()
    listed = rg.match(tree, strong, weak, hands=HANDS, seed=4, exact=False)
    played = rg.match(tree.game, a, b, hands=HANDS, seed=4, exact=False)
    assert played.mean == pytest.approx(listed.mean, abs=1e-12) and not played.exact
    assert played.variance == pytest.approx(listed.variance)
    assert rg.match(tree.game, a, b, hands=HANDS, seed=4, exact=False, threads=1) == played


@compiles
def test_tables_are_computed_exactly_where_the_game_can_be_listed() -> None:
    tree, strong, weak = pair("leduc")
    a, b = tables()
    exact = rg.match(tree, strong, weak)
    for one, other in ((a, b), (strong, b), (a, weak)):
        result = rg.match(tree.game, one, other)
        assert result.exact and result.mean == pytest.approx(exact.mean, abs=1e-12)
    assert rg.match(tree, a, b, hands=1_000, exact=False, control="value").variance < 1e-20
    looped = rg.match(tree.game, a, lambda state, actions: [1 / len(actions)] * len(actions), hands=1_000)
    assert looped == rg.match(tree, strong, rg.Strategy.uniform(tree), hands=1_000, exact=False)


@compiles
def test_baselines_take_luck_out() -> None:
    tree, strong, weak = pair("leduc")
    a, b = tables()
    played = rg.match(tree.game, a, b, hands=HANDS, exact=False, control="value")
    assert played.variance < 0.85 * played.variance_without_control
    assert abs(played.mean - rg.match(tree, strong, weak).mean) < 4 * played.standard_error
    assert played == rg.match(tree.game, a, b, hands=HANDS, exact=False, control=a)
    with pytest.raises(rg.OptionError, match="baselines"):
        rg.match(tree.game, b, b, exact=False, control="value")


@rg.compiled
class LongGuess(rg.Game):
    """Player 0 hides one of two, player 1 guesses; infosets of three numbers, which tables keep as hashes."""

    def root(self) -> Any:
        return (0, 0)

    def player(self, state: Any) -> int:
        return state[0] if state[0] < 2 else rg.TERMINAL

    def actions(self, state: Any) -> Any:
        return (1, 2)

    def play(self, state: Any, action: Any) -> Any:
        return (state[0] + 1, 3 * state[1] + action)

    def infoset(self, state: Any) -> Any:
        return (5, state[0], 7)

    def payoffs(self, state: Any) -> Any:
        return (-1.0, 1.0) if state[1] in (4, 8) else (1.0, -1.0)


@compiles
def test_tables_of_hashes_are_played() -> None:
    game = LongGuess()
    tree = rg.build(game)
    uniform = rg.Strategy.uniform(tree)
    tilted = rg.Strategy.from_dict(tree, {(0, (5, 0, 7)): [0.9, 0.1], (1, (5, 1, 7)): [0.2, 0.8]})
    hashed = table_of(game, tilted)
    played = rg.match(game, hashed, uniform, hands=500)
    assert not played.exact and played == rg.match(tree, tilted, uniform, hands=500, exact=False)
    with pytest.raises(rg.OptionError, match="hashes"):
        rg.match(game, hashed, uniform, exact=True)


# -- functions as players ---------------------------------------------------------------------------------------------


def test_a_function_answers_with_an_action_or_probabilities(kuhn: rg.Tree) -> None:
    game = kuhn.game
    answers: list[Callable[[Any, Any], Any]] = [
        lambda state, actions: actions[1],
        lambda state, actions: [0, 1],
        lambda state, actions: np.array([0.0, 1.0]),
        lambda state, actions: {actions[1]: 1},
    ]
    uniform = rg.Strategy.uniform(kuhn)
    always = rg.Strategy.from_dict(kuhn, {(int(p), n): [0, 1] for p, n in kuhn.labels.by_player})
    wanted = rg.match(kuhn, always, uniform, hands=100, exact=False)
    assert all(rg.match(game, answer, uniform, hands=100) == wanted for answer in answers)
    swapped = rg.match(kuhn, uniform, answers[0], hands=100)
    assert swapped == rg.match(kuhn, uniform, always, hands=100, exact=False)


def test_functions_play_games_that_cannot_be_listed() -> None:
    game = rg.games.Dudo(recall=3)
    played = rg.match(game, lambda state, actions: actions[-1], lambda state, actions: actions[0], hands=50)
    assert not played.exact and played.hands == 50


def test_functions_with_wrong_answers_are_told_so(kuhn: rg.Tree) -> None:
    uniform = rg.Strategy.uniform(kuhn)
    for answer in ("fold", [0.5, 0.6], [1.0], {"x": 1.0}, None):
        with pytest.raises(rg.OptionError, match="player a answered"):
            rg.match(kuhn, lambda state, actions, answer=answer: answer, uniform, hands=1)


# -- words ------------------------------------------------------------------------------------------------------------


def test_a_match_is_a_sentence(kuhn: rg.Tree) -> None:
    def result(mean: float, half: float, **changes: Any) -> rg.Match:
        given = {"hands": 10_000, "exact": False, "by_seat": (0.0, 0.0), "variance": 1.0} | changes
        return rg.Match(
            mean=mean, low=mean - half, high=mean + half, standard_error=half / 2, confidence=0.95,
            variance_without_control=1.0, **given,
        )  # fmt: skip

    told = "a wins 0.0312 ± 0.0040 chips a hand (95 %), 10,000 deals played in both seats"
    assert str(result(0.03118, 0.004)) == told
    assert repr(result(0.03118, 0.004)) == f"<Match: {told}>"
    assert "loses 12 ± 30" in str(result(-12.2, 30.0))
    assert "1 deal played in all 3 seats" in str(result(1, float("inf"), hands=1, by_seat=(0.0, 0.0, 0.0)))
    assert str(rg.match(kuhn, *[rg.Strategy.uniform(kuhn)] * 2)) == "a wins 0 chips a hand (exact, mean of both seats)"


def test_one_hand_knows_nothing_of_its_variance(kuhn: rg.Tree) -> None:
    uniform = rg.Strategy.uniform(kuhn)
    one = rg.match(kuhn, uniform, uniform, hands=1, exact=False)
    assert (one.low, one.high, one.standard_error) == (-np.inf, np.inf, np.inf)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hands": 0}, "hands is a positive whole number, got 0"),
        ({"hands": 2.5}, "hands is a positive whole number"),
        ({"seed": -1}, "seed is a whole number"),
        ({"confidence": 1.0}, "confidence is a probability between 0 and 1"),
        ({"confidence": "high"}, "confidence is a probability"),
        ({"exact": "yes"}, "exact is True, False or None"),
        ({"threads": 0}, "threads is a positive whole number"),
        ({"control": "values"}, "did you mean 'value'"),
        ({"control": 5}, "control is 'value'"),
        ({"control": np.zeros(3), "exact": False}, "13 histories, got an array of shape (3,)"),
        ({"control": np.full(13, np.nan), "exact": False}, "no finite numbers"),
        ({"a": "tight"}, "a is a Strategy or a function"),
        ({"b": lambda state, actions: 0, "exact": True}, "can only be played"),
        ({"b": lambda state, actions: 0, "control": "value"}, "control needs to know both strategies"),
        ({"game": "kuhn"}, "belongs to another game"),
        ({"game": "kuhn", "b": lambda state, actions: actions[0]}, "belongs to another game"),
        ({"game": 5}, "a Tree, a Game or a name"),
        ({"a": ByTable(None, None, 0)}, "only compiled games have"),
    ],
    ids=lambda given: given if isinstance(given, str) else " ".join(given),
)
def test_mistakes_end_in_a_sentence(changes: dict[str, Any], said: str) -> None:
    uniform = rg.Strategy.uniform(rg.games.RockPaperScissors())
    given: dict[str, Any] = {"game": "rps", "a": uniform, "b": uniform} | changes
    with pytest.raises(rg.OptionError) as caught:
        rg.match(given.pop("game"), given.pop("a"), given.pop("b"), **given)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_run_is_not_its_strategy(kuhn: rg.Tree) -> None:
    with pytest.raises(rg.OptionError, match=r"pass its \.strategy"):
        rg.match(kuhn, rg.solve(kuhn, iterations=1), rg.Strategy.uniform(kuhn))
