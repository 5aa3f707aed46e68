"""The harness itself: kinds, counts, inputs that failed, exit codes; and a short run of everything."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest
from trials import Counts, Trial, run_trials, table

from conftest import INTERPRETED

ROOT = Path(__file__).parents[2]
SURROUNDINGS = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def module(path: Path) -> ModuleType:
    """A script as a module."""
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None and found.loader is not None
    loaded = importlib.util.module_from_spec(found)
    found.loader.exec_module(loaded)
    return loaded


def fails() -> None:
    raise AssertionError("it broke")


def test_trials_are_counted_and_failures_kept(tmp_path: Path) -> None:
    def some() -> Iterator[Trial]:
        for number in count():
            yield Trial("odd" if number % 2 else "even", f"number {number}", fails if number == 3 else int, b"input")

    counts = run_trials(some(), 60, tmp_path / "kind", most=6)
    assert counts == {"even": Counts(3, 0), "odd": Counts(3, 1)}
    assert (tmp_path / "kind" / "odd-1.input").read_bytes() == b"input"
    assert (tmp_path / "kind" / "odd-1.txt").read_text() == "odd: number 3\n\nit broke\n"
    lines = [line.split() for line in table({"kind": counts}).splitlines()]
    assert lines == [
        ["kind", "what", "tried", "failed"],
        ["kind", "even", "3", "0"],
        ["kind", "odd", "3", "1"],
        ["all", "6", "1"],
    ]


def test_trials_end_in_time(tmp_path: Path) -> None:
    counts = run_trials((Trial("x", "x", int, b"") for _ in count()), 0.0, tmp_path)
    assert counts == {"x": Counts(1, 0)}


def test_an_unknown_kind_is_refused() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.hostile", "--kind", "nosuch"],
        cwd=ROOT, env=SURROUNDINGS, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 2 and "unknown kind 'nosuch'" in ended.stderr


def test_every_dependency_has_a_lowest_version() -> None:
    """`.ci/lowest` installs these."""
    versions = module(ROOT / ".ci" / "lowest_versions.py")
    found = versions.lowest(["explore"])
    assert {line.partition("==")[0] for line in found} >= {"numpy", "scipy", "numba", "typer", "starlette"}
    assert all(line.partition("==")[2] for line in found)


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="needs compiled speed")
def test_a_short_run_of_everything(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.hostile", "--minutes", "0.5", "--seed", "1", "--out", str(tmp_path)],
        cwd=ROOT, env=SURROUNDINGS, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    tried = {line.split()[0] for line in ended.stdout.splitlines()}
    assert {"files", "commands", "games", "kills", "requests", "determinism", "all"} <= tried
