"""Solves that a page has started. Each is a process that writes a run file, which pages follow like any other run.

A process of its own leaves the server free to answer. It has a limit on memory, and it ends when the explorer ends.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from regretless.apps.child_processes import child_environment
from regretless.apps.views.run_headers import RunFile, RunHeader
from regretless.apps.views.studio.solve_time import iteration_seconds
from regretless.errors import FileError, OptionError
from regretless.lookup.allowed_games import check_parameters, may_open
from regretless.storage import WriteLock, opened, write_atomically

__all__ = ["MOST_SECONDS", "Job", "Jobs", "SolveRequest", "need_abstraction"]

MOST_RUNNING = 2
MOST_SECONDS = 3_600.0
"""The longest solve that a page starts."""

WRITE_EVERY = 0.5
"""Seconds between two checkpoints of a run that is watched."""

SHARE_OF_MEMORY = 0.8
"""Part of the free memory that one solve may use."""

INTERRUPTED = 130

MOST_NAME, MOST_HUNL_NAME = 200, 400
"""Characters of the name of a game with its parameters; no-limit hold'em has sizes for each street."""

MOST_NAMES = 1_000
"""Numbers that are tried for the name of a run that is saved by itself."""

SPOT_FILE, ABSTRACTION_FILE, RUN_FILE = "spot.toml", "cards.abs", "solve.run"
"""Names in the folder of a solve."""

WHOLE_GAMES, NEED_ABSTRACTION = ("fhp", "hulh", "hunl"), ("hulh", "hunl")
"""Games of hold'em from the blinds on that pages solve, and those that fit into memory only with an abstraction."""

COMPARABLE = 10.0
"""A solve says how fast this machine is for spots up to this many times larger or smaller."""

STORED = ("float32", "int16", "float64")
"""How a solve of hold'em may store its numbers."""


def need_abstraction(name: str) -> str:
    """What a whole game of hold'em is solved with."""
    return (
        f"It is solved with a card abstraction: regretless abstract {name} --out {name}.abs makes one, and the "
        "explorer offers those in the folders that it was given."
    )


@dataclass(frozen=True)
class SolveRequest:
    """What to solve, and for how long."""

    game: str
    """The name of a game with its parameters; of a spot, the name that pages show."""
    algorithm: str = "cfr+"
    iterations: int | None = None
    until: float | str | None = None
    """Exploitability in chips, or a text such as "0.3%" of the pot."""
    seconds: float | None = None
    spot: str = ""
    """A spot of hold'em in TOML; empty for a game by its name."""
    dtype: str | None = None
    infoset_actions: int = 0
    """The size of a spot; 0 if it is not known."""
    origin: int | None = None
    """The number of the run whose nodes were locked, to compare with."""
    beside: str = ""
    """The name of that run's file: the new run is saved under a similar name as soon as it has ended."""
    abstraction: Path | None = None
    """The file with the card abstraction of a whole game of hold'em."""
    start: Path | None = None
    """The file of a run of the same spot with other locks, whose regrets the solve begins with."""

    def check(self) -> None:
        """Raise an error for an invalid request, and for games that run foreign code or read files."""
        from regretless.lookup.methods import method_by_name

        if self.spot:
            from regretless.poker.formats.spot_files import spot_from_text

            spot_from_text(self.spot)
        else:
            self._check_game()
        method_by_name(self.algorithm)
        if self.dtype not in (None, *STORED):
            raise OptionError(f"numbers are stored as {' or '.join(STORED)}, got {str(self.dtype)[:40]!r}")
        self.check_limits()

    def check_name(self) -> None:
        """Raise an error for a game that pages do not solve, and for wrong parameters."""
        from regretless.lookup.games import find_game

        name = self.game.partition(":")[0]
        longest = MOST_HUNL_NAME if name == "hunl" else MOST_NAME
        if len(self.game) > longest or not (may_open(self.game) or name in WHOLE_GAMES):
            raise OptionError(f"a page solves the library's own games, not {self.game[:40]!r}: regretless solve does")
        if name != "hunl":  # its numbers are chips, for which nothing is allocated
            check_parameters(self.game)
        if name != "openspiel":  # opening it runs its own code: left to the process of the solve
            find_game(self.game)

    def _check_game(self) -> None:
        self.check_name()
        name = self.game.partition(":")[0]
        if name in NEED_ABSTRACTION and self.abstraction is None:
            raise OptionError(f"{self.game[:80]} is too large hand by hand. {need_abstraction(name)}")

    def game_in(self, folder: str = "") -> str:
        """The game for the command line; its files are in a folder."""
        if self.spot:
            return f"{folder}{SPOT_FILE}"
        if self.abstraction is None:
            return self.game
        return f"{self.game}{',' if ':' in self.game else ':'}abstraction={folder}{self.abstraction_link}"

    @property
    def abstraction_link(self) -> str:
        """What the abstraction is called in the folder of the solve: a saved run looks for a file of this name."""
        name = self.abstraction.name if self.abstraction is not None else ""
        return name if re.fullmatch(r"[A-Za-z][A-Za-z0-9._-]*\.abs", name) else ABSTRACTION_FILE

    def check_limits(self) -> None:
        """Raise OptionError for limits that are out of range."""
        from regretless.solving.stopping import read_until

        if self.seconds is not None and not 0 < self.seconds <= MOST_SECONDS:
            raise OptionError(f"seconds is a time up to {MOST_SECONDS:,.0f}, got {self.seconds:g}")
        if self.until is not None and not read_until(self.until)[0] > 0:
            raise OptionError(f"until is an exploitability above zero, got {self.until}")
        if self.iterations is not None and self.iterations < 1:
            raise OptionError("iterations is a positive whole number, got 0")

    def arguments(self, game: str, out: Path, resume: bool = False) -> list[str]:
        """The words of the command line; with `resume`, iterations count from the beginning of the run."""
        words = ["solve", game, "--out", str(out), "--quiet", "--checkpoint-every", str(WRITE_EVERY)]
        words += ["--resume"] if resume else ["-a", self.algorithm]
        words += ["--dtype", self.dtype] if self.dtype and not resume else []
        words += ["--start", str(self.start.absolute())] if self.start is not None and not resume else []
        limits = (("-n", self.iterations), ("--until", self.until), ("--seconds", self.seconds or MOST_SECONDS))
        for name, given in limits:
            words += [] if given is None else [name, str(given)]
        return words


