"""Mirror descent on plans, against proximal steps written infoset by infoset, and against linear programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from compare_tables import random_strategy
from conftest import INTERPRETED
from random_games import RandomGame, random_games
from regretless.evaluation.responses import plan_of
from regretless.kernels.first_order.dilated_entropy import (
    Entropy,
    player_entropy,
    player_smooth,
    player_spread,
    response_change,
)
from regretless.methods.first_order.regularisers import WEIGHTS, coupling, dilated_entropy, plain_entropy

pytestmark = pytest.mark.full  # compiles for many seconds

Array = Any


def smoothed(tree: rg.Tree, player: int, theta: Array, entropy: Entropy) -> tuple[float, Array]:
    """The value and the plan [S] of a smoothed best response; 1 at the other player's sequences."""
    work, scale, plan = theta.copy(), np.zeros(tree.infosets), np.ones(tree.sequences)
    value = float(player_smooth(tree.form, player, work, scale, entropy, 1.0))
    player_spread(tree.form, player, work, scale, plan, np.zeros(tree.sequences), 0.0, 0.0)
    return value, plan


@given(random_games(players=(2,)), st.integers(0, 99), st.sampled_from([*WEIGHTS, "plain"]))
def test_a_smoothed_best_response_is_the_best(game: RandomGame, seed: int, weights: str) -> None:
    tree = rg.build(game)
    entropy = plain_entropy(tree) if weights == "plain" else dilated_entropy(tree, weights)
    theta = np.random.default_rng(seed).normal(size=tree.sequences) * 3
    for player in range(2):
        mine = tree.labels.player_of_sequence == player
        value, plan = smoothed(tree, player, theta, entropy)
        regularised = theta[mine] @ plan[mine] - player_entropy(tree.form, player, plan, entropy)
        assert value == pytest.approx(regularised, abs=1e-11)
        for other in range(3):
            rival = plan_of(tree, random_strategy(tree, 100 * seed + other))
            worth = theta[mine] @ rival[mine] - player_entropy(tree.form, player, rival, entropy)
            assert worth <= value + 1e-11


