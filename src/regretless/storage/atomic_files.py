"""Atomic writes: the new file is written beside the old one, flushed to the disk, and renamed over it.

A crash leaves the old file or the new one, never half of either. What a killed process leaves behind is a temporary
file; the next write of the same target removes it. Whether the writer of a temporary file is still alive is seen by
an advisory lock that the writer holds on it: the system drops the lock when the process ends, however it ends.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from regretless.errors import FileError
from regretless.storage.advisory_locks import replaces_open_files, try_lock
from regretless.storage.write_lock import refuse_if_locked

__all__ = ["write_atomically"]

SUFFIX = ".part"
ATTEMPTS = 100
"""Temporary files that are tried before giving up: another writer may remove one before it is locked."""


def write_atomically(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a file that replaces `path` only when it is complete and on the disk.

    Raises FileError where a solve in another process keeps writing `path`.
    """
    target = Path(path)
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise FileError(f"cannot write {target}: it is a folder; name a file")
        refuse_if_locked(target)
        remove_stale(target)
        handle, temporary = _locked_temporary(target)
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
            temporary.chmod(0o666 & ~_umask())
            if not replaces_open_files():  # Windows renames no open file
                file.close()
            temporary.replace(target)
        temporary = None
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def remove_stale(target: Path) -> None:
    """Remove the temporary files of `target` whose writers are dead; what cannot be decided stays."""
    try:
        files = list(target.parent.iterdir())
    except OSError:  # a folder that can be written to but not listed
        return
    for file in files:
        if file.name.startswith(f".{target.name}.") and file.name.endswith(SUFFIX):
            _remove_if_stale(file)


def _remove_if_stale(part: Path) -> None:
    try:
        if not replaces_open_files():
            part.unlink()  # Windows refuses while the file is open
            return
        handle = os.open(part, os.O_RDWR | os.O_NOFOLLOW)
        try:
            if try_lock(handle):
                part.unlink()
        finally:
            os.close(handle)
    except OSError:
        pass


def _locked_temporary(target: Path) -> tuple[int, Path]:
    """A new temporary file beside `target`, open and locked."""
    for _ in range(ATTEMPTS):
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=SUFFIX, dir=target.parent)
        if not replaces_open_files():
            return handle, Path(name)
        try:
            locked = try_lock(handle)
        except OSError:  # a file system without locks: stale temporary files cannot be recognised, and stay
            locked = True
        if locked and os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)  # another writer took it for stale between creation and lock
    raise FileError(f"cannot write {target}: other processes keep removing its temporary files")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