class Job:
    """A solve in another process."""

    def __init__(self, number: int, request: SolveRequest, folder: Path, memory: int | None = None) -> None:
        self.number, self.request = number, request
        self.folder = folder / str(number)
        self.folder.mkdir()
        self.path = self.folder / RUN_FILE
        self.file = RunFile(self.path, f"{request.game}, {request.algorithm}")
        self.saved = ""
        self._errors = (self.folder / "errors.txt").open("w+b")
        self._memory = memory
        if request.spot:
            (self.folder / SPOT_FILE).write_text(request.spot, encoding="utf-8")
        if request.abstraction is not None:
            (self.folder / request.abstraction_link).symlink_to(request.abstraction.absolute())
        self._process = self._start(request, resume=False)

    def _start(self, request: SolveRequest, resume: bool) -> subprocess.Popen[bytes]:
        limit = _memory_limit() if self._memory is None else self._memory
        module = ["-m", "regretless.apps.explorer.web.job_process", str(limit), str(self.folder)]
        # Standard input is a pipe that stays open as long as this process lives: the solve watches it. Files are named
        # relative to the folder, because the name of the game becomes a part of the run.
        in_folder = bool(request.spot or request.abstraction)
        return subprocess.Popen(
            [sys.executable, *module, *request.arguments(request.game_in(), self.path, resume)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._errors, start_new_session=True,
            env=child_environment(), cwd=self.folder if in_folder else None,
        )  # fmt: skip

    def go_on(self, more: SolveRequest) -> None:
        """Solve further from where the run has stopped; `more` has the limits of this part."""
        if self.running or not self.begun:
            raise OptionError("only a solve that has stopped and has written its run can go on")
        more.check_limits()
        if more.iterations is not None:
            more = replace(more, iterations=self.header().iterations + more.iterations)
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._errors.seek(0)
        self._errors.truncate()
        self.saved = ""
        self._process = self._start(more, resume=True)

    @property
    def game_to_open(self) -> str | None:
        """The game that its run needs to be opened; None if the run holds it."""
        return self.request.game_in(f"{self.folder}/") if self.request.abstraction is not None else None

    @property
    def process_id(self) -> int:
        """The number of its process."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    @property
    def begun(self) -> bool:
        """Whether the first checkpoint has been written."""
        return self.path.exists()

    def header(self) -> RunHeader:
        """The header of its run file."""
        return self.file.header()

    @property
    def complaint(self) -> str:
        """Why the process has failed; empty if it has not."""
        code = self._process.poll()
        if code in (None, 0, INTERRUPTED):
            return ""
        self._errors.seek(0)
        text = self._errors.read(4096).decode("utf-8", "replace").replace(str(self.folder), "")
        if self.request.start is not None:  # pages do not name folders of this machine
            text = text.replace(str(self.request.start.absolute()), self.request.start.name)
        lines = text.strip().splitlines()
        return lines[-1].removeprefix("regretless: ") if lines else f"the solve has ended without a message ({code})"

    def stop(self) -> None:
        """Let the solve finish its current iterations, save and end."""
        if self.running:
            self._process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End the process; kill it if it does not stop."""
        self.stop()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._errors.close()


def _memory_limit() -> int:
    """Bytes that a solve may use; 0 if the free memory is not known."""
    from regretless.linter.memory import available_memory

    return int(SHARE_OF_MEMORY * (available_memory() or 0))


class Jobs:
    """All solves of an explorer, in a temporary folder that is removed with it."""

    def __init__(self, save_to: Path) -> None:
        self.save_to = save_to
        self._folder: Path | None = None
        self._jobs: list[Job] = []
        self._lock = threading.Lock()

    def all(self) -> list[Job]:
        """The solves, the oldest first."""
        return list(self._jobs)

    def start(self, request: SolveRequest) -> Job:
        """Start a solve."""
        request.check()
        with self._lock:
            self._check_free()
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="regretless-explorer-"))
            job = Job(len(self._jobs), request, self._folder)
            self._jobs.append(job)
            return job

    def go_on(self, job: Job, more: SolveRequest) -> None:
        """Let a solve that has stopped go on."""
        with self._lock:
            self._check_free()
            job.go_on(more)

    def _check_free(self) -> None:
        if sum(job.running for job in self._jobs) >= MOST_RUNNING:
            raise OptionError(f"{MOST_RUNNING} solves are running already: stop one first")

    def job(self, number: int) -> Job:
        """The solve with a number."""
        if not 0 <= number < len(self._jobs):
            raise OptionError(f"there is no solve number {number}: perhaps the explorer was restarted")
        return self._jobs[number]

    def save(self, job: Job, name: str) -> str:
        """Copy a run into the folder for saved runs; an existing file is never replaced."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
            raise OptionError(f"a name is letters, digits, dots and dashes, such as kuhn.run; got {name[:40]!r}")
        if not job.begun:
            raise OptionError("the solve has not written anything yet")
        target = self.save_to / name
        try:
            with WriteLock(target), opened(job.path) as source:
                if target.exists():
                    raise OptionError(f"{name} exists already: choose another name")
                write_atomically(target, lambda copy: shutil.copyfileobj(source, copy))
        except FileError as error:  # pages do not name folders of this machine
            raise FileError(str(error).replace(str(target), name).replace(str(job.path), "the run")) from None
        job.saved = name
        return name

    def save_beside(self, job: Job) -> None:
        """Save a run that has ended under the first free name that is like the one of the run it began from."""
        stem = re.sub(r"[^A-Za-z0-9._-]", "-", Path(job.request.beside).stem)[:60].strip("-._") or "spot"
        if job.request.beside == RUN_FILE:  # a run of this explorer that was not saved
            stem = "spot"
        for name in (f"{stem}-locked{number}.run" for number in ("", *range(2, MOST_NAMES))):
            if not (self.save_to / name).exists():
                with contextlib.suppress(OptionError):  # another process took the name meanwhile
                    self.save(job, name)
                    return

    def pace(self, infoset_actions: int) -> float | None:
        """Seconds for one infoset-action in one iteration of a spot of this size; None without a comparable solve.

        Smaller spots stay in the cache of the processor and larger ones do not, so the nearest size counts, and of
        equal ones the last solve.
        """
        found = []
        for job in self._jobs:
            size = job.request.infoset_actions
            each = iteration_seconds(job.header().history) if size and job.begun else None
            if each is not None:
                found.append((max(size / infoset_actions, infoset_actions / size), -job.number, each / size))
        ratio, _, pace = min(found, default=(COMPARABLE + 1, 0, 0.0))
        return pace if ratio <= COMPARABLE else None

    def close(self) -> None:
        """End all solves and remove their files."""
        for job in self._jobs:
            job.end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
