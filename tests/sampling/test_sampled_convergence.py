"""Every scheme with every weighting comes near an equilibrium; fixed players are answered; pruned runs do less."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regretless as rg
from compare_tables import random_strategy
from conftest import INTERPRETED, built

pytestmark = pytest.mark.skipif(INTERPRETED, reason="many walks take too long where nothing is compiled")

VARIANTS = {"plain": rg.CFR, "linear": rg.LINEAR_CFR, "discounted": rg.DCFR}

KUHN = {"external": 30_000, "outcome": 400_000, "chance": 10_000, "average-strategy": 30_000, "public-chance": 1_000}
LEDUC = {
    "external": 150_000,
    "outcome": 2_000_000,
    "chance": 50_000,
    "average-strategy": 150_000,
    "public-chance": 3_000,
}
"""Iterations that are enough for each scheme."""


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("sampling", KUHN)
def test_kuhn(sampling: str, variant: str) -> None:
    method = rg.MCCFR(sampling=sampling, variant=VARIANTS[variant])  # type: ignore[arg-type]
    run = rg.solve(built("kuhn"), method, iterations=KUHN[sampling], seed=1)
    assert run.exploitability < 0.01
    assert run.value == pytest.approx(-1 / 18, abs=0.01)


SLOW = pytest.param("outcome", "discounted", marks=pytest.mark.full)


@pytest.mark.parametrize(
    ("sampling", "variant"), [(s, v) for s in LEDUC for v in VARIANTS if (s, v) != SLOW.values] + [SLOW]
)
def test_leduc(sampling: str, variant: str) -> None:
    method = rg.MCCFR(sampling=sampling, variant=VARIANTS[variant])  # type: ignore[arg-type]
    slower = 5 / 2 if (sampling, variant) == ("outcome", "discounted") else 1  # it forgets much of what little it sees
    run = rg.solve(built("leduc"), method, iterations=int(slower * LEDUC[sampling]), seed=1)
    assert run.exploitability < 0.1
    assert run.value == pytest.approx(-0.0856, abs=0.1)


@pytest.mark.parametrize("baseline", ["infoset", "history"])
def test_baselines_need_fewer_iterations(baseline: str) -> None:
    tree = built("leduc")
    plain, reduced = (
        rg.solve(tree, rg.MCCFR(sampling="outcome", variant=rg.LINEAR_CFR, baseline=b), iterations=300_000, seed=1)  # type: ignore[arg-type]
        for b in (None, baseline)
    )
    assert reduced.exploitability < (0.5 if baseline == "history" else 0.9) * plain.exploitability


@pytest.mark.full
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["cfr+", "dcfr+", "hs-dcfr", "fast"])
def test_other_weightings(name: str, dtype: str) -> None:
    """Floors, averages of high powers in single precision, and discounts that are steep for both signs alike."""
    fast = rg.Variant(discount=rg.Discounted(0.5, 0.5), averaging=rg.Polynomial(2))
    variant = fast if name == "fast" else rg.variants.VARIANTS[name]
    run = rg.solve(built("kuhn"), rg.MCCFR(variant=variant, traversals=30), iterations=3_000, seed=1, dtype=dtype)
    assert run.exploitability < 0.05
    assert all(np.isfinite(array).all() for array in run.arrays.values())


def test_three_players_and_general_sums() -> None:
    assert rg.solve(built("kuhn:players=3"), rg.MCCFR(), iterations=100_000, seed=1).exploitability < 0.01
    sexes = rg.solve(built("battle_of_the_sexes"), rg.MCCFR(), iterations=20_000, seed=1)
    assert sexes.exploitability < 0.05


# -- fixed players ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", [rg.CFR, rg.DCFR], ids=lambda v: v.name)
@pytest.mark.parametrize("sampling", ["external", "outcome", "chance", "average-strategy", "public-chance"])
@pytest.mark.parametrize("player", [0, 1])
def test_a_best_response_to_a_fixed_player(player: int, sampling: str, variant: rg.Variant) -> None:
    tree = built("kuhn")
    fixed = random_strategy(tree, 6)
    method: Any = rg.MCCFR(sampling=sampling, variant=variant)  # type: ignore[arg-type]
    run = rg.solve(tree, method, iterations=KUHN[sampling] // 2, seed=2, fixed={player: fixed})
    other = 1 - player
    best = rg.best_response(tree, fixed, other).value
    profile = run.strategy
    assert np.allclose(profile.with_player(player, fixed).probabilities, profile.probabilities, rtol=1e-12)
    assert rg.value(tree, profile, other) == pytest.approx(best, abs=0.01)
    assert run.exploitability == pytest.approx(best - rg.value(tree, profile, other), abs=1e-9)


def test_two_of_three_players_fixed() -> None:
    tree = built("kuhn:players=3")
    fixed = random_strategy(tree, 6)
    for learner in range(3):
        others = {p: fixed for p in range(3) if p != learner}
        run = rg.solve(tree, rg.MCCFR(), iterations=20_000, seed=2, fixed=others)
        assert run.exploitability < 0.01


# -- pruning ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", ["external", "chance", "public-chance"])
@pytest.mark.parametrize("variant", [rg.CFR, rg.LINEAR_CFR], ids=lambda v: v.name)
def test_pruning_saves_work_late_and_still_converges(sampling: str, variant: rg.Variant) -> None:
    tree = built("leduc")
    count = {"external": 150_000, "chance": 60_000, "public-chance": 3_000}[sampling]
    prune = {"external": 1_500.0, "chance": 400.0, "public-chance": 20.0}[sampling]
    prune *= 0.4 if variant == rg.LINEAR_CFR else 1.0  # of which regrets of t weigh t / T, half of it on average
    whole, pruned = (
        rg.solve(tree, rg.MCCFR(sampling=sampling, variant=variant, prune=p), iterations=count, seed=3)  # type: ignore[arg-type]
        for p in (None, prune)
    )
    assert pruned.exploitability < 0.13
    spent = [np.interp([count / 2, count], run.history["iteration"], run.history["nodes"]) for run in (whole, pruned)]
    late = [nodes[1] - nodes[0] for nodes in spent]
    assert late[1] < 0.93 * late[0]
    first = pruned.history["nodes"][3] / pruned.history["iteration"][3]
    assert first == whole.history["nodes"][3] / whole.history["iteration"][3]


def test_pruning_goes_by_regret_as_it_stands() -> None:
    """Linear CFR counts iteration t as t: what is kept is not yet divided by the number of iterations."""
    tree = built("leduc")
    never = rg.MCCFR(variant=rg.LINEAR_CFR, prune=13 * 1_000.0)  # more than 1,000 iterations can lose
    pruned = rg.solve(tree, never, iterations=900, seed=3)
    whole = rg.solve(tree, never.replace(prune=None), iterations=900, seed=3)
    assert pruned.arrays["nodes"].tolist() == whole.arrays["nodes"].tolist()
    assert np.array_equal(pruned.arrays["values"], whole.arrays["values"])
