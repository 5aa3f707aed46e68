"""Ctrl-C, kill -9 and going on: whatever happens, the run in the file is whole."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from command_line import command, start

import regretless as rg
from conftest import INTERPRETED, built
from regretless.run import read_run

pytestmark = pytest.mark.skipif(INTERPRETED, reason="needs compiled speed")


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def wait_for(path: Path, *, iterations: int = 1, seconds: float = 60.0) -> None:
    """Wait until a checkpoint has done some iterations."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and read_run(path).iterations >= iterations:
            return
        time.sleep(0.02)
    raise AssertionError(f"no checkpoint at {path} within {seconds} s")


def same_bits(one: rg.Run, other: rg.Run) -> bool:
    return all(np.array_equal(array, other.arrays[name]) for name, array in one.arrays.items())


def test_resume_counts_in_all_and_equals_the_uninterrupted_run(tmp_path: Path) -> None:
    assert command("solve", "leduc", "-n", 100, "--out", "run", "-q").code == 0
    said = command("solve", "leduc", "--out", "run", "--resume", "-n", 250)
    assert said.code == 0 and "going on from iteration 100" in said.out
    run = read_run("run")
    assert run.iterations == 250
    assert same_bits(run, rg.solve(built("leduc"), iterations=250))


def test_resume_of_a_run_that_is_done(tmp_path: Path) -> None:
    assert command("solve", "kuhn", "-n", 100, "--out", "run", "-q").code == 0
    before = Path("run").read_bytes()
    said = command("solve", "kuhn", "--out", "run", "--resume", "-n", 80)
    assert said.code == 0 and said.out == "run has already done 100 iterations: nothing to do\n"
    reached = command("solve", "kuhn", "--out", "run", "--resume", "--until", 0.5)
    assert reached.code == 0 and "already reached" in reached.out
    asked = json.loads(command("solve", "kuhn", "--out", "run", "--resume", "-n", 80, "--json").out)
    assert asked["iterations"] == 100 and asked["histories"] is None
    assert Path("run").read_bytes() == before


def test_resume_without_a_file_starts_afresh() -> None:
    said = command("solve", "kuhn", "--out", "run", "--resume", "-n", 50)
    assert said.code == 0 and "does not exist yet: starting afresh" in said.out
    assert read_run("run").iterations == 50


def test_resume_without_numbers_goes_on_to_the_plan(tmp_path: Path) -> None:
    run = rg.solve(built("kuhn"), iterations=40)
    run.settings["planned"] = 90  # type: ignore[index]
    run.save("run")
    assert command("solve", "kuhn", "--out", "run", "--resume", "-q").code == 0
    assert read_run("run").iterations == 90


def test_ctrl_c_saves_tells_and_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "run"
    process = start("solve", "leduc", "-n", 10**9, "--out", path, "--checkpoint-every", 0.05, folder=tmp_path)
    wait_for(path, iterations=100)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err == "" and "interrupted" in out and "exploitability" in out
    stopped = read_run(path)
    assert stopped.stopped == "interrupted"
    assert same_bits(stopped, rg.solve(built("leduc"), iterations=stopped.iterations))
    more = stopped.iterations + 100
    assert command("solve", "leduc", "--out", path, "--resume", "-n", more, "-q").code == 0
    assert read_run(path).iterations == more


def test_ctrl_c_with_json(tmp_path: Path) -> None:
    process = start("solve", "leduc", "-n", 10**9, "--json", "--out", "run", folder=tmp_path)
    wait_for(tmp_path / "run", iterations=0)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["stopped"] == "interrupted"


@pytest.mark.full
def test_kill_9_at_any_moment_leaves_a_run_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run"
    dice = random.Random(0)
    done = 0
    for _ in range(5):
        process = start(
            "solve", "leduc", "-n", 100_000_000, "--out", path, "--resume", "--checkpoint-every", 0.01,
            folder=tmp_path,
        )  # fmt: skip
        wait_for(path, iterations=done + 1)
        time.sleep(dice.uniform(0.0, 0.3))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        run = read_run(path)
        assert run.iterations > done and run.stopped == "running"
        done = run.iterations
    more = command("solve", "leduc", "--out", path, "--resume", "-n", done + 10, "-q")
    assert more.code == 0
    assert same_bits(read_run(path), rg.solve(built("leduc"), iterations=done + 10))
