"""`regretless explore` as people start it: a process of its own."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from explored import saved, surroundings

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the command in a folder with a run; a process that still runs after the test is killed."""
    saved(tmp_path, "kuhn.run")
    begun: list[subprocess.Popen[str]] = []

    def started(*words: str) -> subprocess.Popen[str]:
        begun.append(
            subprocess.Popen(
                [sys.executable, "-m", "regretless", "explore", *words, "--no-browser"],
                cwd=tmp_path, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
        return begun[-1]

    yield started
    for process in begun:
        process.kill()
        process.communicate()


def address_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    assert found is not None, line + (process.stderr.read() if process.stderr else "")
    return found[0]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_serves_until_it_is_told_to_stop(start: Start, stop: signal.Signals) -> None:
    process = start("kuhn.run", "--port", "0")
    address = address_of(process)
    assert address.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(address) as page:
        assert b"kuhn.run" in page.read()
    process.send_signal(stop)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert "Traceback" not in out


def test_listening_elsewhere_needs_a_token_and_switches_solving_off(start: Start) -> None:
    process = start("kuhn.run", "--port", "0", "--host", "0.0.0.0")
    address = address_of(process)
    found = re.fullmatch(r"http://[^/]+:(\d+)/\?token=([\w-]{20,})", address)
    assert found is not None, address
    here = f"http://127.0.0.1:{found[1]}/"
    with pytest.raises(urllib.error.HTTPError, match="403") as refused:
        urllib.request.urlopen(here)
    assert b"contains a token" in refused.value.read()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(f"{here}?token={found[2]}") as page:
        assert "token" not in page.url  # not in the history of the browser either
        assert b"/solve" not in page.read()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert "warning: listening on 0.0.0.0" in err and "token" in err


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from regretless.apps.cli import main; main(['explore'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=surroundings(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "regretless: the explorer needs uvicorn: pip install 'regretless[explore]'\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("missing.run",), "cannot read missing.run: no such file"),
        (("kuhn.run", "--port", "TAKEN"), "cannot listen on 127.0.0.1, port"),
        (("kuhn.run", "--host", "no such host"), "cannot listen on no such host"),
    ],
)
def test_mistakes_end_in_a_sentence(start: Start, words: tuple[str, ...], said: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        process = start(*(port if word == "TAKEN" else word for word in words))
        _, err = process.communicate(timeout=20)
    assert process.returncode == 2
    assert said in err
    assert len(err.splitlines()) == 1
