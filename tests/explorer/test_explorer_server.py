"""The server over the network: who may use it, what it refuses, and clients that send nonsense or nothing."""

from __future__ import annotations

import http.client
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest
from browsing import explorer_at
from explored import saved

from regretless.apps.explorer.web import connections
from regretless.apps.explorer.web.app import application
from regretless.apps.explorer.web.connections import Connections
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.explorer.web.guards import is_loopback, names_of_host
from regretless.apps.explorer.web.server import Server, serving

FORM = "application/x-www-form-urlencoded"
SIT_DOWN = urlencode({"run": 0, "seat": "0"})

Answer = tuple[int, str, dict[str, str]]


def ask(address: str, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
    """Status, text and headers (names in lower case) of one request."""
    host = address.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=20)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, {"Host": host, **sent})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text, {name.lower(): value for name, value in answer.getheaders()}


def post(address: str, path: str, body: str = SIT_DOWN, **headers: str) -> int:
    return ask(address, "POST", path, body, Content_Type=FORM, **headers)[0]


def port_of(address: str) -> int:
    return int(address.rsplit(":", 1)[1])


def send_raw(address: str, data: bytes) -> bytes:
    """The beginning of the answer to some bytes; empty if the connection is closed without one."""
    with socket.create_connection(("127.0.0.1", port_of(address)), timeout=20) as connection:
        received = b""
        with suppress(ConnectionError):
            connection.sendall(data)
            while b"\r\n\r\n" not in received and (part := connection.recv(65536)):
                received += part
        return received


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    with explorer_at([saved(folder, "kuhn.run")], save_to=str(folder)) as (found, _):
        yield found


# -- headers and files ------------------------------------------------------------------------------------------------


def test_headers_forbid_what_pages_do_not_need(address: str) -> None:
    status, _, headers = ask(address, "GET", "/convergence")
    assert status == 200
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy.pop("style-src").startswith("'self' 'sha256-")
    assert policy == {
        "default-src": "'none'", "script-src": "'self'", "img-src": "'self'", "connect-src": "'self'",
        "form-action": "'self'", "base-uri": "'none'", "frame-ancestors": "'none'",
    }  # fmt: skip
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers
    assert ask(address, "HEAD", "/convergence")[:2] == (200, "")
    assert "content-security-policy" in ask(address, "GET", "/nowhere")[2]


def test_the_chart_library_comes_from_its_installed_package(address: str) -> None:
    page = ask(address, "GET", "/convergence")[1]
    (url,) = re.findall(r'data-library="(/static/\w{12}/plotly.min.js)"', page)
    status, script, headers = ask(address, "GET", url)
    assert status == 200
    assert script.startswith("/**\n* plotly.js v")
    assert headers["content-type"].startswith("text/javascript")
    assert "immutable" in headers["cache-control"]
    assert "plotly" not in ask(address, "GET", "/play")[1]  # only pages with charts load it
    for wrong in (url.replace("plotly", "explorer"), url.replace("/static/", "/static/0"), "/static/plotly.min.js"):
        assert ask(address, "GET", wrong)[0] == 404


def test_no_page_names_another_host(address: str) -> None:
    for path in ("/convergence", "/strategy", "/best-response", "/compare", "/play", "/solve"):
        page = ask(address, "GET", path)[1]
        assert re.findall(r'(?:src|href|action)="(?!/|#)[^"]*"', page) == []


# -- who may use it ---------------------------------------------------------------------------------------------------


