"""What all tests share: built trees, and how hard hypothesis tries."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Unsigned numbers wrap around on purpose in the random generator; interpreted, NumPy warns of it."""
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
