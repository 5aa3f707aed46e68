"""Help in Chinese: every text has an entry, by `--lang` or by the locale; errors stay English."""

from __future__ import annotations

import re

import pytest
import typer
from command_line import command

from regretless.apps.cli import app
from regretless.apps.languages.command_help import help_texts, help_width, in_chinese
from regretless.apps.languages.tables import chinese

HELP = chinese("help")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def test_every_help_text_has_an_entry() -> None:
    """A new option needs a line in `apps/languages/zh.toml`, and no line is left of one that is gone."""
    texts = set(help_texts(typer.main.get_command(app)))
    assert texts - set(HELP) == set()
    assert set(HELP) - texts == set()
    assert all(CHINESE.search(entry) for entry in HELP.values())


def test_names_and_numbers_stay() -> None:
    """Options, files, methods and numbers of a text are in its translation."""
    word = re.compile(r"--[a-z-]+|\b[A-Z]{2,}\b|\b\d[\d,.]*\b|\b(?:cfr\+|dcfr|mccfr|float32|int16|float64)")
    differing = {"FILE.py:CLASS"}
    for text, entry in HELP.items():
        named = {found.rstrip(".,") for found in word.findall(text)}
        assert {each for each in named - differing if each not in entry} == set(), text


@pytest.mark.parametrize("words", [("--lang", "zh", "solve", "-h"), ("solve", "--help", "--lang=zh")])
def test_by_the_option(words: tuple[str, ...]) -> None:
    shown = command(*words)
    assert shown.code == 0 and "求解一个博弈" in shown.out and "选项：" in shown.out and "Usage" not in shown.out


def test_by_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Options:" in command("bench", "-h").out
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert (
        "测量本机速度" in command("bench", "-h").out
        and "Time this machine" in command("bench", "-h", "--lang", "en").out
    )
    monkeypatch.setenv("LC_ALL", "C")
    assert "Time this machine" in command("bench", "-h").out


def test_errors_stay_english() -> None:
    assert "no such command 'nothing'" in command("--lang", "zh", "nothing").refused()
    assert "'fr' is not one of 'en', 'zh'" in command("--lang", "fr", "games").refused()


def test_all_pages_fit_into_the_width_of_the_terminal() -> None:
    """Chinese characters take two columns; only option names are wider than half of the page."""
    assert help_width(80) == 55 and help_width(10) == 40
    whole = in_chinese(typer.main.get_command(app))
    context = typer.Context(whole, info_name="regretless", terminal_width=help_width(80))
    lines = context.get_help().splitlines()
    assert max(sum(2 if CHINESE.match(letter) else 1 for letter in line) for line in lines) <= 100