def test_other_pages_cannot_use_the_server(address: str) -> None:
    """A page elsewhere that makes its name point here, or sends a form here, is refused."""
    for name in ("evil.example", "127.0.0.1.evil.example", "", "[", "localhost.evil.example:80", "0.0.0.0"):
        assert ask(address, "GET", "/convergence", Host=name)[0] == 403, name
    for name in ("localhost:1", "LOCALHOST", "127.0.0.1", "[::1]:9"):
        assert ask(address, "GET", "/convergence", Host=name)[0] == 200, name
    assert post(address, "/play/new") == 303
    assert post(address, "/play/new", Origin=address) == 303
    assert post(address, "/play/new", Sec_Fetch_Site="same-origin") == 303
    for origin in ("http://evil.example", "null", "http://[", "http://127.0.0.1:1"):
        assert post(address, "/play/new", Origin=origin) == 403, origin
    for site in ("cross-site", "same-site", "none"):
        assert post(address, "/play/new", Sec_Fetch_Site=site) == 403, site


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all machines."""
    folder = tmp_path_factory.mktemp("open")
    explorer = Explorer([saved(folder, "kuhn.run")], patience=300, solving=False)
    with serving(Server("0.0.0.0", 0, application(explorer))) as server:
        yield server


def test_a_token_opens_a_server_that_others_can_reach(open_server: Server) -> None:
    token = open_server.token
    assert token is not None and len(token) >= 20
    assert open_server.url.endswith(f"/?token={token}")
    port = open_server.socket.getsockname()[1]
    here = f"http://127.0.0.1:{port}"
    style = "/static/000000000000/explorer.css"
    for path in (
        "/",
        "/convergence",
        style,
        "/alive",
        "/?token=",
        f"/?token={token[:-1]}",
        f"/?token={token}x",
        "/?token=%ff",
    ):
        assert ask(here, "GET", path)[0] == 403, path
    assert post(here, "/play/new") == 403
    assert post(here, f"/play/new?token={token}") == 403  # a form needs the cookie
    status, _, headers = ask(here, "GET", f"/strategy?run=0&token={token}&node=0")
    assert (status, headers["location"]) == (303, "/strategy?run=0&node=0")
    cookie = headers["set-cookie"]
    assert cookie.startswith(f"token-{port}={token};") and "HttpOnly" in cookie and "SameSite=lax" in cookie
    pair = cookie.partition(";")[0]
    assert ask(here, "GET", "/convergence", Cookie=pair)[0] == 200
    assert ask(here, "GET", "/convergence", Cookie=f"theme=dark; {pair}")[0] == 200
    assert post(here, "/play/new", Cookie=pair) == 303
    assert post(here, "/play/new", Cookie=pair, Origin="http://evil.example") == 403
    assert ask(here, "GET", "/convergence", Cookie=f"{pair}x")[0] == 403
    assert ask(here, "GET", "/convergence", Cookie=pair, Host="evil.example")[0] == 403
    assert ask(here, "GET", "/solve", Cookie=pair)[0] == 404


def test_names_of_a_host() -> None:
    assert names_of_host("127.0.0.1") == {"localhost", "127.0.0.1", "[::1]"}
    assert {"localhost", socket.gethostname().lower(), "0.0.0.0"} <= names_of_host("0.0.0.0")
    assert "[fe80::1]" in names_of_host("fe80::1")
    assert is_loopback("127.0.0.1") and is_loopback("::1") and is_loopback("[::1]") and is_loopback("localhost")
    assert not any(map(is_loopback, ("0.0.0.0", "example.org", "::", "192.168.0.1")))


# -- nonsense ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/static/../../../../etc/passwd", "/../../etc/passwd", "/static/%2e%2e%2fapp.py", "//etc/passwd", "/%00"]
)
def test_paths_that_lead_nowhere(address: str, path: str) -> None:
    status, text, _ = ask(address, "GET", path)
    assert status == 404
    assert "root:" not in text


def test_bodies_and_fields_out_of_bounds(address: str) -> None:
    assert post(address, "/play/new", "x" * 100_000) == 413
    assert post(address, "/play/new", "&".join(f"a{n}=1" for n in range(500))) == 400
    assert ask(address, "GET", "/convergence?" + "&".join(f"a{n}=1" for n in range(500)))[0] == 400
    assert ask(address, "PUT", "/play/new", "x")[0] == 405
    assert ask(address, "GET", "/play/new")[0] == 405
    assert ask(address, "GET", "/convergence", Cookie="theme=\x01;;;=")[0] == 200
    assert 'data-theme="dark"' in ask(address, "GET", "/convergence", Cookie="theme=dark")[1]
    assert post(address, "/play/new", "run=%ff%fe&seat=\xff") == 422


HOST = b"Host: 127.0.0.1\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        b"GET http://[ HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET http://127.0.0.1:x/ HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET * HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /\xff\xfe HTTP/1.1\r\n" + HOST + b"\r\n",
        b"POST /play/new HTTP/1.1\r\n" + HOST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"POST /play/new HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n",
        b"POST /play/new HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"POST /play/new HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_raw_nonsense_is_answered_with_a_client_error(
    address: str, request_: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = send_raw(address, request_)
    assert re.match(rb"HTTP/1\.1 4\d\d ", answer), answer[:200]
    assert b"Traceback" not in answer
    assert ask(address, "GET", "/alive")[0] == 200
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("start", [b"GET /", b"GET / HTTP/1.1\r\nX: "])
def test_endless_headers_are_cut_off(address: str, start: bytes) -> None:
    answer = send_raw(address, start + b"x" * 3_000_000)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
    assert ask(address, "GET", "/alive")[0] == 200


@pytest.mark.parametrize("body", [b"", b"run=0"])
def test_a_client_that_leaves_in_the_middle_of_a_form(
    address: str, body: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    """It promises a hundred bytes and closes its side: nothing is printed, and the next visitor is answered."""
    request = b"POST /play/new HTTP/1.1\r\n" + HOST + f"Content-Type: {FORM}\r\nContent-Length: 100\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port_of(address)), timeout=20) as connection:
        connection.sendall(request + body)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass
    assert ask(address, "GET", "/alive")[0] == 200
    assert capfd.readouterr().err == ""


def test_an_upgrade_is_ignored(address: str) -> None:
    upgrade = b"GET /alive HTTP/1.1\r\n" + HOST + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    assert send_raw(address, upgrade).startswith(b"HTTP/1.1 200 ")


# -- clients that send nothing ----------------------------------------------------------------------------------------


def half_open(address: str, stack: ExitStack, count: int) -> list[socket.socket]:
    """Connections that have sent the beginning of a request."""
    found = []
    for _ in range(count):
        connection = stack.enter_context(socket.create_connection(("127.0.0.1", port_of(address)), timeout=20))
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        found.append(connection)
    return found


def is_closed(connection: socket.socket) -> bool:
    connection.settimeout(20)
    try:
        return connection.recv(100) == b""
    except ConnectionError:
        return True


def test_half_open_connections_keep_no_visitor_out(address: str) -> None:
    with ExitStack() as stack:
        opened = half_open(address, stack, 300)
        began = time.monotonic()
        for _ in range(10):
            assert ask(address, "GET", "/convergence")[0] == 200
        assert time.monotonic() - began < 5
        assert is_closed(opened[0])  # the oldest made way


def test_a_request_must_arrive_in_time(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.3)
    with ExitStack() as stack:
        silent = stack.enter_context(socket.create_connection(("127.0.0.1", port_of(address)), timeout=20))
        (slow,) = half_open(address, stack, 1)
        body = stack.enter_context(socket.create_connection(("127.0.0.1", port_of(address)), timeout=20))
        body.sendall(b"POST /play/new HTTP/1.1\r\n" + HOST + b"Content-Length: 50\r\n\r\nrun=0")
        kept = http.client.HTTPConnection("127.0.0.1", port_of(address), timeout=20)
        kept.request("GET", "/alive")
        kept.getresponse().read()
        assert all(map(is_closed, (silent, slow, body)))
        time.sleep(0.5)
        kept.request("GET", "/alive")  # idle between two requests is allowed for longer
        assert kept.getresponse().status == 200
        kept.close()


class Stub:
    """A connection of which only the state matters."""

    def __init__(self, idle: bool) -> None:
        self.idle, self.closed, self.transport = idle, False, self

    def abort(self) -> None:
        self.closed = True


def test_limits_on_connections() -> None:
    limited = Connections(most=4, most_per_address=2)
    first, second, third = Stub(idle=False), Stub(idle=True), Stub(idle=True)
    assert limited.admit(first, "a") and limited.admit(second, "a")  # type: ignore[arg-type]
    assert limited.admit(third, "a")  # type: ignore[arg-type]
    assert (first.closed, second.closed, third.closed) == (False, True, False)
    busy = [Stub(idle=False) for _ in range(3)]
    assert limited.admit(busy[0], "b") and limited.admit(busy[1], "b")  # type: ignore[arg-type]
    assert not limited.admit(busy[2], "b")  # type: ignore[arg-type]
    assert limited.admit(Stub(idle=True), "c")  # type: ignore[arg-type]  # four in all: the idle one of "a" makes way
    assert third.closed
    limited.remove(first)  # type: ignore[arg-type]
    assert limited.admit(Stub(idle=False), "d")  # type: ignore[arg-type]


def test_many_visitors_at_once(address: str) -> None:
    statuses: list[int] = []

    def visit() -> None:
        statuses.extend(ask(address, "GET", "/strategy?run=0")[0] for _ in range(5))

    visitors = [threading.Thread(target=visit) for _ in range(40)]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join()
    assert statuses == [200] * 200


def test_a_server_that_stops_leaves_its_port(tmp_path: Path) -> None:
    with explorer_at([saved(tmp_path, "kuhn.run")]) as (address, _):
        waiting = socket.create_connection(("127.0.0.1", port_of(address)), timeout=20)
        assert ask(address, "GET", "/alive")[0] == 200
    assert is_closed(waiting)
    waiting.close()
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port_of(address)))
