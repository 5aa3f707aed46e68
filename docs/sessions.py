"""For the reference pages: sessions in docstrings become fenced blocks, so that they are shown as code."""

from __future__ import annotations

import inspect
from typing import Any

import griffe


class Sessions(griffe.Extension):
    """Puts a fence around every run of lines from a prompt to the next blank line."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for everything that has been read."""
        if obj.docstring is not None and not obj.is_alias:
            obj.docstring.value = fenced(inspect.cleandoc(obj.docstring.value))


def fenced(text: str) -> str:
    """The text with its sessions in fences.

    >>> fenced("Adds.\\n\\n>>> 1 + 1\\n2").splitlines()
    ['Adds.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if not inside and line.lstrip().startswith(">>> "):
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)
