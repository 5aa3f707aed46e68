"""Guards in front of the application: who may use the server, and what a page may do in the browser.

Other web pages cannot use the server. The `Host` header must name this machine, which stops DNS rebinding. Forms are
accepted only from the explorer's own pages. A page may run no script but our files and the chart library, loads nothing
from elsewhere and cannot be framed. If the server listens for other machines, every request needs a token.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
import sys
import traceback
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode

from h11 import LocalProtocolError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "is_loopback", "names_of_host"]

EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
"""The digest of an empty style sheet. The chart library adds one to the page and fills it by script, which is allowed;
a style sheet or attribute with content is still refused."""

POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {EMPTY_STYLE}; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
TOKEN = "token"
"""The field of the address that carries the token; the name of the cookie begins with it, too."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def names_of_host(host: str) -> set[str]:
    """Names by which a server on a host may be called, as they are written in a `Host` header."""
    own = {*LOOPBACK_NAMES, host}
    if not is_loopback(host):
        machine = socket.gethostname()
        own |= {machine, f"{machine}.local", socket.getfqdn()}
    return {_in_brackets(name).lower() for name in own}


def _in_brackets(address: str) -> str:
    return f"[{address}]" if ":" in address and not address.startswith("[") else address


class Guard:
    """ASGI middleware that refuses requests, and adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = LOOPBACK_NAMES, token: str | None = None) -> None:
        self.app, self.names, self.token = app, frozenset(names), token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers.setdefault("Cache-Control", "no-store")
                headers.update(HEADERS)
            await send(message)

        try:
            answer = self._refusal(scope) or self._entry(scope) or self.app
            await answer(scope, receive, send_with_headers)
        except LocalProtocolError:
            return  # the client has closed its side in the middle of a request: it cannot be answered any more
        except Exception:
            traceback.print_exc(file=sys.stderr)
            if not started:
                await PlainTextResponse("Internal error.", 500)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """Why a request is refused, with or without a token."""
        headers = Headers(scope=scope)
        if not scope["path"].startswith("/"):
            return PlainTextResponse("The address must begin with a slash.", 400)
        if not self._is_our_name(headers.get("host", ""), scope):
            return PlainTextResponse("This server does not answer to that name.", 403)
        if scope["method"] == "POST" and not _same_origin(headers):
            return PlainTextResponse("Forms are accepted from the explorer's own pages only.", 403)
        return None

    def _is_our_name(self, host: str, scope: Scope) -> bool:
        """Whether a `Host` header names this server: one of its names, or the address that the client has reached."""
        name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
        reached = scope.get("server")
        return name.lower() in self.names or (reached is not None and name == _in_brackets(str(reached[0])))

    def _entry(self, scope: Scope) -> Response | None:
        """With a token: a cookie for a visitor who has it, a refusal for all others."""
        if self.token is None:
            return None
        request = Request(scope)
        cookie = f"{TOKEN}-{(scope.get('server') or ('', 0))[1]}"  # cookies do not tell ports apart
        if _equal(request.cookies.get(cookie, ""), self.token):
            return None
        fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["method"] not in ("GET", "HEAD") or not any(
            name == TOKEN and _equal(value, self.token) for name, value in fields
        ):
            return PlainTextResponse("Open the address that the explorer has printed: it contains a token.", 403)
        rest = urlencode([(name, value) for name, value in fields if name != TOKEN])
        answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
        # Lax, not strict: the address may be opened from a message or a note, which is another site.
        answer.set_cookie(cookie, self.token, httponly=True, samesite="lax", path="/")
        return answer


def _equal(given: str, token: str) -> bool:
    """Compare in constant time."""
    return secrets.compare_digest(given.encode(), token.encode())


def _same_origin(headers: Headers) -> bool:
    """Whether a form comes from one of our pages. Programs that are no browsers send neither header."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site == "same-origin"
    return origin is None or origin.partition("://")[2] == headers.get("host", "")
