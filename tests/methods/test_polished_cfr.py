"""Polished CFR: symmetric sequences, small programs, exact solutions."""

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
from regretless.methods.polished.colour_refinement import refine_colours
from regretless.methods.polished.polished_cfr import mean_payoff, next_check
from regretless.methods.polished.polishing_program import Polisher


@given(random_games(players=(2,), zero_sum=True), st.integers(0, 99))
def test_equal_colours_see_equal_payoffs(game: RandomGame, seed: int) -> None:
    """Against plans that are constant on colours, sequences of one colour have equal gradients."""
    tree = rg.build(game)
    colours = refine_colours(tree)
    number = np.random.default_rng(seed).random(colours.sequence.max() + 1)[colours.sequence]
    from regretless.kernels.sequence_form.gradients import player_gradient

    gradient = np.zeros(tree.sequences)
    for player in range(2):
        player_gradient(tree.form, player, number, gradient)
    for colour in range(colours.sequence.max() + 1):
        members = gradient[colours.sequence == colour]
        assert np.ptp(members) <= 1e-8


@pytest.mark.parametrize(("game", "expected"), [("rps", 4), ("kuhn", 26), ("leduc", 674), ("matching_pennies", 4)])
def test_colours_of_known_games(game: str, expected: int) -> None:
    """Rock-paper-scissors has one kind of action; the suits of Leduc are alike, and 936 infosets become 288."""
    tree = rg.build(game)
    colours = refine_colours(tree)
    assert colours.sequence.max() + 1 == expected
    if game == "leduc":
        assert colours.infoset.max() + 1 == 288


@given(random_games(players=(2,), zero_sum=True))
def test_the_programs_with_all_sequences_are_exact(game: RandomGame) -> None:
    tree = rg.build(game)
    uniform = tree.plan(tree.uniform().probabilities)
    plan = Polisher(tree).polish(uniform, 0.0)
    assert plan is not None
    assert plan_gaps(tree, plan).nash_conv <= 1e-8
    assert plan_gaps(tree, plan).values[0] == pytest.approx(rg.equilibrium(tree).value, abs=1e-8)


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@given(random_games(players=(2,), zero_sum=True))
def test_it_finds_the_exact_equilibrium(game: RandomGame) -> None:
    tree = rg.build(game)
    run = rg.solve(tree, rg.PolishedCFR(), until=1e-9, iterations=20_000)
    assert run.exploitability <= 1e-9
    assert run.value == pytest.approx(rg.equilibrium(tree).value, abs=1e-8)


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize("game", ["leduc", "goofspiel:cards=4", "liars_dice:sides=4", "one_card_poker"])
def test_known_games(game: str) -> None:
    tree = rg.build(game)
    run = rg.solve(tree, rg.PolishedCFR(), until=1e-9, iterations=5_000)
    assert run.exploitability <= 1e-9
    assert run.value == pytest.approx(rg.equilibrium(tree).value, abs=1e-9)


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
def test_it_resumes_before_between_and_after_attempts(tmp_path: Any) -> None:
    """With a threshold that keeps almost nothing the first attempts fail, and CFR goes on."""
    method = rg.PolishedCFR(level=1.0, threshold=1e6)
    tree = rg.build("leduc")
    whole = rg.solve(tree, method, iterations=400)
    assert whole.exploitability > 1e-9
    path = tmp_path / "polished.run"
    for stop in (63, 64, 81, 200):
        rg.solve(tree, method, iterations=stop, checkpoint=path)
        resumed = rg.resume(path, iterations=400 - stop, game=tree)
        assert all(np.array_equal(resumed.arrays[name], whole.arrays[name]) for name in whole.arrays)


def test_where_exact_plans_never_arrive_the_average_decides() -> None:
    """A queen bets at first in no equilibrium of Kuhn, but what it then does is sensible all the same."""
    run = rg.solve("kuhn", rg.PolishedCFR(), until=1e-10, iterations=500)
    assert run.exploitability <= 1e-10
    assert all(0 <= p <= 1 for row in run.strategy.values() for p in row.values())


def test_checks_are_at_fixed_iterations() -> None:
    assert [next_check(n) for n in (0, 63, 64, 79, 80, 100)] == [64, 64, 80, 80, 100, 125]


def test_the_unit_of_payoffs() -> None:
    assert mean_payoff(rg.build("kuhn")) == pytest.approx(1.375)
    assert mean_payoff(rg.build(rg.games.Matrix([[0.0]]))) == 1.0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: rg.PolishedCFR(level=0), "level is a number above 0"),
        (lambda: rg.PolishedCFR(threshold=-1), "threshold is a number from 0 on"),
        (lambda: rg.PolishedCFR(variant="dcfr"), r"variant is rg\.CFR, rg\.DCFR or the like"),
        (lambda: rg.solve("kuhn:players=3", rg.PolishedCFR()), "polished DCFR needs a two-player zero-sum game"),
        (lambda: rg.solve("rps", rg.PolishedCFR(), fixed={0: [1, 0, 0]}), "cannot hold player 0 fixed"),
    ],
)
def test_what_cannot_be_meant_is_said(make: Any, said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        make()
