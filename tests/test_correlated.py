"""Correlated and coarse-correlated equilibria of one-shot games."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from conftest import built
from regretless.evaluation.correlated import one_shot_payoffs


def test_payoffs_of_battle_of_the_sexes(sexes: rg.Tree) -> None:
    assert one_shot_payoffs(sexes).tolist() == [[[2, 0], [0, 1]], [[1, 0], [0, 2]]]


def test_the_fair_coin_is_a_correlated_equilibrium_worth_three_halves(sexes: rg.Tree) -> None:
    coin = np.array([[0.5, 0], [0, 0.5]])
    assert rg.correlated_gap(sexes, coin) == 0.0
    assert rg.coarse_correlated_gap(sexes, coin) == 0.0
    assert (one_shot_payoffs(sexes) * coin).sum(axis=(1, 2)).tolist() == [1.5, 1.5]


def test_the_three_nash_equilibria(sexes: rg.Tree) -> None:
    for one, other in [([1, 0], [1, 0]), ([0, 1], [0, 1]), ([2 / 3, 1 / 3], [1 / 3, 2 / 3])]:
        strategy = rg.Strategy.from_dict(sexes, {"player 0": one, "player 1": other})
        assert rg.exploitability(sexes, strategy) == pytest.approx(0.0, abs=1e-12)
        joint = np.outer(one, other)
        assert rg.correlated_gap(sexes, joint) == pytest.approx(0.0, abs=1e-12)


def test_a_wrong_joint_has_a_gap(sexes: rg.Tree) -> None:
    """Always apart: player 0 told 'movie' knows the other goes to the game, and gains 1 by following; likewise 2."""
    apart = [[0, 1], [0, 0]]
    assert rg.correlated_gap(sexes, apart) == pytest.approx(1.0)
    assert rg.coarse_correlated_gap(sexes, apart) == pytest.approx(1.0)
    other = [[0, 0], [1, 0]]
    assert rg.correlated_gap(sexes, other) == pytest.approx(2.0)


def test_coarse_is_weaker() -> None:
    """On rock-paper-scissors a play that is coarse correlated but not correlated: all ties but equal marginals."""
    tree = built("rps")
    ties = np.eye(3) / 3
    assert rg.coarse_correlated_gap(tree, ties) == pytest.approx(0.0)
    assert rg.correlated_gap(tree, ties) == pytest.approx(1 / 3)


def test_three_players() -> None:
    rng = np.random.default_rng(1)
    payoffs = rng.normal(size=(3, 2, 3, 2))
    tree = rg.build(rg.games.Matrix(payoffs))
    np.testing.assert_allclose(one_shot_payoffs(tree), payoffs)
    joint = rng.dirichlet(np.ones(12)).reshape(2, 3, 2)
    gains = []
    for player in range(3):
        for action in range(payoffs.shape[player + 1]):
            fixed = np.take(payoffs[player], [action], axis=player)
            gains.append(((fixed - payoffs[player]) * joint).sum())
    assert rg.coarse_correlated_gap(tree, joint) == pytest.approx(max(gains))
    assert rg.correlated_gap(tree, joint) >= max(gains) / 3 - 1e-12


@pytest.mark.parametrize(
    "joint", [[[1, 0], [0, 1]], [[-0.5, 1], [0.5, 0]], [[0.5, 0.5]], [[np.nan, 0.5], [0.25, 0.25]]]
)
def test_what_is_no_joint_distribution(sexes: rg.Tree, joint: list[list[float]]) -> None:
    with pytest.raises(rg.OptionError, match="joint distribution"):
        rg.correlated_gap(sexes, joint)


class Exit(rg.Game):
    """Player 0 may leave; only if not does player 1 decide."""

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return rg.TERMINAL if state == "L" or len(state) == 2 else len(state)

    def actions(self, state: str) -> str:
        return "LS"

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> str:
        return state

    def payoffs(self, state: str) -> tuple[float, float]:
        return (len(state), 5.0)


@pytest.mark.parametrize("game", [rg.games.Kuhn(), Exit()], ids=["kuhn", "exit"])
def test_only_for_one_shot_games(game: rg.Game) -> None:
    tree = rg.build(game)
    with pytest.raises(rg.OptionError, match="is not a one-shot game"):
        rg.correlated_gap(tree, [[1.0]])
    with pytest.raises(rg.OptionError, match="is not a one-shot game"):
        rg.solve(tree, rg.RegretMatching(), iterations=1)
