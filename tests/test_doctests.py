"""Every example in the documentation of the code, and the sessions of README and docs, run as written."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import textwrap
from pathlib import Path

import pytest

import regretless
from conftest import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole solves")

ROOT = Path(__file__).parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(r"^[ ]*```(?:python|pycon|py)(?P<rest>[^\n]*)\n(?P<code>.*?)^[ ]*```", re.DOTALL | re.MULTILINE)
TITLE = re.compile(r'title="([^"]+)"')

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(regretless.__path__, "regretless.")
    if not module.name.startswith(("regretless.kernels", "regretless.__main__"))
)
PAGES = sorted(page for page in [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")] if page.exists())


@pytest.mark.parametrize("name", MODULES)
def test_module(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(name)
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions must print what they show; plain blocks of Python must run. All blocks of a page share their names."""
    blocks = list(BLOCK.finditer(page.read_text()))
    if not any(">>>" in block["code"] for block in blocks):
        pytest.skip("no sessions on this page")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for block in blocks:
        code = textwrap.dedent(block["code"])
        line = block.string.count("\n", 0, block.start("code"))
        if ">>>" in code:
            test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
            runner.run(test, clear_globs=False)
            names.update(test.globs)
        else:
            exec(compile("\n" * line + code, str(page), "exec"), names)
            if title := TITLE.search(block["rest"]):
                Path(title[1]).write_text(code)
    assert runner.summarize(verbose=False).failed == 0


def test_the_modules_that_promise_examples_have_them() -> None:
    promised = ["errors", "game", "tree", "strategy", "solver", "run", "comparison", "variants"]
    promised += ["evaluation.responses", "evaluation.equilibrium", "evaluation.correlated"]
    for name in promised:
        module = importlib.import_module(f"regretless.{name}")
        assert any(test.examples for test in doctest.DocTestFinder().find(module)), name
