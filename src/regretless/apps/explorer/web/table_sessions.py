"""Tables of the play page. Each has a secret token in its address; the least recently used tables are dropped."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from regretless.apps.play.opponents import Opponent
from regretless.apps.play.table import Table

__all__ = ["TableSession", "TableSessions"]

MOST_TABLES = 2_000


@dataclass
class TableSession:
    """A table, possibly open in two browser tabs: the lock allows one move at a time."""

    token: str
    run: int
    table: Table
    lock: threading.Lock = field(default_factory=threading.Lock)


class TableSessions:
    """All tables of an explorer."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, TableSession] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, run: int, opponent: Opponent, seat: str) -> TableSession:
        """A new table."""
        session = TableSession(secrets.token_urlsafe(9), run, Table(opponent, seat=seat, seed=secrets.randbits(63)))
        with self._lock:
            self._sessions[session.token] = session
            while len(self._sessions) > MOST_TABLES:
                self._sessions.popitem(last=False)
        return session

    @contextmanager
    def at(self, token: str) -> Iterator[TableSession | None]:
        """The table of a token, locked while it is used; None if there is no such table (any more)."""
        with self._lock:
            session = self._sessions.get(token)
            if session is not None:
                self._sessions.move_to_end(token)
        if session is None:
            yield None
            return
        with session.lock:
            yield session
