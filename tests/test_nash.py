"""Nash equilibria of two-player general-sum games, by Lemke's algorithm and through Gambit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given

import regretless as rg
from conftest import built
from random_games import RandomGame, random_games


@given(game=random_games(players=(2,), depth=5, zero_sum=False))
def test_no_player_gains_by_deviating_on_random_games(game: RandomGame) -> None:
    tree = rg.build(game)
    found = rg.nash(tree)
    gains = [rg.best_response(tree, found.strategy, p).value - rg.value(tree, found.strategy, p) for p in (0, 1)]
    assert max(gains) < 1e-10
    assert found.gaps.max() < 1e-10
    np.testing.assert_allclose(found.values, rg.values(tree, found.strategy), atol=1e-12)


@given(game=random_games(players=(2,), depth=4, zero_sum=True))
def test_zero_sum_games_have_the_value_of_the_linear_program(game: RandomGame) -> None:
    tree = rg.build(game)
    assume(len(set(tree.labels.owner.tolist())) == 2)
    assert rg.nash(tree).values[0] == pytest.approx(rg.equilibrium(tree).value, abs=1e-9)


@pytest.mark.parametrize(
    "spec", ["kuhn", "battle_of_the_sexes", "sheriff:rounds=2", "battleship:shots=2", "goofspiel", "one_card_poker"]
)
def test_ready_made_games(spec: str) -> None:
    assert rg.nash(built(spec)).gaps.max() < 1e-9


@pytest.mark.full
def test_the_largest_that_is_taken() -> None:
    found = rg.nash("leduc")
    assert found.gaps.max() < 1e-9
    assert found.values[0] == pytest.approx(-0.085606424078)


def test_the_sheriff_is_not_bribed_for_nothing() -> None:
    """One round by hand: the sheriff must not care between inspecting and taking the bribe that is offered."""
    found = rg.nash("sheriff:rounds=1")
    assert found.values.tolist() == pytest.approx([0.75, 0.0], abs=1e-12)


def test_a_prior_picks_the_equilibrium(sexes: rg.Tree) -> None:
    """Battle of the sexes has three: near which of the pure ones the path begins decides."""
    for likely, values in (([0.9, 0.1], [2, 1]), ([0.1, 0.9], [1, 2])):
        prior = rg.Strategy.from_dict(sexes, {"player 0": likely, "player 1": likely})
        assert rg.nash(sexes, prior=prior).values.tolist() == pytest.approx(values)


@pytest.mark.peer
@pytest.mark.parametrize("spec", ["battle_of_the_sexes", "kuhn", "sheriff:rounds=1"])
def test_through_gambit(spec: str) -> None:
    pytest.importorskip("pygambit")
    found = rg.nash(spec, solver="gambit")
    assert found.gaps.max() < 1e-6


def test_gambit_must_be_there(kuhn: rg.Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pygambit", None)
    with pytest.raises(rg.OptionError, match=r"pip install 'regretless\[gambit\]'"):
        rg.nash(kuhn, solver="gambit")


def test_what_is_refused(kuhn: rg.Tree, kuhn3: rg.Tree) -> None:
    with pytest.raises(rg.OptionError, match="is for two players and Kuhn has 3"):
        rg.nash(kuhn3)
    with pytest.raises(rg.OptionError, match="did you mean 'lemke'"):
        rg.nash(kuhn, solver="lemk")
    with pytest.raises(rg.OptionError, match="takes every action"):
        rg.nash(kuhn, prior=rg.equilibrium(kuhn).strategy)
    with pytest.raises(rg.OptionError, match="up to 3,000 sequences, and this one has 14,046"):
        rg.nash("sheriff")


def test_one_player_alone_decides(tmp_path: Path) -> None:
    class Alone(rg.Game):
        def root(self) -> str:
            return ""

        def player(self, state: str) -> int:
            return rg.TERMINAL if state else 1

        def actions(self, state: str) -> str:
            return "ab"

        def play(self, state: str, action: str) -> str:
            return state + action

        def infoset(self, state: str) -> str:
            return state

        def payoffs(self, state: str) -> tuple[float, float]:
            return (1.0, 2.0) if state == "b" else (5.0, 1.0)

    assert rg.nash(Alone()).values.tolist() == [1.0, 2.0]
