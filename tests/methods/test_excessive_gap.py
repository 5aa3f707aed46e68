"""The excessive gap technique: its condition, the bound that follows from it, and the linear program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from conftest import INTERPRETED
from random_games import RandomGame, random_games
from regretless.evaluation.responses import plan_gaps
from regretless.kernels.first_order.excessive_gap import excess
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.methods.first_order.regularisers import WEIGHTS

pytestmark = pytest.mark.full  # compiles for many seconds


def largest_entropy(tree: rg.Tree, player: int, entropy: Any) -> float:
    """max ψ: at each infoset a pure choice is worth the offset and what follows, and uniform play nothing."""
    worth = np.zeros(tree.sequences)
    for infoset in range(tree.infosets - 1, -1, -1):
        if tree.labels.owner[infoset] == player:
            here = tree.labels.sequences_of(infoset)
            worth[tree.form.parent[infoset]] += entropy.offset[infoset] + worth[here].max()
    return float(worth[tree.form.sequence_first[player]])


@given(random_games(players=(2,), zero_sum=True), st.sampled_from(WEIGHTS), st.integers(1, 60))
def test_the_condition_holds_and_bounds_nash_conv(game: RandomGame, weights: str, iterations: int) -> None:
    tree = rg.build(game)
    method = rg.EGT(weights)
    learner: Any = method.learner(method.open(tree), rg.Settings())
    learner.advance(iterations)
    saved = learner.saved
    fresh = np.zeros(tree.sequences)
    for player in range(2):
        player_gradient(tree.form, player, saved.plan, fresh)
    np.testing.assert_allclose(saved.gradient, fresh, atol=1e-9)  # kept up to date without a product
    assert excess(tree.form, learner.entropy, saved, learner.buffers) <= 1e-12
    bound = sum(saved.smoothing[p] * largest_entropy(tree, p, learner.entropy) for p in range(2))
    assert plan_gaps(tree, saved.plan).nash_conv <= bound + 1e-9


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@given(random_games(players=(2,), zero_sum=True))
def test_it_converges_to_the_value_of_the_linear_program(game: RandomGame) -> None:
    tree = rg.build(game)
    run = rg.solve(tree, rg.EGT(), until=1e-3, iterations=20_000)
    assert run.exploitability <= 1e-3
    assert abs(run.value - rg.equilibrium(tree).value) <= 2e-3


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
def test_the_error_falls_as_one_over_t() -> None:
    tree = rg.build("leduc")
    smoothing = [rg.solve(tree, rg.EGT(), iterations=n).history.smoothing_0[-1] for n in (100, 1_000)]
    assert smoothing[1] < smoothing[0] / 5
    assert rg.solve(tree, rg.EGT(), iterations=1_000).exploitability < 5e-3


def test_it_has_no_fixed_players_and_no_other_games() -> None:
    with pytest.raises(rg.OptionError, match="EGT solves for both players and cannot hold player 0 fixed"):
        rg.solve("rps", rg.EGT(), fixed={0: [0.4, 0.3, 0.3]})
    with pytest.raises(rg.OptionError, match="EGT needs a two-player zero-sum game"):
        rg.solve("kuhn:players=3", rg.EGT())
    with pytest.raises(rg.OptionError, match="unknown weights"):
        rg.EGT("heavy")
