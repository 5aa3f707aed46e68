"""Values and best responses against recursion and enumeration, and against OpenSpiel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import regretless as rg
from compare_tables import as_table, random_strategy
from conftest import built
from oracle import HistoryWalker, best_value, count_pure, expected, rules
from random_games import RandomGame, random_games
from regretless.evaluation.responses import plan_gaps, plan_of


@given(random_games(), st.integers(0, 99))
def test_values_by_recursion(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    strategy = random_strategy(tree, seed)
    wanted = expected(game, as_table(tree, strategy.probabilities))
    np.testing.assert_allclose(rg.values(tree, strategy), wanted, atol=1e-12)
    for player in range(tree.players):
        assert rg.value(tree, strategy, player) == pytest.approx(wanted[player], abs=1e-12)


@given(random_games(depth=3), st.integers(0, 99))
def test_best_response_by_trying_everything(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    assume(max(count_pure(game, p) for p in range(game.players)) <= 300)
    strategy = random_strategy(tree, seed)
    table = as_table(tree, strategy.probabilities)
    gains = 0.0
    for player in range(tree.players):
        response = rg.best_response(tree, strategy, player)
        assert response.value == pytest.approx(best_value(game, table, player), abs=1e-12)
        # The strategy it gives is pure, wins that much, and leaves the others alone.
        assert rg.value(tree, response.strategy, player) == pytest.approx(response.value, abs=1e-12)
        mine = tree.labels.player_of_sequence == player
        assert set(response.strategy.probabilities[mine].tolist()) <= {0.0, 1.0}
        assert np.array_equal(response.strategy.probabilities[~mine], strategy.probabilities[~mine])
        gains += response.value - rg.value(tree, strategy, player)
    assert rg.nash_conv(tree, strategy) == pytest.approx(gains, abs=1e-12)
    assert rg.exploitability(tree, strategy) == pytest.approx(gains / tree.players, abs=1e-12)


@given(random_games(), st.integers(0, 99))
def test_exploitability_is_never_negative(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    assert rg.exploitability(tree, random_strategy(tree, seed)) >= -1e-12


@given(random_games(players=(2,), zero_sum=True), st.integers(0, 99))
def test_value_lies_between_the_best_responses(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    strategy = random_strategy(tree, seed)
    high = rg.best_response(tree, strategy, 0).value
    low = -rg.best_response(tree, strategy, 1).value
    assert low - 1e-12 <= rg.value(tree, strategy) <= high + 1e-12
    assert low - 1e-9 <= rg.equilibrium(tree).value <= high + 1e-9


@given(random_games(), st.integers(0, 99), st.lists(st.floats(0.1, 10), min_size=3, max_size=3))
def test_sums_of_plans_are_measured_like_plans(game: RandomGame, seed: int, scales: list[float]) -> None:
    tree = rg.build(game)
    strategy = random_strategy(tree, seed)
    plan = plan_of(tree, strategy)
    for player in range(tree.players):
        plan[tree.labels.player_of_sequence == player] *= scales[player]
    gaps = plan_gaps(tree, plan)
    np.testing.assert_allclose(gaps.values, rg.values(tree, strategy), atol=1e-12)
    assert gaps.nash_conv == pytest.approx(rg.nash_conv(tree, strategy), abs=1e-11)


@given(random_games(), st.integers(0, 99))
def test_counterfactual_values_are_what_regrets_are_made_of(game: RandomGame, seed: int) -> None:
    """v(I, a) − Σ σ v(I, ·) is the instantaneous regret of the history walk."""
    tree = rg.build(game)
    strategy = random_strategy(tree, seed)
    walker = HistoryWalker(game, rules()["cfr"])
    walker.current = as_table(tree, strategy.probabilities)
    for player in range(tree.players):
        wanted, _ = walker.instant(player)
        found = rg.counterfactual_values(tree, strategy, player)
        assert len(found) == len(wanted)
        for (_, infoset), regrets in wanted.items():
            key = strategy.key(tree.labels.by_player[player, infoset])
            values, chances = np.array(list(found[key].values())), np.array(list(strategy[key].values()))
            np.testing.assert_allclose(values - values @ chances, regrets, atol=1e-12)


def test_uniform_play(kuhn: rg.Tree, leduc: rg.Tree) -> None:
    uniform = rg.Strategy.uniform(kuhn)
    assert rg.value(kuhn, uniform) == pytest.approx(0.125)
    assert rg.nash_conv(kuhn, uniform) == pytest.approx(11 / 12)
    assert rg.exploitability(kuhn, uniform) == pytest.approx(11 / 24)
    assert rg.nash_conv(leduc, rg.Strategy.uniform(leduc)) == pytest.approx(4.747222222222222, abs=1e-9)


def test_too_much_rock_meets_paper(rps: rg.Tree) -> None:
    strategy = rg.Strategy.from_dict(rps, {"player 0": [0.4, 0.3, 0.3], "player 1": [1, 0, 0]})
    response = rg.best_response(rps, strategy, player=1)
    assert response.value == pytest.approx(0.1)
    assert response.player == 1
    assert response.strategy["player 1"] == {"rock": 0.0, "paper": 1.0, "scissors": 0.0}


def test_ties_go_to_the_first_action() -> None:
    tree = built("matching_pennies")
    response = rg.best_response(tree, rg.Strategy.uniform(tree), player=0)
    assert response.strategy["player 0"] == {"heads": 1.0, "tails": 0.0}


def test_head_to_head(kuhn: rg.Tree) -> None:
    solved = rg.equilibrium(kuhn).strategy
    uniform = rg.Strategy.uniform(kuhn)
    assert rg.head_to_head(kuhn, solved, solved) == pytest.approx(0.0, abs=1e-12)
    won = rg.head_to_head(kuhn, solved, uniform)
    assert won > 0
    assert rg.head_to_head(kuhn, uniform, solved) == pytest.approx(-won)


def test_questions_that_make_no_sense(kuhn: rg.Tree, kuhn3: rg.Tree, leduc: rg.Tree) -> None:
    uniform = rg.Strategy.uniform(kuhn)
    with pytest.raises(rg.OptionError, match="players 0 to 1, not 2"):
        rg.value(kuhn, uniform, player=2)
    with pytest.raises(rg.OptionError, match="players 0 to 1, not -1"):
        rg.best_response(kuhn, uniform, player=-1)
    with pytest.raises(rg.OptionError, match="another game: it has 12 infosets"):
        rg.exploitability(leduc, uniform)
    three = rg.Strategy.uniform(kuhn3)
    with pytest.raises(rg.OptionError, match="two players, this game has 3"):
        rg.head_to_head(kuhn3, three, three)


@pytest.mark.peer
@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker"])
def test_openspiel_agrees(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    tree = rg.build(rg.games.OpenSpiel(name))
    game = pyspiel.load_game(name)
    run = rg.solve(tree, rg.CFR, iterations=5)
    for strategy in (rg.Strategy.uniform(tree), run.strategy):
        table = {
            tree.labels.names[i]: list(
                zip(
                    [a.number for a in _moves(tree, tree.labels.names[i])],
                    strategy.probabilities[tree.labels.sequences_of(i)].tolist(),
                    strict=True,
                )
            )
            for i in range(tree.infosets)
        }
        policy = pyspiel.TabularPolicy(table)
        assert rg.nash_conv(tree, strategy) == pytest.approx(pyspiel.nash_conv(game, policy), abs=1e-9)
        np.testing.assert_allclose(
            rg.values(tree, strategy), pyspiel.expected_returns(game.new_initial_state(), policy, -1, True), atol=1e-9
        )
        if tree.players == 2:
            assert rg.exploitability(tree, strategy) == pytest.approx(pyspiel.exploitability(game, policy), abs=1e-9)
        for player in range(tree.players):
            theirs = pyspiel.TabularBestResponse(game, player, policy)
            value = theirs.value_from_state(game.new_initial_state())
            assert rg.best_response(tree, strategy, player).value == pytest.approx(value, abs=1e-9)


_MOVES: dict[tuple[int, str], list[object]] = {}


def _moves(tree: rg.Tree, name: object) -> list[object]:
    """The OpenSpiel actions at an information state."""
    from oracle import histories

    key = (id(tree), str(name))
    if key not in _MOVES:
        for state in histories(tree.game):
            if tree.game.player(state) >= 0:
                _MOVES[id(tree), str(tree.game.infoset(state))] = list(tree.game.actions(state))
    return _MOVES[key]
