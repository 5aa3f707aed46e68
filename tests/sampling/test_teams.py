"""Threads that meet, and sums in lanes against logs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest

import regretless as rg
from compare_tables import random_strategy
from conftest import INTERPRETED, built
from random_games import Tilted
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.thread_team import STRIDE, Team, barrier, barrier_min
from regretless.method import Settings
from regretless.sampling import walks as walks_module
from regretless.sampling.walks import LANES, NUMBERS_PER_WALK, lanes_of

pytestmark = pytest.mark.full  # compiles for many seconds

# -- meetings ---------------------------------------------------------------------------------------------------------


@kernel
def relay(team: Any, board: Any, rounds: int) -> int:
    """Every round each thread writes its number, and after the barrier sums what all have written."""
    total = 0
    for number in range(rounds):
        board[team.number] = (number + 1) * (team.number + 1)
        barrier(team)
        for other in range(team.size):
            total += board[other]
        barrier(team)
    return total


@kernel
def worst(team: Any, rounds: int) -> int:
    """Every round another thread has the worst report."""
    right = 0
    for number in range(rounds):
        mine = -(number + 1) if number % team.size == team.number else 0
        right += barrier_min(team, mine) == -(number + 1)
        barrier(team)
    return right


def together(work: Any, size: int, *arguments: Any) -> list[int]:
    arrived, reports = (np.zeros(size * STRIDE, np.int64) for _ in range(2))
    teams = [Team(arrived, reports, number, size) for number in range(size)]
    with ThreadPoolExecutor(size) as pool:
        return [int(result) for result in pool.map(lambda team: work(team, *arguments), teams)]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_everybody_sees_what_was_written_before_the_meeting(size: int) -> None:
    """More threads than processors as well: who waits lets others on."""
    rounds = 20 if INTERPRETED else 300
    expected = rounds * (rounds + 1) // 2 * size * (size + 1) // 2
    assert together(relay, size, np.zeros(size, np.int64), rounds) == [expected] * size


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_worst_report_is_heard_by_all(size: int) -> None:
    rounds = 10 if INTERPRETED else 200
    assert together(worst, size, rounds) == [rounds] * size


# -- lanes ------------------------------------------------------------------------------------------------------------


def test_lanes_depend_on_walks_and_numbers_alone() -> None:
    assert lanes_of(40_000, 4_368) == LANES[0]
    assert lanes_of(1, 10) == 0
    assert lanes_of(5, 1) == 0, "fewer walks than the fewest lanes"
    for walks in (10, 100, 1_000, 100_000):
        for numbers in (10, 1_000, 1_000_000):
            lanes = lanes_of(walks, numbers)
            assert lanes in (0, *LANES) and lanes * numbers <= NUMBERS_PER_WALK * walks


@cache
def tilted_kuhn() -> rg.Tree:
    """Where no two sums of regrets are equal by accident: there rounding would decide who plays what."""
    game = rg.games.Kuhn()
    tilted = Tilted(game)
    tilted.public = game.public  # type: ignore[method-assign]
    return rg.build(tilted)


SCHEMES: dict[str, dict[str, Any]] = {
    "external": {},
    "outcome": {},
    "chance": {},
    "average-strategy": {"epsilon": 0.1, "beta": 2.0, "tau": 1.5},
    "public-chance": {},
}


@pytest.mark.parametrize(
    ("sampling", "dtype"), [*((sampling, "float64") for sampling in SCHEMES), ("external", "float32")]
)
@pytest.mark.parametrize("variant", [rg.LINEAR_CFR, rg.DCFR], ids=lambda v: v.name)
def test_sums_are_what_logs_add_up_to(
    sampling: str, dtype: str, variant: rg.Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but rounding: sums are added lane by lane, logs update by update."""
    prunes = {"prune": 5.0} if variant == rg.LINEAR_CFR and sampling in ("external", "chance") else {}
    method = rg.MCCFR(sampling, variant, traversals=60, **SCHEMES[sampling], **prunes)  # type: ignore[arg-type]
    learners: list[Any] = []
    for lanes in (LANES, ()):
        monkeypatch.setattr(walks_module, "LANES", lanes)
        learners.append(method.learner(tilted_kuhn(), Settings(seed=2, dtype=dtype, threads=2)))
        learners[-1].advance(6)
    summed, logged = learners
    assert summed.walks.lanes and not logged.walks.lanes and summed.walks.nodes == logged.walks.nodes
    assert not summed.walks.sums.any(), "lanes are emptied at the end of every turn"
    rounding = (1e-5 if dtype == "float32" else 1e-12) * float(np.abs(logged.store.values).max())
    assert summed.store.values == pytest.approx(logged.store.values, abs=rounding)


@pytest.mark.parametrize("sampling", ["external", "outcome", "chance"])
def test_updates_that_are_longer_than_a_run_of_sums(sampling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """66 actions: an update spreads over up to three runs, and lanes are read only where a run is marked."""
    tree, method = rg.build(rg.games.Blotto(soldiers=10, fields=3)), rg.MCCFR(sampling, traversals=24)  # type: ignore[arg-type]
    learners: list[Any] = []
    for lanes in (LANES, ()):
        monkeypatch.setattr(walks_module, "LANES", lanes)
        learners.append(method.learner(tree, Settings(seed=2, threads=2)))
        learners[-1].advance(1)
    summed, logged = learners
    assert summed.walks.lanes and not summed.walks.sums.any() and not summed.walks.marks.any()
    assert summed.store.values.any() and summed.store.values == pytest.approx(logged.store.values, rel=1e-12)


@pytest.mark.parametrize("sampling", ["external", "outcome", "chance"])
def test_fixed_players_in_lanes(sampling: str) -> None:
    fixed = {1: random_strategy(built("kuhn"), 8)}
    method = rg.MCCFR(sampling=sampling, variant=rg.DCFR, traversals=50)  # type: ignore[arg-type]
    one, three = (rg.solve(built("kuhn"), method, iterations=20, fixed=fixed, threads=n, seed=1) for n in (1, 3))
    for name in one.arrays:
        assert one.arrays[name].tobytes() == three.arrays[name].tobytes(), name
    assert one.strategy.probabilities == pytest.approx(three.strategy.probabilities, abs=0)


def test_more_threads_than_lanes_or_infosets() -> None:
    method = rg.MCCFR(traversals=100)
    tree = rg.build(rg.games.MatchingPennies())
    one, many = (rg.solve(tree, method, iterations=10, threads=n, seed=1) for n in (1, 40))
    for name in one.arrays:
        assert one.arrays[name].tobytes() == many.arrays[name].tobytes(), name
