"""The web server of the explorer: the standard library's, with the manners that a browser on the same machine needs.

It listens on the loopback device unless told otherwise. Other web pages cannot use it: the name in the `Host` header
must be this machine's (no rebinding of names), and forms are taken from its own pages only. What it sends may run no
script but its own file, load nothing from elsewhere and sit in no frame.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from regretless.apps.explorer.web.requests import Request, Response
from regretless.errors import OptionError

__all__ = ["Server", "is_loopback", "serving"]

Answer = Callable[[Request], Response]

MOST_CONNECTIONS = 256
LARGEST_BODY = 64 * 1024
MOST_FIELDS = 100
PATIENCE = 60.0
"""Seconds that a connection may stay silent."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OUR_NAMES = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Server(ThreadingHTTPServer):
    """A thread for each connection, not more than so many."""

    daemon_threads = True
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, host: str, port: int, answer: Answer) -> None:
        self.answer, self.guarded = answer, is_loopback(host)
        self._open: set[Any] = set()
        self._room = threading.BoundedSemaphore(MOST_CONNECTIONS)
        if ":" in host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((host.strip("[]"), port), _Handler)
        except OSError as error:
            raise OptionError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from None

    @property
    def address(self) -> str:
        """What to type into a browser."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a connection if there is room for it."""
        if not self._room.acquire(timeout=5):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection until it closes."""
        self._open.add(request)
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._open.discard(request)
            self._room.release()

    def server_close(self) -> None:
        """Hang up: browsers keep their connections, and those would be served on."""
        super().server_close()
        for request in list(self._open):
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no error of ours."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            traceback.print_exc()


class _Handler(BaseHTTPRequestHandler):
    """Reads requests and writes answers."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "regretless", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Show a page."""
        self._answer({})

    def do_HEAD(self) -> None:
        """Say what a page would be like."""
        self._answer({})

    def do_POST(self) -> None:
        """Take a form."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            self.close_connection = True  # what follows would be read as another request
            self._send(Response("The form is too large, or does not say how large it is.", 413, "text/plain"))
            return
        body = self.rfile.read(int(length)).decode("utf-8", "replace")
        if not self._same_origin():
            self._send(Response("Forms are taken from the explorer's own pages only.", 403, "text/plain"))
            return
        self._answer(_fields(body))

    def _answer(self, form: dict[str, list[str]]) -> None:
        if self.server.guarded and self._host() not in OUR_NAMES:
            self._send(Response("This server is for the machine that it runs on.", 403, "text/plain"))
            return
        parts = urlsplit(self.path)
        request = Request(
            method="POST" if self.command == "POST" else "GET",
            path=parts.path,
            query=_fields(parts.query),
            form=form,
            cookies=_cookies(self.headers.get("Cookie", "")),
            fragment="X-Fragment" in self.headers,
        )
        self._send(self.server.answer(request))

    def _host(self) -> str:
        """The name by which we were called, without the port."""
        name = self.headers.get("Host", "")
        return name[: name.index("]") + 1] if name.startswith("[") and "]" in name else name.partition(":")[0]

    def _same_origin(self) -> bool:
        """Whether a form comes from a page of ours."""
        site, origin = self.headers.get("Sec-Fetch-Site"), self.headers.get("Origin")
        if site is not None:
            return site == "same-origin"
        return origin is None or urlsplit(origin).netloc == self.headers.get("Host", "")

    def _send(self, response: Response) -> None:
        body = response.body.encode() if isinstance(response.body, str) else response.body
        self.send_response(response.status)
        for name, value in {"Cache-Control": "no-store", **HEADERS, **response.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", response.kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal belongs to whoever started the explorer."""


def _fields(text: str) -> dict[str, list[str]]:
    try:
        return parse_qs(text, max_num_fields=MOST_FIELDS, keep_blank_values=True)
    except ValueError:
        return {}


def _cookies(text: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(text).items()}
    except CookieError:
        return {}


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Serve in the background for as long as the block lasts."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
