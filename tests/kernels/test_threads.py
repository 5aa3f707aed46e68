"""Threads share the work and change nothing: the same bits on one thread and on two."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED, built
from regretless.kernels.sequence_form.gradients import share_of_rows


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


@pytest.mark.parametrize("size", [2, 3, 7])
@pytest.mark.parametrize("alternating", [True, False])
def test_teams_of_any_size(size: int, alternating: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """More threads than processors, rows and strips."""
    monkeypatch.setattr("regretless.methods.cfr.processors", lambda: size)
    tree, method = built("kuhn:players=3"), rg.PCFR_PLUS.replace(alternating=alternating)
    one, many = (rg.solve(tree, method, iterations=3, threads=n) for n in (1, size))
    for name in one.arrays:
        assert np.array_equal(one.arrays[name], many.arrays[name]), name


@pytest.mark.parametrize("size", [1, 2, 5])
def test_rows_are_shared_by_their_entries(size: int) -> None:
    """Every row belongs to one share, and no share has many more entries than another."""
    entry_first = np.cumsum([0, *np.random.default_rng(2).integers(0, 30, 200)]).astype(np.uint64)
    begins = getattr(share_of_rows, "py_func", share_of_rows)
    cuts = [begins(entry_first, 10, 190, share, size) for share in range(size + 1)]
    assert cuts[0] == 10 and cuts[-1] == 190 and sorted(cuts) == cuts
    entries = np.diff(entry_first[cuts].astype(np.int64) + cuts)
    assert entries.max() - entries.min() <= 2 * 31


def test_more_threads_than_cores_are_not_asked_for(kuhn: rg.Tree) -> None:
    run = rg.solve(kuhn, iterations=3, threads=1_000)
    assert np.array_equal(run.arrays["regret"], rg.solve(kuhn, iterations=3).arrays["regret"])


def test_threads_are_for_large_games_unless_told(kuhn: rg.Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rg.solve(kuhn, iterations=1).settings["threads"] == 1
