"""Connections of the server: limits on their number, and deadlines for slow clients.

uvicorn waits for the headers of a request as long as a client likes. A client could open hundreds of connections, send
nothing, and so keep all others out. Here a request must arrive within a deadline, and when there are too many
connections the oldest idle one is closed to admit the new one.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["REQUEST_SECONDS", "Connections", "GuardedProtocol", "protocol_with"]

MOST_CONNECTIONS = 256
MOST_PER_ADDRESS = 64
REQUEST_SECONDS = 10.0
"""Seconds in which a request must arrive, headers and body."""

SEND_SECONDS = 60.0
"""Seconds for which a client may leave an answer unread."""


class Connections:
    """All open connections of a server, the oldest first."""

    def __init__(self, most: int = MOST_CONNECTIONS, most_per_address: int = MOST_PER_ADDRESS) -> None:
        self.most, self.most_per_address = most, most_per_address
        self._open: dict[GuardedProtocol, str] = {}  # connection → address of the client

    def admit(self, new: GuardedProtocol, address: str) -> bool:
        """Add a connection. If there are too many, an idle one is closed; if all are busy, the new one is refused."""
        count = Counter(self._open.values())
        if count[address] >= self.most_per_address:
            crowded = address
        elif len(self._open) >= self.most:
            crowded = max(count, key=lambda known: count[known])
        else:
            crowded = ""
        if crowded:
            idle = next((one for one, known in self._open.items() if known == crowded and one.idle), None)
            if idle is None:
                return False
            self.remove(idle)
            idle.transport.abort()
        self._open[new] = address
        return True

    def remove(self, connection: GuardedProtocol) -> None:
        """Forget a connection that is closed."""
        self._open.pop(connection, None)


class GuardedProtocol(H11Protocol):
    """uvicorn's HTTP protocol with deadlines; uvicorn makes an instance for each connection."""

    all_connections: ClassVar[Connections]
    _request_deadline: asyncio.TimerHandle | None = None
    _send_deadline: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        """Whether no whole request is waiting for its answer."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit or refuse a new connection."""
        super().connection_made(transport)
        if self.all_connections.admit(self, self.client[0] if self.client else ""):
            self._watch_request()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self.all_connections.remove(self)
        for deadline in (self._request_deadline, self._send_deadline):
            if deadline is not None:
                deadline.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what a client has sent."""
        try:
            super().data_received(data)
        except h11.ProtocolError:  # nonsense after the beginning of an answer: there is nothing left to say
            self.transport.abort()
            return
        self._watch_request()

    def _watch_request(self) -> None:
        """Start the deadline when a request begins, and stop it when the request is complete."""
        if not self.idle:
            if self._request_deadline is not None:
                self._request_deadline.cancel()
                self._request_deadline = None
        elif self._request_deadline is None:
            self._request_deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        """The client does not read: start the deadline for reading."""
        super().pause_writing()
        self._send_deadline = self.loop.call_later(SEND_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        if self._send_deadline is not None:
            self._send_deadline.cancel()
            self._send_deadline = None


def protocol_with(connections: Connections) -> type[GuardedProtocol]:
    """The protocol class of one server, whose connections share limits."""
    return type("ServerProtocol", (GuardedProtocol,), {"all_connections": connections})
