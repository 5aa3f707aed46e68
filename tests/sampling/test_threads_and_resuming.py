"""The same bits for a seed on any number of threads, and in one go or in several."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from compare_tables import random_strategy
from conftest import INTERPRETED, built

SCHEMES = ["external", "outcome", "chance", "average-strategy", "public-chance"]
OPTIONS: dict[str, dict[str, Any]] = {"average-strategy": {"epsilon": 0.1, "beta": 2.0, "tau": 1.5}}

needs_compiler = pytest.mark.skipif(INTERPRETED, reason="compiled games need the compiler")


def method_of(sampling: str, **options: Any) -> rg.MCCFR:
    return rg.MCCFR(sampling=sampling, **OPTIONS.get(sampling, {}), **options)  # type: ignore[arg-type]


def assert_same_bits(one: rg.Run, other: rg.Run) -> None:
    assert one.iterations == other.iterations
    assert one.arrays.keys() == other.arrays.keys()
    for name in one.arrays:
        assert one.arrays[name].dtype == other.arrays[name].dtype
        assert one.arrays[name].tobytes() == other.arrays[name].tobytes(), name


# -- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", [rg.CFR, rg.DCFR], ids=lambda v: v.name)
@pytest.mark.parametrize("sampling", SCHEMES)
@pytest.mark.full
def test_any_number_of_threads(sampling: str, variant: rg.Variant) -> None:
    traversals = 40 if sampling == "public-chance" else 3_000
    traversals = traversals // 20 if INTERPRETED else traversals
    method = method_of(sampling, variant=variant, traversals=traversals)
    one, two, five = (rg.solve(built("leduc"), method, iterations=3, seed=5, threads=n) for n in (1, 2, 5))
    assert_same_bits(one, two)
    assert_same_bits(one, five)
    other = rg.solve(built("leduc"), method, iterations=3, seed=6, threads=2)
    assert not np.array_equal(one.arrays["values"], other.arrays["values"])


@pytest.mark.full
@pytest.mark.parametrize("baseline", ["infoset", "history"])
def test_baselines_on_threads(baseline: str) -> None:
    method = method_of("outcome", baseline=baseline, traversals=30 if INTERPRETED else 3_000)
    assert_same_bits(*(rg.solve(built("leduc"), method, iterations=3, seed=5, threads=n) for n in (1, 3)))


@needs_compiler
@pytest.mark.parametrize("variant", [rg.CFR, rg.DCFR], ids=lambda v: v.name)
@pytest.mark.parametrize("sampling", SCHEMES)
@pytest.mark.full
def test_games_that_are_not_listed_on_threads(sampling: str, variant: rg.Variant) -> None:
    traversals = 20 if sampling == "public-chance" else 2_000
    method = method_of(sampling, variant=variant, traversals=traversals, listed=False)
    assert_same_bits(*(rg.solve(rg.games.Leduc(), method, iterations=3, seed=5, threads=n) for n in (1, 3)))


@needs_compiler
def test_baselines_of_games_that_are_not_listed_on_threads() -> None:
    method = method_of("outcome", baseline="infoset", traversals=2_000, listed=False)
    assert_same_bits(*(rg.solve(rg.games.Leduc(), method, iterations=3, seed=5, threads=n) for n in (1, 3)))


@pytest.mark.full
def test_more_threads_than_walks() -> None:
    method = method_of("external", traversals=2)
    assert_same_bits(*(rg.solve(built("kuhn"), method, iterations=50, seed=5, threads=n) for n in (1, 8)))


# -- resuming ---------------------------------------------------------------------------------------------------------


def assert_resumes(game: Any, method: rg.MCCFR, splits: list[int], folder: Path, **options: Any) -> None:
    """Run the parts that `splits` add up to, through files, against one run."""
    whole = rg.solve(game, method, iterations=sum(splits), **options)
    path = folder / "part.run"
    rg.solve(game, method, iterations=splits[0], **options).save(path)
    for count in splits[1:]:
        rg.resume(path, iterations=count, game=game).save(path)
    run = rg.load(path)
    assert isinstance(run, rg.Run) and run.method == method
    assert_same_bits(run, whole)
    assert (np.diff(run.history["iteration"]) > 0).all()


SPLITS = [1, 2, 60] if INTERPRETED else [1, 1_022, 3, 1_023, 700]
"""Across the ends of windows, which lie at 1, 2, 4 … 1,024 and 2,048."""


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.full)])
@pytest.mark.parametrize("variant", [rg.CFR, rg.LINEAR_CFR, rg.DCFR, rg.CFR_PLUS], ids=lambda v: v.name)
@pytest.mark.parametrize("sampling", SCHEMES)
def test_resuming(sampling: str, variant: rg.Variant, dtype: str, tmp_path: Path) -> None:
    assert_resumes(built("kuhn"), method_of(sampling, variant=variant), SPLITS, tmp_path, seed=3, dtype=dtype)


@pytest.mark.parametrize("baseline", ["infoset", "history"])
def test_resuming_with_baselines(baseline: str, tmp_path: Path) -> None:
    assert_resumes(built("kuhn"), method_of("outcome", baseline=baseline, variant=rg.DCFR), SPLITS, tmp_path, seed=3)


@pytest.mark.parametrize("sampling", ["external", "outcome", "chance"])
def test_resuming_with_fixed_players(sampling: str, tmp_path: Path) -> None:
    fixed = {1: random_strategy(built("kuhn"), 8)}
    assert_resumes(built("kuhn"), method_of(sampling, variant=rg.DCFR), SPLITS, tmp_path, fixed=fixed)


@needs_compiler
@pytest.mark.parametrize(
    ("sampling", "variant", "dtype"),
    [
        ("external", rg.LINEAR_CFR, "float64"),
        ("external", rg.DCFR, "float32"),
        ("outcome", rg.LINEAR_CFR, "float64"),
        ("outcome", rg.DCFR, "float64"),
    ],
)
@pytest.mark.full
def test_resuming_games_that_are_not_listed(sampling: str, variant: rg.Variant, dtype: str, tmp_path: Path) -> None:
    method = method_of(sampling, variant=variant, listed=False)
    assert_resumes(rg.games.Leduc(), method, [1_023, 3, 1_101], tmp_path, seed=3, dtype=dtype)


@needs_compiler
def test_resuming_on_other_threads(tmp_path: Path) -> None:
    method = method_of("external", variant=rg.DCFR, traversals=200, listed=False)
    path = tmp_path / "part.run"
    rg.solve(rg.games.Leduc(), method, iterations=7, seed=3, threads=3).save(path)
    assert_same_bits(
        rg.resume(path, iterations=8, threads=2), rg.solve(rg.games.Leduc(), method, iterations=15, seed=3, threads=1)
    )
