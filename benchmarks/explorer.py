"""The explorer: time to its first page, time of a node, and fifty players at its tables at once.

    python -m benchmarks.explorer [startup] [nodes] [load] [--fhp RUN]

The server is a process of its own, started by the command line; the client is this process, over the loopback device.
With a run of flop hold'em, `nodes` also opens nodes of it. A browser is used if selenium and Chromium are installed.
"""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

import numpy as np

import regretless as rg
from benchmarks.record import write
from benchmarks.timing import Row, spelled

PLAYERS, MOVES = 50, 40
FIRST_PAGE, CHARTS, LEDUC_NODE, FHP_NODE, MOVE = 2.0, 4.0, 0.25, 0.5, 0.3
"""Targets, in seconds."""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def ask(
    connection: http.client.HTTPConnection, path: str, form: dict[str, object] | None = None
) -> tuple[int, str, str]:
    """Status, text, and the address of a redirect."""
    headers = {"X-Fragment": "1"} if form else {}
    body = urlencode(form) if form else None
    if body:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    connection.request("POST" if form else "GET", path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), answer.getheader("Location", "")


@contextmanager
def served(runs: list[str]) -> Iterator[tuple[int, float]]:
    """A server started by the command line: its port, and the time of the start."""
    port = free_port()
    words = [sys.executable, "-m", "regretless", "explore", *runs, "--port", str(port), "--no-browser"]
    began = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    try:
        yield port, began
    finally:
        process.terminate()
        process.wait()


def until_answered(port: int, path: str) -> None:
    while True:
        try:
            if ask(http.client.HTTPConnection("127.0.0.1", port, timeout=5), path)[0] == 200:
                return
        except OSError:
            time.sleep(0.01)


def startup(runs: list[str]) -> Iterator[Row]:
    """The fastest of five: the first page as text, in a browser, and with its charts."""
    times = []
    for _ in range(5):
        with served(runs) as (port, began):
            until_answered(port, "/convergence")
            times.append(time.perf_counter() - began)
    yield result("command to the first page, as text", min(times), max(times), FIRST_PAGE)
    shown, drawn = in_browser(runs)
    if shown:
        yield result("command to the first page, drawn in Chromium", min(shown), max(shown), FIRST_PAGE)
        yield result("command to the charts of the first page", min(drawn), max(drawn), CHARTS)


def in_browser(runs: list[str]) -> tuple[list[float], list[float]]:
    """The same until the page can be used, and until its charts are drawn, in a browser that is already open."""
    try:
        from selenium.common.exceptions import WebDriverException
        from selenium.webdriver import Chrome, ChromeOptions
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        return [], []
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        return [], []
    options = ChromeOptions()
    options.binary_location = chromium
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    driver = Chrome(options=options, service=Service(chromedriver))
    shown, drawn = [], []
    try:
        for _ in range(5):
            with served(runs) as (port, began):
                while True:
                    try:
                        driver.get(f"http://127.0.0.1:{port}/")
                        if driver.execute_script("return document.documentElement.dataset.ready") == "yes":
                            break
                    except WebDriverException:
                        time.sleep(0.02)
                shown.append(time.perf_counter() - began)
                while not driver.execute_script("return document.querySelector('.chart .trace') !== null"):
                    time.sleep(0.02)
                drawn.append(time.perf_counter() - began)
    finally:
        driver.quit()
    return shown, drawn


def result(what: str, seconds: float, most: float, target: float) -> Row:
    return {
        "what": what,
        "time": spelled(seconds),
        "most": spelled(most),
        "target": f"≤ {spelled(target)}",
        "met": "yes" if seconds <= target else "no",
    }


