"""The tables at which people sit: by a secret token each, not more than so many, the longest unused go first."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from regretless.apps.play.opponents import Opponent
from regretless.apps.play.table import Table

__all__ = ["Seated", "Tables"]

MOST_TABLES = 2_000


@dataclass
class Seated:
    """A table that somebody sits at, perhaps in two tabs at once: one move at a time."""

    token: str
    run: int
    table: Table
    lock: threading.Lock = field(default_factory=threading.Lock)


class Tables:
    """All tables of an explorer."""

    def __init__(self) -> None:
        self._tables: OrderedDict[str, Seated] = OrderedDict()
        self._lock = threading.Lock()

    def sit_down(self, run: int, opponent: Opponent, seat: str) -> Seated:
        """A new table."""
        seated = Seated(secrets.token_urlsafe(9), run, Table(opponent, seat=seat, seed=secrets.randbits(63)))
        with self._lock:
            self._tables[seated.token] = seated
            while len(self._tables) > MOST_TABLES:
                self._tables.popitem(last=False)
        return seated

    @contextmanager
    def at(self, token: str) -> Iterator[Seated | None]:
        """A table, held still while it is looked at or moved on; None where there is no such table (any more)."""
        with self._lock:
            seated = self._tables.get(token)
            if seated is not None:
                self._tables.move_to_end(token)
        if seated is None:
            yield None
            return
        with seated.lock:
            yield seated
