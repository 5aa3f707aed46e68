"""A time limit that long questions to a game are asked under."""

from __future__ import annotations

import time

from regretless.errors import OptionError

__all__ = ["Deadline"]


class Deadline:
    """A number of seconds from now on."""

    def __init__(self, seconds: float) -> None:
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
            raise OptionError(f"seconds is a time above zero, got {seconds!r}")
        self.began, self.seconds = time.perf_counter(), seconds

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self.began

    def passed(self, share: float = 1.0) -> bool:
        """Whether this share of the time is over."""
        return self.spent > share * self.seconds
