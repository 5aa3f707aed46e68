"""The write lock and stale temporary files, with real processes that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from regretless.errors import FileError
from regretless.storage import WriteLock, write_atomically

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a signal of POSIX systems")

HOLD = """
import sys, time
from regretless.storage import WriteLock
lock = WriteLock(sys.argv[1])
lock.acquire()
print("held", flush=True)
time.sleep(60)
"""

WRITE = """
import sys, time
from regretless.storage import write_atomically
def write(file):
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
write_atomically(sys.argv[1], write)
"""

FORK = """
import os, sys, time
from regretless.storage import WriteLock
lock = WriteLock(sys.argv[1])
lock.acquire()
if os.fork() == 0:
    print(os.getpid(), flush=True)
time.sleep(60)
"""


def started(code: str, target: Path) -> tuple[subprocess.Popen[str], str]:
    """A process that has said its first line."""
    process = subprocess.Popen([sys.executable, "-c", code, str(target)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait(timeout=30)
    if process.stdout is not None:
        process.stdout.close()


def test_the_second_process_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    target = tmp_path / "runs" / "kuhn.run"
    process, said = started(HOLD, target)
    try:
        assert said == "held"
        with pytest.raises(FileError, match=rf"cannot write .*kuhn\.run: process {process.pid} on .* is writing it"):
            WriteLock(target).acquire()
        with WriteLock(tmp_path / "runs" / "other.run"):
            pass
    finally:
        killed(process)
    assert (tmp_path / "runs" / ".kuhn.run.lock").exists()  # kill -9 leaves the file, and it locks nothing
    with WriteLock(target) as lock:
        assert lock.held
    assert not any((tmp_path / "runs").iterdir())


def test_two_holders_in_one_process(tmp_path: Path) -> None:
    with WriteLock(tmp_path / "a") as first:
        first.acquire()  # again: nothing happens
        with pytest.raises(FileError, match=f"process {os.getpid()} on"):
            WriteLock(tmp_path / "a").acquire()
        assert first.held
    assert not first.held
    first.release()
    with WriteLock(tmp_path / "a"):
        pass


def test_a_lock_that_is_dropped_is_released(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / "a")
    lock.acquire()
    del lock
    with WriteLock(tmp_path / "a"):
        pass


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    """Workers that outlive a killed solve must not block the next one."""
    process, said = started(FORK, tmp_path / "a")
    try:
        killed(process)
        with WriteLock(tmp_path / "a") as lock:
            assert lock.held
    finally:
        os.kill(int(said), signal.SIGKILL)


def test_many_processes_take_turns(tmp_path: Path) -> None:
    """Only one process holds the lock at a time: each adds one to a number that it reads first."""
    code = """
import sys, time
from pathlib import Path
from regretless.errors import FileError
from regretless.storage import WriteLock
target, done = Path(sys.argv[1]), 0
while done < 20:
    try:
        with WriteLock(target):
            number = int(target.read_text())
            time.sleep(0.0005)
            target.write_text(str(number + 1))
            done += 1
    except FileError:
        time.sleep(0.001)
"""
    (tmp_path / "count").write_text("0")
    command = [sys.executable, "-c", code, str(tmp_path / "count")]
    processes = [subprocess.Popen(command) for _ in range(4)]
    for process in processes:
        assert process.wait(timeout=120) == 0
    assert (tmp_path / "count").read_text() == "80"
    assert [file.name for file in tmp_path.iterdir()] == ["count"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot write"):
        WriteLock(tmp_path / "file" / "a").acquire()


def parts(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if file.name.endswith(".part")]


def test_what_a_killed_process_left_is_removed_by_the_next_write(tmp_path: Path) -> None:
    target = tmp_path / "kuhn.run"
    process, said = started(WRITE, target)
    assert said == "writing"
    killed(process)
    (left,) = parts(tmp_path)
    assert left.read_bytes() == b"half"
    write_atomically(tmp_path / "other.run", lambda file: file.write(b"x"))
    assert parts(tmp_path) == [left]  # not of this target
    write_atomically(target, lambda file: file.write(b"new"))
    assert target.read_bytes() == b"new"
    assert not parts(tmp_path)


def test_what_a_living_process_writes_stays(tmp_path: Path) -> None:
    target = tmp_path / "kuhn.run"
    process, said = started(WRITE, target)
    try:
        assert said == "writing"
        (left,) = parts(tmp_path)
        write_atomically(target, lambda file: file.write(b"new"))
        assert parts(tmp_path) == [left]
    finally:
        killed(process)
    write_atomically(target, lambda file: file.write(b"newer"))
    assert not parts(tmp_path)


def test_files_of_older_versions_are_removed(tmp_path: Path) -> None:
    """Versions without locks left temporary files of the same names."""
    (tmp_path / ".kuhn.run.abcd1234.part").write_bytes(b"old")
    (tmp_path / ".kuhn.run.part.txt").write_bytes(b"not ours")
    write_atomically(tmp_path / "kuhn.run", lambda file: file.write(b"x"))
    assert sorted(file.name for file in tmp_path.iterdir()) == [".kuhn.run.part.txt", "kuhn.run"]
