"""Solves that the page has started: each a process that writes its run, which the page follows like any other.

A process of its own leaves the server free to answer, and takes nothing with it if it runs out of memory.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from regretless.apps.views.run_headers import Followed, Glance
from regretless.errors import FileError, OptionError

__all__ = ["Job", "Jobs", "Wish"]

MOST_RUNNING = 2
MOST_SECONDS = 3_600.0
WRITE_EVERY = 0.5
"""Seconds between two saves of a run that is watched."""

CHILD = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from regretless.apps.cli import main; main()"
)
"""The command line, which a stop reaches even where whoever started the explorer has made it deaf to Ctrl-C."""


@dataclass(frozen=True)
class Wish:
    """What is to be solved, and for how long."""

    game: str
    algorithm: str = "cfr+"
    iterations: int | None = None
    until: float | None = None
    seconds: float | None = None

    def check(self) -> None:
        """Refuse what cannot be meant, and games that are not the library's own: a page runs nobody's code."""
        from regretless.apps.views.loaded_run import ready_made
        from regretless.lookup.games import find_game
        from regretless.lookup.methods import method_by_name

        if len(self.game) > 200 or not (ready_made(self.game) or self.game.partition(":")[0] == "fhp"):
            raise OptionError(f"a page solves the library's own games, not {self.game[:40]!r}: regretless solve does")
        find_game(self.game)
        method_by_name(self.algorithm)
        if self.seconds is not None and not 0 < self.seconds <= MOST_SECONDS:
            raise OptionError(f"seconds is a time up to {MOST_SECONDS:,.0f}, got {self.seconds:g}")
        if self.until is not None and not self.until > 0:
            raise OptionError(f"until is an exploitability above zero, got {self.until:g}")
        if self.iterations is not None and self.iterations < 1:
            raise OptionError("iterations is a positive whole number, got 0")

    def arguments(self, out: Path) -> list[str]:
        """What is written on the command line."""
        words = ["solve", self.game, "-a", self.algorithm, "--out", str(out), "--quiet"]
        words += ["--checkpoint-every", str(WRITE_EVERY)]
        for name, given in (("-n", self.iterations), ("--until", self.until), ("--seconds", self.seconds)):
            words += [] if given is None else [name, repr(given)]
        return words


class Job:
    """A solve in another process."""

    def __init__(self, number: int, wish: Wish, folder: Path) -> None:
        self.number, self.wish = number, wish
        self.path = folder / f"{number}.run"
        self.followed = Followed(self.path, f"{wish.game}, {wish.algorithm}")
        self.saved = ""
        self._complaints = (folder / f"{number}.log").open("w+b")
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD, *wish.arguments(self.path)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._complaints, start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip

    @property
    def running(self) -> bool:
        """Whether it is still at it."""
        return self._process.poll() is None

    @property
    def begun(self) -> bool:
        """Whether there is anything to look at."""
        return self.path.exists()

    def look(self) -> Glance:
        """How far it is."""
        return self.followed.look()

    @property
    def complaint(self) -> str:
        """What a process that failed has said."""
        if self.running or self._process.returncode in (0, 130):
            return ""
        self._complaints.seek(0)
        lines = self._complaints.read(4096).decode("utf-8", "replace").strip().splitlines()
        return lines[-1].removeprefix("regretless: ") if lines else "the solve has ended without a word"

    def stop(self) -> None:
        """Let it finish its stretch, save and end."""
        if self.running:
            self._process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End it for good."""
        self.stop()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._complaints.close()


class Jobs:
    """All solves of an explorer, in a folder that goes when it goes."""

    def __init__(self, save_to: Path) -> None:
        self.save_to = save_to
        self._folder: Path | None = None
        self._jobs: list[Job] = []
        self._lock = threading.Lock()

    def all(self) -> list[Job]:
        """The solves, the oldest first."""
        return list(self._jobs)

    def start(self, wish: Wish) -> Job:
        """Begin a solve."""
        wish.check()
        with self._lock:
            if sum(job.running for job in self._jobs) >= MOST_RUNNING:
                raise OptionError(f"{MOST_RUNNING} solves are running already: stop one first")
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="regretless-explorer-"))
            job = Job(len(self._jobs), wish, self._folder)
            self._jobs.append(job)
            return job

    def job(self, number: int) -> Job:
        """The solve of a number."""
        if not 0 <= number < len(self._jobs):
            raise OptionError(f"there is no solve number {number}: the server has been started anew, perhaps")
        return self._jobs[number]

    def save(self, job: Job, name: str) -> str:
        """Keep a run under a name in the folder for saving; nothing is ever replaced."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
            raise OptionError(f"a name is letters, digits, dots and dashes, such as kuhn.run; got {name[:40]!r}")
        target = self.save_to / name
        try:
            with self.path_of(job).open("rb") as source, target.open("xb") as copy:
                shutil.copyfileobj(source, copy)
        except FileExistsError:
            raise OptionError(f"{name} exists already: take another name") from None
        except OSError as error:
            raise FileError(f"cannot write {name}: {error.strerror or error}") from None
        job.saved = name
        return name

    @staticmethod
    def path_of(job: Job) -> Path:
        """The file that a solve writes."""
        if not job.begun:
            raise OptionError("the solve has not written anything yet")
        return job.path

    def close(self) -> None:
        """End all solves and remove what nobody saved."""
        for job in self._jobs:
            job.end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
