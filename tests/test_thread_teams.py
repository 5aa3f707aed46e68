"""Threads that work together: after a fork, in processes of every kind, when one fails, and when Ctrl-C comes."""

from __future__ import annotations

import gc
import hashlib
import multiprocessing
import os
import signal
import threading
import time
import weakref
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED, built
from regretless import threads as threads_module
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.thread_team import Team, barrier
from regretless.methods.cfr import CFRLearner
from regretless.threads import ThreadTeam, run_together

PATIENCE = 120.0
"""Seconds after which a process that should have answered is taken to hang."""

METHODS: dict[str, rg.Method] = {"cfr": rg.CFR_PLUS, "mccfr": rg.MCCFR(traversals=4)}
STARTS = [start for start in ("fork", "spawn", "forkserver") if start in multiprocessing.get_all_start_methods()]
needs_fork = pytest.mark.skipif("fork" not in STARTS, reason="this system has no fork")


def solved(name: str) -> str:
    """A digest of what a solve on two threads leaves behind."""
    run = rg.solve(rg.games.Kuhn(), METHODS[name], iterations=20, threads=2, seed=3, measure="never")
    return hashlib.sha256(b"".join(run.arrays[each].tobytes() for each in sorted(run.arrays))).hexdigest()


# -- other processes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "method"),
    [
        *(pytest.param(start, "cfr", marks=[] if start == "fork" else pytest.mark.full) for start in STARTS),
        *(pytest.param(start, "mccfr", marks=pytest.mark.full) for start in STARTS if start == "fork"),
    ],
)
def test_processes_that_are_started_after_a_threaded_solve(start: str, method: str) -> None:
    """With OpenMP a forked process hung for ever."""
    expected = solved(method)
    with multiprocessing.get_context(start).Pool(1) as pool:
        assert pool.apply_async(solved, (method,)).get(timeout=PATIENCE) == expected


@needs_fork
def test_a_fork_while_other_threads_solve() -> None:
    """The child of a process whose threads are at work starts with none of them."""
    stop, expected = threading.Event(), solved("cfr")
    solves = [threading.Thread(target=lambda: [solved("cfr") for _ in iter(stop.is_set, True)]) for _ in range(2)]
    for each in solves:
        each.start()
    try:
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.apply_async(solved, ("cfr",)).get(timeout=PATIENCE) == expected
    finally:
        stop.set()
        for each in solves:
            each.join()


@needs_fork
def test_a_learner_goes_on_in_a_forked_process() -> None:
    learner, other = (CFRLearner(built("kuhn"), rg.CFR_PLUS, rg.Settings(threads=2)) for _ in range(2))
    learner.advance(3)
    ours, theirs = multiprocessing.get_context("fork").Pipe()

    def go_on() -> None:
        learner.advance(4)
        theirs.send(learner.arrays()["average"])

    child = multiprocessing.get_context("fork").Process(target=go_on, daemon=True)
    child.start()
    assert ours.poll(PATIENCE), "the forked process hangs"
    other.advance(7)
    assert np.array_equal(ours.recv(), other.arrays()["average"])
    child.join()


@needs_fork
def test_concurrent_futures() -> None:
    expected = solved("cfr")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        assert [each.result(timeout=PATIENCE) for each in [pool.submit(solved, "cfr") for _ in range(2)]] == [
            expected
        ] * 2


@pytest.mark.full
def test_joblib() -> None:
    joblib = pytest.importorskip("joblib")
    expected = solved("cfr")
    for backend in ("loky", "multiprocessing"):
        parallel = joblib.Parallel(n_jobs=2, backend=backend, timeout=PATIENCE)
        assert parallel(joblib.delayed(solved)("cfr") for _ in range(2)) == [expected] * 2


# -- threads ----------------------------------------------------------------------------------------------------------


def test_all_parts_run_at_the_same_time() -> None:
    """Each waits for the others, which would never end if one began after another."""
    meeting = threading.Barrier(4, timeout=PATIENCE)
    assert run_together(lambda number: (meeting.wait(), number**2)[1], 4) == [0, 1, 4, 9]


