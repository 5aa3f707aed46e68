"""The help of the command line in another language: texts of commands and options, and the words around them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from regretless.apps.languages.tables import chinese

__all__ = ["help_texts", "help_width", "in_chinese"]

HEADINGS: Mapping[str, str] = {
    r"^Usage:": "用法：",
    r"^Options:$": "选项：",
    r"^Arguments:$": "参数：",
    r"^Commands:$": "命令：",
    r"\[OPTIONS\]": "[选项]",
    r"COMMAND \[ARGS\]\.\.\.": "命令 [参数]...",
    r"\[default:(?: |(?=\n))": "[默认：",
    r"\[required\]": "[必填]",
    r"Show this message and exit\.": "显示本帮助并退出。",
}
"""Patterns of what the library for options writes itself, and their replacements."""

OPTION_COLUMNS = 30
"""Columns of a page of help that option names take, about; they are not translated."""


def help_texts(command: Any) -> Iterator[str]:
    """Every help text of a command, of its options and of its subcommands."""
    yield from (text for text in (command.help, command.epilog) if text)
    yield from (option.help for option in command.params if getattr(option, "help", None))
    for below in getattr(command, "commands", {}).values():
        yield from help_texts(below)


def in_chinese(command: Any) -> Any:
    """The command, whose help is replaced by the table's; a text that the table lacks stays English."""
    table = chinese("help")
    for name in ("help", "epilog", "short_help"):
        text = getattr(command, name, None)
        if text:
            setattr(command, name, table.get(text, text))
    for option in command.params:
        if getattr(option, "help", None):
            option.help = table.get(option.help, option.help)
    written = command.get_help
    command.get_help = lambda context: _with_headings(written(context))
    for below in getattr(command, "commands", {}).values():
        in_chinese(below)
    return command


def _with_headings(text: str) -> str:
    """Headings and remarks in brackets, which the library for options writes itself."""
    for pattern, replacement in HEADINGS.items():
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def help_width(columns: int | None = None) -> int:
    """The width to wrap help at, in characters: a Chinese character takes two columns of a terminal."""
    columns = shutil.get_terminal_size().columns if columns is None else columns
    return max((min(columns, 120) + OPTION_COLUMNS) // 2, 40)
