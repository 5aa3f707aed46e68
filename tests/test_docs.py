"""What README.md, README.zh-CN.md, CONTRIBUTING.md and docs/ show in Python or at the command line is run, in order.

A block is known by the word after its fence: `pycon` is a session with its answers, `python` a piece of a program
(written to a file too where it has a title), `toml` with a title a file, `console` holds commands after a dollar sign
and what they print.
"""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import regretless as rg

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") == "1", reason="whole solves take too long where nothing is compiled"
)

ROOT = Path(__file__).parents[1]
TOP = ("README.md", "README.zh-CN.md", "CONTRIBUTING.md")
PAGES = [*(ROOT / name for name in TOP), *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(?P<kind>\w*)(?P<rest>[^\n]*)\n(?P<text>.*?)^```\s*$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
TEST_COMMAND = (
    "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e '.[dev]' && .venv/bin/python -m pytest"
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    kind: str
    title: str | None
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    whole = page.read_text()
    found = []
    for fence in FENCE.finditer(whole):
        title = TITLE.search(fence["rest"])
        line = whole.count("\n", 0, fence.start()) + 1
        found.append(Block(fence["kind"], title[1] if title else None, fence["text"], line))
    return found


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


QUICK = ("README.md", "docs/index.md", "docs/learn/1-regret.md", "docs/learn/3-cfr.md", "docs/guides/your-own-game.md")
"""Pages of the default suite; the others run in `.ci/run`."""


@pytest.mark.parametrize(
    "page",
    [page if name_of(page) in QUICK else pytest.param(page, marks=pytest.mark.full) for page in PAGES],
    ids=name_of,
)
def test_page_does_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.kind == "pycon":
            run_session(page, block, names)
        elif block.kind == "python":
            if block.title:
                Path(block.title).write_text(block.text)
            exec(compile(block.text, f"{name_of(page)}:{block.line}", "exec"), names)
        elif block.kind == "toml" and block.title:
            Path(block.title).write_text(block.text)
        elif block.kind == "console":
            run_commands(page, block, capsys)


def run_session(page: Path, block: Block, names: dict[str, Any]) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    test = doctest.DocTestParser().get_doctest(block.text, names, name_of(page), str(page), block.line)
    assert test.examples, f"{name_of(page)}, line {block.line}: a pycon block without >>>"
    said: list[str] = []
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0, "".join(said)


def run_commands(page: Path, block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands that are shown to fail must fail with just that sentence; all others must succeed."""
    from regretless.apps.cli import main

    text = block.text.replace("\\\n", " ")
    commands = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    assert commands, f"{name_of(page)}, line {block.line}: a console block without $"
    for command in commands:
        typed, _, shown = command.partition("\n")
        words = shlex.split(typed, comments=True)
        if words[0] != "regretless":
            continue
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(words[1:])
        printed = capsys.readouterr()
        fails = shown.startswith("regretless: ")
        assert ended.value.code in ((2,) if fails else (0, None)), f"{typed}\n{printed.out}{printed.err}"
        if fails:
            assert printed.err.split() == shown.split()


def test_no_block_escapes() -> None:
    """Python must not hide in blocks of another name."""
    for page in PAGES:
        assert not re.search(r"^[ ]+```", page.read_text(), re.MULTILINE), f"{name_of(page)}: an indented block"
        for block in blocks(page):
            where = f"{name_of(page)}, line {block.line}"
            known = ("pycon", "python", "console", "text", "sh", "json", "toml")
            assert block.kind in known, f"{where}: {block.kind!r}"
            assert block.kind == "pycon" or ">>> " not in block.text, where


def test_chinese_pages_have_the_blocks_of_the_english_ones() -> None:
    pairs = {ROOT / "README.zh-CN.md": ROOT / "README.md"}
    pairs |= {page: ROOT / "docs" / "learn" / page.name for page in (ROOT / "docs" / "zh" / "learn").glob("*.md")}
    for chinese, english in pairs.items():
        shown = [[(block.kind, block.title, block.text) for block in blocks(page)] for page in (chinese, english)]
        assert shown[0] == shown[1], name_of(chinese)


def test_readme_has_the_command_that_passes_the_tests() -> None:
    assert TEST_COMMAND in [line for block in blocks(ROOT / "README.md") for line in block.text.splitlines()]


def test_the_layers_are_those_that_are_checked() -> None:
    told = next(b.text for b in blocks(ROOT / "CONTRIBUTING.md") if b.text.startswith("apps "))
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert [line.split("  ")[0].strip() for line in told.splitlines()] == layers


def test_the_folders_are_those_that_are_drawn() -> None:
    """Every folder that the guide draws exists, with those inside it, and no folder of the package is missing."""
    source = ROOT / "src" / "regretless"
    drawn = next(b.text for b in blocks(ROOT / "docs" / "guides" / "inside.md") if b.text.startswith("apps/"))
    folders: list[str] = []
    for line in drawn.splitlines():
        names = re.findall(r"(\w+)/", line.split("    ")[0] if not line.startswith(" ") else line)
        if line.startswith(" "):
            missing = [name for name in names if not (source / folders[-1] / name).is_dir()]
            assert not missing, f"{folders[-1]}: {missing}"
        else:
            folders += names
        for name in re.findall(r"(\w+\.py)", line):
            assert (source / name).is_file(), name
    assert sorted(folders) == sorted(path.parent.name for path in source.glob("*/__init__.py"))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings: lower case, words joined by hyphens, punctuation left out."""
    prose = FENCE.sub("", page.read_text())
    return {
        re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())
        for title in re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    prose = FENCE.sub("", page.read_text())
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", prose):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{name_of(page)} links to {target}"
        assert not anchor or anchor in anchors(file), f"{name_of(page)} links to {target}#{anchor}"


def test_every_public_name_is_in_the_reference() -> None:
    text = "".join(page.read_text() for page in (ROOT / "docs" / "reference").glob("*.md"))
    documented = {line.removeprefix("::: ").rsplit(".", 1)[-1] for line in text.splitlines() if line.startswith(":::")}
    assert set(rg.__all__) <= documented


def test_every_game_has_a_page() -> None:
    text = "".join(page.read_text() for page in (ROOT / "docs" / "games").glob("*.md"))
    for name in rg.games.names():
        assert f"`{name}`" in text


def test_sessions_in_docstrings_are_fenced() -> None:
    pytest.importorskip("griffe")
    place = importlib.util.spec_from_file_location("sessions", ROOT / "docs" / "sessions.py")
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    assert doctest.testmod(module).failed == 0


@pytest.mark.full
def test_site_builds(tmp_path: Path) -> None:
    """Strict: a link, an anchor or a name of the reference that leads nowhere ends the build."""
    pytest.importorskip("zensical")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    for folder in ("docs", "src"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", "mkdocs.yml"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "No issues found" in built.stderr
    assert "CFR_PLUS" in (tmp_path / "site" / "reference" / "methods" / "index.html").read_text()


def test_equations_become_mathml() -> None:
    """An equation inside a list would end the list, and a command that the converter does not know stays as text."""
    converter = pytest.importorskip("latex2mathml.converter")
    for page in PAGES:
        prose = FENCE.sub("", page.read_text())
        assert not re.search(r"^[ ]+\$\$", prose, re.MULTILINE), f"{name_of(page)}: an indented equation"
        displayed = re.findall(r"^\$\$\n(.*?)\n\$\$$", prose, re.MULTILINE | re.DOTALL)
        prose = re.sub(r"`[^`]*`", "", re.sub(r"^\$\$\n.*?\n\$\$$", "", prose, flags=re.MULTILINE | re.DOTALL))
        inline = re.findall(r"\$([^$]+)\$", prose)
        assert "$" not in re.sub(r"\$[^$]+\$", "", prose), f"{name_of(page)}: a single $"
        for equation in displayed + inline:
            text = "".join(ElementTree.fromstring(converter.convert(equation)).itertext())
            assert not set(text) & set("\\&$"), f"{name_of(page)}: {equation}"
            assert equation in displayed or not re.search(r"\\[^a-zA-Z,;:]", equation), f"{name_of(page)}: {equation}"
