"""One writer at a time: a lock for the time in which a process keeps writing the same file.

The lock is an advisory lock on a small file beside the target (`.kuhn.run.lock`). The system drops it when the process
ends, also by kill -9, so a lock file that was left behind locks nothing. The file is removed on release.

A solve holds the lock of its checkpoint from before it reads the file until after its last write. A single write does
not take the lock: it only refuses to replace a file that another process is writing (`refuse_if_locked`).
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from regretless.errors import FileError
from regretless.storage.advisory_locks import replaces_open_files, try_lock

__all__ = ["WriteLock", "refuse_if_locked", "while_locked"]

LONGEST_NOTE = 200
"""Bytes of a lock file that are read to say who holds it."""

PROBE_SECONDS = 0.1
"""`refuse_if_locked` holds the lock for an instant to see whether it is free; a lock is tried again for this long."""

_HELD: weakref.WeakSet[WriteLock] = weakref.WeakSet()


class WriteLock:
    """The right to write a file; a second holder is refused while the first one lives.

    Two holders in one process exclude each other too. A process that is forked from the holder does not hold the lock.
    On a file system without locks nothing is excluded. It stands for its path wherever one is taken, so a caller that
    holds a lock passes it as `checkpoint=`.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with WriteLock(Path(folder.name) / "kuhn.run") as lock:
    ...     lock.held
    True
    >>> lock.held
    False
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.target = Path(path)
        self.file = self.target.parent / f".{self.target.name}.lock"
        self._handle: int | None = None

    def __fspath__(self) -> str:
        return os.fspath(self.target)

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._handle is not None

    def acquire(self) -> None:
        """Take the lock, or raise a FileError that names the process that holds it."""
        if self.held:
            return
        try:
            if self.target.is_dir():
                raise FileError(f"cannot write {self.target}: it is a folder; name a file")
            self.target.parent.mkdir(parents=True, exist_ok=True)
            while self._handle is None:
                self._handle = self._attempt()
        except FileError:
            raise
        except (OSError, ValueError) as error:  # ValueError: a null byte in the name
            reason = error.strerror if isinstance(error, OSError) else None
            raise FileError(f"cannot write {self.target}: {reason or error}") from error
        _HELD.add(self)

    def _attempt(self) -> int | None:
        """The locked lock file; None where its last holder removed it before it could be locked."""
        handle = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not _lock(handle, PROBE_SECONDS):
                raise FileError(self._refusal())
            if not self._is_current(handle):
                os.close(handle)
                return None
            os.ftruncate(handle, 0)
            os.write(handle, f"process {os.getpid()} on {socket.gethostname()}".encode()[:LONGEST_NOTE])
        except BaseException:
            with contextlib.suppress(OSError):
                os.close(handle)
            raise
        return handle

    def _is_current(self, handle: int) -> bool:
        """Whether the open file is still the one of that name."""
        try:
            return os.path.samestat(os.fstat(handle), self.file.stat())
        except FileNotFoundError:
            return False

    def _refusal(self) -> str:
        """The message for a second writer, with the holder as the holder wrote it down."""
        try:
            with self.file.open("rb") as file:
                note = file.read(LONGEST_NOTE).decode(errors="replace")
        except OSError:
            note = ""
        holder = note if note.startswith("process ") and note.isprintable() else "another process"
        return f"cannot write {self.target}: {holder} is writing it; wait for it to end, or name another file"

    def refuse_if_held_elsewhere(self) -> None:
        """Raise FileError while another process holds the lock."""
        try:
            handle = os.open(self.file, os.O_RDWR)
        except OSError:  # there is no lock file, or it cannot be opened
            return
        try:
            mine = any(_same_file(handle, other._handle) for other in list(_HELD))
            if not mine and not _lock(handle) and self._is_current(handle):
                raise FileError(self._refusal())
        finally:
            os.close(handle)

    def release(self) -> None:
        """Give the lock back; safe to call twice."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        _HELD.discard(self)
        if replaces_open_files():  # removed while it is locked: a later holder makes a new one
            self.file.unlink(missing_ok=True)
        os.close(handle)
        if not replaces_open_files():
            with contextlib.suppress(OSError):
                self.file.unlink(missing_ok=True)

    def __enter__(self) -> WriteLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def __del__(self) -> None:
        if self._handle is not None:
            self.release()


@contextlib.contextmanager
def while_locked(path: str | os.PathLike[str] | None) -> Iterator[str | os.PathLike[str] | None]:
    """Hold the write lock of a file; None needs no lock, and a `WriteLock` that is held stays with its owner."""
    if path is None or (isinstance(path, WriteLock) and path.held):
        yield path
        return
    with WriteLock(path) as lock:
        yield lock


def refuse_if_locked(path: str | os.PathLike[str]) -> None:
    """Raise FileError while another process holds the write lock of a file."""
    WriteLock(path).refuse_if_held_elsewhere()


def _lock(handle: int, patience: float = 0.0) -> bool:
    """Lock an open file; False where it stays locked for `patience` seconds."""
    end = time.monotonic() + patience
    try:
        while not (locked := try_lock(handle)) and time.monotonic() < end:
            time.sleep(0.01)
        return locked
    except OSError:  # a file system without locks excludes nothing
        return True


def _same_file(one: int, other: int | None) -> bool:
    try:
        return other is not None and os.path.samestat(os.fstat(one), os.fstat(other))
    except OSError:  # another thread has released its lock meanwhile
        return False


def _forget_in_child() -> None:
    """A forked child shares the open file, and would keep the lock alive after its parent has died."""
    for lock in list(_HELD):
        handle, lock._handle = lock._handle, None
        if handle is not None:
            os.close(handle)
    _HELD.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
