"""Solves that the page starts: what it may solve, stopping, saving, and failing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from explored import surroundings

import regretless as rg
from regretless.apps.explorer.web.jobs import Job, Jobs, SolveRequest


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (SolveRequest("mygame.py:Guess"), "a page solves the library's own games, not 'mygame.py:Guess'"),
        (SolveRequest("/etc/passwd"), "a page solves the library's own games"),
        (SolveRequest("kuhn:players=x"), "a whole number"),
        (SolveRequest("kuhn:" + "x" * 300), "a page solves"),
        (SolveRequest("kuhn", "cfr++"), "unknown algorithm"),
        (SolveRequest("kuhn", seconds=0), "seconds is a time"),
        (SolveRequest("kuhn", seconds=1e9), "seconds is a time"),
        (SolveRequest("kuhn", until=-1), "until is an exploitability above zero"),
        (SolveRequest("kuhn", iterations=0), "iterations is a positive whole number"),
    ],
)
def test_invalid_requests(tmp_path: Path, request_: SolveRequest, said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        Jobs(tmp_path).start(request_)


def waited(job: Job, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while job.running and time.monotonic() < end:
        time.sleep(0.05)


@pytest.mark.full
def test_a_solve_is_stopped_and_saved(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path)
    try:
        job = jobs.start(SolveRequest("leduc", seconds=100))
        while not job.begun or job.header().iterations == 0:
            assert job.running, job.complaint
            time.sleep(0.05)
        job.stop()
        waited(job)
        assert (job.running, job.complaint, job.header().stopped) == (False, "", "interrupted")
        for name in ("../out.run", "/tmp/out.run", ".hidden", "a b", "", "x" * 200):
            with pytest.raises(rg.OptionError, match="a name is letters"):
                jobs.save(job, name)
        assert jobs.save(job, "kept.run") == "kept.run"
        assert rg.load(tmp_path / "kept.run").stopped == "interrupted"  # type: ignore[union-attr]
        with pytest.raises(rg.OptionError, match=r"kept\.run exists already"):
            jobs.save(job, "kept.run")
        folder = job.path.parent
    finally:
        jobs.close()
    assert not folder.exists()
    with pytest.raises(rg.OptionError, match="there is no solve number 7"):
        jobs.job(7)


@pytest.mark.full
def test_a_solve_that_fails_says_why(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path)
    try:
        job = jobs.start(SolveRequest("phantom_ttt"))  # far too large to list
        waited(job)
        assert "too large" in job.complaint or "will take about" in job.complaint
        assert not job.begun
        with pytest.raises(rg.OptionError, match="has not written anything"):
            jobs.save(job, "x.run")
    finally:
        jobs.close()


# -- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_solve_has_a_memory_limit(tmp_path: Path) -> None:
    job = Job(0, SolveRequest("liars_dice:sides=8", iterations=2), tmp_path, memory=350_000_000)
    try:
        waited(job)
        assert not job.running
        assert "not enough memory" in job.complaint
    finally:
        job.end()


def test_a_limit_on_memory_lets_allocations_fail() -> None:
    code = (
        "from regretless.apps.child_processes import limit_memory; limit_memory(200_000_000); bytearray(1_000_000_000)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=surroundings(), check=False)
    assert done.stderr.strip().endswith("MemoryError")


PARENT = """
import sys, time
from pathlib import Path
from regretless.apps.explorer.web.jobs import Jobs, SolveRequest
job = Jobs(Path(".")).start(SolveRequest("leduc", seconds=300))
while not job.begun:
    time.sleep(0.05)
print(job.process_id, job.folder, flush=True)
time.sleep(300)
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
@pytest.mark.full
def test_a_solve_ends_with_its_parent(tmp_path: Path, sent: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=tmp_path, env=surroundings(), stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # `nohup` has children ignore it
    )  # fmt: skip
    assert parent.stdout is not None
    process, folder = parent.stdout.readline().split()
    assert Path(f"/proc/{process}").exists()
    parent.send_signal(sent)
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + 20
    while alive(int(process)):
        assert time.monotonic() < end, "the solve goes on without its parent"
        time.sleep(0.05)
    assert not (Path(folder) / "solve.run").exists()


def alive(process: int) -> bool:
    """Whether a process runs; one that has ended and is not yet collected does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
