"""One solve at a time writes a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from regretless.storage import while_locked

__all__ = ["locks_checkpoint"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def locks_checkpoint(solves: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A function that holds the write lock of its keyword `checkpoint` while it runs.

    The lock is taken before anything is read: a resumed run would otherwise be read while another process still writes
    it, and what that process adds would be lost.
    """

    @wraps(solves)
    def locked(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        checkpoint: Any = options.get("checkpoint")
        named = isinstance(checkpoint, str | os.PathLike)  # anything else is refused by the function itself
        with while_locked(checkpoint if named else None):
            return solves(*args, **options)

    return locked
