"""Every example in the documentation of the code runs as written; those of README and docs do in test_docs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import regretless
from conftest import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole solves")

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(regretless.__path__, "regretless.")
    if not module.name.startswith(("regretless.kernels", "regretless.__main__"))
)


SLOW = (
    "evaluation.responses", "evaluation.quantal", "methods.first_order.egt", "methods.first_order.mmd",
    "methods.first_order.omd", "methods.trigger_regret", "subgames.resolving", "poker.abstraction.build.building",
    "recall.solved_round", "sampling.playing.matches",
)  # fmt: skip
"""Modules whose examples compile for many seconds."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.full if name.endswith(SLOW) else ()) for name in MODULES],
)
def test_module(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(name)
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0


def test_the_modules_that_promise_examples_have_them() -> None:
    promised = ["errors", "game", "tree", "strategy", "solver", "run", "comparison", "variants"]
    promised += ["evaluation.responses", "evaluation.equilibrium", "evaluation.correlated"]
    for name in promised:
        module = importlib.import_module(f"regretless.{name}")
        assert any(test.examples for test in doctest.DocTestFinder().find(module)), name
