"""The linear program: exact values, and agreement with CFR+ and with Gambit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings

import regretless as rg
from conftest import INTERPRETED, built
from gambit_peer import gambit_value
from random_games import RandomGame, random_games
from regretless.evaluation.equilibrium import constraints, payoff_matrix
from regretless.evaluation.responses import plan_of


@given(random_games(players=(2,), zero_sum=True))
def test_no_player_gains_at_the_equilibrium(game: RandomGame) -> None:
    tree = rg.build(game)
    solved = rg.equilibrium(tree)
    assert rg.exploitability(tree, solved.strategy) < 1e-8
    assert rg.value(tree, solved.strategy) == pytest.approx(solved.value, abs=1e-8)


@pytest.mark.skipif(INTERPRETED, reason="thousands of iterations")
@settings(max_examples=12)
@given(random_games(players=(2,), zero_sum=True))
def test_cfr_plus_tends_to_the_same_value(game: RandomGame) -> None:
    tree = rg.build(game)
    run = rg.solve(tree, rg.CFR_PLUS, iterations=20_000, until=2e-4)
    assert run.stopped == "until"
    assert run.value == pytest.approx(rg.equilibrium(tree).value, abs=4e-4)


@given(random_games(players=(2,), zero_sum=True))
def test_plans_meet_the_constraints(game: RandomGame) -> None:
    tree = rg.build(game)
    strategy = rg.Strategy.uniform(tree)
    plan = plan_of(tree, strategy)
    first = tree.form.sequence_first
    parts = [plan[first[p] : first[p + 1]] for p in range(2)]
    for player in range(2):
        matrix, right = constraints(tree, player)
        np.testing.assert_allclose(matrix @ parts[player], right, atol=1e-12)
    for player in range(2):
        worth = parts[player] @ (payoff_matrix(tree, player) @ parts[1 - player])
        assert worth == pytest.approx(rg.value(tree, strategy, player), abs=1e-12)


@pytest.mark.peer
@pytest.mark.parametrize("spec", ["kuhn", "one_card_poker:deck=4", "rps", "matching_pennies", "goofspiel:cards=2"])
def test_gambit_agrees(spec: str, tmp_path: object) -> None:
    pygambit = pytest.importorskip("pygambit")
    tree = built(spec)
    path = f"{tmp_path}/game.efg"
    rg.write_efg(tree.game, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game = pygambit.read_efg(path)
        result = pygambit.nash.lcp_solve(game, rational=False)
    assert float(gambit_value(game, result)) == pytest.approx(rg.equilibrium(tree).value, abs=1e-6)


def test_games_it_is_not_for(kuhn3: rg.Tree, sexes: rg.Tree) -> None:
    with pytest.raises(rg.OptionError, match="two-player zero-sum game; Kuhn has 3 players"):
        rg.equilibrium(kuhn3)
    with pytest.raises(rg.OptionError, match="BattleOfTheSexes has payoffs that do not sum to zero"):
        rg.equilibrium(sexes)


def test_a_program_that_cannot_be_solved_says_so(kuhn: rg.Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.optimize

    class Failure:
        success, message = False, "out of luck"

    monkeypatch.setattr(scipy.optimize, "linprog", lambda *_, **__: Failure)
    with pytest.raises(rg.RegretlessError, match="HiGHS could not solve the linear program: out of luck"):
        rg.equilibrium(kuhn)
