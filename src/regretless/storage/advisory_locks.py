"""Advisory locks on open files: `flock` where there is one, byte-range locks on Windows.

A lock belongs to the open file, not to a name, and the system drops it when the process ends.
"""

from __future__ import annotations

import errno
import os
import sys

__all__ = ["replaces_open_files", "try_lock"]

LOCKED_BYTE = 1 << 30
"""Windows locks bytes and blocks their readers, so a byte far behind the contents is locked."""

if sys.platform == "win32":
    import msvcrt

    def replaces_open_files() -> bool:
        """Whether an open file can be renamed and removed, so that a lock on it says who writes it."""
        return False

    def try_lock(handle: int) -> bool:
        """Lock an open file; False where another open file holds the lock."""
        os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK, errno.EAGAIN):
                return False
            raise
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def replaces_open_files() -> bool:
        """Whether an open file can be renamed and removed, so that a lock on it says who writes it."""
        return True

    def try_lock(handle: int) -> bool:
        """Lock an open file; False where another open file holds the lock."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return False
            raise
        return True
