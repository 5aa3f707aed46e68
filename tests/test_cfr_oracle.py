"""Every variant against the recursive history walk of `oracle`, number by number."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from compare_tables import as_table, random_strategy, worst
from conftest import INTERPRETED, built
from oracle import HistoryWalker, rules
from random_games import RandomGame, Tilted, random_games
from regretless.variants import VARIANTS

ITERATIONS = 25


@cache
def tilted(spec: str) -> rg.Tree:
    return rg.build(Tilted(built(spec).game))


def assert_same_run(
    tree: rg.Tree, name: str, iterations: int, *, alternating: bool = True, delay: int = 0, seed: int | None = None
) -> None:
    """Regrets, current and average strategy after `iterations`; with `seed`, player 0 is fixed to a random strategy."""
    variant = VARIANTS[name].replace(alternating=alternating, delay=delay)
    fixed = {} if seed is None else {0: random_strategy(tree, seed)}
    tables = {p: as_table(tree, strategy.probabilities) for p, strategy in fixed.items()}
    walker = HistoryWalker(tree.game, rules(delay=delay)[name], alternating=alternating, fixed=tables)
    walker.run(iterations)
    run = rg.solve(tree, variant, iterations=iterations, fixed=fixed)
    # Linear CFR is stored as a discount, (t − 1)/t, which is the weighted sum divided by t.
    scale = float(iterations) if name == "linear" else 1.0
    regret = as_table(tree, run.arrays["regret"] * scale)
    regret = {i: row for i, row in regret.items() if i[0] not in fixed}
    assert worst(regret, {i: walker.regret[i] for i in regret}) < 1e-10 * scale
    assert worst(as_table(tree, run.current.probabilities), walker.current) < 1e-9
    assert worst(as_table(tree, run.strategy.probabilities), walker.average) < 1e-9


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("spec", ["kuhn", "battle_of_the_sexes"])
def test_two_players(spec: str, name: str, alternating: bool) -> None:
    assert_same_run(tilted(spec), name, ITERATIONS, alternating=alternating)


@pytest.mark.parametrize("name", VARIANTS)
def test_three_players(name: str) -> None:
    assert_same_run(tilted("kuhn:players=3"), name, 8, alternating=name != "cfr")


@pytest.mark.skipif(INTERPRETED, reason="slow without the compiler and covered by the smaller games")
@pytest.mark.parametrize("name", ["cfr+", "dcfr", "pdcfr+"])
def test_leduc(name: str) -> None:
    assert_same_run(tilted("leduc"), name, 4)


@pytest.mark.parametrize("delay", [1, 10, 24])
@pytest.mark.parametrize("name", ["cfr", "cfr+"])
def test_delay(name: str, delay: int) -> None:
    assert_same_run(tilted("kuhn"), name, ITERATIONS, delay=delay)


@pytest.mark.parametrize("name", VARIANTS)
def test_fixed_player(name: str) -> None:
    assert_same_run(tilted("kuhn"), name, 10, seed=5)


@given(
    game=random_games(),
    name=st.sampled_from(sorted(VARIANTS)),
    alternating=st.booleans(),
    seed=st.none() | st.integers(0, 9),
)
def test_random_games(game: RandomGame, name: str, alternating: bool, seed: int | None) -> None:
    tree = rg.build(game)
    assert_same_run(tree, name, 12, alternating=alternating, seed=seed)


@given(random_games(players=(2,), zero_sum=True))
def test_average_of_the_oracle_is_as_exploitable(game: RandomGame) -> None:
    tree = rg.build(game)
    run = rg.solve(tree, rg.CFR_PLUS, iterations=10)
    assert np.isclose(run.exploitability, rg.exploitability(tree, run.strategy), atol=1e-12)
