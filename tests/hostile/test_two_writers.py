"""Two processes that would write one file: the second is refused while the first lives, and a kill frees the file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.apps.explorer.web.jobs import Jobs
from regretless.recall.dudo_match import solve_dudo_match
from regretless.storage import WriteLock

sys.path.insert(0, str(Path(__file__).parents[1] / "apps"))
from command_line import command, start

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a signal of POSIX systems"),
    pytest.mark.skipif(INTERPRETED, reason="needs compiled speed"),
]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@contextmanager
def endless_solve(out: Path) -> Iterator[subprocess.Popen[str]]:
    """A solve in another process that has written its first checkpoint; it is killed at the end."""
    process = start("solve", "kuhn", "-n", 10**9, "--out", out, "--checkpoint-every", 0.05, folder=out.parent)
    try:
        end = time.monotonic() + 120
        while not out.exists():
            assert process.poll() is None and time.monotonic() < end, process.communicate()
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)


def test_every_second_writer_is_refused(tmp_path: Path) -> None:
    """Each command and each function that would replace the file says which process writes it; exit code 2."""
    out = tmp_path / "kuhn.run"
    rg.solve("kuhn", iterations=5).save("other.run")
    with endless_solve(out) as process:
        said = f"regretless: cannot write {out}: process {process.pid} on "
        for words in (
            ["solve", "kuhn", "-n", 5, "--out", out],
            ["solve", "kuhn", "-n", 5, "--out", out, "--overwrite"],
            ["solve", "kuhn", "-n", 5, "--out", out, "--resume"],
            ["show", "other.run", "--csv", out],
        ):
            assert command(*words).refused().startswith(said), words
        named = rf"cannot write .*kuhn\.run: process {process.pid} on .* is writing it; wait for it to end"
        with pytest.raises(rg.FileError, match=named):
            rg.solve("kuhn", iterations=5, checkpoint=out)
        with pytest.raises(rg.FileError, match=named):
            rg.resume(out, iterations=5, checkpoint=out)
        with pytest.raises(rg.FileError, match=named):
            rg.solve("kuhn", iterations=5).save(out)
        assert isinstance(rg.load(out), rg.Run)  # reading needs no lock
        assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=60)
        assert command("solve", "kuhn", "-n", 5, "--out", out, "--overwrite").code == 0
    run = rg.load(out)
    assert isinstance(run, rg.Run) and run.iterations == 5
    assert sorted(file.name for file in tmp_path.iterdir()) == ["kuhn.run", "other.run"]


@pytest.mark.full
def test_commands_that_write_a_strategy_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "kuhn.run"
    rg.solve("kuhn", iterations=5).save("other.run")
    with endless_solve(out) as process:
        said = f"regretless: cannot write {out}: process {process.pid} on "
        for words in (
            ["clean", "other.run", "--threshold", 0.01, "--out", out],
            ["resolve", "other.run", "--at", "Kp", "--method", "unsafe", "--out", out, "--overwrite"],
        ):
            assert command(*words).refused().startswith(said), words


@pytest.mark.full
def test_many_solves_in_one_folder_by_two_processes(tmp_path: Path) -> None:
    """The task that another process works on fails with the sentence; the others are done."""
    first = rg.solve_many(["kuhn", "rps"], "cfr+", folder=tmp_path, iterations=2, workers=1)
    held = first.outcomes[0].path
    code = (
        "import sys, time; from regretless.storage import WriteLock\n"
        "lock = WriteLock(sys.argv[1]); lock.acquire(); print('held', flush=True); time.sleep(600)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, held], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        many = rg.solve_many(["kuhn", "rps"], "cfr+", folder=tmp_path, iterations=4, workers=1)
        refused, done = many.outcomes
        assert f"process {holder.pid} on" in refused.status and "is writing it" in refused.status
        assert done.status == "done" and done.iterations == 4
    finally:
        holder.kill()
        holder.communicate(timeout=60)
    again = rg.solve_many(["kuhn", "rps"], "cfr+", folder=tmp_path, iterations=4, workers=1)
    assert [outcome.status for outcome in again.outcomes] == ["done", "skipped"]
    whole, rest = rg.solve("kuhn", "cfr+", iterations=4), dict(again.runs())["kuhn"]
    assert all(np.array_equal(array, rest.arrays[name]) for name, array in whole.arrays.items())


def test_two_solves_in_one_process(tmp_path: Path) -> None:
    """A callback that solves into the same checkpoint is refused; one that saves a run there is not."""
    out = tmp_path / "a.run"
    refused: list[str] = []

    def solve_again(_: rg.Snapshot) -> bool:
        rg.solve("rps", iterations=1).save(out)
        with pytest.raises(rg.FileError) as raised:
            rg.solve("rps", iterations=1, checkpoint=out)
        refused.append(str(raised.value))
        return True

    rg.solve("kuhn", iterations=5, checkpoint=out, callback=solve_again)
    assert f"process {os.getpid()} on" in refused[0]
    run = rg.load(out)
    assert isinstance(run, rg.Run) and run.game == "kuhn"
    assert [file.name for file in tmp_path.iterdir()] == ["a.run"]


def test_a_solve_that_fails_frees_its_checkpoint(tmp_path: Path) -> None:
    def fails(_: rg.Snapshot) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rg.solve("kuhn", iterations=5, checkpoint=tmp_path / "a.run", callback=fails)
    with pytest.raises(rg.OptionError):
        rg.solve("kuhn", iterations=0, checkpoint=tmp_path / "a.run")
    with WriteLock(tmp_path / "a.run"):
        pass


def test_a_match_of_dudo_holds_its_checkpoint(tmp_path: Path) -> None:
    with WriteLock(tmp_path / "match"), pytest.raises(rg.FileError, match="is writing it"):
        solve_dudo_match(1, sides=2, iterations=1, checkpoint=tmp_path / "match")
    with WriteLock(tmp_path / "match"):  # the refusal has left it as it was
        pass


def test_the_explorer_saves_over_no_file_that_is_being_written(tmp_path: Path) -> None:
    class Solved:
        begun, saved = True, ""
        path = tmp_path / "job" / "solve.run"

    job = Solved()
    rg.solve("kuhn", iterations=2, checkpoint=job.path)
    jobs = Jobs(tmp_path)
    with WriteLock(tmp_path / "kept.run"), pytest.raises(rg.FileError) as raised:
        jobs.save(job, "kept.run")  # type: ignore[arg-type]
    assert "cannot write kept.run" in str(raised.value) and str(tmp_path) not in str(raised.value)
    assert jobs.save(job, "kept.run") == "kept.run" == job.saved  # type: ignore[arg-type]
    assert (tmp_path / "kept.run").read_bytes() == job.path.read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["job", "kept.run"]
