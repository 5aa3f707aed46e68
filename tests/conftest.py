"""What all tests share: built trees, and how hard hypothesis tries."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from numba.core.dispatcher import Dispatcher

import regretless as rg

if "PYTEST_XDIST_WORKER" in os.environ:
    # Other workers use the same processors. PyTorch's threads would spin while they wait for each other, and tests of
    # networks take ten times as long. This is read when PyTorch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"
"""Whether the kernels run as plain Python, as they do when their coverage is measured."""

SLOW_METHODS = ("efce", "efcce", "nfcce", "omd", "egt", "mmd", "xdo")
"""Methods whose kernels compile for many seconds."""


def marks_of(name: str) -> Any:
    """The marks of a test of a method: those that compile for long are left to .ci/run."""
    return pytest.mark.full if name in SLOW_METHODS else ()


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

FOLLOWED_FOR = 2.0
"""Seconds of a test, all its parameters together, that are followed for coverage; later it goes where it has been."""

followed: defaultdict[str, float] = defaultdict(float)
"""Seconds by test; under "nothing" those that were not followed."""

compile_watched = Dispatcher._compile_for_args


@contextmanager
def unfollowed() -> Iterator[None]:
    """Without being followed line by line for coverage, which takes two or three times as long."""
    tracer = sys.gettrace()
    if not hasattr(tracer, "stop"):
        yield
        return
    began = time.process_time()
    tracer.stop()
    try:
        yield
    finally:
        tracer.start()
        followed["nothing"] += time.process_time() - began


def compile_unwatched(kernel: Dispatcher, *args: Any, **options: Any) -> Any:
    """Compile without a search for garbage, and one of our kernels without being followed.

    Functions that tests compile for themselves are followed: they are small, and show what we have taught the compiler.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        with unfollowed() if kernel.py_func.__module__.startswith("regretless") else nullcontext():
            return compile_watched(kernel, *args, **options)
    finally:
        if collecting:
            gc.enable()


Dispatcher._compile_for_args = compile_unwatched


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Follow a test while it shows something new. Slow tests go where others have been on smaller games."""
    test = item.nodeid.split("[")[0]
    enough = followed[test] > FOLLOWED_FOR or item.get_closest_marker("full") is not None
    began = time.process_time() - followed["nothing"]
    try:
        with unfollowed() if enough and not INTERPRETED else nullcontext():
            return (yield)
    finally:
        followed[test] += time.process_time() - followed["nothing"] - began


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


@pytest.fixture(scope="session", autouse=True)
def load_all_while_followed() -> None:
    """Much of the library is loaded late, and the first test to need it may be one that is not followed."""
    if hasattr(sys.gettrace(), "stop"):
        for module in pkgutil.walk_packages(rg.__path__, "regretless."):
            if not module.name.endswith("__main__"):
                with suppress(ImportError):
                    importlib.import_module(module.name)


@pytest.fixture(scope="session", autouse=True)
def ask_nothing_of_others() -> None:
    """What is asked of this run, such as coverage, is not asked of pytest where a test starts it again."""
    os.environ.pop("PYTEST_ADDOPTS", None)


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


@pytest.fixture(scope="module")
def three_nodes() -> Iterator[Any]:
    """A Ray cluster of three nodes on this machine, which the tests of a file share."""
    from three_nodes import ThreeNodes  # in tests/scale

    made = ThreeNodes()
    yield made
    made.close()


@pytest.fixture
def nodes(three_nodes: Any) -> Any:
    """The cluster, with new nodes for those that an earlier test has killed."""
    return three_nodes.whole()
