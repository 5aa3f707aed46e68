"""The web server of the explorer: uvicorn on a socket of ours, with the guards of `guards` and `connections`."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import uvicorn
from starlette.types import ASGIApp

from regretless.apps.explorer.web.connections import Connections, protocol_with
from regretless.apps.explorer.web.guards import TOKEN, Guard, is_loopback, names_of_host
from regretless.errors import OptionError

__all__ = ["Server", "serving"]

KEEP_ALIVE_SECONDS = 60
LARGEST_HEADERS = 16 * 1024
LAST_ANSWER_SECONDS = 2
"""Seconds for which the server waits for running requests when it stops."""


class Server:
    """A server that listens; `serving` runs it. For other machines than this one it demands a token."""

    def __init__(self, host: str, port: int, app: ASGIApp) -> None:
        self.token = None if is_loopback(host) else secrets.token_urlsafe(16)
        self.socket = _listen(host, port)
        config = uvicorn.Config(
            Guard(app, names_of_host(host), self.token),
            http=protocol_with(Connections()),
            loop="asyncio",
            ws="none",
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            access_log=False,
            log_config=None,
            log_level="critical",
            h11_max_incomplete_event_size=LARGEST_HEADERS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=LAST_ANSWER_SECONDS,
        )
        self._server = uvicorn.Server(config)

    @property
    def url(self) -> str:
        """What to type into a browser, with the token if there is one."""
        host, port = self.socket.getsockname()[:2]
        host = _own_address(self.socket.family) if host in ("0.0.0.0", "::") else host
        query = f"?{urlencode({TOKEN: self.token})}" if self.token else ""
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/{query}"

    def run(self) -> None:
        """Serve until `stop`."""
        self._server.run(sockets=[self.socket])

    @property
    def started(self) -> bool:
        """Whether connections are accepted."""
        return self._server.started

    def stop(self) -> None:
        """Stop serving; running requests have a moment to finish."""
        self._server.should_exit = True


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), port))
        listening.listen(128)
    except (OSError, UnicodeError) as error:
        listening.close()
        raise OptionError(
            f"cannot listen on {host}, port {port}: {getattr(error, 'strerror', None) or error}"
        ) from None
    return listening


def _own_address(family: int) -> str:
    """An address of this machine for others. Connecting a datagram socket chooses one and sends nothing."""
    target = "2001:db8::1" if family == socket.AF_INET6 else "192.0.2.1"  # reserved for documentation
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return socket.gethostname()


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Serve in the background while the block runs."""
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while thread.is_alive() and not server.started:
        time.sleep(0.005)
    try:
        yield server
    finally:
        server.stop()
        thread.join(timeout=LAST_ANSWER_SECONDS + 5)
