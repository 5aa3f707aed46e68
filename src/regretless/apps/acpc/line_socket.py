"""Lines of text over a socket, with deadlines and a limit on their length."""

from __future__ import annotations

import socket
import time
from contextlib import suppress

from regretless.errors import OptionError
from regretless.poker.formats.acpc_messages import ProtocolError
from regretless.poker.quoting import quoted

__all__ = ["LineSocket", "connect", "read_address"]

MOST_LINE = 20_000
"""Bytes of the longest line that is read."""
RECEIVED = 4_096


class LineSocket:
    """A peer that sends and receives lines that end with CR LF. Received lines may also end with LF alone."""

    def __init__(self, connection: socket.socket, peer: str) -> None:
        self.connection, self.peer = connection, peer
        self._pending = b""
        with suppress(OSError):  # sockets of other families have no such option
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, line: str, seconds: float) -> None:
        """Send a line; ProtocolError if the peer is gone or does not read for that time."""
        self.connection.settimeout(seconds)
        try:
            self.connection.sendall(line.encode() + b"\r\n")
        except TimeoutError:
            raise ProtocolError(f"{self.peer} has not read its messages for {seconds:g} s") from None
        except OSError:
            raise ProtocolError(f"{self.peer} has hung up") from None

    def receive(self, seconds: float) -> str | None:
        """The next line without its end; None if the peer has closed the connection between two lines.

        ProtocolError if no complete line comes within that time, or the line is too long or no text.
        """
        deadline = time.monotonic() + seconds
        while b"\n" not in self._pending:
            if len(self._pending) > MOST_LINE:
                raise ProtocolError(f"{self.peer} has sent a line of more than {MOST_LINE:,} bytes")
            data = self._received(deadline, seconds)
            if not data:
                if self._pending:
                    raise ProtocolError(f"{self.peer} has hung up within a line: {quoted(self._pending)}")
                return None
            self._pending += data
        line, self._pending = self._pending.split(b"\n", 1)
        try:
            return line.removesuffix(b"\r").decode("ascii")
        except UnicodeDecodeError:
            raise ProtocolError(f"{self.peer} has sent bytes that are no text: {quoted(line)}") from None

    def _received(self, deadline: float, seconds: float) -> bytes:
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            self.connection.settimeout(left)
            return self.connection.recv(RECEIVED)
        except TimeoutError:
            raise ProtocolError(f"{self.peer} has not answered within {seconds:.3g} s") from None
        except OSError:
            return b""  # reset by the peer: the same as closed

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self.connection.close()


def read_address(text: str) -> tuple[str, int]:
    """The host and the port in "HOST:PORT"."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise OptionError(f"an address is HOST:PORT, such as localhost:20000, got {quoted(text)}")
    return host.strip("[]"), int(port)


def connect(address: str, seconds: float) -> LineSocket:
    """Connect to a dealer."""
    host, port = read_address(address)
    try:
        return LineSocket(socket.create_connection((host, port), timeout=seconds), f"the dealer at {address}")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(f"cannot reach a dealer at {address}: {reason}") from None
