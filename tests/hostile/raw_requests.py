"""Raw requests to an explorer in another process: every answer is a page or a client error, and it stays alive."""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from saved_runs import whole_files
from trials import Trial

import regretless as rg

__all__ = ["trials"]

PATIENCE = 30.0
"""Seconds that an answer may take."""

PATHS = (
    "/", "/alive", "/strategy", "/convergence", "/compare", "/response", "/play", "/play/new", "/play/act", "/solve",
    "/solve/start", "/solve/stop", "/solve/save", "/static/explorer.css", "/static/../app.py", "/nosuch", "//", "/%00",
    "/infosets", "/runs/0", "http://[", "*", "/?token=x", "/" + "a" * 5_000,
)  # fmt: skip
FIELDS = ("run", "seat", "game", "parameters", "algorithm", "iterations", "seconds", "until", "name", "line", "board",
          "player", "infoset", "theme", "action", "job", "number", "other", "page", "sort")  # fmt: skip
VALUES = (
    "0", "1", "-1", "9" * 400, "nan", "inf", "1e999", "", "kuhn", "leduc", "openspiel", "ranks=999999999",
    "efg_game(filename=/etc/passwd)", "../../etc/passwd", "/etc/passwd", "cfr+", "<script>alert(1)</script>", "\0", "☃",
    "mygame.py:Guess", "x" * 3_000, "Qs Jh 2h", "3d", "check bet 50", "'\"", "%", "{}", "[" * 500,
)  # fmt: skip
HEADERS = (
    "Host: 127.0.0.1", "Host: evil.example", "Host: [", "Content-Length: -1", "Content-Length: 99999999999",
    "Content-Length: " + "9" * 5_000, "Transfer-Encoding: chunked", "Cookie: theme=dark", "Cookie: " + "a=b;" * 500,
    "Origin: http://evil.example", "Content-Type: multipart/form-data; boundary=x", "Expect: 100-continue",
    "Connection: Upgrade", "Upgrade: websocket", "X: " + "y" * 70_000, "Range: bytes=0-1", ": nothing", "\0: x",
)  # fmt: skip


def trials(seed: int) -> Iterator[Trial]:
    """Requests without end; the explorer is ended when the generator is closed."""
    draw = random.Random(f"requests {seed}")
    with explorer() as (port, process):
        while True:
            method = draw.choice(("GET", "GET", "POST", "POST", "PUT", "HEAD", "nonsense"))
            data = _request(method, draw)
            yield Trial(method, repr(data[:200]), lambda data=data: attempt(port, process, data), data)


@contextmanager
def explorer() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """An explorer of some runs; its standard error must stay empty."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("tree run", "public run"):
            (Path(folder) / f"{name}.run").write_bytes(whole_files()[name])
        process = subprocess.Popen(
            [sys.executable, "-m", "regretless", "explore", ".", "--no-browser", "--port", "0"],
            cwd=folder, env={**os.environ, "PYTHONPATH": str(Path(rg.__file__).parents[1])},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://[^/]+:(\d+)", line)
            assert found is not None, f"no address but {line!r}"
            yield int(found[1]), process
        finally:
            process.terminate()
            said, _ = process.communicate(timeout=60)
            assert "Traceback" not in said, said[-3_000:]


def _request(method: str, draw: random.Random) -> bytes:
    """A request with strange parts; one in ten is random bytes."""
    if draw.random() < 0.1:
        return draw.randbytes(draw.randrange(1, 300)) + b"\r\n\r\n"
    fields = "&".join(
        f"{draw.choice(FIELDS)}={quote(draw.choice(VALUES)) if draw.random() < 0.9 else '%ff%'}"
        for _ in range(draw.choice((0, 1, 2, 4, 300)))
    )
    path = draw.choice(PATHS)
    body = b""
    headers = [] if draw.random() < 0.05 else ["Host: 127.0.0.1"]
    if method == "POST":
        body = fields.encode()
        headers += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
    elif fields:
        path += f"?{fields}"
    if draw.random() < 0.4:
        headers.append(draw.choice(HEADERS))
    lines = [f"{method} {path} HTTP/{draw.choice(('1.1', '1.1', '1.0', '9.9'))}", *headers, "Connection: close", "", ""]
    return "\r\n".join(lines).encode("utf-8", "replace") + body


def attempt(port: int, process: subprocess.Popen[str], data: bytes) -> None:
    """Send a request, then ask whether the explorer is alive."""
    answer = _sent(port, data, cut_off=True)
    found = re.match(rb"HTTP/1\.[01] (\d\d\d) ", answer)
    assert not answer or found, f"no HTTP but {answer[:200]!r}"
    assert found is None or int(found[1]) < 500, f"a server error: {answer[:500]!r}"
    assert b"Traceback" not in answer and b"root:" not in answer, answer[:2_000]
    assert b"<script>alert(1)" not in answer, "a script of the request in the page"
    alive = _sent(port, b"GET /alive HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", cut_off=False)
    assert alive.startswith(b"HTTP/1.1 200 "), f"not alive: {alive[:200]!r}"
    assert process.poll() is None, "the explorer has ended"


def _sent(port: int, data: bytes, *, cut_off: bool) -> bytes:
    """The answer; a request that promises more than it sends is cut off, so that it is answered at once."""
    received = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
            connection.sendall(data)
            if cut_off:
                connection.shutdown(socket.SHUT_WR)
            while len(received) < 2_000_000 and (part := connection.recv(65_536)):
                received += part
    except TimeoutError:
        raise AssertionError(f"no answer after {PATIENCE:g} s") from None
    except OSError:  # the explorer may close the connection at any time
        return received
    return received
