"""What all tests share: built trees, and how hard hypothesis tries."""

from __future__ import annotations

import os
import signal
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from numba.core.dispatcher import Dispatcher

import regretless as rg

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"
"""Whether the kernels run as plain Python, as they do when their coverage is measured."""

settings.register_profile(
    "regretless",
    max_examples=4 if INTERPRETED else 25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("regretless")

signal.signal(signal.SIGINT, signal.default_int_handler)
"""Shells let jobs in the background ignore Ctrl-C, and whatever they start does too: here it is sent and awaited."""

compile_traced = Dispatcher._compile_for_args


def compile_untraced(kernel: Dispatcher, *args: Any, **options: Any) -> Any:
    """Compile one of our kernels without being followed line by line for coverage, which takes nearly twice as long.

    Functions that tests compile for themselves are followed: they are small, and show what we have taught the compiler.
    """
    tracer = sys.gettrace()
    if not hasattr(tracer, "stop") or not kernel.py_func.__module__.startswith("regretless"):
        return compile_traced(kernel, *args, **options)
    tracer.stop()
    try:
        return compile_traced(kernel, *args, **options)
    finally:
        tracer.start()


Dispatcher._compile_for_args = compile_untraced


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """All cores for all tests; one process for some, which would only wait for the others to start."""
    return None if config.args_source == pytest.Config.ArgsSource.TESTPATHS else 0


LONGEST_FIRST = [
    "tests/test_docs.py",
    "tests/apps/test_holdem_cli.py",
    "tests/sampling/test_threads_and_resuming.py",
    "tests/test_examples.py",
    "tests/test_doctests.py",
    "tests/test_resume.py",
]
"""Files that compile much or solve long: begun last, they would leave the other processes without work at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first. Unsigned numbers wrap around on purpose in the random generator; interpreted, NumPy warns."""
    place = {file: number for number, file in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: place.get(item.nodeid.split("::")[0], len(place)))
    if INTERPRETED:
        for item in items:
            item.add_marker(pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning"))


@cache
def built(spec: str) -> rg.Tree:
    """A tree by the name of its game, built once."""
    return rg.build(rg.games.by_name(spec))


@pytest.fixture(scope="session")
def kuhn() -> rg.Tree:
    return built("kuhn")


@pytest.fixture(scope="session")
def kuhn3() -> rg.Tree:
    return built("kuhn:players=3")


@pytest.fixture(scope="session")
def leduc() -> rg.Tree:
    return built("leduc")


@pytest.fixture(scope="session")
def sexes() -> rg.Tree:
    return built("battle_of_the_sexes")


@pytest.fixture(scope="session")
def rps() -> rg.Tree:
    return built("rps")


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own to work in, and 80 columns to print on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path
