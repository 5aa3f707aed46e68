"""Standard output that is closed, full or a broken pipe: one sentence or none, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = [["games"], ["algorithms"], ["solve", "kuhn", "-n", "5"], ["solve", "kuhn", "-n", "5", "--json"]]


def run(words: list[str], redirected: str) -> subprocess.CompletedProcess[str]:
    line = f'"{sys.executable}" -m regretless {" ".join(words)} {redirected}'
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, env=os.environ)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_full(words: list[str]) -> None:
    ended = run(words, "> /dev/full")
    assert ended.returncode == 2
    assert ended.stderr == "regretless: cannot write the output: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a shell of Unix")
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.full
def test_closed(words: list[str]) -> None:
    for redirected in (">&-", ">&- 2>&-"):
        ended = run(words, redirected)
        assert ended.returncode == 0 and "Traceback" not in ended.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs a shell of Unix")
def test_a_reader_that_has_seen_enough() -> None:
    ended = run(["games"], "| head -n 1; exit ${PIPESTATUS[0]}")
    assert "Traceback" not in ended.stderr and ended.stderr == ""
