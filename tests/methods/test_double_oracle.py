"""Double oracle methods: restricted games, their growth, and the linear program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from conftest import INTERPRETED
from random_games import RandomGame, random_games
from regretless.evaluation.programs import infosets_of_sequences, solve_zero_sum
from regretless.methods.double_oracle.restricted_game import restrict


def some_allowed(tree: rg.Tree, seed: int) -> Any:
    """[S] a random set of actions with at least one at each infoset."""
    generator = np.random.default_rng(seed)
    allowed = generator.random(tree.sequences) < 0.5
    allowed[tree.form.sequence_first[:-1]] = True
    for infoset in range(tree.infosets):
        here = tree.labels.sequences_of(infoset)
        allowed[here.start + here.step * generator.integers(len(tree.labels.actions[infoset]))] = True
    return allowed


@given(random_games(players=(2,), zero_sum=True), st.integers(0, 99))
def test_a_restricted_game_is_worth_what_play_in_it_is_worth(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    allowed = some_allowed(tree, seed)
    restricted = restrict(tree, allowed)
    owner = infosets_of_sequences(restricted.form)
    assert np.array_equal(restricted.sequence[owner < 0], tree.form.sequence_first[:-1])
    assert allowed[restricted.sequence].all()
    plan, value = solve_zero_sum(restricted.form)
    taken = np.where(allowed, 1.0, 0.0)
    uniform = rg.Strategy.from_plan(tree.labels, taken).probabilities  # among the allowed actions
    whole = restricted.lift(plan, uniform)
    assert not whole[~allowed].any()
    strategy = rg.Strategy.from_plan(tree.labels, whole)
    assert rg.value(tree, strategy) == pytest.approx(value, abs=1e-9)


@given(random_games(players=(2,), zero_sum=True))
def test_with_everything_allowed_it_is_the_game(game: RandomGame) -> None:
    tree = rg.build(game)
    restricted = restrict(tree, np.ones(tree.sequences, bool))
    assert solve_zero_sum(restricted.form)[1] == pytest.approx(rg.equilibrium(tree).value, abs=1e-9)


@given(random_games(players=(2,), zero_sum=True))
def test_double_oracle_ends_at_the_equilibrium(game: RandomGame) -> None:
    tree = rg.build(game)
    run = rg.solve(tree, rg.DoubleOracle(), until=1e-9, iterations=tree.sequences)
    assert run.exploitability <= 1e-9
    assert run.value == pytest.approx(rg.equilibrium(tree).value, abs=1e-8)
    sizes = run.history.restricted_sequences
    assert np.all(np.diff(sizes) >= 0) and sizes[-1] <= tree.sequences


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@given(random_games(players=(2,), zero_sum=True))
def test_xdo_converges(game: RandomGame) -> None:
    tree = rg.build(game)
    run = rg.solve(tree, rg.XDO(), until=1e-3, iterations=200)
    assert run.exploitability <= 1e-3
    assert abs(run.value - rg.equilibrium(tree).value) <= 2e-3


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
def test_oshi_zumo_needs_a_twentieth_of_its_sequences() -> None:
    tree = rg.build("oshi_zumo")
    run = rg.solve(tree, rg.DoubleOracle(), until=1e-9)
    assert run.history.restricted_sequences[-1] < tree.sequences / 20
    assert run.value == pytest.approx(0.0, abs=1e-9)


def test_iterations_after_the_last_change_nothing() -> None:
    run = rg.solve("kuhn", rg.DoubleOracle(), iterations=30)
    assert run.exploitability < 1e-9 and run.value == pytest.approx(-1 / 18)
    assert run.strategy == rg.solve("kuhn", rg.DoubleOracle(), iterations=20).strategy


def test_xdo_takes_variants_with_a_delay() -> None:
    run = rg.solve("kuhn", rg.XDO(variant=rg.CFR_PLUS.replace(delay=20)), until=1e-2)
    assert run.exploitability <= 1e-2 and run.history.inner_iterations[-1] > 20


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: rg.XDO(epsilon=0), "epsilon is a number above 0"),
        (lambda: rg.XDO(variant="cfr"), r"variant is rg\.CFR, rg\.CFR_PLUS or the like"),
        (lambda: rg.solve("kuhn:players=3", rg.XDO()), "XDO needs a two-player zero-sum game"),
        (lambda: rg.solve("battle_of_the_sexes", rg.DoubleOracle()), "double oracle needs a two-player zero-sum game"),
        (lambda: rg.solve("rps", rg.DoubleOracle(), fixed={1: [1, 0, 0]}), "cannot hold player 1 fixed"),
    ],
)
def test_what_cannot_be_meant_is_said(make: Any, said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        make()
