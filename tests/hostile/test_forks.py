"""Processes that are forked or spawned after a threaded solve: they solve as well, or refuse with a sentence."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

import regretless as rg
from conftest import INTERPRETED

pytestmark = [
    pytest.mark.skipif(INTERPRETED, reason="needs compiled kernels"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
]

PATIENCE = 240
"""Seconds; a process that hangs fails the test instead of stopping it."""

RIVER = rg.poker.Spot("Qs Jh 2h 7c 3d", ("22+,AK", "22+,AQ"), pot=10, stack=20, sizes="bet 50%, raise all-in")


def tabular(iterations: int) -> float:
    return float(rg.solve("leduc", iterations=iterations, threads=2).value)


def sampled(iterations: int) -> float:
    return float(rg.solve("kuhn", rg.MCCFR(traversals=16), iterations=iterations, threads=2).value)


def holdem(iterations: int) -> float:
    return float(rg.solve(RIVER, iterations=iterations, threads=2).value)


def deep(iterations: int, threads: int) -> Any:
    method = rg.DeepCFR(traversals=4, steps=2, batch=64, strategy_steps=2)
    try:
        return float(rg.solve("kuhn", method, iterations=iterations, threads=threads).value)
    except rg.OptionError as error:
        return str(error)


def in_pool(kind: str, work: Callable[..., Any], *arguments: Any) -> list[Any]:
    with multiprocessing.get_context(kind).Pool(2) as pool:
        return pool.starmap_async(work, [arguments] * 3).get(timeout=PATIENCE)


@pytest.mark.parametrize("work", [tabular, pytest.param(sampled, marks=pytest.mark.full), holdem])
def test_fork(work: Callable[[int], float]) -> None:
    assert in_pool("fork", work, 4) == [work(4)] * 3


@pytest.mark.full
def test_spawn() -> None:
    assert in_pool("spawn", tabular, 4) == [tabular(4)] * 3


def test_futures() -> None:
    expected = tabular(4)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(tabular, [4, 4], timeout=PATIENCE)) == [expected] * 2


@pytest.mark.full
def test_joblib() -> None:
    joblib = pytest.importorskip("joblib")
    expected = tabular(4)
    assert joblib.Parallel(2, timeout=PATIENCE)(joblib.delayed(tabular)(4) for _ in range(2)) == [expected] * 2


@pytest.mark.full
def test_networks_refuse_threads_after_a_fork() -> None:
    """PyTorch's threads do not survive a fork, and its last bits depend on their number: no other number is taken."""
    pytest.importorskip("torch")
    expected = deep(1, 1)
    deep(1, 2)
    assert in_pool("fork", deep, 1, 1) == [expected] * 3
    for said in in_pool("fork", deep, 1, 2):
        assert "PyTorch cannot use 2 threads in a process that was forked" in said
