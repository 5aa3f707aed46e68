"""Compiled walks against plain recursions with the same draws, and regrets that fade lazily against eager ones."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from slow_mccfr import SlowMCCFR

import regretless as rg
from compare_tables import as_table, worst
from conftest import INTERPRETED
from oracle import Table, rules
from random_games import Tilted
from regretless.lookup.methods import METHODS
from regretless.method import Settings
from regretless.sampling.walks import BLEND

MANY = 150 if INTERPRETED else 1_300
"""More than one window of iterations: they begin anew after 1, 2, 4 … 1,024."""


def regrets(tree: rg.Tree, run: rg.Run) -> Table:
    """The regrets of a run, on the scale of its last iteration."""
    from regretless.sampling.iteration_windows import fades_by_sign, window_of

    method = run.method
    assert isinstance(method, rg.MCCFR)
    learner: Any = method.learner(tree, Settings())
    learner.restore(run.arrays, run.iterations)
    store, numbers = learner.store, np.zeros(tree.sequences)
    numbers[store.sequences] = store.values[store.regret_at]
    window = window_of(method.variant, run.iterations + 1)
    step = run.iterations - window.origin
    if fades_by_sign(method.variant):
        before = store.values[store.slots - 1].astype(int)[tree.labels.infoset_of_sequence[store.sequences]]
        weights = window.weights
        faded = np.where(
            numbers[store.sequences] > 0,
            np.exp(weights.positive[step] - weights.positive[before]),
            np.exp(weights.negative[step] - weights.negative[before]),
        )
        numbers[store.sequences] *= faded
    else:
        numbers /= window.weights.gain[step]
    return as_table(tree, numbers)


@cache
def tilted(spec: str) -> rg.Tree:
    """A game in which no two sums of regrets are equal by accident: there rounding decides who plays what."""
    game = rg.games.by_name(spec)
    noisy = Tilted(game)
    noisy.public = game.public  # type: ignore[method-assign]
    return rg.build(noisy)


def assert_the_same(game: str | rg.Tree, name: str, sampling: str, iterations: int, **options: Any) -> None:
    tree, variant = tilted(game) if isinstance(game, str) else game, METHODS[name]
    assert isinstance(variant, rg.Variant)
    traversals, epsilon = options.get("traversals", 1), options.get("epsilon", 0.6)
    method = rg.MCCFR(sampling=sampling, variant=variant, **options)  # type: ignore[arg-type]
    slow = SlowMCCFR(tree.game, rules()[name], sampling, seed=3, blend=BLEND[method.baseline], **options)
    assert (slow.traversals, slow.epsilon) == (traversals, epsilon)
    slow.run(iterations)
    run = rg.solve(tree, method, iterations=iterations, seed=3)
    assert run.arrays["nodes"].tolist() == [slow.nodes, 0]
    scale = 1 / iterations if name == "linear" else 1.0  # the oracle's regrets of iteration t count t
    mine = {key: [max(x, 0.0) if variant.floor else x for x in row] for key, row in regrets(tree, run).items()}
    theirs = {key: [x * scale for x in row] for key, row in slow.regret.items()}
    largest = max(abs(x) for row in theirs.values() for x in row)
    assert worst(mine, theirs) < 1e-10 * largest
    assert worst(as_table(tree, run.current.probabilities), slow.current) < 1e-6  # ratios of regrets near zero
    assert worst(as_table(tree, run.strategy.probabilities), slow.average) < 1e-9


@pytest.mark.parametrize("sampling", ["external", "outcome"])
@pytest.mark.parametrize("name", ["cfr", "linear", "dcfr", "cfr+", "dcfr+"])
def test_lazy_fading_is_eager_fading(name: str, sampling: str) -> None:
    assert_the_same("kuhn", name, sampling, MANY)


@pytest.mark.parametrize("name", ["linear", "dcfr", "cfr+"])
@pytest.mark.parametrize("sampling", ["chance", "public-chance"])
def test_schemes_that_walk_all_actions(name: str, sampling: str) -> None:
    assert_the_same("kuhn", name, sampling, MANY // 3)


@pytest.mark.parametrize("sampling", ["external", "outcome", "chance", "public-chance"])
@pytest.mark.parametrize("traversals", [1, 7])
def test_three_players_and_several_walks(sampling: str, traversals: int) -> None:
    assert_the_same("kuhn:players=3", "dcfr", sampling, 30 // traversals, traversals=traversals)


@pytest.mark.parametrize("sampling", ["external", "outcome", "chance", "public-chance"])
def test_leduc(sampling: str) -> None:
    count = 2 if sampling == "public-chance" else 5 if INTERPRETED else 40
    assert_the_same("leduc", "linear", sampling, count)


@pytest.mark.parametrize("traversals", [1, 5])
@pytest.mark.parametrize("spec", ["kuhn", "kuhn:players=3", "leduc"])
def test_average_strategy_sampling(spec: str, traversals: int) -> None:
    options = {"epsilon": 0.1, "beta": 2.0, "tau": 1.5, "traversals": traversals}
    assert_the_same(spec, "cfr", "average-strategy", 150 // traversals, **options)


@pytest.mark.parametrize("traversals", [1, 5])
@pytest.mark.parametrize("baseline", ["infoset", "history"])
@pytest.mark.parametrize("spec", ["kuhn", "kuhn:players=3", "leduc"])
def test_baselines(spec: str, baseline: str, traversals: int) -> None:
    assert_the_same(spec, "linear", "outcome", 100 // traversals, baseline=baseline, traversals=traversals)


def test_exploration() -> None:
    assert_the_same("kuhn", "cfr", "outcome", 200, epsilon=0.05)


class Ladder(rg.Game):
    """Each in turn may climb on or end it; after 150 rungs it ends by itself."""

    def root(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return rg.TERMINAL if state < 0 or state == 150 else state % 2

    def actions(self, state: int) -> tuple[int, ...]:
        return tuple(range(20))

    def play(self, state: int, action: int) -> int:
        return state + 1 if action == state % 20 else -1 - 20 * state - action

    def infoset(self, state: int) -> int:
        return state

    def payoffs(self, state: int) -> tuple[float, float]:
        won = (state * 0.618) % 1.0 - 0.5
        return (won, -won)


@pytest.mark.parametrize("sampling", ["external", "outcome", "average-strategy", "chance"])
def test_games_deeper_and_wider_than_walks_first_have_room_for(sampling: str) -> None:
    """150 decisions with 3,000 actions on the way: walks that change numbers on the spot cannot be walked again."""
    options = {"epsilon": 0.9, "beta": 0.1, "tau": 0.1} if sampling == "average-strategy" else {}
    assert_the_same(rg.build(Ladder()), "cfr", sampling, 3, **options)
