"""Threads share the work and change nothing: the same bits on one thread and on two."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED, built


@pytest.mark.parametrize(
    ("spec", "iterations"),
    [("leduc", 3 if INTERPRETED else 60), ("liars_dice:sides=4", 3 if INTERPRETED else 60), ("kuhn:players=3", 5)],
)
@pytest.mark.parametrize("method", [rg.CFR_PLUS, rg.PDCFR_PLUS], ids=lambda method: method.name)
def test_same_bits(spec: str, iterations: int, method: rg.Variant) -> None:
    tree = built(spec)
    one = rg.solve(tree, method, iterations=iterations, threads=1)
    two = rg.solve(tree, method, iterations=iterations, threads=2)
    assert two.settings["threads"] == 2
    for name in one.arrays:
        assert np.array_equal(one.arrays[name], two.arrays[name]), name


def test_simultaneous_updates_and_fixed_players() -> None:
    tree = built("kuhn:players=3")
    method = rg.DCFR.replace(alternating=False)
    fixed = {1: rg.Strategy.uniform(tree)}
    one, two = (rg.solve(tree, method, iterations=9, threads=n, fixed=fixed) for n in (1, 2))
    for name in one.arrays:
        assert np.array_equal(one.arrays[name], two.arrays[name]), name


def test_long_blocks() -> None:
    """Blocks of more than one strip, which is where threads could meet."""
    tree = built("liars_dice:sides=5")
    assert np.diff(tree.form.block_strips).max() > 1
    one, two = (rg.solve(tree, rg.PCFR_PLUS, iterations=1 if INTERPRETED else 20, threads=n) for n in (1, 2))
    for name in one.arrays:
        assert np.array_equal(one.arrays[name], two.arrays[name]), name


def test_more_threads_than_cores_are_not_asked_for(kuhn: rg.Tree) -> None:
    run = rg.solve(kuhn, iterations=3, threads=1_000)
    assert np.array_equal(run.arrays["regret"], rg.solve(kuhn, iterations=3).arrays["regret"])


def test_threads_are_for_large_games_unless_told(kuhn: rg.Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rg.solve(kuhn, iterations=1).settings["threads"] == 1
