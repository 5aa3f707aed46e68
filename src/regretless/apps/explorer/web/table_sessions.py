"""Tables of the play page, drills and reviews of hands. Each has a secret token in its address; the least recently used
are dropped."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from regretless.apps.play.drill import Drill
from regretless.apps.play.opponents import Opponent
from regretless.apps.play.table import Table
from regretless.apps.views.studio.hand_reviews import HandReview

__all__ = [
    "DrillSession",
    "DrillSessions",
    "ReviewSession",
    "ReviewSessions",
    "Sessions",
    "TableSession",
    "TableSessions",
]

MOST_SESSIONS, MOST_REVIEWS = 2_000, 16
"""Sessions that are kept; a review keeps the text of its hands."""


class Session(Protocol):
    """What is kept under a token; the lock allows one change at a time, because two browser tabs may show it."""

    token: str
    lock: threading.Lock


@dataclass
class TableSession:
    """A table."""

    token: str
    run: int
    table: Table
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass
class DrillSession:
    """A drill."""

    token: str
    run: int | None
    """The run that questions are from; None for all runs."""
    drill: Drill
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass
class ReviewSession:
    """A review of hands."""

    token: str
    review: HandReview
    lock: threading.Lock = field(default_factory=threading.Lock)


Held = TypeVar("Held", bound=Session)


class Sessions(Generic[Held]):
    """Sessions by their tokens; thread-safe."""

    def __init__(self, most: int = MOST_SESSIONS) -> None:
        self._most = most
        self._sessions: OrderedDict[str, Held] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, session: Held) -> Held:
        """Keep a new session; the least recently used one is dropped if there are too many."""
        with self._lock:
            self._sessions[session.token] = session
            while len(self._sessions) > self._most:
                self.dropped(self._sessions.popitem(last=False)[1])
        return session

    def dropped(self, session: Held) -> None:
        """Called with a session that is not kept any more."""

    @contextmanager
    def at(self, token: str) -> Iterator[Held | None]:
        """The session of a token, locked while it is used; None if there is no such session (any more)."""
        with self._lock:
            session = self._sessions.get(token)
            if session is not None:
                self._sessions.move_to_end(token)
        if session is None:
            yield None
            return
        with session.lock:
            yield session


class TableSessions(Sessions[TableSession]):
    """All tables of an explorer."""

    def start(self, run: int, opponent: Opponent, seat: str) -> TableSession:
        """A new table."""
        return self.add(TableSession(_token(), run, Table(opponent, seat=seat, seed=secrets.randbits(63))))


class DrillSessions(Sessions[DrillSession]):
    """All drills of an explorer."""

    def start(self, run: int | None, drill: Drill) -> DrillSession:
        """A new drill."""
        return self.add(DrillSession(_token(), run, drill))


class ReviewSessions(Sessions[ReviewSession]):
    """The last reviews of an explorer."""

    def __init__(self) -> None:
        super().__init__(MOST_REVIEWS)

    def start(self, review: HandReview) -> ReviewSession:
        """Begin a review."""
        return self.add(ReviewSession(_token(), review.start()))

    def dropped(self, session: ReviewSession) -> None:
        """End a review that cannot be seen any more."""
        session.review.stop()


def _token() -> str:
    return secrets.token_urlsafe(9)
