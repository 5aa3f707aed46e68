"""Quantal response equilibria, against the fixed point on the reduced normal form of small games."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import regretless as rg
from compare_tables import random_strategy
from conftest import INTERPRETED
from random_games import RandomGame, random_games
from regretless.evaluation.equilibrium import payoff_matrix

Array = Any


def pure_plans(tree: rg.Tree, player: int) -> Array:
    """[reduced pure strategies, own sequences] every pure plan of a player, those that differ off their path merged."""
    first = tree.form.sequence_first
    infosets = np.flatnonzero(tree.labels.owner == player)
    plans = set()
    for choice in product(*(range(len(tree.labels.actions[i])) for i in infosets)):
        strategy = np.zeros(tree.sequences)
        strategy[first[:-1]] = 1.0
        for infoset, action in zip(infosets, choice, strict=True):
            here = tree.labels.sequences_of(int(infoset))
            strategy[here.start + action * here.step] = 1.0
        plans.add(tuple(tree.plan(strategy)[first[player] : first[player + 1]]))
    return np.array(sorted(plans))


def logit_equilibrium(payoffs: Array, rationality: float) -> tuple[Array, Array]:
    """The mixed strategies p ∝ exp(λ A q), q ∝ exp(−λ Aᵀ p), by averaging with shrinking steps until nothing moves."""

    def softmax(values: Array) -> Array:
        weight = np.exp(values - values.max())
        return weight / weight.sum()

    p, q = (np.full(n, 1 / n) for n in payoffs.shape)
    step = 0.5 / (1 + (rationality * np.abs(payoffs).max()) ** 2)
    for _ in range(200_000):
        new_p, new_q = softmax(rationality * payoffs @ q), softmax(-rationality * payoffs.T @ p)
        moved = max(np.abs(new_p - p).max(), np.abs(new_q - q).max())
        p, q = p + step * (new_p - p), q + step * (new_q - q)
        if moved < 1e-13:
            return p, q
    raise AssertionError("the fixed point was not found")


def expected_plan(tree: rg.Tree, rationality: float) -> Array:
    """[S] the plan of the logit equilibrium of the reduced normal form."""
    rows, columns = (pure_plans(tree, player) for player in range(2))
    p, q = logit_equilibrium(rows @ (payoff_matrix(tree) @ columns.T), rationality)
    return np.concatenate([p @ rows, q @ columns])


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@given(random_games(players=(2,), depth=4, zero_sum=True), st.sampled_from([0.5, 2.0, 5.0]))
def test_mmd_finds_the_logit_equilibrium_of_the_reduced_normal_form(game: RandomGame, rationality: float) -> None:
    tree = rg.build(game)
    sizes = [np.prod([len(tree.labels.actions[i]) for i in np.flatnonzero(tree.labels.owner == p)]) for p in (0, 1)]
    assume(max(sizes) <= 300)
    run = rg.solve(tree, rg.MMD.quantal(rationality), iterations=5_000)
    assert run.history.qre_gap[-1] < 1e-9
    np.testing.assert_allclose(tree.plan(run.strategy.probabilities), expected_plan(tree, rationality), atol=1e-4)


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
def test_kuhn() -> None:
    tree = rg.build("kuhn")
    for rationality in (1.0, 10.0):
        run = rg.solve(tree, rg.MMD.quantal(rationality), iterations=3_000)
        np.testing.assert_allclose(tree.plan(run.strategy.probabilities), expected_plan(tree, rationality), atol=1e-7)
        assert run.history.qre_gap[-1] < 1e-12 and run.exploitability > 1e-3


def test_convergence_is_linear() -> None:
    """Theorem 3.4 of Sokota et al. 2023: the distance shrinks by a constant factor."""
    gap = rg.solve("kuhn", rg.MMD(alpha=0.2), iterations=60).history.qre_gap
    assert gap[10] < 0.5 * gap[0] and gap[25] < 1e-3 * gap[10] and gap[-1] < 1e-12


@given(random_games(players=(2,)), st.integers(0, 99), st.floats(0.1, 20))
def test_the_gap_is_never_negative_and_bounds_payoffs(game: RandomGame, seed: int, rationality: float) -> None:
    """With no entropy to gain, what is left is NashConv: the gap is at least NashConv minus the entropy there is."""
    tree = rg.build(game)
    strategy = random_strategy(tree, seed)
    gap = rg.quantal_gap(tree, strategy, rationality)
    most = sum(np.log(len(actions)) for actions in tree.labels.actions) / rationality
    assert gap >= 0 and rg.nash_conv(tree, strategy) - most <= gap + 1e-9 <= rg.nash_conv(tree, strategy) + most + 2e-9


def test_the_uniform_plan_at_no_rationality() -> None:
    tree = rg.build("rps")
    assert rg.quantal_gap(tree, rg.Strategy.uniform(tree), 1e-3) == pytest.approx(0.0, abs=1e-9)
    for wrong in (0, -1, True, "much", np.nan):
        with pytest.raises(rg.OptionError, match="rationality is a number above 0"):
            rg.quantal_gap(tree, rg.Strategy.uniform(tree), wrong)  # type: ignore[arg-type]