def nodes(runs: list[str], fhp: str | None) -> Iterator[Row]:
    """Nodes of Leduc, opened by the links of the pages; nodes of flop hold'em on random flops."""
    with served([*runs, *([fhp] if fhp else [])]) as (port, _):
        until_answered(port, "/strategy?run=1")  # read and listed before the clock starts
        connection = http.client.HTTPConnection("127.0.0.1", port)
        links, seen, times = ["/strategy?run=1"], set[str](), []
        while links and len(times) < 200:
            link = links.pop(0)
            if link in seen:
                continue
            seen.add(link)
            began = time.perf_counter()
            page = ask(connection, link)[1]
            times.append(time.perf_counter() - began)
            links += [found.replace("&amp;", "&") for found in re.findall(r'href="(/strategy\?run=1[^"#]*)"', page)]
        yield result(f"a node of Leduc, median of {len(times)}", float(np.median(times)), max(times), LEDUC_NODE)
        if fhp:
            yield from holdem_nodes(connection)


def holdem_nodes(connection: http.client.HTTPConnection) -> Iterator[Row]:
    deck, random = rg.poker.STANDARD, np.random.default_rng(0)
    lines = {"before the flop": "raise", "on a flop not seen before": "raise call / check bet"}
    for what, line in lines.items():
        ask(
            connection, f"/strategy?run=2&line={quote(line)}&board=2c3d4h"
        )  # kernels are loaded before the clock starts
        times = []
        for _ in range(12):
            board = deck.names(random.choice(52, 3, replace=False).tolist())
            began = time.perf_counter()
            status = ask(connection, f"/strategy?run=2&line={quote(line)}&board={board}")[0]
            times.append(time.perf_counter() - began)
            assert status == 200
        yield result(f"a node of FHP {what}, median of {len(times)}", float(np.median(times)), max(times), FHP_NODE)


def player(port: int, times: list[float], start: threading.Barrier) -> None:
    """A player without pauses: each answer is followed by the next move at once."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    token = re.search(r"table=([^&]+)", ask(connection, "/play/new", {"run": 1, "seat": "alternate"})[2])
    assert token is not None
    page = ask(connection, f"/play?table={token[1]}")[1]
    random = np.random.default_rng()
    start.wait()
    for _ in range(MOVES):
        turn = re.search(r'name="turn" value="(\d+)"', page)
        if turn:
            actions = re.findall(r'name="action" value="(\d+)"', page)
            form = {"table": token[1], "turn": turn[1], "action": str(random.choice(actions))}
        else:
            hand = re.search(r'name="hand" value="(\d+)"', page)
            assert hand is not None
            form = {"table": token[1], "hand": hand[1], "deal": "1"}
        began = time.perf_counter()
        status, page, _ = ask(connection, "/play/act", dict(form))
        times.append(time.perf_counter() - began)
        assert status == 200


def load(runs: list[str]) -> Iterator[Row]:
    """Many players at once, against Leduc."""
    with served(runs) as (port, _):
        until_answered(port, "/strategy?run=1")
        times: list[float] = []
        start = threading.Barrier(PLAYERS + 1)
        players = [threading.Thread(target=player, args=(port, times, start)) for _ in range(PLAYERS)]
        for one in players:
            one.start()
        start.wait()
        began = time.perf_counter()
        for one in players:
            one.join()
        spent = time.perf_counter() - began
    assert len(times) == PLAYERS * MOVES
    what = f"a move, {PLAYERS} players who never pause, 95 % of {len(times):,} ({len(times) / spent:,.0f} a second)"
    yield result(what, float(np.quantile(times, 0.95)), max(times), MOVE)


def main(words: list[str]) -> None:
    fhp = words[words.index("--fhp") + 1] if "--fhp" in words else None
    asked = [word for word in words if word in ("startup", "nodes", "load")] or ["startup", "nodes", "load"]
    with tempfile.TemporaryDirectory() as folder:
        runs = [str(Path(folder) / f"{spec}.run") for spec in ("kuhn", "leduc")]
        for spec, path in zip(("kuhn", "leduc"), runs, strict=True):
            rg.solve(spec, iterations=1_000).save(path)
        rows: list[Row] = []
        if "startup" in asked:
            rows += startup(runs)
        if "nodes" in asked:
            rows += nodes(runs, fhp)
        if "load" in asked:
            rows += load(runs)
    write("explorer", rows)


if __name__ == "__main__":
    main(sys.argv[1:])