@given(random_games(players=(2,)), st.integers(0, 99))
def test_the_change_of_a_smoothed_best_response(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    entropy = dilated_entropy(tree, "kroer")
    generator = np.random.default_rng(seed)
    theta, towards = generator.normal(size=(2, tree.sequences))
    for player in range(2):
        mine = tree.labels.player_of_sequence == player
        _, plan = smoothed(tree, player, theta, entropy)
        strategy = rg.Strategy.from_plan(tree.labels, plan).probabilities.copy()
        change = np.zeros(tree.sequences)
        response_change(tree.form, player, strategy, plan, entropy, towards.copy(), change)
        after, before = (smoothed(tree, player, theta + step * towards, entropy)[1] for step in (1e-5, -1e-5))
        np.testing.assert_allclose(change[mine], ((after - before) / 2e-5)[mine], atol=1e-7)


# -- steps ------------------------------------------------------------------------------------------------------------


def proximal(tree: rg.Tree, player: int, gain: Array, strategy: Array, entropy: Entropy) -> None:
    """argmax ⟨gain, x⟩ − Σ β x(parent) KL(σ ‖ old σ), infoset by infoset from the last on; `strategy` is replaced."""
    gain = gain.copy()
    for infoset in range(tree.infosets - 1, -1, -1):
        if tree.labels.owner[infoset] != player:
            continue
        here, beta = tree.labels.sequences_of(infoset), entropy.weight[infoset]
        weight = strategy[here] * np.exp(gain[here] / beta)
        gain[tree.form.parent[infoset]] += beta * np.log(weight.sum())
        strategy[here] = weight / weight.sum()


def gradient_of(tree: rg.Tree, player: int, strategy: Array) -> Array:
    from regretless.kernels.sequence_form.gradients import player_gradient

    out = np.zeros(tree.sequences)
    player_gradient(tree.form, player, tree.plan(strategy), out)
    return out


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("optimistic", [True, False])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_omd_is_a_sequence_of_proximal_steps(weights: str, optimistic: bool, alternating: bool) -> None:
    """x' = argmax ⟨2 g − g of the step before, x⟩ − D(x ‖ x_t) / η, or ⟨g, x⟩ without optimism."""
    tree, eta = rg.build(RandomGame(seed=7, depth=5)), 0.7
    entropy = dilated_entropy(tree, weights)
    method = rg.OMD(eta=eta, weights=weights, optimistic=optimistic, alternating=alternating)
    learner: Any = method.learner(method.open(tree), rg.Settings())
    strategy, before = tree.uniform().probabilities.copy(), [np.zeros(tree.sequences) for _ in range(2)]
    average = np.zeros(tree.sequences)
    for t in range(1, 7):
        old = strategy.copy()
        for player in range(2):
            played = tree.plan(strategy if alternating else old)
            mine = tree.labels.player_of_sequence == player
            average[mine] = average[mine] * (t - 1) / t + played[mine]
            gain = gradient_of(tree, player, strategy if alternating else old)
            ahead = 2 * gain - before[player] if optimistic else gain
            proximal(tree, player, eta * ahead, strategy, entropy)
            before[player] = gain
        learner.advance(1)
        np.testing.assert_allclose(learner.state.plan, tree.plan(strategy), atol=1e-12)
        np.testing.assert_allclose(learner.state.average, average, atol=1e-12)


def test_mmd_is_a_sequence_of_proximal_steps_with_a_magnet() -> None:
    """x' = argmax ⟨g, x⟩ − α ψ(x) − D(x ‖ x_t) / η: per infoset σ' ∝ σ^(1/(1+ηα)) exp(η θ / (1+ηα))."""
    tree, alpha, eta = rg.build(RandomGame(seed=11, depth=5)), 0.3, 0.8
    method = rg.MMD(alpha=alpha, eta=eta)
    learner: Any = method.learner(method.open(tree), rg.Settings())
    strategy = tree.uniform().probabilities.copy()
    learner.advance(1)  # from the uniform plan of all methods to that of the maximum of entropy plus gain
    strategy = rg.Strategy.from_plan(tree.labels, learner.state.plan).probabilities.copy()
    for _ in range(6):
        for player in range(2):
            gain = eta * gradient_of(tree, player, strategy)
            for infoset in range(tree.infosets - 1, -1, -1):
                if tree.labels.owner[infoset] == player:
                    here = tree.labels.sequences_of(infoset)
                    weight = (strategy[here] * np.exp(gain[here])) ** (1 / (1 + eta * alpha))
                    gain[tree.form.parent[infoset]] += (1 + eta * alpha) * np.log(weight.sum())
                    strategy[here] = weight / weight.sum()
        learner.advance(1)
        np.testing.assert_allclose(learner.state.plan, tree.plan(strategy), atol=1e-12)


def test_numbers_of_steps_do_not_depend_on_how_a_run_is_cut() -> None:
    method = rg.MMD()
    learner: Any = method.learner(method.open("kuhn"), rg.Settings())
    whole = learner.steps(1, 3_000)
    for first, count in ((1, 1), (1_000, 100), (1_024, 2), (1_025, 1_000), (2_999, 2)):
        assert np.array_equal(learner.steps(first, count), whole[first - 1 : first - 1 + count])


# -- solutions --------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@given(random_games(players=(2,), zero_sum=True))
def test_they_converge_to_the_value_of_the_linear_program(game: RandomGame) -> None:
    tree = rg.build(game)
    value = rg.equilibrium(tree).value
    for method in (rg.OMD(), rg.OMD(weights="global"), rg.OMD(weights="kroer"), rg.MMD()):
        run = rg.solve(tree, method, until=1e-2, iterations=20_000)
        assert run.exploitability <= 1e-2, method.name
        assert abs(run.value - value) <= 2e-2


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
def test_the_last_iterate_converges_on_kuhn() -> None:
    run = rg.solve("kuhn", rg.OMD(iterate="last"), iterations=1_000)
    assert run.exploitability < 1e-9 and run.value == pytest.approx(-1 / 18, abs=1e-9)
    assert run.current == run.strategy
    averaged = rg.solve("kuhn", rg.OMD(), iterations=1_000)
    assert averaged.history.current_exploitability[-1] == run.exploitability
    assert averaged.history.exploitability[-1] > run.exploitability


def test_a_fixed_player_is_answered() -> None:
    run = rg.solve("rps", rg.OMD(), iterations=300, fixed={0: [0.4, 0.3, 0.3]})
    assert run.strategy[1, "player 1"]["paper"] > 0.99 and run.strategy[0, "player 0"]["rock"] == 0.4


def test_the_coupling_of_rock_paper_scissors() -> None:
    """∇²ψ at uniform play is 3 on each simplex, and the payoff matrix has singular values √3, √3, 0."""
    tree = rg.build("rps")
    assert coupling(tree, plain_entropy(tree)) == pytest.approx(3**0.5 / 3, rel=1e-6)
    idle = rg.build(rg.games.Matrix([[1.0, 1.0], [1.0, 1.0]]))
    assert coupling(idle, plain_entropy(idle)) == pytest.approx(0.0, abs=1e-12)


def test_weights_of_the_treeplex() -> None:
    """Kuhn's first player: bet or pass, then maybe answer a bet; weights from the last decision to the first."""
    tree = rg.build("kuhn")
    first, second = (tree.labels.by_player[0, name] for name in ("K", "Kpb"))
    for weights, expected in (("kroer", (3.0, 2.0)), ("global", (2.0, 1.0)), ("reach", (1 / 3, 1 / 6))):
        found = dilated_entropy(tree, weights).weight[[first, second]]
        np.testing.assert_allclose(found, expected, err_msg=weights)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: rg.OMD(eta=0), "eta is a number above 0, got 0"),
        (lambda: rg.OMD(weights="krör"), "unknown weights 'krör'"),
        (lambda: rg.OMD(iterate="best"), "unknown iterate 'best'"),
        (lambda: rg.OMD(averaging=2), r"averaging is rg\.Polynomial\(power\), got 2"),
        (lambda: rg.MMD(alpha=-1.0), "alpha is a number above 0, got -1.0"),
        (lambda: rg.MMD.quantal(0), "rationality is a number above 0, got 0"),
        (
            lambda: rg.solve("kuhn:players=3", rg.OMD()),
            "optimistic OMD needs a two-player zero-sum game; Kuhn has 3 pl",
        ),
        (lambda: rg.solve("battle_of_the_sexes", rg.MMD()), "payoffs that do not sum to zero"),
        (lambda: rg.solve("kuhn", "mmd:alpha=x"), "alpha is a temperature or none, got 'x'"),
    ],
)
def test_what_cannot_be_meant_is_said(make: Any, said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        make()


def test_settings_as_text() -> None:
    from regretless.lookup.methods import method_by_name

    assert method_by_name("omd:weights=kroer,eta=3,averaging=2,iterate=last") == rg.OMD(
        eta=3.0, weights="kroer", averaging=rg.Polynomial(2), iterate="last"
    )
    assert method_by_name("mmd:rationality=20,alternating=no") == rg.MMD(alpha=0.05, alternating=False)
    assert method_by_name("mmd:alpha=none") == rg.MMD()
