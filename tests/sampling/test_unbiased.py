"""Sampled counterfactual regrets and averages are right on average: walks from strategies that are held still, against
the exact numbers, in standard errors of the mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from frozen import Frozen, exact_averages, exact_regrets, means

import regretless as rg
from conftest import INTERPRETED, built
from random_games import RandomGame

pytestmark = pytest.mark.skipif(INTERPRETED, reason="many walks take too long where nothing is compiled")

METHODS: list[tuple[rg.MCCFR, int]] = [
    (rg.MCCFR(sampling="external"), 100_000),
    (rg.MCCFR(sampling="outcome"), 300_000),
    (rg.MCCFR(sampling="outcome", epsilon=0.2, baseline="infoset"), 300_000),
    (rg.MCCFR(sampling="outcome", baseline="history"), 300_000),
    (rg.MCCFR(sampling="chance"), 20_000),
    (rg.MCCFR(sampling="average-strategy", epsilon=0.2, beta=2.0, tau=1.5), 100_000),
    (rg.MCCFR(sampling="public-chance"), 1_000),
]
"""With as many walks as show a bias of some per cent in a fraction of a second."""


def assert_unbiased(tree: rg.Tree, method: rg.MCCFR, strategy: rg.Strategy, walks: int) -> None:
    """Every mean within 5 standard errors, and all of them together as far off as chance would have it."""
    frozen = Frozen(tree, method, strategy, seed=7)
    if method.baseline:
        frozen.warm_up(2_000)
    regrets, averages = means(frozen, walks)
    seen = (
        frozen.learner.walks.rules.public if method.sampling == "public-chance" and method.listed is not False else None
    )
    if method.sampling == "public-chance" and method.listed is False:
        seen = np.zeros(tree.histories, bool)
        seen[[n for n, state in enumerate(states_of(tree)) if tree.game.public(state)]] = True
    for found, exact in (
        (regrets, exact_regrets(tree, strategy)),
        (averages, exact_averages(tree, strategy, method.sampling, seen)),
    ):
        away = found.distances(exact)
        assert np.abs(away).max(initial=0.0) < 5
        if len(away) > 1_000 and method.sampling in ("external", "outcome", "average-strategy"):
            assert np.mean(away**2) < 1.3  # of many numbers that hardly depend on each other


def states_of(tree: rg.Tree) -> list[Any]:
    """[H] the state of every history, in the order of the listing."""
    game, h = tree.game, tree.listing
    states: list[Any] = [game.root()] + [None] * (tree.histories - 1)
    for node in range(tree.histories):
        if h.mover[node] != rg.TERMINAL:
            for number, action in enumerate(game.actions(states[node])):
                states[h.first_child[node] + number] = game.play(states[node], action)
    return states


def mixed(tree: rg.Tree, seed: int) -> rg.Strategy:
    """A random strategy that takes all actions now and then."""
    return rg.Strategy.from_plan(tree.labels, 0.5 + np.random.default_rng(seed).exponential(size=tree.sequences))


def some_zeros(tree: rg.Tree, seed: int) -> rg.Strategy:
    """A random strategy that never takes a third of its actions."""
    dice = np.random.default_rng(seed)
    return rg.Strategy.from_plan(
        tree.labels, dice.exponential(size=tree.sequences) * (dice.random(tree.sequences) > 0.3)
    )


@pytest.mark.parametrize(("method", "walks"), METHODS, ids=lambda m: m.name if isinstance(m, rg.MCCFR) else "")
@pytest.mark.parametrize("spec", ["kuhn", "kuhn:players=3", "leduc"])
def test_on_poker(spec: str, method: rg.MCCFR, walks: int) -> None:
    tree = built(spec)
    assert_unbiased(tree, method, mixed(tree, 1), walks)


@pytest.mark.parametrize(("method", "walks"), METHODS, ids=lambda m: m.name if isinstance(m, rg.MCCFR) else "")
def test_where_some_actions_are_never_taken(method: rg.MCCFR, walks: int) -> None:
    tree = built("kuhn")
    assert_unbiased(tree, method, some_zeros(tree, 3), walks)


@pytest.mark.parametrize(("method", "walks"), METHODS, ids=lambda m: m.name if isinstance(m, rg.MCCFR) else "")
@pytest.mark.parametrize(("seed", "players"), [(3, 2), (12, 2), (25, 3)])
def test_on_random_games(method: rg.MCCFR, walks: int, seed: int, players: int) -> None:
    """Chance is uneven there, and not everybody sees what it does."""
    tree = rg.build(RandomGame(seed=seed, players=players, depth=7, zero_sum=False))
    assert tree.infosets > 10 and len(np.unique(tree.listing.probability)) > 5
    assert_unbiased(tree, method, mixed(tree, seed), max(walks // 5, 5_000))


@pytest.mark.parametrize(
    ("method", "walks"),
    [(method, walks) for method, walks in METHODS if method.baseline != "history"],
    ids=lambda m: m.name if isinstance(m, rg.MCCFR) else "",
)
@pytest.mark.parametrize("spec", ["kuhn", "leduc"])
@pytest.mark.full
def test_on_games_that_are_not_listed(spec: str, method: rg.MCCFR, walks: int) -> None:
    tree = built(spec)
    walks = walks // 3 if spec == "leduc" and method.sampling == "outcome" else walks
    assert_unbiased(tree, method.replace(listed=False), mixed(tree, 2), walks)


def test_a_bias_of_some_per_cent_would_show() -> None:
    tree = built("leduc")
    strategy = mixed(tree, 1)
    regrets, _ = means(Frozen(tree, rg.MCCFR(), strategy, seed=7), 100_000)
    assert np.mean(regrets.distances(1.05 * exact_regrets(tree, strategy)) ** 2) > 1.3
