"""The loop of a solve: when it measures, what it does when a checkpoint fails, and which time it counts."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.solving import loop as loop_module
from regretless.solving.compile_clock import compile_seconds, on_compiling


def measured_at(**options: Any) -> list[int]:
    return rg.solve("kuhn", iterations=100, **options).history["iteration"].tolist()


def test_when_to_measure() -> None:
    assert measured_at(measure=30) == [30, 60, 90, 100]
    assert measured_at(measure=1) == list(range(1, 101))
    assert measured_at(measure=2.0) == [1, 2, 4, 8, 16, 32, 64, 100]
    assert measured_at() == measured_at(measure=1.05)
    assert measured_at(measure="never") == []


def test_measuring_changes_nothing() -> None:
    often, never = (rg.solve("leduc", rg.DCFR, iterations=20, measure=when) for when in (1, "never"))
    assert often.strategy == never.strategy
    with pytest.raises(rg.OptionError, match="nothing has been measured in this run yet"):
        _ = never.exploitability


def test_a_resumed_run_measures_at_the_same_iterations(tmp_path: Path) -> None:
    rg.solve("kuhn", iterations=45, measure=20, checkpoint=tmp_path / "run")
    resumed = rg.resume(tmp_path / "run", iterations=55, measure=20)
    assert resumed.history["iteration"].tolist() == [20, 40, 45, 60, 80, 100]


@pytest.mark.parametrize("measure", [0, -3, 0.5, 1.0, True, "often", float("nan"), float("inf")])
def test_measure_that_means_nothing(measure: Any) -> None:
    with pytest.raises(rg.OptionError, match="measure is 'never', a number of iterations such as 100"):
        rg.solve("kuhn", iterations=2, measure=measure)


@pytest.mark.parametrize("option", [{"until": 0.1}, {"callback": print}])
def test_what_needs_measurements(option: Any) -> None:
    with pytest.raises(rg.OptionError, match="need measurements"):
        rg.solve("kuhn", iterations=2, measure="never", **option)


def test_a_snapshot_carries_the_whole_row() -> None:
    rows: list[Any] = []
    rg.solve("leduc", rg.MCCFR(), iterations=10, callback=lambda snapshot: rows.append(snapshot.measured))
    assert rows[-1]["iteration"] == 10 and rows[-1]["nodes"] > 0 and rows[-1]["infosets"] > 0


def test_a_failed_checkpoint_is_reported_and_the_solve_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, save, calls = tmp_path / "run", rg.Run.save, []

    def fails(run: rg.Run, where: Any) -> None:
        calls.append(run.iterations)
        if 0 < run.iterations < 30:
            raise rg.FileError("cannot write run: No space left on device")
        save(run, where)

    monkeypatch.setattr(rg.Run, "save", fails)
    monkeypatch.setattr(loop_module, "BATCH_SECONDS", 0.0)  # an iteration at a time
    with pytest.warns(UserWarning, match="the checkpoint of iteration .* failed: cannot write run: No space"):
        run = rg.solve("kuhn", iterations=40, checkpoint=path, checkpoint_every=0.0)
    assert run.iterations == 40 and len(calls) > 40
    assert rg.load(path).strategy == run.strategy


def test_a_file_that_cannot_be_written_is_reported_before_the_solve(tmp_path: Path) -> None:
    with pytest.raises(rg.FileError, match="cannot write"):
        rg.solve("kuhn", iterations=10, checkpoint=tmp_path)


class SlowToList(rg.Game):
    """Matching pennies whose rules take their time."""

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        time.sleep(0.02)
        return len(state) if len(state) < 2 else rg.TERMINAL

    def actions(self, state: str) -> str:
        return "HT"

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> int:
        return len(state)

    def payoffs(self, state: str) -> tuple[int, int]:
        return (1, -1) if state[0] == state[1] else (-1, 1)


def test_seconds_count_from_the_call() -> None:
    """Listing is part of the time that was asked for, and of `run.seconds`; history counts the iterations' own."""
    rg.solve(SlowToList(), iterations=1)  # compiled
    began = time.perf_counter()
    run = rg.solve(SlowToList(), seconds=0.6)
    spent = time.perf_counter() - began
    assert run.stopped == "seconds"
    assert 0.55 < spent < 1.2
    assert run.history["seconds"][-1] + 0.1 < run.seconds <= spent


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_compiling_is_timed_and_announced() -> None:
    import numba

    notices: list[int] = []
    before = compile_seconds()
    with on_compiling(lambda: notices.append(1)), warnings.catch_warnings():
        assert numba.njit(lambda x: x + 1)(1) == 2
    assert notices and 0 < compile_seconds() - before < 60
    noticed = len(notices)
    assert numba.njit(lambda x: x + 2)(1) == 3
    assert len(notices) == noticed