def test_calls_within_calls_and_from_many_threads() -> None:
    def inside(number: int) -> list[int]:
        return run_together(lambda each: 10 * number + each, 3)

    assert run_together(inside, 3) == [[0, 1, 2], [10, 11, 12], [20, 21, 22]]


def test_threads_are_used_again() -> None:
    run_together(lambda number: None, 3)
    before = threading.active_count()
    for _ in range(20):
        run_together(lambda number: None, 3)
    assert threading.active_count() == before


def test_nothing_is_kept_alive_by_idle_threads() -> None:
    array = np.zeros(10)
    kept = weakref.ref(array)
    run_together(lambda number, array=array: array.sum(), 2)  # type: ignore[misc]
    del array
    gc.collect()
    end = time.monotonic() + PATIENCE
    while kept() is not None and time.monotonic() < end:
        time.sleep(0.01)
    assert kept() is None


# -- failures ---------------------------------------------------------------------------------------------------------


@kernel
def meet(team: Any, rounds: int, fails: bool) -> int:
    """Many barriers, before which one thread may raise an exception."""
    done = 0
    for _ in range(rounds):
        if fails and done == rounds // 2:
            raise MemoryError
        barrier(team)
        done += 1
    return done


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_an_exception_in_one_thread_is_raised_and_the_others_end(failing: int) -> None:
    team = ThreadTeam(3)
    with pytest.raises(MemoryError):
        team.run(lambda each: meet(each, 100, each.number == failing))
    assert team.run(lambda each: meet(each, 100, False)) == [100] * 3, "the team can be used again"


def test_a_thread_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part that was handed out ends, although the third of the team never comes."""

    class Refused:
        def __init__(self) -> None:
            raise RuntimeError("can't start new thread")

    run_together(lambda number: None, 2)
    one = threads_module._IDLE.pop()
    monkeypatch.setattr(threads_module, "_IDLE", type(threads_module._IDLE)([one]))
    monkeypatch.setattr(threads_module, "_Worker", Refused)
    team = ThreadTeam(3)
    with pytest.raises(RuntimeError, match="can't start"):
        team.run(lambda each: meet(each, 100, False))


def test_ctrl_c_between_the_parts() -> None:
    """An interrupt on the calling thread is raised after all threads have ended."""
    ended = []

    def work(team: Team) -> None:
        if team.number == 0:
            raise KeyboardInterrupt
        meet(team, 50, False)
        time.sleep(0.05)
        ended.append(team.number)

    with pytest.raises(KeyboardInterrupt):
        ThreadTeam(3).run(work)
    assert sorted(ended) == [1, 2]


@pytest.mark.skipif(INTERPRETED or not hasattr(signal, "pthread_kill"), reason="needs compiled speed and signals")
def test_ctrl_c_at_any_moment() -> None:
    """Interrupts of the calling thread never leave a team that hangs, and the next call works."""
    team, caught = ThreadTeam(2), 0
    meet_all = lambda: team.run(lambda each: meet(each, 2_000, False))  # noqa: E731
    meet_all()
    for number in range(30):
        timer = threading.Timer(0.0005 * (number % 6), os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            while True:
                meet_all()
                if not timer.is_alive():
                    break
        except KeyboardInterrupt:
            caught += 1
        timer.join()
    assert caught > 0
    assert meet_all() == [2_000] * 2


@pytest.mark.skipif(INTERPRETED, reason="needs compiled speed")
@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_in_the_middle_of_a_threaded_solve(method: str) -> None:
    """The run is returned whole: bit for bit the same number of iterations without an interrupt."""
    begun = threading.Event()

    def interrupt_soon(_: rg.Snapshot) -> None:
        if not begun.is_set():
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        begun.set()

    options: Any = {"threads": 2, "seed": 1}
    run = rg.solve(built("leduc"), METHODS[method], seconds=PATIENCE, callback=interrupt_soon, **options)
    assert run.stopped == "interrupted" and run.iterations > 0
    again = rg.solve(built("leduc"), METHODS[method], iterations=run.iterations, **options)
    for name in run.arrays:
        assert np.array_equal(run.arrays[name], again.arrays[name]), name
